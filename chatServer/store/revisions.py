"""How far turns are revised: chat.turns.revision_state says it, chat.turns.revision what came of it."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from chatServer import metrics
from chatServer.records.turns import UNCHANGED
from chatServer.store import queries, user_events
from chatServer.store.pool import Connection

SQL = queries.load("revisions.sql")
EVENT = "memory-revision"  # what a turn's log calls it


class Unrevised(NamedTuple):
    session_id: str
    agent_name: str
    has_memory: bool  # its session's; it may have been switched off since
    is_anonymous: bool  # its user


class RecentTurn(NamedTuple):
    turn_id: UUID
    attempt: int
    state: str  # of its revision
    revision: dict[str, Any] | None
    started_at: datetime
    has_recalled: bool  # what it was told of what is remembered may be in its answer

    @property
    def is_read(self) -> bool:
        """By the memory agent."""
        return bool((self.revision or {}).get("is_read"))

    @property
    def has_learned(self) -> bool:
        """By rules."""
        learned = (self.revision or {}).get("remembered") or {}
        return any(learned.get(name) for name in ("created", "ended", "repeated"))


async def find_revision(connection: Connection, user_id: UUID, turn_id: UUID) -> Unrevised | None:
    async with connection.cursor(row_factory=class_row(Unrevised)) as cursor:
        await cursor.execute(SQL["find_revision"], {"user_id": user_id, "turn_id": turn_id})
        return await cursor.fetchone()


async def list_waiting(connection: Connection, user_id: UUID, session_id: str, *, limit: int) -> list[RecentTurn]:
    return await _list(connection, "list_waiting", user_id, session_id, limit=limit)


async def list_recent_turns(
    connection: Connection, user_id: UUID, session_id: str, *, messages: int
) -> list[RecentTurn]:
    return await _list(connection, "list_recent_turns", user_id, session_id, messages=messages)


async def _list(connection: Connection, name: str, user_id: UUID, session_id: str, **bounds: int) -> list[RecentTurn]:
    async with connection.cursor(row_factory=class_row(RecentTurn)) as cursor:
        await cursor.execute(SQL[name], {"user_id": user_id, "session_id": session_id, **bounds})
        return await cursor.fetchall()


async def find_hidden(connection: Connection, user_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    values = {"user_id": user_id, "message_ids": list(message_ids)}
    return {row[0] for row in await (await connection.execute(SQL["find_hidden"], values)).fetchall()}


async def mark(connection: Connection, user_id: UUID, turn_ids: Collection[UUID], state: str) -> bool:
    """Of turns that are not done yet; whether there still are any."""
    values = {"user_id": user_id, "turn_ids": list(turn_ids), "state": state}
    return bool(await (await connection.execute(SQL["mark_revisions"], values)).fetchall())


async def mark_read(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> None:
    await connection.execute(SQL["mark_read"], {"user_id": user_id, "turn_ids": list(turn_ids)})


async def finish(connection: Connection, user_id: UUID, session_id: str, turn_id: UUID, told: dict[str, Any]) -> bool:
    """A turn is revised, which its log, its reply and the user's other devices hear once; whether it was not before,
    and is still there. The caller holds the session's row."""
    values = {"user_id": user_id, "turn_id": turn_id, "told": Jsonb(_kept(told))}
    row = await (await connection.execute(SQL["finish_revision"], values)).fetchone()
    if row is None:
        return False
    if row[0] is not None:
        metrics.revision_lag_seconds.observe(max(row[0], 0))
    logged = {"user_id": user_id, "turn_id": turn_id, "name": EVENT, "value": Jsonb(told)}
    await connection.execute(SQL["tell_in_log"], logged)
    about = {"what": "revision", "session_id": session_id, "turn_id": str(turn_id)}
    await user_events.tell(connection, user_id, "memory", about | told)
    return True


def _kept(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value or name not in UNCHANGED}
