"""What of a user's memories deserves a look: how many, and which."""

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.records import EVERY_AGENT
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("audit.sql")
UNUSED_FOR = timedelta(days=30)
MAX_MEMBERS = 10  # of one contradiction


class Counts(NamedTuple):
    memories: int  # that hold
    never_recalled: int
    untrusted: int
    hidden_messages: int


class Hidden(NamedTuple):
    """A message that recall passes over."""

    message_id: UUID
    session_id: str


async def count_memories(connection: Connection, user_id: UUID) -> Counts:
    row = await (
        await connection.execute(SQL["count_memories"], {"user_id": user_id, "unused_for": UNUSED_FOR})
    ).fetchone()
    assert row is not None  # nosec B101 # narrows a type
    return Counts(*row)


async def find_never_recalled(connection: Connection, user_id: UUID, *, limit: int) -> list[UUID]:
    values = {"user_id": user_id, "unused_for": UNUSED_FOR, "limit": limit}
    return [row[0] for row in await (await connection.execute(SQL["find_never_recalled"], values)).fetchall()]


async def find_untrusted(connection: Connection, user_id: UUID, *, limit: int) -> list[UUID]:
    values = {"user_id": user_id, "limit": limit}
    return [row[0] for row in await (await connection.execute(SQL["find_untrusted"], values)).fetchall()]


async def find_contradicted(connection: Connection, user_id: UUID, *, limit: int) -> tuple[list[list[UUID]], int]:
    """Groups of facts that cannot all be true, and how many groups there are."""
    values = {"user_id": user_id, "limit": limit, "every_agent": EVERY_AGENT}
    rows = await (await connection.execute(SQL["find_contradicted"], values)).fetchall()
    return [ids[:MAX_MEMBERS] for ids, _ in rows], rows[0][1] if rows else 0


async def find_hidden(connection: Connection, user_id: UUID, *, limit: int) -> list[Hidden]:
    async with connection.cursor(row_factory=class_row(Hidden)) as cursor:
        await cursor.execute(SQL["find_hidden"], {"user_id": user_id, "limit": limit})
        return await cursor.fetchall()
