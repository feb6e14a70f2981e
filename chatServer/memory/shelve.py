"""Where a new memory finds its place: said before, something else in place of it, or new."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from chatServer.memory.alike import are_alike, are_alike_signatures, signature
from chatServer.records import Memory, Reason
from chatServer.store import memories as store
from chatServer.store.pool import Connection

Became = Literal["created", "repeated", "superseded", "known", "nothing_to_deny", "outranked"]
MIN_PREFIX = 3
LONG = 10_000  # characters of texts to compare one with: more are read in a thread; these take 9 ms (2026-11-19)
AT_LEAST = timedelta(days=1)  # somebody has lived where he has moved from


@dataclass(frozen=True, slots=True)
class Shelved:
    """What became of a memory, and the row that stands for it now; `ended` is what it took the place of."""

    outcome: Became
    memory: Memory
    ended: Memory | None = None


async def shelve(
    connection: Connection, user_id: UUID, new: Memory, reason: Reason, *, is_negation: bool = False
) -> Shelved:
    """Put a memory on its shelf, whose head the caller holds: nothing is there twice, and of a key one thing holds.

    `created_at` is when it was said: what was said last holds. A fact that is over ends what it names, and a negation
    too, which then holds in its place; neither ends anything else. Only the user himself overrules what he said.
    """
    held = await store.find_held(connection, user_id, new.shelf, text=new.text, fact_key=new.fact_key)
    same = next((each for each in held if _say_the_same(each, new)), None)
    if same:
        return await repeat(connection, user_id, same, new, reason)
    then = [each for each in held if _holds_under(each, new)]
    # What holds now, before what has ended since it was said: of a key one thing holds.
    other = min(then, key=lambda each: each.valid_to is not None, default=None)
    if other is None:
        return await _add_unless_near(connection, user_id, new, reason)
    if refusal := _refusal(other, new, is_negation):
        return Shelved(refusal, other)
    if _is_over(new) and _object(other) != _object(new):
        return await _add(connection, user_id, new, reason)
    if new.created_at < await _last_said(connection, user_id, other):  # told before, heard later: a job that was late
        late = new if new.valid_to else _ended(new, by=other)
        return await _add_late(connection, user_id, late, reason, then)
    await store.write(connection, user_id, _ended(other, by=new), "superseded", reason, before=other)
    await store.write(connection, user_id, new, "created", reason)
    return Shelved("superseded", new, ended=other)


async def overrule(connection: Connection, user_id: UUID, new: Memory, reason: Reason) -> list[Memory]:
    """End what other shelves hold under its key, where that is something else: what the user himself says for every
    agent holds for each of them."""
    found = await store.find_holders(connection, user_id, new.fact_key) if new.fact_key else []
    ended = [each for each in found if each.shelf != new.shelf and _object(each) != _object(new)]
    for other in ended:
        await store.write(connection, user_id, _ended(other, by=new), "superseded", reason, before=other)
    return ended


async def _last_said(connection: Connection, user_id: UUID, memory: Memory) -> datetime:
    said_again = await store.last_said(connection, user_id, memory.source_ids) if len(memory.source_ids) > 1 else None
    return max(memory.created_at, said_again or memory.created_at)


def _refusal(other: Memory, new: Memory, is_negation: bool) -> Became | None:
    if other.expires_at and other.expires_at <= datetime.now(UTC):  # nobody has taken it away yet
        return None
    if new.trust != "user" and other.trust == "user":
        return "outranked"
    return "nothing_to_deny" if is_negation and _object(other) != _object(new) else None


async def repeat(connection: Connection, user_id: UUID, known: Memory, new: Memory, reason: Reason) -> Shelved:
    """It was said again: the memory has one more source, and lasts as long as either. What the user says himself is no
    longer hearsay."""
    unheard = [each for each in new.source_ids if each not in known.source_ids]
    trust = "user" if new.trust == "user" else known.trust
    heard = replace(as_lasting_as(known, [new]), source_ids=(*known.source_ids, *unheard), trust=trust)
    if heard == known:
        return Shelved("known", known)
    await store.write(connection, user_id, heard, "repeated", reason)
    return Shelved("repeated", heard)


def as_lasting_as(memory: Memory, others: Sequence[Memory]) -> Memory:
    """It ends when the last of them does, if ever; what is only for today is so no longer once something lasting says
    the same."""
    alike = (memory, *others)
    for each in alike:
        if each.expires_at is None and each.kind != "working":
            return replace(memory, expires_at=None, kind=each.kind if memory.kind == "working" else memory.kind)
    ends = [each.expires_at for each in alike if each.expires_at]
    return replace(memory, expires_at=max(ends, default=None))


def prefixes(text: str) -> Sequence[str]:
    """What the telling words of a text begin with, so that "hike", "hikes" and "hiking" find each other."""
    words = (word.removeprefix("not ") for word in signature(text).words)
    return [word if len(word) <= MIN_PREFIX + 1 else word[: max(MIN_PREFIX, len(word) - 2)] for word in words]


async def _add_unless_near(connection: Connection, user_id: UUID, new: Memory, reason: Reason) -> Shelved:
    """A key tells facts apart better than their words do."""
    if new.fact_key is None and not _is_over(new):
        near = await store.find_near(connection, user_id, new.shelf, prefixes(new.text))
        is_long = sum(len(each.text) for each in near) > LONG
        same = await asyncio.to_thread(_alike_among, near, new) if is_long else _alike_among(near, new)
        if same:
            return await repeat(connection, user_id, same, new, reason)
    return await _add(connection, user_id, new, reason)


def _alike_among(near: Sequence[Memory], new: Memory) -> Memory | None:
    said = signature(new.text)
    unkeyed = (each for each in near if each.fact_key is None)
    return next((each for each in unkeyed if are_alike_signatures(signature(each.text), said)), None)


async def _add_late(
    connection: Connection, user_id: UUID, late: Memory, reason: Reason, then: Sequence[Memory]
) -> Shelved:
    """It was over before it was heard; what held then may say the same."""
    if known := next((each for each in then if _say_the_same(each, late)), None):
        return await repeat(connection, user_id, known, late, reason)
    return await _add(connection, user_id, late, reason)


async def _add(connection: Connection, user_id: UUID, new: Memory, reason: Reason) -> Shelved:
    await store.write(connection, user_id, new, "created", reason)
    return Shelved("created", new)


def _say_the_same(known: Memory, new: Memory) -> bool:
    """Exactly, at times of which both or neither are over; or the same under one key, in nearly the same words."""
    if (known.valid_to is None) != (new.valid_to is None):
        return False
    if store.digest_of(known.text) == store.digest_of(new.text):
        return True
    # Of a tool's lesson only the time differs.
    return _holds_under(known, new) and (new.origin == "tool" or are_alike(known.text, new.text))


def _holds_under(memory: Memory, new: Memory) -> bool:
    is_held = memory.valid_to is None or memory.valid_to > new.created_at
    return new.fact_key is not None and memory.fact_key == new.fact_key and is_held


def _is_over(memory: Memory) -> bool:
    """Already when it was said."""
    return memory.valid_to is not None and memory.valid_to <= memory.created_at


def _ended(memory: Memory, *, by: Memory) -> Memory:
    """It held until the other began, or was over. Whoever did not say since when told it of a time before: "I moved to
    Oslo last week" says of a home that was told today that it was one the day before, at least."""
    until = by.valid_to if by.valid_to and _is_over(by) else by.valid_from
    begins = memory.valid_from
    if until <= begins == memory.created_at and until < by.created_at:
        begins = until - AT_LEAST
    return replace(memory, valid_from=begins, valid_to=max(begins, until), superseded_by=by.memory_id)


def _object(memory: Memory) -> str:
    return " ".join(memory.triple.object.casefold().split()) if memory.triple else ""
