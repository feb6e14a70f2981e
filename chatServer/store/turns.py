"""Rows of chat.turns."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from psycopg.rows import class_row

from chatServer.records import Turn, TurnEvent, TurnState
from chatServer.store import events, queries
from chatServer.store import recalled as lines
from chatServer.store.jsonb import jsonb
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("turns.sql")
LEASE_S = 30  # how long a turn counts as running without a sign of life
RENEW_AFTER_S = 10


async def read_turns(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> dict[UUID, Turn]:
    """Some turns by id; without a query when there are none to ask for."""
    if not turn_ids:
        return {}
    return {turn.turn_id: turn for turn in await _all(connection, "read_turns", user_id, turn_ids=list(turn_ids))}


async def measure_partial_texts(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> dict[UUID, int]:
    """How many bytes some turns have said that were never finished; without a query when there are none to ask for."""
    if not turn_ids:
        return {}
    values = {"user_id": user_id, "turn_ids": list(turn_ids)}
    return dict(await (await connection.execute(SQL["measure_partial_texts"], values)).fetchall())


async def find_turns(connection: Connection, user_id: UUID, session_id: str, turn_key: str | None) -> list[Turn]:
    """The turn with this key, and the one that is running. Mostly there is none, and to say so in one column instead of
    in fifteen takes Postgres half (2026-11-19)."""
    values = {"user_id": user_id, "session_id": session_id}
    if turn_key is None:
        answer = await connection.execute(SQL["find_running"], values)
    else:
        answer = await connection.execute(SQL["find_turns"], {**values, "turn_key": turn_key})
    turn_ids = [turn_id for (turn_id,) in await answer.fetchall()]
    return list((await read_turns(connection, user_id, turn_ids)).values())


async def find_running(connection: Connection, user_id: UUID, session_id: str) -> Turn | None:
    found = await find_turns(connection, user_id, session_id, None)
    return next((turn for turn in found if turn.state == "running"), None)


async def insert_turn(
    connection: Connection,
    user_id: UUID,
    turn: Turn,
    *,
    trigger: str,
    client_message_id: str | None = None,
    supersedes_turn_id: UUID | None = None,
) -> None:
    values = {
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "agent_name": turn.agent_name,
        "turn_key": turn.turn_key,
        "trigger": trigger,
        "request_hash": turn.request_hash,
        "user_message_id": turn.user_message_id,
        "reply_message_id": turn.reply_message_id,
        "model": turn.model,
        "client_message_id": client_message_id,
        "supersedes_turn_id": supersedes_turn_id,
    }
    await connection.execute(SQL["insert_turn"], {"user_id": user_id, "lease_s": LEASE_S, **values})


async def set_model(connection: Connection, user_id: UUID, turn_id: UUID, model: str) -> None:
    """In the transaction that begins it."""
    await connection.execute(SQL["set_model"], {"user_id": user_id, "turn_id": turn_id, "model": model})


async def release_key(connection: Connection, user_id: UUID, turn_id: UUID) -> None:
    """Another turn may have it."""
    await connection.execute(SQL["release_key"], {"user_id": user_id, "turn_id": turn_id})


async def take_over(connection: Connection, user_id: UUID, turn: Turn, *, model: str) -> int | None:
    """The number of the new attempt, or None when the turn is in other hands."""
    values = {"turn_id": turn.turn_id, "attempt": turn.attempt, "lease_s": LEASE_S, "model": model}
    row = await _one(connection, "take_over", user_id, **values)
    return None if row is None else int(row[0])


async def mark_interrupted(connection: Connection, user_id: UUID, turn_id: UUID) -> bool:
    """Whether it still read so: its process may have given a sign of life since."""
    return await _one(connection, "mark_interrupted", user_id, turn_id=turn_id) is not None


async def ask_whether_to_stop(
    connection: Connection, user_id: UUID, turn_id: UUID, attempt: int, *, renew: bool
) -> Answer[tuple[Any, ...]]:
    """Whether somebody wants this attempt to stop, in the one row of the answer; no row when it is no longer the one
    that counts."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt}
    if renew:
        return await connection.execute(SQL["renew_lease"], {**values, "lease_s": LEASE_S})
    return await connection.execute(SQL["look_at_turn"], values)


async def request_stop(connection: Connection, user_id: UUID, session_id: str) -> UUID | None:
    """The turn that was asked to stop, if one runs."""
    row = await _one(connection, "request_stop", user_id, session_id=session_id)
    return None if row is None else row[0]


async def request_all_stops(connection: Connection, user_id: UUID) -> int:
    """How many turns of the user run, each of them asked to stop."""
    answer = await connection.execute(SQL["request_all_stops"], {"user_id": user_id})
    return len(await answer.fetchall())


async def finish_turn(
    connection: Connection,
    user_id: UUID,
    turn: Turn,
    *,
    state: TurnState,
    unstored: tuple[int, Sequence[TurnEvent]] = (1, ()),
    partial_text: str | None = None,
    error_code: str | None = None,
    usage: dict[str, Any] | None = None,
    recalled: dict[str, Any] | None = None,
    is_to_be_revised: bool = False,
    is_anonymous: bool = False,
) -> None:
    """With what of its log is not stored yet, and the number of the first of these events; under the session's lock,
    which comes first, as it does everywhere: then nobody waits for us while we wait for them. Where it is no longer
    this attempt's turn to end, the transaction fails with errors.Lost. Whoever revises it has no token that says who
    is anonymous."""
    ended = {"state": state, "partial_text": partial_text, "error_code": error_code}
    ended |= {"revision_state": "queued" if is_to_be_revised else "none"}
    details = {"usage": usage and jsonb(usage), "recalled": recalled and jsonb(lines.kept(recalled))}
    details |= {"revision": jsonb({"is_anonymous": True}) if is_to_be_revised and is_anonymous else None}
    told = events.batch(*unstored)
    which = {"session_id": turn.session_id, "turn_id": turn.turn_id, "attempt": turn.attempt}
    values = {"user_id": user_id, **which, **ended, **details, **told}
    await connection.execute(SQL["finish_turn"], values)


async def _all(connection: Connection, name: str, user_id: UUID, **values: Any) -> list[Turn]:
    async with connection.cursor(row_factory=class_row(Turn)) as cursor:
        await cursor.execute(SQL[name], {"user_id": user_id, **values})
        return [replace(turn, recalled=lines.read(turn.recalled)) for turn in await cursor.fetchall()]


async def _one(connection: Connection, name: str, user_id: UUID, **values: Any) -> tuple[Any, ...] | None:
    return await (await connection.execute(SQL[name], {"user_id": user_id, **values})).fetchone()
