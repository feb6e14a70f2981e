"""ingest: what was uploaded is read, cut, embedded, and put in the place of what was there. It may be broken off
anywhere and run again: until its last transaction the old text answers, and after that nothing is left to be done."""

import asyncio
import hashlib
import logging
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, NamedTuple
from uuid import UUID

from chatServer import errors, metrics
from chatServer.knowledge.read import FAULTS, read
from chatServer.knowledge.reading import Allowed, Reading, Unreadable
from chatServer.knowledge.sniff import HTML, MARKDOWN
from chatServer.knowledge.split import Count, split
from chatServer.memory.embed import Embedder, NoEmbedder, written
from chatServer.memory.reembed import embed_chunks
from chatServer.records import Article, Chunk, Principal
from chatServer.store import articles, user_events
from chatServer.store.articles import Found, found_by, words_of
from chatServer.store.pool import Connection, Database

BATCH = 64  # chunks to embed at once
EMBED_S = 60.0  # for all vectors of an article: what takes longer is made after it is stored, bit by bit
TELL_EVERY_S = 1.0
STORE_TIMEOUT_MS = 30_000  # ten thousand chunks

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Library:
    """What articles are made with."""

    database: Database
    count: Count
    embedder: Embedder = field(default_factory=NoEmbedder)
    max_articles: int = 0  # of a user; 0: as many as he likes
    max_chunks: int = 0
    allowed: Allowed = field(default_factory=Allowed)

    @property
    def model(self) -> str | None:
        return None if self.embedder.size == 0 else self.embedder.name


async def ingest(library: Library, principal: Principal, article_id: UUID) -> None:
    """Read what was last uploaded of an article. A file that cannot be read is a state of its article, and no failure
    of ours."""
    database, user_id = library.database, principal.user_id
    async with database.transaction(principal) as connection:
        article = await articles.begin_reading(connection, user_id, article_id)
        if article:
            await tell(connection, user_id, article_id, "reading")
    if article is None:  # it was read by a run that found no vectors for it, or is gone
        await embed_chunks(database, library.embedder, principal, article_id)
        return
    teller = Teller(database, principal, article)
    with tempfile.TemporaryFile() as file:  # it has no name, and goes with us
        if not await _fetch(database, principal, article, file):
            return  # something else was uploaded meanwhile, and has its own job
        try:
            draft = Draft(article.name, article.media_type, article.chunks)
            found = await make(library, principal, file, draft, teller.show)
        except Unreadable as error:
            await _fail(database, principal, article, error.fault)
            return
    async with database.transaction(principal, timeout_ms=STORE_TIMEOUT_MS) as connection:
        if not await articles.make_ready(connection, user_id, article, found):
            return  # it is gone, or something else was uploaded meanwhile
        await tell(connection, user_id, article_id, "ready", done=len(found.chunks), total=len(found.chunks))
    metrics.articles.labels("ready").inc()
    if library.model and not found.vectors:
        # By its words it is found; the next run makes them, and the user's other files do not wait for it.
        raise errors.EmbedderFailed("An article has no vectors yet.")


async def make(library: Library, principal: Principal, file: IO[bytes], of: "Draft", on_progress: Progress) -> Found:
    """All that an article consists of, with no connection held; raises Unreadable."""
    reading = await read(file, of.media_type, library.allowed)
    room = await _room(library, principal, of)
    title, chunks, words = await asyncio.to_thread(_cut, reading, of, library.count)
    if len(chunks) > room:
        raise Unreadable("too_many_chunks")
    vectors = await _embed(library.embedder, title, chunks, on_progress) if library.model else []
    return Found(title, len(reading.page_starts) or None, chunks, words, library.model, vectors)


class Draft(NamedTuple):
    """What is known of an article before it is read."""

    name: str
    media_type: str
    chunks: int = 0  # that answer under its name now


