"""Rows of chat.memories. Every change takes a number from the user's head and leaves a row in chat.memory_changes."""

import hashlib
import unicodedata
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from chatServer.messages import clean_text, searchable
from chatServer.messages.terms import packed_terms
from chatServer.records import (
    EVERY_AGENT,
    Memory,
    MemoryFilter,
    MemoryScope,
    Operation,
    Reason,
    Triple,
)
from chatServer.store import memory_json, queries
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST
from chatServer.store.word_forms import inflected, prefixed

SQL = queries.load("memories.sql")
MAX_TEXT = 8_192  # bytes, as the table has it
MAX_SOURCES = 20  # of one memory: the latest messages that said it
NEAR_AMONG = 5_000  # memories that a new one is compared with at most: 13 ms of 10,000 (2026-11-15)
MAX_NEAR = 32
MAX_SAYING = 10_000  # messages that are hidden with one memory
PLAIN_COLUMNS = (  # written as the record has them
    *("memory_id", "kind", "category", "importance", "tier", "shelf", "agent_name", "session_id", "origin", "trust"),
    *("valid_from", "valid_to", "created_at", "fact_key", "superseded_by", "turn_id", "attempt"),
    *("recalls", "recalled_at", "expires_at"),
)


def shelf_of(scope: MemoryScope, agent_name: str, session_id: str) -> str | None:
    """Where what an agent is told is kept, and so who recalls it; None: nothing is."""
    return {"off": None, "session": session_id, "agent": agent_name, "user": EVERY_AGENT}[scope]


def digest_of(text: str) -> bytes:
    """The same for texts that differ in case, spaces, and how they end. Signs count: C, C# and C++ are three."""
    folded = " ".join(unicodedata.normalize("NFKC", text[:MAX_TEXT]).casefold().split()).rstrip(" .!")
    return hashlib.blake2b(folded.encode("utf-8", "replace"), digest_size=16).digest()


async def advance_head(connection: Connection, user_id: UUID) -> int:
    """Hold the user's memories until the transaction ends: to be asked for before anything that is decided by."""
    row = await (await connection.execute(SQL["advance_head"], {"user_id": user_id})).fetchone()
    assert row is not None  # nosec B101 # narrows a type
    return int(row[0])


async def read_head(connection: Connection, user_id: UUID) -> int:
    """The number of the last change; 0 before the first."""
    row = await (await connection.execute(SQL["read_head"], {"user_id": user_id})).fetchone()
    return int(row[0]) if row else 0


async def write(
    connection: Connection,
    user_id: UUID,
    memory: Memory,
    operation: Operation,
    reason: Reason,
    *,
    before: Memory | None = None,
    hidden: Sequence[UUID] = (),
) -> None:
    """Insert a memory, or make it what it is now; `before` is what undo goes back to. Asks for no answer. What two
    would hold of one shelf, the same text or the same key, is closed or deleted first."""
    values = _change(memory.memory_id, operation, reason, before, hidden) | _columns(memory)
    await connection.execute(SQL["write_memory"], {"user_id": user_id, **values})


async def delete(
    connection: Connection,
    user_id: UUID,
    memory: Memory,
    operation: Operation,
    reason: Reason,
    *,
    hidden: Sequence[UUID] = (),
) -> None:
    """The row goes; undo can bring it back, unless `memory_changes.drop_before` has the last word."""
    values = _change(memory.memory_id, operation, reason, memory, hidden)
    await connection.execute(SQL["delete_memory"], {"user_id": user_id, **values})


async def find_memory(connection: Connection, user_id: UUID, memory_id: UUID) -> Memory | None:
    found = await read_memories(connection, user_id, [memory_id])
    return found[0] if found else None


async def read_memories(connection: Connection, user_id: UUID, memory_ids: Collection[UUID]) -> list[Memory]:
    return await _all(connection, "read_memories", user_id, memory_ids=list(memory_ids))


