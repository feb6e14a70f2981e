"""Rows of chat.articles and chat.article_files, and how the text of an article gets into chat.article_chunks."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.messages.terms import stems_of
from chatServer.records import NOBODY, Article, Chunk
from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("articles.sql")
ROWS = 200  # of a statement that writes chunks


class Holdings(NamedTuple):
    """What counts against a user's limits."""

    articles: int
    chunks: int
    waiting_bytes: int


class Unread(NamedTuple):
    """A file as it is about to be stored."""

    name: str
    media_type: str
    size_bytes: int
    content_hash: str


class Found(NamedTuple):
    """What was made of a file."""

    title: str
    pages: int | None
    chunks: Sequence[Chunk]
    words: Sequence[str]  # of each, with blanks between: what it is searched by
    model: str | None  # whose the vectors are
    vectors: Sequence[str]  # one for each chunk, as Postgres reads it; or none at all


class Called(NamedTuple):
    title: str
    name: str


class LackingChunk(NamedTuple):
    """A chunk without a vector of ours, and what stands above it."""

    article_id: UUID
    position: int
    heading: str
    text: str
    title: str


def found_by(title: str, heading: str, text: str) -> str:
    """What a chunk is searched and embedded by: headings say what a text does not say again."""
    return "\n".join(part for part in (title, heading, text) if part)


def words_of(title: str, chunk: Chunk) -> str:
    """Work for a thread: 0.1 ms each."""
    return " ".join(stems_of(found_by(title, chunk.heading, chunk.text)))


async def hold_article(connection: Connection, user_id: UUID, name: str) -> Article | None:
    return await (await _article(connection, "hold_article", {"user_id": user_id, "name": name})).fetchone()


async def put_article(connection: Connection, user_id: UUID, article_id: UUID, file: Unread) -> Article:
    """A new article, or the next version of that with its name, without its file."""
    values = {"user_id": user_id, "article_id": article_id, **file._asdict()}
    article = await (await _article(connection, "put_article", values)).fetchone()
    assert article is not None  # nosec B101 # narrows a type
    await connection.execute(SQL["forget_file"], {"user_id": user_id, "article_id": article.article_id})
    return article


async def put_part(connection: Connection, user_id: UUID, article_id: UUID, part: int, content: bytes) -> None:
    """One part at a time: each is sent before the next one is taken up."""
    values = {"user_id": user_id, "article_id": article_id, "part": part, "bytes": content}
    await connection.execute(SQL["put_part"], values)
    await connection.flush()


async def read_part(connection: Connection, user_id: UUID, article: Article, part: int) -> bytes | None:
    values = {"user_id": user_id, "article_id": article.article_id, "version": article.version, "part": part}
    row = await (await connection.execute(SQL["read_part"], values)).fetchone()
    return bytes(row[0]) if row else None


async def count_articles(connection: Connection, user_id: UUID) -> Holdings:
    async with connection.cursor(row_factory=class_row(Holdings)) as cursor:
        counted = await (await cursor.execute(SQL["count_articles"], {"user_id": user_id})).fetchone()
    assert counted is not None  # nosec B101 # narrows a type
    return counted


async def begin_reading(connection: Connection, user_id: UUID, article_id: UUID) -> Article | None:
    values = {"user_id": user_id, "article_id": article_id}
    return await (await _article(connection, "begin_reading", values)).fetchone()


async def make_ready(connection: Connection, user_id: UUID, article: Article, found: Found) -> bool:
    """Put the new text in the place of the old, and let the file go; False: the article is not what it was."""
    ids = {"user_id": user_id, "article_id": article.article_id}
    tokens = sum(chunk.tokens for chunk in found.chunks)
    values = {"version": article.version, "title": found.title, "pages": found.pages, "tokens": tokens}
    answer = await connection.execute(SQL["make_ready"], {**ids, **values, "chunks": len(found.chunks)})
    if await answer.fetchone() is None:
        return False
    await connection.execute(SQL["forget_file"], ids)
    await connection.execute(SQL["forget_chunks"], ids)
    for begin in range(0, len(found.chunks), ROWS):
        columns = _columns(found, slice(begin, begin + ROWS))
        await connection.execute(SQL["put_chunks"], {**ids, "model": found.model, **columns})
        await connection.flush()
    return True


