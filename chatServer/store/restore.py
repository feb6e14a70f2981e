"""Restore a backup in one transaction: the schema of its revision, its rows, then the newest revision."""

import contextlib
import re
import subprocess  # nosec B404 # runs Postgres' own tools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from chatServer.errors import StartupError
from chatServer.records import Principal
from chatServer.store import jobs, migrate, pgtools, queries
from chatServer.store.backup import refuse_a_bound_owner
from chatServer.store.pool import claims
from chatServer.store.queries import PUBLIC_TABLES

COPY = re.compile(rb"^COPY ((?:chat\.\w+)|(?:public\.(\w+))) \([\w, \"]+\) FROM stdin;$")
SET_SEQUENCE = re.compile(
    rb"^SELECT pg_catalog\.setval\('(?:chat\.\w+|public\.chat_message_history_id_seq)', \d+, (?:true|false)\);$"
)
SQL = queries.load("backup.sql")
GONE = (
    "The database went away during the restore. Nothing was changed, unless that was at its very end: "
    "when it is back, run the command again."
)


class Restored(NamedTuple):
    """What came of it."""

    revision: str  # that the file was at
    unread: int  # files that wait to be read
    tokens: int  # personal ones that have ended


def restore(owner_url: str, file: Path, *, force: bool = False) -> Restored:
    """Bring back what a backup holds, into an empty database unless forced.

    Only rows are taken from the file, never statements: a file from elsewhere cannot do anything to the database.
    """
    with _transaction(owner_url) as (connection, raw):
        refuse_a_bound_owner(raw)
        tool = pgtools.pg_restore()
        revision = _revision_in(tool, file)
        if not force:
            _refuse_to_lose_rows(raw)
        _drop(raw)
        migrate.upgrade(connection, revision)
        _load(raw, tool, file)
        migrate.upgrade(connection, "head")
        # One that was deleted since the backup, or erased with its user, would be taken again.
        tokens = raw.execute(SQL["end_tokens"]).rowcount
        return Restored(revision, _leave_unread(raw), tokens)


@contextlib.contextmanager
def _transaction(owner_url: str) -> Iterator[tuple[Connection, psycopg.Connection]]:
    """As SQLAlchemy's, for the migrations, and as psycopg's, for the rows: one and the same."""
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: migrate.connect_as_owner(owner_url), poolclass=NullPool
    )
    try:
        with engine.begin() as connection:
            raw = connection.connection.driver_connection
            assert isinstance(raw, psycopg.Connection)  # nosec B101 # narrows a type
            yield connection, raw
    except (psycopg.Error, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        said = cause.diag.message_primary if isinstance(cause, psycopg.Error) else None  # the rest quotes rows
        if said is None:
            raise StartupError(GONE) from error
        raise StartupError(f"The database refused the restore; nothing was changed. It said: {said}") from error


def _revision_in(tool: Path, file: Path) -> str:
    """The revision of the rows, if this is a file of ours."""
    not_ours = StartupError(f"{file} is not a backup of chatServer.")
    if not file.is_file():
        raise StartupError(f"There is no file {file}.")
    found: list[bytes] = []
    with _rows_of(tool, file, "--schema=chat", "--table=alembic_version", failure=not_ours) as lines:
        for line in lines:
            if COPY.match(line.rstrip()):
                found = [row.rstrip(b"\n") for row in _until_the_end(lines)]
    if len(found) != 1 or not re.fullmatch(rb"\w{1,32}", found[0]):
        raise not_ours
    revision = found[0].decode()
    if not migrate.knows(revision):
        raise StartupError(f"{file} is at revision {revision}, which is newer than this code. Upgrade first.")
    return revision


def _refuse_to_lose_rows(connection: psycopg.Connection) -> None:
    for (name,) in connection.execute(SQL["list_our_tables"], {"public_tables": list(PUBLIC_TABLES)}).fetchall():
        query = sql.SQL("select exists (select from {})").format(sql.SQL(name))
        if connection.execute(query).fetchone() == (True,):
            raise StartupError(
                f"The database is not empty: {name} has rows. Restore into an empty one, or say --force to "
                "replace everything that is there."
            )


def _drop(connection: psycopg.Connection) -> None:
    connection.execute("set local lock_timeout = '10s'")
    connection.execute("set local client_encoding = 'UTF8'")
    connection.execute("drop table if exists chat.notes_versions")  # the one of ours that refers to one of public
    for name in PUBLIC_TABLES:  # without cascade: what others have built on them is not ours to drop
        connection.execute(sql.SQL("drop table if exists public.{}").format(sql.Identifier(name)))
    connection.execute("drop schema if exists chat cascade")
    connection.execute("drop schema if exists procrastinate cascade")  # after-work of turns that are replaced
    connection.execute("create schema chat")  # alembic's own table goes there, before the first revision


def _load(connection: psycopg.Connection, tool: Path, file: Path) -> None:
    """The rows, table by table in the order of their foreign keys; where the counters of identities go on."""
    failure = StartupError(f"{file} is damaged: pg_restore cannot read it. Nothing was changed.")
    connection.execute("truncate chat.alembic_version")
    with connection.cursor() as cursor, _rows_of(tool, file, failure=failure) as lines:
        for line in lines:
            statement = line.rstrip()
            if SET_SEQUENCE.match(statement):
                cursor.execute(statement)
            elif (table := COPY.match(statement)) and table[2] in (None, *(name.encode() for name in PUBLIC_TABLES)):
                _copy(cursor, statement, _until_the_end(lines))


def _copy(cursor: psycopg.Cursor, statement: bytes, rows: Iterator[bytes]) -> None:
    with cursor.copy(statement) as copy:
        for row in rows:
            copy.write(row)


def _leave_unread(connection: psycopg.Connection) -> int:
    """Leave a job for each file that waited to be read, as its user did with it: the queue is not in a backup."""
    unread = connection.execute(SQL["list_unread_articles"]).fetchall()
    for user_id, article_id in unread:
        connection.execute(claims(Principal(user_id)))
        connection.execute(jobs.SQL["enqueue_ingest"], {"article_id": article_id})
    return len(unread)


def _until_the_end(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line == b"\\.\n":
            return
        yield line


@contextlib.contextmanager
def _rows_of(tool: Path, file: Path, *selection: str, failure: StartupError) -> Iterator[IO[bytes]]:
    """What pg_restore writes when it has no database: one COPY per table, its rows, a line that ends it."""
    command = [str(tool), "--data-only", *selection, "--file=-", str(file)]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints)  # noqa: S603  # nosec B603 # a list of arguments, none of a client's
        assert process.stdout is not None  # nosec B101 # narrows a type
        with process:
            yield process.stdout
        if process.returncode != 0:
            raise failure
