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
LETTERS = 5  # of a word that is not of ASCII


class Looked(NamedTuple):
    """What is looked for: stems, and a vector, where there is one."""

    words: Sequence[str]
    model: str
    size: int
    vector: str | None  # as Postgres reads it


class Stamps(NamedTuple):
    """The articles of one owner, each with what its text has of its own; and the words that were asked with, as
    numbers."""

    articles: dict[UUID, str]
    chunks: int
    words: list[int]


class Packed(NamedTuple):
    """Chunks of one owner, as they are found. Numbers are big-endian."""

    size: int
    ids: bytes  # of the articles, 16 for each chunk
    positions: bytes  # int32
    tokens: bytes  # int32
    has_vector: bytes  # int32
    vectors: bytes  # of those that have one: int16 size, int16 nothing, float16 numbers
    word_counts: bytes  # int32
    words: bytes  # uint32


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


def beginning(word: str) -> str:
    """What of a word has to be the same: English is cut to its stems, of other scripts the first letters count."""
    return word if word.isascii() else word[:LETTERS]


async def ask_stamps(connection: Connection, owner_id: UUID, words: Sequence[str]) -> Answer[TupleRow]:
    """The question, which travels with whatever is asked next."""
    values = {"user_id": owner_id, "words": [beginning(word) for word in words]}
    return await connection.execute(SQL["list_stamps"], values)


async def read_stamps(answer: Answer[TupleRow]) -> Stamps:
    row = await answer.fetchone()
    ids, stamps, chunks, words = row or (None, None, 0, None)
    return Stamps(dict(zip(ids or (), stamps or (), strict=True)), chunks, [word % 2**32 for word in words or ()])


async def load_chunks(
    connection: Connection, owner_id: UUID, ids: Sequence[UUID], *, model: str, size: int
) -> Packed | None:
    values = {"user_id": owner_id, "ids": list(ids), "model": model, "size": size, "letters": LETTERS}
    row = await (await connection.execute(SQL["load_chunks"], values, binary=True)).fetchone()
    if not row or not row[0]:
        return None
    count, *columns = row
    return Packed(count, *(column or b"" for column in columns))


async def score_chunks(connection: Connection, owner_id: UUID, looked: Looked) -> Scored | None:
    values = {"user_id": owner_id, "model": looked.model, "size": looked.size, "vector": looked.vector}
    words = {f"word_{i}": _spelled(looked.words[i]) if i < len(looked.words) else "" for i in range(WORDS)}
    row = await (await connection.execute(SQL["score_chunks"], values | words, binary=True)).fetchone()
    return Scored(*row) if row and row[0] else None


def _spelled(word: str) -> str:
    """As tsquery has it."""
    escaped = beginning(word).replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'" if word.isascii() else f"'{escaped}':*"


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