def _columns(found: Found, which: slice) -> dict[str, Any]:
    chunks = found.chunks[which]
    return {
        "positions": [chunk.position for chunk in chunks],
        "pages": [chunk.page for chunk in chunks],
        "headings": [chunk.heading for chunk in chunks],
        "texts": [chunk.text for chunk in chunks],
        "tokens": [chunk.tokens for chunk in chunks],
        "words": list(found.words[which]),
        "vectors": list(found.vectors[which]) if found.vectors else [None] * len(chunks),
    }


async def fail(connection: Connection, user_id: UUID, article: Article, error_code: str, error: str) -> bool:
    """Say why it cannot be read, and let the file go; False: the article is not what it was."""
    ids = {"user_id": user_id, "article_id": article.article_id}
    values = {**ids, "version": article.version, "error_code": error_code, "error": error}
    if await (await connection.execute(SQL["fail"], values)).fetchone() is None:
        return False
    await connection.execute(SQL["forget_file"], ids)
    return True


async def list_articles(connection: Connection, user_id: UUID, *, limit: int, before: UUID | None) -> list[Article]:
    values = {"user_id": user_id, "limit": limit, "before": before}
    return await (await _article(connection, "list_articles", values)).fetchall()


async def list_readable(connection: Connection, user_id: UUID, *, limit: int) -> list[Called]:
    """What those are called that have text; the newest first."""
    values = {"user_id": user_id, "shared_id": NOBODY.user_id, "limit": limit}
    async with connection.cursor(row_factory=class_row(Called)) as cursor:
        return await (await cursor.execute(SQL["list_readable"], values)).fetchall()


async def find_article(connection: Connection, user_id: UUID, article_id: UUID) -> Article | None:
    """One's own or a shared one."""
    values = {"user_id": user_id, "article_id": article_id}
    return await (await _article(connection, "find_article", values)).fetchone()


async def delete_article(connection: Connection, user_id: UUID, article_id: UUID) -> bool:
    values = {"user_id": user_id, "article_id": article_id}
    return await (await connection.execute(SQL["delete_article"], values)).fetchone() is not None


async def find_lacking_chunks(
    connection: Connection,
    user_id: UUID,
    model: str,
    *,
    after: tuple[UUID, int],
    article_id: UUID | None,
    limit: int,
) -> list[LackingChunk]:
    """Chunks without a vector of this model, of all articles or one."""
    values = {"user_id": user_id, "model": model, "article_id": article_id, "limit": limit}
    async with connection.cursor(row_factory=class_row(LackingChunk)) as cursor:
        places = {"after_id": after[0], "after_position": after[1]}
        return await (await cursor.execute(SQL["find_lacking_chunks"], {**values, **places})).fetchall()


async def write_chunk_vectors(
    connection: Connection, user_id: UUID, model: str, chunks: Sequence[LackingChunk], vectors: Sequence[str]
) -> None:
    values = {
        "article_ids": [chunk.article_id for chunk in chunks],
        "positions": [chunk.position for chunk in chunks],
        "texts": [chunk.text for chunk in chunks],
        "vectors": list(vectors),
    }
    await connection.execute(SQL["write_chunk_vectors"], {"user_id": user_id, "model": model, **values})


async def _article(connection: Connection, name: str, values: dict[str, Any]) -> Answer[Article]:
    shared = {"shared_id": NOBODY.user_id}
    return await connection.cursor(row_factory=class_row(Article)).execute(SQL[name], {**values, **shared})
