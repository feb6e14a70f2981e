"""Rows of chat.turn_events: what a turn said, in numbered batches."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from chatServer.records import TurnEvent
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("events.sql")
LAST = 2**31 - 1
KEPT_S = 15 * 60  # after that nobody resumes


async def append_events(
    connection: Connection, user_id: UUID, turn_id: UUID, said: Sequence[TurnEvent], *, attempt: int, seq_from: int
) -> None:
    """Nothing happens when this attempt is no longer the one that counts."""
    values = {"turn_id": turn_id, "attempt": attempt, "seq_from": seq_from, "seq_to": seq_from + len(said) - 1}
    batch = Jsonb([_plain(event) for event in said], dumps=_dumps)
    await connection.execute(SQL["append_events"], {"user_id": user_id, "events": batch, **values})


async def read_events(
    connection: Connection, user_id: UUID, turn_id: UUID, after_seq: int
) -> list[tuple[int, TurnEvent]]:
    """Everything after a point, each with its number."""
    values = {"user_id": user_id, "turn_id": turn_id, "after_seq": after_seq}
    rows = await (await connection.execute(SQL["read_events"], values)).fetchall()
    numbered = [(seq_from + i, each) for seq_from, batch in rows for i, each in enumerate(json.loads(batch))]
    return [(seq, TurnEvent(**plain)) for seq, plain in numbered if seq > after_seq]


async def has_events_after(connection: Connection, user_id: UUID, turn_id: UUID, after_seq: int) -> bool:
    values = {"user_id": user_id, "turn_id": turn_id, "after_seq": after_seq}
    row = await (await connection.execute(SQL["has_events_after"], values)).fetchone()
    return row is not None and bool(row[0])


async def delete_events(
    connection: Connection, user_id: UUID, turn_id: UUID, *, seq_from: int = 1, seq_to: int = LAST
) -> None:
    values = {"user_id": user_id, "turn_id": turn_id, "seq_from": seq_from, "seq_to": seq_to}
    await connection.execute(SQL["delete_events"], values)


async def delete_old_events(connection: Connection, user_id: UUID) -> None:
    """Logs of turns that nobody resumes any more."""
    await connection.execute(SQL["delete_old_events"], {"user_id": user_id, "age_s": KEPT_S})


def _plain(event: TurnEvent) -> dict[str, Any]:
    fields = {"id": event.id, "text": event.text, "name": event.name}
    plain = {"kind": event.kind, **{name: value for name, value in fields.items() if value}}
    return plain if event.value is None else {**plain, "value": event.value}


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
