"""What must be true of a database before we serve from it."""

from typing import NamedTuple

from psycopg.rows import class_row

from chatServer.errors import StartupError
from chatServer.store import migrate, queries

SQL = queries.load("startup.sql")


class Login(NamedTuple):
    role_name: str
    is_superuser: bool
    bypasses_rls: bool
    is_owner: bool
    may_become_user: bool
    is_migrated: bool


def refuse_unsafe_database(url: str) -> None:
    """Row level security does not bind owners, superusers and BYPASSRLS: no server starts as one of them.
    Nor does it on a schema that is older than the code; a newer one is fine, for upgrades migrate first."""
    with migrate.connect(url, "DATABASE_URL") as connection:
        with connection.cursor(row_factory=class_row(Login)) as cursor:
            login = cursor.execute(SQL["who_logs_in"]).fetchone()
        assert login is not None  # nosec B101 # narrows a type
        if problems := _problems(login):
            raise StartupError("\n".join(["The server refuses to start on this database:", *problems]))
        connection.execute(b"set local role chat_user")
        row = connection.execute(SQL["read_revision"]).fetchone()
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
