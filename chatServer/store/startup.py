"""What must be true of a database before we serve from it."""

from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from chatServer.errors import StartupError
from chatServer.records import NOBODY
from chatServer.store import migrate, queries
from chatServer.store.pool import Database

SQL = queries.load("startup.sql")
READY_TIMEOUT_MS = 500


class Schema(NamedTuple):
    """Our tables, as a request finds them."""

    revision: str | None = None
    is_read_only: bool = False


class Login(NamedTuple):
    role_name: str
    is_superuser: bool
    bypasses_rls: bool
    is_owner: bool
    may_become_user: bool
    is_migrated: bool

    @property
    def power(self) -> str | None:
        """Why row level security would not bind it."""
        powers = {
            "is a superuser": self.is_superuser,
            "has BYPASSRLS": self.bypasses_rls,
            "owns our tables": self.is_owner,
        }
        return next((power for power, has_it in powers.items() if has_it), None)


def refuse_unsafe_database(url: str) -> None:
    """Row level security does not bind owners, superusers and BYPASSRLS: no server starts as one of them.
    Nor does it on a schema that is older than the code; a newer one is fine, for upgrades migrate first."""
    with migrate.connect(url, "DATABASE_URL") as connection:
        if problems := _problems(read_login(connection)):
            raise StartupError("\n".join(["The server refuses to start on this database:", *problems]))
        revision = schema_of(connection).revision
    if is_older(revision):
        raise StartupError(f"The database is at revision {revision}. Run: chatserver migrate")


def read_login(connection: psycopg.Connection) -> Login:
    """Who we are there, and what that role could do."""
    with connection.cursor(row_factory=class_row(Login)) as cursor:
        login = cursor.execute(SQL["who_logs_in"], {"public_tables": list(queries.PUBLIC_TABLES)}).fetchone()
    assert login is not None  # nosec B101 # narrows a type
    return login


def schema_of(connection: psycopg.Connection) -> Schema:
    """Where the schema is, for a login that may become a user."""
    connection.execute(b"set local role chat_user")
    with connection.cursor(row_factory=class_row(Schema)) as cursor:
        return cursor.execute(SQL["read_schema"]).fetchone() or Schema()


def is_older(revision: str | None) -> bool:
    """Whether the schema lacks what this code needs."""
    return revision is None or (revision != migrate.newest_revision() and migrate.knows(revision))


async def read_schema(database: Database) -> Schema:
    """Where the schema is, asked by a user who is nobody: the shortest way through everything that a request needs."""
    async with (
        database.transaction(NOBODY, timeout_ms=READY_TIMEOUT_MS) as connection,
        connection.cursor(row_factory=class_row(Schema)) as cursor,
    ):
        await cursor.execute(SQL["read_schema"])
        return await cursor.fetchone() or Schema()


def _problems(login: Login) -> list[str]:
    problems = []
    if reason := login.power:
        problems.append(
            f"  The role {login.role_name} {reason}, or may become such a role: row level security would not bind it. "
            "Let DATABASE_URL log in as chat_app; the owner belongs in MIGRATION_DATABASE_URL."
        )
    if not login.is_migrated:
        problems.append("  Our tables are missing. Run: chatserver migrate")
    elif not login.may_become_user:
        problems.append(f"  {login.role_name} cannot become chat_user. Run: grant chat_user to {login.role_name}")
    return problems