def _cut(reading: Reading, of: Draft, count: Count) -> tuple[str, list[Chunk], list[str]]:
    headed, chunks = split(reading, count, has_headings=of.media_type in (MARKDOWN, HTML))
    title = reading.title or headed or of.name
    return title, chunks, [words_of(title, chunk) for chunk in chunks]


async def _room(library: Library, principal: Principal, of: Draft) -> int:
    """How many chunks the user may add, beside those of his other articles."""
    if not library.max_chunks:
        return 10**9
    async with library.database.transaction(principal) as connection:
        held = await articles.count_articles(connection, principal.user_id)
    return library.max_chunks - held.chunks + of.chunks


async def _embed(embedder: Embedder, title: str, chunks: Sequence[Chunk], on_progress: Progress) -> list[str]:
    """A vector for each; none at all when the embedder fails or is slow: by its words an article is found all the
    same."""
    vectors: list[str] = []
    ends_at = time.monotonic() + EMBED_S
    try:
        for begin in range(0, len(chunks), BATCH):
            await on_progress(begin, len(chunks))
            texts = [found_by(title, chunk.heading, chunk.text) for chunk in chunks[begin : begin + BATCH]]
            async with asyncio.timeout(ends_at - time.monotonic()):
                vectors += written(await embedder.embed(texts))
    except (TimeoutError, errors.EmbedderFailed) as error:
        logger.warning("no vectors for an article: %s", str(error) or type(error).__name__)
        return []
    return vectors


async def _fetch(database: Database, principal: Principal, article: Article, file: IO[bytes]) -> bool:
    """The parts of what was uploaded into a file; False: they are no longer what the article says."""
    digest, part = hashlib.sha256(), 0
    while True:
        async with database.transaction(principal) as connection:
            content = await articles.read_part(connection, principal.user_id, article, part)
        if content is None:
            break
        await asyncio.to_thread(_write, file, content, digest)
        part += 1
    file.flush()
    return digest.hexdigest() == article.content_hash


def _write(file: IO[bytes], content: bytes, digest: "hashlib._Hash") -> None:
    digest.update(content)
    file.write(content)


async def _fail(database: Database, principal: Principal, article: Article, fault: str) -> None:
    async with database.transaction(principal) as connection:
        if not await articles.fail(connection, principal.user_id, article, fault, FAULTS[fault]):
            return
        await tell(connection, principal.user_id, article.article_id, "failed")
    metrics.articles.labels(fault).inc()


async def give_up(database: Database, principal: Principal, article_id: UUID, failed_at: datetime) -> None:
    """The job of an article has failed for good: say so, unless something was uploaded since, which has its own."""
    async with database.transaction(principal) as connection:
        article = await articles.find_article(connection, principal.user_id, article_id)
    if article and article.updated_at <= failed_at:
        await _fail(database, principal, article, "gave_up")


async def tell(
    connection: Connection,
    user_id: UUID,
    article_id: UUID,
    state: str,
    *,
    done: int = 0,
    total: int = 0,
    waited_s: float = 0.0,
) -> None:
    """How far an article is, for the user's tabs and devices."""
    about = {"article_id": str(article_id), "state": state, "done": done, "total": total}
    await user_events.tell(connection, user_id, "knowledge", about, waited_s=waited_s)


@dataclass(slots=True)
class Teller:
    """Tells how far it is, now and then, as long as the article is what is being read."""

    database: Database
    principal: Principal
    article: Article
    _told_at: float = field(default_factory=time.monotonic)

    async def show(self, done: int, total: int) -> None:
        if time.monotonic() - self._told_at < TELL_EVERY_S:
            return
        self._told_at = time.monotonic()
        user_id, article_id = self.principal.user_id, self.article.article_id
        async with self.database.transaction(self.principal) as connection:
            now = await articles.find_article(connection, user_id, article_id)
            if now and (now.version, now.state) == (self.article.version, "reading"):
                await tell(connection, user_id, article_id, "reading", done=done, total=total)
