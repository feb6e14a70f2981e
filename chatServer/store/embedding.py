"""Vectors: whose they are, which rows lack them, and where they are written."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import TupleRow, class_row

from chatServer.messages import Message, searchable, text_of
from chatServer.messages.terms import packed_terms
from chatServer.records import NOBODY
from chatServer.store import queries
from chatServer.store.history import stored_messages
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST

SQL = queries.load("embedding.sql")
SWEEP = queries.load("sweep.sql")
SPEAKERS = ("user", "assistant")
LOOKED_AT = 1_000  # characters, in which nearly every text has a word


class Embedding(NamedTuple):
    """Who made the vectors, and how many numbers each has."""

    model: str
    size: int


class Unembedded(NamedTuple):
    """A message or a memory without a vector of ours. `version` is what it must still be when the vector comes."""

    item_id: UUID
    version: int  # the place of a message, the number of a memory's last change
    text: str


class Embedded(NamedTuple):
    """Its vector: of a message packed, of a memory as Postgres reads it. It belongs to the text that it was made of: a
    row that has changed since gets none."""

    item: Unembedded
    vector: str | bytes


class Unindexed(NamedTuple):
    """A message that recall cannot find yet: another writer's, or of before there was recall."""

    message_id: UUID
    place: int
    session_id: str
    agent_name: str | None
    said_at: datetime
    message: Message


class EntryColumns(NamedTuple):
    """Entries for `mend_index`, as it takes them: one list for each column."""

    message_ids: list[UUID]
    agent_names: list[str | None]
    words: list[str]
    roles: list[str]
    speakers: list[str | None]
    chars: list[int]
    terms: list[bytes]


class Lacking(NamedTuple):
    """What a stretch of messages lacks, and where the stretch before it ends."""

    vectors: list[Unembedded]
    entries: list[Unindexed]
    before: int | None


async def read_embedding(connection: Connection) -> Embedding | None:
    async with connection.cursor(row_factory=class_row(Embedding)) as cursor:
        await cursor.execute(SQL["read_embedding"], {"user_id": NOBODY.user_id})
        return await cursor.fetchone()


async def claim_embedding(connection: Connection, embedding: Embedding) -> None:
    """These are the vectors from now on, unless somebody has said so before."""
    await connection.execute(SQL["claim_embedding"], {"user_id": NOBODY.user_id, **embedding._asdict()})


async def replace_embedding(connection: Connection, embedding: Embedding) -> None:
    await connection.execute(SQL["replace_embedding"], {"user_id": NOBODY.user_id, **embedding._asdict()})


async def list_users(connection: Connection, after: UUID, limit: int) -> list[UUID]:
    """Who has anything that is found by vectors, in the order of their ids; asked as chat_jobs."""
    rows = await (await connection.execute(SWEEP["list_users"], {"after": after, "limit": limit})).fetchall()
    return [row[0] for row in rows]


async def find_lacking_messages(
    connection: Connection,
    user_id: UUID,
    model: str | None,
    *,
    before: int,
    look: int | None = None,
    limit: int,
) -> Lacking:
    """Messages without an entry or a vector of this model, if any, the newest first; `look`: among so many of them.
    Which of them can have any is for `with_words` to say."""
    asked = await _ask_lacking(connection, user_id, model, before=before, look=look, limit=limit)
    return await _lacking(asked, limit)


class AskedNewest(NamedTuple):
    """What is lacking among the newest, asked for."""

    messages: Answer[TupleRow]
    memories: Answer[Unembedded] | None
    limit: int

    async def found(self) -> tuple[Lacking, list[Unembedded]]:
        return await _lacking(self.messages, self.limit), await self.memories.fetchall() if self.memories else []


async def ask_newest_lacking(
    connection: Connection, user_id: UUID, model: str | None, *, messages: int, memories: int
) -> AskedNewest:
    """Those among so many of the newest messages, and so many memories; the answers come with the next."""
    asked = await _ask_lacking(connection, user_id, model, before=NEWEST, look=messages, limit=messages)
    of_memories = await _ask_memories(connection, user_id, model, before=NEWEST, limit=memories) if model else None
    return AskedNewest(asked, of_memories, messages)


