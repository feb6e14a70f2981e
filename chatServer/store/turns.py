"""Rows of chat.turns."""

from collections.abc import Collection
from uuid import UUID

from psycopg.rows import class_row

from chatServer.records import Turn
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("turns.sql")


async def read_turns(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> dict[UUID, Turn]:
    """Some turns by id; without a query when there are none to ask for."""
    if not turn_ids:
        return {}
    async with connection.cursor(row_factory=class_row(Turn)) as cursor:
        await cursor.execute(SQL["read_turns"], {"user_id": user_id, "turn_ids": list(turn_ids)})
        return {turn.turn_id: turn for turn in await cursor.fetchall()}
