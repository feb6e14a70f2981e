"""How far turns are revised: chat.turns.revision_state says it, chat.turns.revision what came of it."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from chatServer import metrics
from chatServer.records.turns import UNCHANGED
from chatServer.store import queries, user_events
from chatServer.store.pipeline import Answer
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


async def ask_revision(connection: Connection, user_id: UUID, turn_id: UUID) -> Answer[Unrevised]:
    """Whether it is to be revised; the answer comes with that to the question which follows."""
    cursor = connection.cursor(row_factory=class_row(Unrevised))
    return await cursor.execute(SQL["find_revision"], {"user_id": user_id, "turn_id": turn_id})


async def ask_waiting(connection: Connection, user_id: UUID, session_id: str, *, limit: int) -> Answer[RecentTurn]:
    """Which turns of a session are to be revised, in the same way."""
    return await _ask(connection, "list_waiting", user_id, session_id, limit=limit)


async def list_recent_turns(
    connection: Connection, user_id: UUID, session_id: str, *, messages: int
) -> list[RecentTurn]:
    return await (await _ask(connection, "list_recent_turns", user_id, session_id, messages=messages)).fetchall()


async def _ask(connection: Connection, name: str, user_id: UUID, session_id: str, **bounds: int) -> Answer[RecentTurn]:
    cursor = connection.cursor(row_factory=class_row(RecentTurn))
    return await cursor.execute(SQL[name], {"user_id": user_id, "session_id": session_id, **bounds})


async def find_hidden(connection: Connection, user_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    values = {"user_id": user_id, "message_ids": list(message_ids)}
    return {row[0] for row in await (await connection.execute(SQL["find_hidden"], values)).fetchall()}


async def mark(connection: Connection, user_id: UUID, turn_ids: Collection[UUID], state: str) -> bool:
    """Of turns that are not done yet; whether there still are any."""
    values = {"user_id": user_id, "turn_ids": list(turn_ids), "state": state}
    return bool(await (await connection.execute(SQL["mark_revisions"], values)).fetchall())


async def mark_read(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> None:
    await connection.execute(SQL["mark_read"], {"user_id": user_id, "turn_ids": list(turn_ids)})


async def finish(connection: Connection, user_id: UUID, session_id: str, told: Mapping[UUID, dict[str, Any]]) -> bool:
    """These turns are revised, which their logs, their replies and the user's other devices hear once; whether any was
    not before, and is still there. The caller holds the session's row."""
    asked = []
    for turn_id, each in told.items():
        values = {
            "user_id": user_id,
            "turn_id": turn_id,
            "name": EVENT,
            "told": Jsonb(each),
            "kept": Jsonb(_kept(each)),
        }
        asked.append(await connection.execute(SQL["finish_revision"], values))
    is_there = False
    for (turn_id, each), answer in zip(told.items(), asked, strict=True):
        if (row := await answer.fetchone()) is None:
            continue
        is_there = True
        if row[0] is not None:
            metrics.revision_lag_seconds.observe(max(row[0], 0))
        about = {"what": "revision", "session_id": session_id, "turn_id": str(turn_id)}
        await user_events.tell(connection, user_id, "memory", about | each)
    return is_there


def _kept(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if value or name not in UNCHANGED}
