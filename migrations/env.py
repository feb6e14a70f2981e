"""How alembic connects: one transaction, behind one lock, with the version table out of Supabase's reach."""

from alembic import context
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from chatServer.config import load_settings
from chatServer.store.migrate import connect_as_owner, knows

LOCK_KEY = 0x63686174  # "chat"


def migrate_online() -> None:
    if (given := context.config.attributes.get("connection")) is not None:
        run_on(given)
        return
    url = context.config.attributes.get("owner_url") or load_settings().owner_url
    engine = create_engine("postgresql+psycopg://", creator=lambda: connect_as_owner(url), poolclass=NullPool)
    with engine.connect() as connection:
        run_on(connection)


def run_on(connection: Connection) -> None:
    """In a transaction of its own, or in the one that the connection is in already."""
    applied = context.config.attributes.get("applied", [])
    context.configure(
        connection=connection,
        version_table_schema="chat",
        transaction_per_migration=False,
        on_version_apply=lambda step, **_: applied.extend(step.up_revision_ids),
    )
    with context.begin_transaction():
        # A transaction's lock, not a session's: it also holds behind a pooler. Before anything is read,
        # so that the second of two servers finds the work of the first.
        connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
        connection.execute(text("create schema if not exists chat"))
        if all(map(knows, context.get_context().get_current_heads())):
            context.run_migrations()  # else newer code was here, and migrations only add: nothing is missing


if context.is_offline_mode():
    raise SystemExit("Offline mode is not needed: ddl.sql is the whole schema.")
migrate_online()
