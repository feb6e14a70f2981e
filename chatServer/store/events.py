"""Rows of chat.turn_events: what a turn said, in numbered batches."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

from chatServer.records import MAX_PARTIAL, WORDS, TurnEvent
from chatServer.store import queries
from chatServer.store.jsonb import jsonb
from chatServer.store.pool import Connection

SQL = queries.load("events.sql")
LAST = 2**31 - 1
MOST_WORDS = 20_000  # or as many pieces of several: more than any answer has
KEPT_S = 15 * 60  # after that nobody resumes
TEXTS = "texts"  # of several that are written as one


async def append_events(
    connection: Connection, user_id: UUID, turn_id: UUID, said: Sequence[TurnEvent], *, attempt: int, seq_from: int
) -> None:
    """Nothing happens when this attempt is no longer the one that counts."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt, **batch(seq_from, said)}
    await connection.execute(SQL["append_events"], values)


def batch(seq_from: int, said: Sequence[TurnEvent]) -> dict[str, Any]:
    """The values of a row; without events there is nothing to store."""
    packed = jsonb(_packed(said)) if said else None
    return {"seq_from": seq_from, "seq_to": seq_from + len(said) - 1, "events": packed}


async def read_events(
    connection: Connection, user_id: UUID, turn_id: UUID, after_seq: int
) -> list[tuple[int, TurnEvent]]:
    """Everything after a point, each with its number."""
    values = {"user_id": user_id, "turn_id": turn_id, "after_seq": after_seq}
    rows = await (await connection.execute(SQL["read_events"], values)).fetchall()
    numbered = [each for seq_from, batch in rows for each in enumerate(_unpacked(json.loads(batch)), seq_from)]
    return [(seq, event) for seq, event in numbered if seq > after_seq]


async def read_words(connection: Connection, user_id: UUID, turn_ids: Collection[UUID]) -> dict[UUID, str]:
    """What some turns have said so far, for those that left no messages; without a query when there are none."""
    if not turn_ids:
        return {}
    values = {"user_id": user_id, "turn_ids": list(turn_ids), "limit": MOST_WORDS}
    rows = await (await connection.execute(SQL["read_words"], values)).fetchall()
    steps: dict[UUID, list[str]] = {}
    for turn_id, plain in rows:
        said = steps.setdefault(turn_id, [""])
        for event in _unpacked([json.loads(plain)]):
            if event.kind == "step-start":
                said.append("")
            said[-1] += event.text
    spoken = {turn_id: "\n\n".join(filter(None, said))[:MAX_PARTIAL] for turn_id, said in steps.items()}
    return {turn_id: text for turn_id, text in spoken.items() if text}


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


def _packed(said: Sequence[TurnEvent]) -> list[dict[str, Any]]:
    """Words that follow each other are written as one with all their texts: 20 of them are 0.4 kB of JSON, not 1.1."""
    packed: list[dict[str, Any]] = []
    part: tuple[str, str] | None = None  # of the word that was written last, if that was a word
    texts: list[str] = []
    for event in said:
        kind, event_id, text, name, value = event
        if (kind, event_id) == part and not name and value is None:
            if not texts:
                texts = packed[-1][TEXTS] = [packed[-1].pop("text", "")]
            texts.append(text)
        else:
            packed.append(_plain(event))
            part, texts = (kind, event_id) if kind in WORDS and not name and value is None else None, []
    return packed


def _unpacked(batch: Sequence[dict[str, Any]]) -> Iterator[TurnEvent]:
    """Each event by itself again, and so with its own number."""
    for plain in batch:
        texts = plain.pop(TEXTS, None)
        if texts is None:
            yield TurnEvent(**plain)
        else:
            yield from (TurnEvent(**plain, text=text) for text in texts)


def _plain(event: TurnEvent) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": event.kind}
    if event.id:
        plain["id"] = event.id
    if event.text:
        plain["text"] = event.text
    if event.name:
        plain["name"] = event.name
    if event.value is not None:
        plain["value"] = event.value
    return plain
