"""Bring a database to the newest revision, as its owner."""

import functools
from urllib.parse import urlsplit

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg import conninfo, errors, sql
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from chatServer.config import ROOT
from chatServer.errors import StartupError

OLDEST_SERVER = 150_000
# The words of Postgres, of pgbouncer and of Supavisor. libpq hands over a text and no code while it connects.
FULL = (
    *("too many connections", "too many clients", "remaining connection slots"),
    *("no more connections allowed", "ax client connections"),
)
ROOM = (
    "Let there be more connections (max_connections, the limit of the role, the pooler's), or take fewer: "
    "DATABASE_POOL_SIZE and 8 more for each process"
)
FIRST_START = {"DATABASE_URL": " On the first start, chatserver migrate makes the role chat_app."}


def connect(url: str, setting: str) -> psycopg.Connection:
    """One unpooled connection; when there is none to be had, a sentence that says what to check."""
    if is_ambiguous(url):
        raise StartupError(f"{setting}: write @ as %40, / as %2F and ? as %3F in the password.")
    try:
        connection = psycopg.connect(url, connect_timeout=10, prepare_threshold=None)
    except psycopg.ProgrammingError as error:  # its text may hold the password, so ours does not quote it
        raise StartupError(
            f"{setting} is no address of a database: postgresql://USER:PASSWORD@HOST:PORT/NAME"
        ) from error
    except psycopg.OperationalError as error:
        if is_full(error):
            raise StartupError(
                f"The database runs and has no connection left ({where(url)}): {error}\n{ROOM}."
            ) from error
        raise StartupError(
            f"The database does not let us in ({where(url)}): {error}\n"
            f"Check {setting}: host, port, user, password, and that the database exists.{FIRST_START.get(setting, '')}"
        ) from error
    if 0 < (found := connection.info.server_version) < OLDEST_SERVER:  # 0: a pooler that does not say it
        connection.close()
        raise StartupError(
            f"{setting}: Postgres {found // 10_000} is too old, it has to be {OLDEST_SERVER // 10_000} or newer."
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding not in (None, "UTF8"):  # people write in all languages
        connection.close()
        raise StartupError(
            f"{setting}: this database keeps texts as {encoding}, and has to keep them as UTF8. Make another: "
            "create database NAME encoding 'UTF8' template template0"
        )
    return connection


def connect_as_owner(url: str) -> psycopg.Connection:
    """For schema work."""
    return connect(url, "MIGRATION_DATABASE_URL")


def migrate(owner_url: str) -> list[str]:
    """Run the missing revisions, and name them. Safe to call from several processes at once, and again."""
    config = _config()
    config.attributes["owner_url"] = owner_url
    applied = config.attributes["applied"] = []
    try:
        command.upgrade(config, "head")
    except (psycopg.Error, DBAPIError) as error:
        if (remedy := _remedy(error)) is None:
            raise
        raise StartupError(f"{remedy} Nothing was changed.") from error
    return applied


def upgrade(connection: Connection, revision: str) -> None:
    """Run revisions within somebody else's transaction, who commits."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@functools.cache
def newest_revision() -> str:
    """The revision that this code was written for."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None  # nosec B101 # narrows a type
    return head


def revision_of(owner_url: str) -> str:
    """The revision that a migrated database is at: the newest, unless newer code was there."""
    with connect_as_owner(owner_url) as connection:
        [[revision]] = connection.execute(b"select version_num from chat.alembic_version")
    return str(revision)


def knows(revision: str) -> bool:
    """Whether a revision is one of ours; one that is not comes from newer code."""
    return revision in _revisions()


@functools.cache
def _revisions() -> frozenset[str]:
    return frozenset(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def set_login_password(owner_url: str, app_url: str) -> bool:
    """Give chat_app the password that DATABASE_URL carries, so that there is one place to write it."""
    try:
        wanted = conninfo.conninfo_to_dict(app_url)
    except psycopg.ProgrammingError as error:  # its text may hold the password
        raise StartupError("DATABASE_URL is no address of a database.") from error
    if is_ambiguous(app_url):
        raise StartupError("DATABASE_URL: write @ as %40, / as %2F and ? as %3F in the password.")
    user, password = str(wanted.get("user") or ""), wanted.get("password")
    if user.split(".", maxsplit=1)[0] != "chat_app" or not password:  # poolers append the project: chat_app.abcdef
        return False
    with connect_as_owner(owner_url) as connection:
        # Hashed here, so that the server's log of statements never holds it.
        verifier = connection.pgconn.encrypt_password(str(password).encode(), b"chat_app", b"scram-sha-256")
        statement = sql.SQL("alter role chat_app password {}").format(sql.Literal(verifier.decode()))
        try:
            connection.execute(statement)
        except errors.InsufficientPrivilege as error:
            raise StartupError(
                f"The owner of the database may not set the password of chat_app ({_message(error)}). "
                "Let an administrator set the one that DATABASE_URL carries."
            ) from error
    return True


def is_ambiguous(url: str) -> bool:
    """A bare @ or / in a password makes part of it the host, and errors quote hosts."""
    if "://" not in url:
        return False
    authority, _, rest = url.partition("://")[2].partition("/")
    return authority.count("@") > 1 or "@" in rest.partition("?")[0]


def is_full(error: psycopg.Error) -> bool:
    """Whether a connection was refused because others have them all: the database itself is well."""
    return any(words in str(error) for words in FULL)


def where(url: str) -> str:
    """A database address without its secrets, for people and logs."""
    if "://" in url:
        parts = urlsplit(url)
        return f"{parts.username or ''}@{parts.hostname or 'local socket'}{parts.path}"
    parameters = conninfo.conninfo_to_dict(url)
    return f"{parameters.get('user', '')}@{parameters.get('host', 'local socket')}/{parameters.get('dbname', '')}"


def _remedy(error: Exception) -> str | None:
    """What a person can do about a database that refuses our schema; None when we do not know."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    message = _message(cause)
    match cause:
        case errors.InsufficientPrivilege() if "extension" in message:
            return f"{message}: let an administrator run `create extension vector` in this database."
        case errors.InsufficientPrivilege():
            return f"{message}: MIGRATION_DATABASE_URL needs a role that owns the database and has CREATEROLE."
        case errors.FeatureNotSupported() | errors.UndefinedFile() if "extension" in message:
            return f"{message}: install pgvector 0.7 or newer on the database server."
        case errors.UndefinedObject() if "halfvec" in message:
            return f"{message}: pgvector 0.7 or newer must be in the schema public or extensions."
    return _remedy_for_now(cause)


def _remedy_for_now(cause: object) -> str | None:
    """The same of one that would take it at another time."""
    message = _message(cause)
    match cause:
        case errors.LockNotAvailable():
            return "Another session holds a lock on our tables: try again."
        case errors.ReadOnlySqlTransaction():
            return (
                f"{message}: let MIGRATION_DATABASE_URL name the primary, or: "
                "alter database NAME reset default_transaction_read_only."
            )
        case errors.DiskFull():
            return f"{message}: make room on the disk of the database."
        case psycopg.OperationalError(sqlstate=None):
            return "The database went away: when it is back, run the command again."
    return None


def _message(error: object) -> str:
    return (error.diag.message_primary or "") if isinstance(error, psycopg.Error) else ""


def _config() -> Config:
    config, root = Config(), str(ROOT).replace("%", "%%")
    config.set_main_option("script_location", f"{root}/migrations")
    config.set_main_option("prepend_sys_path", root)  # revisions share code
    config.set_main_option("path_separator", "newline")
    return config
