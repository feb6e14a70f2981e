"""Every vector and every entry that recall needs, made where it is missing or of another embedder."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from chatServer import errors
from chatServer.memory.embed import Embedder, measured, packed, written
from chatServer.records import NOBODY, Principal
from chatServer.store import articles, embedding
from chatServer.store.embedding import Embedded, Unembedded
from chatServer.store.pool import Connection, Database
from chatServer.store.queries import NEWEST

BATCH = 300
USERS = 1_000
# A turn's own, and what came beside it. Four times as many made each connection keep a buffer of 256 kB (2026-11-15).
TURN_MESSAGES = 16
TURN_MEMORIES = 16
SHORT = 10_000  # characters, of which the words are found in 0.4 ms (2026-11-19)
TURN_LOOKS = 20  # how often a turn looks further back, while it finds nothing but what lacks a vector

logger = logging.getLogger(__name__)
_threads = ThreadPoolExecutor(1, thread_name_prefix="index")  # none of those that answer: an import may bring much


class Progress(NamedTuple):
    """How far it has come."""

    users: int = 0
    messages: int = 0
    memories: int = 0
    entries: int = 0  # messages that recall could not find before
    failed: int = 0  # users with a row that cannot be read or written
    chunks: int = 0  # of articles

    def __str__(self) -> str:
        chunks = f", {self.chunks} chunks of articles" if self.chunks else ""
        told = f"{self.users} users, {self.messages} messages, {self.memories} memories{chunks} embedded"
        return f"{told}, {self.failed} users left out (see the log)" if self.failed else told


NOTHING = Progress()
Given = TypeVar("Given")
Read = TypeVar("Read")


async def reembed(
    database: Database, embedder: Embedder, on_progress: Callable[[Progress], None] = lambda _: None
) -> Progress:
    """Make all vectors this embedder's. Whoever is broken off goes on where he was: what is done is not done again."""
    size = await measured(embedder)
    last = NOBODY.user_id
    done = await reembed_user(database, embedder, NOBODY)  # articles that are everybody's
    while True:
        async with database.sweep() as connection:
            users = await embedding.list_users(connection, last, USERS)
        for user_id in users:
            last = user_id
            try:
                done = await reembed_user(database, embedder, Principal(user_id), done, on_progress)
            except (errors.EmbedderFailed, errors.DatabaseUnavailable):
                raise  # it is the same with everybody
            except Exception as error:  # noqa: BLE001  one user's row keeps nobody else waiting
                logger.error("user %s is left out: %s", user_id, type(error).__name__)
                done = done._replace(failed=done.failed + 1)
            done = done._replace(users=done.users + 1)
            on_progress(done)
        if len(users) < USERS:
            break
    if size:
        async with database.transaction(NOBODY) as connection:
            await embedding.replace_embedding(connection, embedding.Embedding(embedder.name, size))
    return done


async def count_users(database: Database) -> int:
    """For whom it has to be done, or was."""
    total, last = 0, NOBODY.user_id
    while True:
        async with database.sweep() as connection:
            users = await embedding.list_users(connection, last, USERS)
        total += len(users)
        if len(users) < USERS:
            return total
        last = users[-1]


Newest = tuple[embedding.Lacking, list[Unembedded]]  # of what was said or remembered last, what lacks vectors


async def ask_newest(connection: Connection, embedder: Embedder, user_id: UUID) -> embedding.AskedNewest:
    """What `embed_newest` begins with; the answers come with the next."""
    return await embedding.ask_newest_lacking(
        connection, user_id, _model(embedder), messages=TURN_MESSAGES, memories=TURN_MEMORIES
    )


async def embed_newest(
    database: Database,
    embedder: Embedder,
    principal: Principal,
    newest: Newest | None = None,
    late: Sequence[int] = (),
) -> Progress:
    """The same for what a user said or was remembered of him just now; and before, where others have not come to it, or
    from each of `late` on: the places of messages without a vector."""
    user_id, model = principal.user_id, _model(embedder)
    if newest is None:
        async with database.transaction(principal) as connection:
            newest = await (await ask_newest(connection, embedder, user_id)).found()
    done = await _mend(database, embedder, principal, *newest)
    for start in (newest[0].before, *_unreached(late, embedder, newest)):
        before = start
        for _ in range(TURN_LOOKS - 1):
            if before is None:
                break
            async with database.transaction(principal) as connection:
                lacking = await embedding.find_lacking_messages(
                    connection, user_id, model, before=before, look=TURN_MESSAGES, limit=TURN_MESSAGES
                )
            done = _sum(done, await _mend(database, embedder, principal, lacking, []))
            before = lacking.before
    return done


