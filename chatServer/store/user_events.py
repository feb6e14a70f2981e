"""Rows of chat.user_events: what a user's other tabs and devices hear about, numbered in the order of commits."""

from collections.abc import Collection
from typing import Any, Literal, NamedTuple
from uuid import UUID

from chatServer.records import Session, Turn
from chatServer.store import queries
from chatServer.store.jsonb import jsonb
from chatServer.store.pool import Connection, Database
from chatServer.store.queries import NEWEST

SQL = queries.load("user_events.sql")
SWEEP = queries.load("sweep.sql")
USER_EVENTS_KEPT_S = 24 * 3_600
MAX_MISSED = 1_000  # whoever has missed more had better look anew

Kind = Literal["session", "title", "turn", "memory", "knowledge"]
Change = Literal["created", "changed", "entered", "deleted"]


class Told(NamedTuple):
    """An event as it was told: its number, and its data as JSON."""

    seq: int
    kind: str
    data: str


class Heard(NamedTuple):
    """The number of a user's last event, and what came after a point; None when not all of that is known."""

    head: int
    told: list[Told] | None


async def tell(
    connection: Connection, user_id: UUID, kind: Kind, data: dict[str, Any], *, waited_s: float = 0.0
) -> None:
    """Let the user's other tabs and devices know, once the transaction is committed: ids and names, never what was
    said. It is written at the very end, so that the user's head, which it locks, is the last lock of all.

    There errors.Erased meets whoever began before an erasure, `waited_s` before the transaction did. So whatever adds
    something of a user's tells it, or is `be_in_time`, or hangs on a row that the erasure takes."""
    values = {"user_id": user_id, "kind": kind, "data": jsonb(data)}
    connection.execute_last(SQL["tell"], values | {"waited_s": max(waited_s, connection.waited_s)})


async def be_in_time(connection: Connection, user_id: UUID, *, waited_s: float) -> None:
    """The same for what nobody needs to hear about."""
    values = {"user_id": user_id, "waited_s": max(waited_s, connection.waited_s)}
    connection.execute_last(SQL["be_in_time"], values)


async def tell_session(connection: Connection, user_id: UUID, session: Session, change: Change) -> None:
    about: dict[str, Any] = {"session_id": session.session_id, "change": change, "agent_name": session.agent_name}
    if change != "deleted":
        is_archived = session.archived_at is not None
        about |= {"external_id": session.external_id, "title": session.title}
        about |= {"archived": is_archived, "memory": session.memory}
    await tell(connection, user_id, "session", about)


async def tell_turn(connection: Connection, user_id: UUID, turn: Turn, state: str, *, waited_s: float = 0.0) -> None:
    reply_id = None if turn.reply_message_id is None else str(turn.reply_message_id)
    about = {"session_id": turn.session_id, "turn_id": str(turn.turn_id), "agent_name": turn.agent_name}
    told = about | {"state": state, "reply_message_id": reply_id}
    await tell(connection, user_id, "turn", told, waited_s=waited_s)


async def read_user_events(connection: Connection, user_id: UUID, after_seq: int | None) -> Heard:
    """What came after a point; with None, the present alone."""
    point = NEWEST if after_seq is None else after_seq
    values = {"user_id": user_id, "after_seq": point, "limit": MAX_MISSED + 1}
    rows = await (await connection.execute(SQL["read_user_events"], values)).fetchall()
    head = rows[0][0] if rows else await _begin_head(connection, user_id)
    told = [Told(*row[1:]) for row in rows if row[1] is not None]
    # Numbers have no gaps: what is missing has expired, or was erased; a point beyond the last is another database's.
    is_whole = after_seq is None or head - after_seq == len(told) <= MAX_MISSED
    return Heard(head, told if is_whole else None)


async def _begin_head(connection: Connection, user_id: UUID) -> int:
    row = await (await connection.execute(SQL["begin_head"], {"user_id": user_id})).fetchone()
    assert row is not None  # nosec B101 # narrows a type
    return int(row[0])


async def forget_title(connection: Connection, user_id: UUID, session_id: str) -> None:
    await connection.execute(SQL["forget_title"], {"user_id": user_id, "session_id": session_id})


async def delete_old_user_events(connection: Connection, user_id: UUID) -> None:
    await connection.execute(SQL["delete_old_user_events"], {"user_id": user_id, "age_s": USER_EVENTS_KEPT_S})


async def read_heads(database: Database, user_ids: Collection[UUID]) -> dict[UUID, int]:
    """The number of the last event of each of these users: one question for all of them, and no contents."""
    async with database.sweep() as connection:
        rows = await (await connection.execute(SWEEP["read_heads"], {"user_ids": list(user_ids)})).fetchall()
    return dict(rows)