async def find_held(
    connection: Connection, user_id: UUID, shelf: str, *, text: str, fact_key: str | None
) -> list[Memory]:
    """What holds under the key, and whatever says exactly this text, even if it no longer holds; the newest first."""
    return await _all(connection, "find_held", user_id, shelf=shelf, digest=digest_of(text), fact_key=fact_key)


async def find_holders(connection: Connection, user_id: UUID, fact_key: str) -> list[Memory]:
    """What holds under the key on any shelf, the newest first."""
    return await _all(connection, "find_holders", user_id, fact_key=fact_key)


async def find_near(connection: Connection, user_id: UUID, shelf: str, stems: Collection[str]) -> list[Memory]:
    """The memories that share the most words with a text; what they begin with is enough."""
    words = " | ".join(prefixed(stems))
    if not words:
        return []
    return await _all(connection, "find_near", user_id, shelf=shelf, words=words, among=NEAR_AMONG, limit=MAX_NEAR)


async def list_memories(
    connection: Connection, user_id: UUID, wanted: MemoryFilter, *, limit: int, before: int | None = None
) -> list[Memory]:
    """A page, the last changed first; the next one begins before the number of this one's last."""
    words = None if wanted.phrase is None else " & ".join(prefixed(searchable(wanted.phrase).split()))
    values = {
        "kind": wanted.kind,
        "category": wanted.category,
        "tier": wanted.tier,
        "trust": wanted.trust,
        "tag": wanted.tag,
        "agent_name": wanted.agent_name,
        "shelves": None if wanted.shelves is None else list(wanted.shelves),
        "session_id": wanted.session_id,
        "ids": None if wanted.ids is None else list(wanted.ids),
        "phrase": None if wanted.phrase is None else clean_text(wanted.phrase),
        "words": words,
        "at": wanted.at,
        "ever": wanted.ever,
    }
    return await _all(
        connection, "list_memories", user_id, limit=limit, before=NEWEST if before is None else before, **values
    )


async def read_triples(
    connection: Connection,
    user_id: UUID,
    *,
    entities: Collection[str] | None = None,
    at: datetime | None = None,
    ever: bool = False,
    limit: int = 1_000,
) -> list[Memory]:
    """The neighbours of some entities in the graph, or all of it: memories with a triple, as they hold at a time, or
    all that ever did."""
    named = None if entities is None else [clean_text(entity).lower() for entity in entities]
    return await _all(connection, "read_triples", user_id, entities=named, at=at, ever=ever, limit=limit)


async def read_names(connection: Connection, user_id: UUID, naming: Collection[str]) -> list[Memory]:
    """The facts that hold and say what the user is called, and who are whose: the last changed first."""
    return await _all(connection, "read_names", user_id, naming=list(naming))


async def find_replaced_by(connection: Connection, user_id: UUID, memory_id: UUID) -> list[Memory]:
    """What a memory has taken the place of, the newest first."""
    return await _all(connection, "find_replaced_by", user_id, memory_id=memory_id)


async def find_sources_in(connection: Connection, user_id: UUID, session_id: str, *, first: int = 0) -> list[UUID]:
    """The messages of a session, from a place on, from which something was learned, while they are still there."""
    return await _ids(connection, "find_sources_in", user_id, session_id=session_id, first=first)


async def find_said_by(
    connection: Connection, user_id: UUID, message_ids: Collection[UUID], *, shelf: str | None = None
) -> list[Memory]:
    """What was learned from some messages; of a session, if its shelf is named, what is on it, and what clients kept
    there that nothing else has said. The oldest first."""
    return await _all(connection, "find_said_by", user_id, message_ids=list(message_ids), shelf=shelf)


async def last_said(connection: Connection, user_id: UUID, message_ids: Collection[UUID]) -> datetime | None:
    """When the last of some messages was said, if any is still there."""
    values = {"user_id": user_id, "message_ids": list(message_ids)}
    row = await (await connection.execute(SQL["last_said"], values)).fetchone()
    return row[0] if row else None