async def _ask_lacking(
    connection: Connection, user_id: UUID, model: str | None, **bounds: int | None
) -> Answer[TupleRow]:
    return await connection.execute(SQL["find_lacking_messages"], {"user_id": user_id, "model": model, **bounds})


async def _lacking(asked: Answer[TupleRow], limit: int) -> Lacking:
    rows = await asked.fetchall()
    lacking = Lacking([], [], rows[-1][0] if len(rows) == limit else None)
    messages = await stored_messages([row[:-3] for row in rows])
    for stored, (*_, session_id, agent_name, is_indexed) in zip(messages, rows, strict=True):
        text = text_of(stored.message)
        if stored.is_readable and stored.message.role in SPEAKERS:
            message_id = UUID(stored.message.message_id)
            lacking.vectors.append(Unembedded(message_id, stored.id, text))
            if not is_indexed:
                entry = (message_id, stored.id, session_id, agent_name, stored.created_at, stored.message)
                lacking.entries.append(Unindexed(*entry))
    return lacking


async def find_lacking_memories(
    connection: Connection, user_id: UUID, model: str, *, before: int = NEWEST, limit: int
) -> list[Unembedded]:
    return await (await _ask_memories(connection, user_id, model, before=before, limit=limit)).fetchall()


async def _ask_memories(connection: Connection, user_id: UUID, model: str, **bounds: int) -> Answer[Unembedded]:
    cursor = connection.cursor(row_factory=class_row(Unembedded))
    return await cursor.execute(SQL["find_lacking_memories"], {"user_id": user_id, "model": model, **bounds})


def with_words(lacking: Lacking) -> Lacking:
    """Those that have a word to be found by, perhaps after an embedded file or a line of signs: up to 40 ms for a
    million characters without any (2026-11-17), so in no transaction."""
    texts = {item.item_id: item.text for item in lacking.vectors}
    found = {each for each, text in texts.items() if searchable(text.lstrip()[:LOOKED_AT]) or searchable(text)}
    return Lacking(
        [item for item in lacking.vectors if item.item_id in found],
        [entry for entry in lacking.entries if entry.message_id in found],
        lacking.before,
    )


def columns_of(entries: Sequence[Unindexed]) -> EntryColumns:
    """What recall finds messages by: seconds for hundreds of long ones, so in no transaction."""
    texts = [text_of(entry.message) for entry in entries]
    return EntryColumns(
        message_ids=[entry.message_id for entry in entries],
        agent_names=[entry.agent_name for entry in entries],
        words=[" ".join(set(searchable(text).split())) for text in texts],
        roles=[entry.message.role for entry in entries],
        speakers=[entry.message.name for entry in entries],
        chars=[len(text) for text in texts],
        terms=[packed_terms(text) for text in texts],
    )


async def mend_index(connection: Connection, user_id: UUID, columns: EntryColumns) -> None:
    """Let recall find these, if they are still there."""
    await connection.execute(SQL["mend_index"], {"user_id": user_id, **columns._asdict()})


async def write_message_vectors(connection: Connection, user_id: UUID, model: str, made: Sequence[Embedded]) -> None:
    await connection.execute(SQL["write_message_vectors"], {"user_id": user_id, "model": model, **_columns(made)})


async def write_memory_vectors(connection: Connection, user_id: UUID, model: str, made: Sequence[Embedded]) -> None:
    await connection.execute(SQL["write_memory_vectors"], {"user_id": user_id, "model": model, **_columns(made)})


def _columns(made: Sequence[Embedded]) -> dict[str, Any]:
    return {
        "ids": [item.item_id for item, _ in made],
        "versions": [item.version for item, _ in made],
        "vectors": [vector for _, vector in made],
    }
