"""Which memories maintenance has something to do with, by their ids; and what it has done."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("upkeep.sql")
BATCH = 200  # memories in one transaction


class Text(NamedTuple):
    """A memory as far as it is compared with others."""

    memory_id: UUID
    shelf: str
    text: str


async def find_promotable(connection: Connection, user_id: UUID, *, importance: float, recalls: int) -> list[UUID]:
    return await _ids(connection, "find_promotable", user_id, importance=importance, recalls=recalls)


async def find_expired(connection: Connection, user_id: UUID, *, working_life: timedelta) -> list[UUID]:
    return await _ids(connection, "find_expired", user_id, working_life=working_life)


async def find_unused(
    connection: Connection, user_id: UUID, *, days: int | None, by_agent: Mapping[str, int]
) -> list[UUID]:
    """What nobody needed for so many days; for what some agents were told there is a number of their own."""
    return await _ids(connection, "find_unused", user_id, days=days, by_agent=Jsonb(dict(by_agent)))


async def find_tail(connection: Connection, user_id: UUID, *, room: int, half_life: timedelta) -> list[UUID]:
    return await _ids(connection, "find_tail", user_id, room=room, half_life_s=half_life.total_seconds())


async def find_texts(connection: Connection, user_id: UUID, *, limit: int) -> list[Text]:
    """The last changed first."""
    async with connection.cursor(row_factory=class_row(Text)) as cursor:
        await cursor.execute(SQL["find_texts"], {"user_id": user_id, "limit": limit})
        return await cursor.fetchall()


async def prune_before(connection: Connection, user_id: UUID, *, kept_for: timedelta) -> int:
    """How many changes can no longer be undone."""
    return len(await _ids(connection, "prune_before", user_id, kept_for=kept_for))


async def mark_begun(connection: Connection, user_id: UUID) -> None:
    await connection.execute(SQL["mark_begun"], {"user_id": user_id})


async def mark_kept(connection: Connection, user_id: UUID, seq: int) -> None:
    await connection.execute(SQL["mark_kept"], {"user_id": user_id, "seq": seq})


async def _ids(connection: Connection, name: str, user_id: UUID, **values: Any) -> list[UUID]:
    answer = await connection.execute(SQL[name], {"user_id": user_id, "limit": BATCH, **values})
    return [row[0] for row in await answer.fetchall()]
