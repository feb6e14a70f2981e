"""What a user does with articles: put one there, look for them, take one away."""

import asyncio
import hashlib
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import IO
from uuid import UUID

from chatServer import errors
from chatServer.knowledge.ingest import STORE_TIMEOUT_MS, Draft, Library, Progress, make, tell
from chatServer.knowledge.kinds import clean_name, kind_of
from chatServer.knowledge.sniff import HEAD_BYTES
from chatServer.records import Article, Principal, new_id
from chatServer.store import articles, jobs, limits
from chatServer.store.articles import Unread
from chatServer.store.pool import Connection, Database

MAX_FILE_BYTES = 25_000_000
PART_BYTES = 1_000_000
MAX_WAITING_BYTES = 100_000_000  # of a user's, that are not read yet
RETRY_AFTER_S = 30
WAITS_FOR = timedelta(minutes=10)


def look_at(name: str, file: IO[bytes]) -> Unread:
    """What a file is, piece by piece; raises FileRefused or FileTooLarge. Its name may be any."""
    name = clean_name(name)
    file.seek(0)
    head = file.read(HEAD_BYTES)
    media_type = kind_of(name, head)
    digest, size = hashlib.sha256(head), len(head)
    while content := file.read(PART_BYTES):
        digest.update(content)
        size += len(content)
        if size > MAX_FILE_BYTES:
            raise errors.FileTooLarge(MAX_FILE_BYTES, f'"{name}" is larger: a file', file=name)
    return Unread(name, media_type, size, digest.hexdigest())


async def put(library: Library, principal: Principal, *files: tuple[Unread, IO[bytes]]) -> list[Article]:
    """Keep files until a worker has read them: all or none. The same name again is its next version; the same file
    again is nothing new."""
    user_id = principal.user_id
    _refuse_namesakes([unread.name for unread, _ in files])
    if sum(unread.size_bytes for unread, _ in files) > MAX_WAITING_BYTES:
        raise _too_much_waits()
    stored: dict[int, Article] = {}
    new = []
    async with library.database.transaction(principal, timeout_ms=STORE_TIMEOUT_MS) as connection:
        # In the order of their names, as two uploads of the same would wait for each other otherwise.
        for place, (unread, file) in sorted(enumerate(files), key=lambda each: each[1][0].name):
            known = await articles.hold_article(connection, user_id, unread.name)
            if known and is_same(known, unread):
                stored[place] = known
                continue
            stored[place] = await articles.put_article(connection, user_id, new_id(), unread)
            new.append(stored[place])
            await _put_parts(connection, user_id, stored[place].article_id, file)
        if new:
            await _be_within_limits(connection, user_id, new, library.max_articles)
        for article in new:  # one upload after the other, too: each file finds its place behind those that wait
            await jobs.enqueue_ingest(connection, article.article_id)
            await tell(connection, user_id, article.article_id, "waiting")
    return [stored[place] for place in range(len(files))]


async def add(
    library: Library, principal: Principal, unread: Unread, file: IO[bytes], on_progress: Progress
) -> Article | None:
    """The same without a worker, for whoever waits: nothing is stored before all of it is read. None: it was there.
    Raises Unreadable."""
    user_id, began = principal.user_id, time.monotonic()
    async with library.database.transaction(principal) as connection:
        known = await articles.hold_article(connection, user_id, unread.name)
    if known and known.state == "ready" and is_same(known, unread):
        return None
    draft = Draft(unread.name, unread.media_type, known.chunks if known else 0)
    found = await make(library, principal, file, draft, on_progress)
    async with library.database.transaction(principal, timeout_ms=STORE_TIMEOUT_MS) as connection:
        article = await articles.put_article(connection, user_id, new_id(), unread)
        await articles.make_ready(connection, user_id, article, found)
        await _be_within_limits(connection, user_id, [article], library.max_articles)
        if library.model and not found.vectors:  # a worker makes them, once the embedder answers
            await jobs.enqueue_ingest(connection, article.article_id)
        total, waited_s = len(found.chunks), time.monotonic() - began
        await tell(connection, user_id, article.article_id, "ready", done=total, total=total, waited_s=waited_s)
    return article


def is_same(known: Article, unread: Unread) -> bool:
    """Whether this file is what the article is, or will be once it is read. What waits for long waits in vain: its job
    may have failed for good, and whoever sends it again wants it read."""
    is_equal = (known.content_hash, known.media_type) == (unread.content_hash, unread.media_type)
    is_coming = known.state in ("waiting", "reading") and known.updated_at > datetime.now(UTC) - WAITS_FOR
    is_read = known.state == "ready" and known.chunks > 0  # or it was imported without its text
    return is_equal and (is_read or is_coming)


def _refuse_namesakes(names: Sequence[str]) -> None:
    """The second would replace the first before anybody has read it."""
    for name in names:
        if names.count(name) > 1:
            raise errors.InvalidRequest(
                f'Several of these files would be the document "{name}". Give them names of their own. None was taken.'
            )


async def _put_parts(connection: Connection, user_id: UUID, article_id: UUID, file: IO[bytes]) -> None:
    file.seek(0)
    part = 0
    while content := await asyncio.to_thread(file.read, PART_BYTES):
        await articles.put_part(connection, user_id, article_id, part, content)
        part += 1


async def _be_within_limits(connection: Connection, user_id: UUID, new: Sequence[Article], max_articles: int) -> None:
    """Counted under the user's row, with what is being put there: so one upload after the other is judged."""
    await limits.hold_limits(connection, user_id)
    held = await articles.count_articles(connection, user_id)
    if 0 < max_articles < held.articles and any(article.version == 1 for article in new):
        raise errors.TooManyArticles(max_articles)
    if held.waiting_bytes > MAX_WAITING_BYTES:
        raise _too_much_waits()


def _too_much_waits() -> errors.RateLimited:
    return errors.RateLimited(
        f"Files of yours with more than {MAX_WAITING_BYTES:,} bytes would wait to be read. Send these when others are.",
        limit="waiting_bytes",
        retry_after_s=RETRY_AFTER_S,
    )


async def find(
    database: Database, principal: Principal, *, limit: int, before: UUID | None = None
) -> tuple[list[Article], UUID | None]:
    """The user's articles and shared ones, the newest first, and where the next page begins."""
    async with database.transaction(principal) as connection:
        found = await articles.list_articles(connection, principal.user_id, limit=limit + 1, before=before)
    return found[:limit], found[limit - 1].article_id if len(found) > limit else None


async def get(database: Database, principal: Principal, article_id: UUID) -> Article:
    async with database.transaction(principal) as connection:
        article = await articles.find_article(connection, principal.user_id, article_id)
    if article is None:
        raise errors.ArticleNotFound
    return article


async def delete(database: Database, principal: Principal, article_id: UUID) -> None:
    """With its file, its text and its vectors; the next answer knows nothing of it."""
    async with database.transaction(principal, timeout_ms=STORE_TIMEOUT_MS) as connection:
        if await articles.delete_article(connection, principal.user_id, article_id):
            await jobs.forget_ingest(connection, article_id)
            await tell(connection, principal.user_id, article_id, "deleted")
            return
        found = await articles.find_article(connection, principal.user_id, article_id)
    if found and found.is_shared:  # else it was not there a moment ago, and is again
        raise errors.Forbidden("This document is everybody's: only whoever runs the server can delete it.")
    raise errors.ArticleNotFound
