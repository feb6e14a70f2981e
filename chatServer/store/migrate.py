"""Bring a database to the newest revision, as its owner."""

import logging
from urllib.parse import urlsplit

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg import conninfo, sql

from chatServer.config import ROOT
from chatServer.errors import StartupError

logger = logging.getLogger(__name__)


def connect_as_owner(url: str) -> psycopg.Connection:
    """One unpooled connection for schema work; it fails with a sentence that says what to check."""
    try:
        return psycopg.connect(url, connect_timeout=10, prepare_threshold=None)
    except psycopg.OperationalError as error:
        raise StartupError(
            f"Cannot reach the database as its owner ({where(url)}): {error}\n"
            "Check MIGRATION_DATABASE_URL: host, port, user and password."
        ) from error


def migrate(owner_url: str) -> None:
    """Run the missing revisions. Safe to call from several processes at once, and again."""
    config = _config()
    config.attributes["owner_url"] = owner_url
    try:
        command.upgrade(config, "head")
    except psycopg.errors.LockNotAvailable as error:
        raise StartupError("Another session holds a lock on our tables. Nothing was changed; try again.") from error


def newest_revision() -> str:
    """The revision that this code was written for."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def knows(revision: str) -> bool:
    """Whether a revision is one of ours; one that is not comes from newer code."""
    return revision in {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def set_login_password(owner_url: str, app_url: str) -> bool:
    """Give chat_app the password that DATABASE_URL carries, so that there is one place to write it."""
    wanted = conninfo.conninfo_to_dict(app_url)
    user, password = str(wanted.get("user") or ""), wanted.get("password")
    if user.split(".")[0] != "chat_app" or not password:  # poolers append the project: chat_app.abcdef
        return False
    with connect_as_owner(owner_url) as connection:
        connection.execute(sql.SQL("alter role chat_app password {}").format(sql.Literal(password)))
    return True


def where(url: str) -> str:
    """A database address without its secrets, for people and logs."""
    if "://" in url:
        parts = urlsplit(url)
        return f"{parts.username or ''}@{parts.hostname or 'local socket'}{parts.path}"
    parameters = conninfo.conninfo_to_dict(url)
    return f"{parameters.get('user', '')}@{parameters.get('host', 'local socket')}/{parameters.get('dbname', '')}"


def _config() -> Config:
    return Config(str(ROOT / "alembic.ini"))
