"""What must be true of a database before we serve from it."""

from typing import NamedTuple

import psycopg
from psycopg.rows import class_row

from chatServer.errors import StartupError
from chatServer.store import migrate, queries

SQL = queries.load("startup.sql")
CONNECT_TIMEOUT_S = 10


class Login(NamedTuple):
    role_name: str
    is_superuser: bool
    bypasses_rls: bool
    is_owner: bool
    may_become_user: bool
    is_migrated: bool


async def refuse_unsafe_database(url: str) -> None:
    """Row level security does not bind owners, superusers and BYPASSRLS: no server starts as one of them.
    Nor does it on a schema that is older than the code; a newer one is fine, for upgrades migrate first."""
    try:
        connection = await psycopg.AsyncConnection.connect(
            url, connect_timeout=CONNECT_TIMEOUT_S, prepare_threshold=None
        )
    except psycopg.ProgrammingError as error:  # its text may hold the password, so ours does not quote it
        raise StartupError(
            "DATABASE_URL is no address of a database: postgresql://chat_app:PASSWORD@HOST:PORT/NAME"
        ) from error
    except psycopg.OperationalError as error:
        raise StartupError(
            f"The database does not answer ({migrate.where(url)}): {error}\nCheck DATABASE_URL."
        ) from error
    async with connection:
        async with connection.cursor(row_factory=class_row(Login)) as cursor:
            await cursor.execute(SQL["who_logs_in"])
            login = await cursor.fetchone()
        assert login is not None
        if problems := _problems(login):
            raise StartupError("\n".join(["The server refuses to start on this database:", *problems]))
        await connection.execute(b"set local role chat_user")
        row = await (await connection.execute(SQL["read_revision"])).fetchone()
    revision = row[0] if row else None
    if revision is None or (revision != migrate.newest_revision() and migrate.knows(revision)):
        raise StartupError(f"The database is at revision {revision}. Run: chatserver migrate")


def _problems(login: Login) -> list[str]:
    problems = []
    powers = {
        "is a superuser": login.is_superuser,
        "has BYPASSRLS": login.bypasses_rls,
        "owns our tables": login.is_owner,
    }
    if reason := next((power for power, has_it in powers.items() if has_it), None):
        problems.append(
            f"  The role {login.role_name} {reason}, or may become such a role: row level security would not bind it. "
            "Let DATABASE_URL log in as chat_app; the owner belongs in MIGRATION_DATABASE_URL."
        )
    if not login.is_migrated:
        problems.append("  Our tables are missing. Run: chatserver migrate")
    elif not login.may_become_user:
        problems.append(f"  {login.role_name} cannot become chat_user. Run: grant chat_user to {login.role_name}")
    return problems
