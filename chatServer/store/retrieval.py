"""What retrieval reads: all chunks of an owner as numbers, then those that were chosen as they are now."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from psycopg.rows import TupleRow, class_row

from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("retrieval.sql")
WORDS = 8  # of a question that chunks are looked through for


class Looked(NamedTuple):
    """What is looked for: words, and a vector as Postgres reads it, where there is one."""

    words: Sequence[str]  # as tsquery spells them
    model: str
    size: int
    vector: str | None


class Scored(NamedTuple):
    """All chunks of one owner in one order. Numbers are big-endian."""

    size: int
    ids: bytes  # of the articles, 16 for each chunk
    positions: bytes  # int32
    tokens: bytes  # int32
    near: bytes  # float32: the cosine
    words: bytes  # int16: bit n says that it has the n-th word


class Head(NamedTuple):
    """An article without its text."""

    article_id: UUID
    name: str
    title: str
    media_type: str
    tokens: int
    chunks: int


class Live(NamedTuple):
    """A chunk as it is now."""

    article_id: UUID
    position: int
    page: int | None
    heading: str
    text: str
    tokens: int


class Place(NamedTuple):
    """Where a chunk is, among those of its owner."""

    article_id: UUID
    position: int


async def ask_scores(connection: Connection, owner_id: UUID, looked: Looked) -> Answer[TupleRow]:
    """The question, which travels with whatever is asked next."""
    values = {"user_id": owner_id, "model": looked.model, "size": looked.size, "vector": looked.vector}
    words = {f"word_{i}": looked.words[i] if i < len(looked.words) else "" for i in range(WORDS)}
    return await connection.execute(SQL["score_chunks"], values | words, binary=True)


async def read_scores(answer: Answer[TupleRow]) -> Scored | None:
    """None where the owner has no chunks."""
    row = await answer.fetchone()
    return Scored(*row) if row and row[0] else None


async def ask_heads(connection: Connection, owner_id: UUID, ids: Sequence[UUID]) -> Answer[Head]:
    values = {"user_id": owner_id, "ids": list(ids)}
    return await connection.cursor(row_factory=class_row(Head)).execute(SQL["read_heads"], values)


async def ask_chunks(connection: Connection, owner_id: UUID, places: Sequence[Place]) -> Answer[Live]:
    values = {
        "user_id": owner_id,
        "ids": [place.article_id for place in places],
        "positions": [place.position for place in places],
    }
    return await connection.cursor(row_factory=class_row(Live)).execute(SQL["read_chunks"], values)