async def bump_recalls(connection: Connection, user_id: UUID, turn_id: UUID) -> None:
    """Count what a turn was given, once however often it is asked for; what they say does not change."""
    await connection.execute(SQL["hold_head"], {"user_id": user_id})
    await connection.execute(SQL["bump_recalls"], {"user_id": user_id, "turn_id": turn_id})


async def find_saying(
    connection: Connection,
    user_id: UUID,
    shelf: str,
    words: Collection[str],
    *,
    quoted: Collection[str],
    beside: Collection[str] | None,
) -> list[UUID]:
    """The messages in reach of a shelf that have all these stems, or, if somebody else than the user said them, all
    those that are worth a quote, and one of those beside them, if any are given."""
    needed = inflected(quoted if beside is None or beside else words)
    if beside:
        needed.append(f"({' | '.join(inflected(beside))})")
    values = {"words": " & ".join(inflected(words)), "quoted": " & ".join(needed)}
    values |= {"shelf": shelf, "every_agent": EVERY_AGENT}
    return await _ids(connection, "find_saying", user_id, limit=MAX_SAYING, **values)


async def hide_messages(connection: Connection, user_id: UUID, ids: Collection[UUID], *, titles: bool) -> list[UUID]:
    """Recall shows them no longer; returned are those that there are. A title is under the id of its session."""
    return await _ids(connection, "hide_messages", user_id, message_ids=list(ids), titles=titles)


async def show_messages(connection: Connection, user_id: UUID, message_ids: Collection[UUID]) -> None:
    """Let recall show messages again, once the change that hid them is undone, unless another one hides them too."""
    await connection.execute(SQL["show_messages"], {"user_id": user_id, "message_ids": list(message_ids)})


async def _all(connection: Connection, name: str, user_id: UUID, **values: Any) -> list[Memory]:
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SQL[name], {"user_id": user_id, **values})
        return [_memory(row) for row in await cursor.fetchall()]


async def _ids(connection: Connection, name: str, user_id: UUID, **values: Any) -> list[UUID]:
    answer = await connection.execute(SQL[name], {"user_id": user_id, **values})
    return [row[0] for row in await answer.fetchall()]


def _memory(row: dict[str, Any]) -> Memory:
    parts = {name: row.pop(name) for name in ("subject", "predicate", "object")}
    holds = {name: row[name] for name in ("valid_from", "valid_to")}
    triple = None if parts["subject"] is None else Triple(**parts, **holds)
    row |= {"tags": tuple(row["tags"]), "source_ids": tuple(row["source_ids"])}
    return Memory(**row, triple=triple)


def _columns(memory: Memory) -> dict[str, Any]:
    text = clean_text(memory.text)
    triple = memory.triple
    named = {name: getattr(memory, name) for name in PLAIN_COLUMNS}
    return named | {
        "text": text,
        "digest": digest_of(text),
        "tags": [clean_text(tag) for tag in memory.tags],
        "subject": clean_text(triple.subject) if triple else None,
        "predicate": clean_text(triple.predicate) if triple else None,
        "object": clean_text(triple.object) if triple else None,
        "source_ids": list(memory.source_ids[-MAX_SOURCES:]),
        "words": sorted(set(searchable(text).split())),
        "terms": packed_terms(text),
    }


def _change(
    memory_id: UUID, operation: Operation, reason: Reason, before: Memory | None, hidden: Sequence[UUID]
) -> dict[str, Any]:
    return {
        "memory_id": memory_id,
        "operation": operation,
        "actor": reason.actor,
        "reason": reason.text,
        "message_id": reason.message_id,
        "change_turn_id": reason.turn_id,
        "change_attempt": reason.attempt,
        "before": None if before is None else Jsonb(memory_json.dumped(before)),
        "hidden": list(hidden),
    }