async def reembed_user(
    database: Database,
    embedder: Embedder,
    principal: Principal,
    done: Progress = NOTHING,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """All that one user's recall lacks."""
    user_id, model = principal.user_id, _model(embedder)
    before: int | None = NEWEST
    while before is not None:
        async with database.transaction(principal) as connection:
            lacking = await embedding.find_lacking_messages(connection, user_id, model, before=before, limit=BATCH)
        done = _sum(done, await _mend(database, embedder, principal, lacking, []))
        on_progress(done)
        before = lacking.before
    written_ids: set[UUID] = set()
    last = NEWEST
    while model:
        async with database.transaction(principal) as connection:
            memories = await embedding.find_lacking_memories(connection, user_id, model, before=last, limit=BATCH)
        if all(memory.item_id in written_ids for memory in memories):
            if last == NEWEST:
                break  # none, or only such as change faster than we write
            last = NEWEST  # once more, for what has changed since
            continue
        last = memories[-1].version
        written_ids.update(memory.item_id for memory in memories)
        done = _sum(done, await _mend(database, embedder, principal, embedding.Lacking([], [], None), memories))
        on_progress(done)
    return done._replace(chunks=done.chunks + await embed_chunks(database, embedder, principal))


async def embed_chunks(
    database: Database, embedder: Embedder, principal: Principal, article_id: UUID | None = None
) -> int:
    """Vectors for chunks that have none of this embedder, of one article or of all; how many there were."""
    user_id, model = principal.user_id, _model(embedder)
    done, after = 0, (NOBODY.user_id, -1)
    while model:
        async with database.transaction(principal) as connection:
            lacking = await articles.find_lacking_chunks(
                connection, user_id, model, after=after, article_id=article_id, limit=BATCH
            )
        if not lacking:
            break
        texts = [articles.found_by(chunk.title, chunk.heading, chunk.text) for chunk in lacking]
        vectors = written(await embedder.embed(texts))
        async with database.transaction(principal) as connection:
            await articles.write_chunk_vectors(connection, user_id, model, lacking, vectors)
        done += len(lacking)
        after = (lacking[-1].article_id, lacking[-1].position)
    return done


async def _mend(
    database: Database,
    embedder: Embedder,
    principal: Principal,
    lacking: embedding.Lacking,
    memories: Sequence[Unembedded],
) -> Progress:
    made = await _made(embedder, lacking, memories)
    if made:
        async with database.transaction(principal) as connection:
            await made.write(connection, principal.user_id)
    return made.progress if made else NOTHING


@dataclass(frozen=True, slots=True)
class Made:
    """Vectors and entries that are not written yet."""

    model: str | None
    messages: Sequence[Embedded]
    memories: Sequence[Embedded]
    columns: embedding.EntryColumns | None
    progress: Progress

    async def write(self, connection: Connection, user_id: UUID) -> None:
        """In a transaction that holds no memory or message yet: first of all the memories, as everybody takes locks."""
        if self.model and self.memories:
            await embedding.write_memory_vectors(connection, user_id, self.model, self.memories)
        if self.columns:
            await embedding.mend_index(connection, user_id, self.columns)
        if self.model and self.messages:
            await embedding.write_message_vectors(connection, user_id, self.model, self.messages)


async def _made(embedder: Embedder, lacking: embedding.Lacking, memories: Sequence[Unembedded]) -> Made | None:
    """No connection is held meanwhile: they may come from far away."""
    lacking = await _beside(embedding.with_words, lacking, lacking.vectors) if lacking.vectors else lacking
    items = [*lacking.vectors, *memories]
    if not items:
        return None
    model, among = _model(embedder), len(lacking.vectors)
    made: list[Embedded] = []
    if model:
        vectors = await embedder.embed([item.text for item in items])
        forms: list[str | bytes] = [*packed(vectors[:among]), *written(vectors[among:])]
        made = [Embedded(item, vector) for item, vector in zip(items, forms, strict=True)]
    columns = await _beside(embedding.columns_of, lacking.entries, lacking.vectors) if lacking.entries else None
    progress = Progress(0, among, len(memories), len(lacking.entries))
    return Made(model, made[:among], made[among:], columns, progress)


async def made_newest(embedder: Embedder, newest: Newest, late: Sequence[int] = ()) -> Made | None:
    """The same, to be written by the caller. None: there is nothing, or `embed_newest` has more to do than that."""
    has_more = newest[0].before is not None or _unreached(late, embedder, newest)
    return None if has_more else await _made(embedder, *newest)


def _unreached(late: Sequence[int], embedder: Embedder, newest: Newest) -> list[int]:
    """Where to look besides: more was said since than is looked at."""
    lacking, _ = newest
    found = {item.version for item in lacking.vectors}
    return [] if lacking.before is not None or not _model(embedder) else [at + 1 for at in late if at not in found]


async def _beside(read: Callable[[Given], Read], given: Given, texts: Sequence[Unembedded]) -> Read:
    """In a thread, unless the texts are short."""
    if sum(len(item.text) for item in texts) < SHORT:
        return read(given)
    return await asyncio.get_running_loop().run_in_executor(_threads, read, given)


def _model(embedder: Embedder) -> str | None:
    return None if embedder.size == 0 else embedder.name


def _sum(a: Progress, b: Progress) -> Progress:
    return Progress(*(x + y for x, y in zip(a, b, strict=True)))
