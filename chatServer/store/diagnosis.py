"""What can be learned about a database from outside, with the login of the server: facts, and why there are none."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import psycopg
from psycopg.rows import class_row

from chatServer.records import NOBODY
from chatServer.store import migrate, queries, startup
from chatServer.store.embedding import Embedding
from chatServer.store.pool import claims

SQL = queries.load("doctor.sql")
CONNECT_TIMEOUT_S = 5

Reason = Literal["address", "password", "database", "role", "unreachable", "full", "refused", "embedded", "hangs"]
_WORDS: dict[Reason, tuple[str, ...]] = {
    "password": ("password authentication failed", "no password supplied", "SASL", "Wrong password"),
    "role": ("Tenant or user not found", "no such user"),
    "full": migrate.FULL,
    "unreachable": ("Connection refused", "timeout", "could not translate", "resolve", "No route", "No such file"),
}


class DatabaseFault(Exception):
    """There is no connection to be had; `reason` says what to look at, the text is the server's."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class FaultyTable(NamedTuple):
    table_name: str
    is_unforced: bool
    is_closed: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    where: str
    server_version: int  # 180003
    login: startup.Login
    vector_installed: str | None
    vector_available: str | None
    schema: startup.Schema
    is_older: bool
    tables: list[FaultyTable]
    clock_ahead_s: float  # of the server's, compared with ours
    embedding: Embedding | None  # whose vectors there are


def look_at(url: str, *, clock: Callable[[], float] = time.time) -> DatabaseFacts:
    """Everything that can be known with this login, read in one transaction."""
    try:
        return _facts(url, clock)
    except psycopg.Error as error:
        raise DatabaseFault("refused", f"it does not let us look: {error.diag.message_primary or error}") from error


def _facts(url: str, clock: Callable[[], float]) -> DatabaseFacts:
    with _connect(url) as connection:
        asked_at = clock()
        row = connection.execute(SQL["read_extension"]).fetchone()
        ours_s = (asked_at + clock()) / 2
        assert row is not None  # nosec B101 # narrows a type
        login = startup.read_login(connection)
        with connection.cursor(row_factory=class_row(FaultyTable)) as cursor:
            ours = {"public_tables": list(queries.PUBLIC_TABLES)}
            tables = cursor.execute(SQL["list_faulty_tables"], ours).fetchall()
        may_read = login.is_migrated and login.may_become_user
        schema = startup.schema_of(connection) if may_read else startup.Schema()
        is_older = startup.is_older(schema.revision)
        return DatabaseFacts(
            where=migrate.where(url),
            server_version=connection.info.server_version,
            login=login,
            vector_installed=row[0],
            vector_available=row[1],
            schema=schema,
            is_older=is_older,
            tables=tables,
            clock_ahead_s=row[2] - ours_s,
            embedding=None if is_older else _embedding(connection),
        )


def _embedding(connection: psycopg.Connection) -> Embedding | None:
    """Once the connection has become chat_user, to read the revision."""
    connection.execute(claims(NOBODY))
    with connection.cursor(row_factory=class_row(Embedding)) as cursor:
        return cursor.execute(SQL["read_embedding"], {"user_id": NOBODY.user_id}).fetchone()


def _connect(url: str) -> psycopg.Connection:
    if migrate.is_ambiguous(url):
        raise DatabaseFault("address", "an @ or / in its password is not written as %40 or %2F")
    try:
        return psycopg.connect(url, connect_timeout=CONNECT_TIMEOUT_S, prepare_threshold=None)
    except psycopg.ProgrammingError as error:  # its text may hold the password
        raise DatabaseFault("address", "it is no address of a database") from error
    except psycopg.OperationalError as error:
        text = " ".join(str(error).split()).removeprefix("connection failed: ")
        raise DatabaseFault(_reason(text), text) from error


def _reason(text: str) -> Reason:
    if "does not exist" in text:
        return "role" if "role " in text else "database"
    return next((reason for reason, words in _WORDS.items() if any(word in text for word in words)), "refused")
