"""retrieve: passages of the user's articles, and of everybody's, that bear on a question, in the room that is left."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from chatServer import errors, metrics
from chatServer.knowledge import fit
from chatServer.knowledge.quote import quoted
from chatServer.knowledge.rank import ArticleKey, Seen, rank
from chatServer.knowledge.stacks import Stacks
from chatServer.memory.embed import Embedder, written
from chatServer.messages.terms import stems_of
from chatServer.records import NOBODY, Passage, Principal
from chatServer.records.budget import LONG_CHARS, MAX_TOKENS_A_CHARACTER, SEAM_TOKENS
from chatServer.store import retrieval as store
from chatServer.store.pool import Connection, Database

TOP_K = 5  # articles
READ_CHARS = 4_000  # of a question; a pasted file says no more about what is wanted than its beginning
TIMEOUT_MS = 20_000  # Postgres may have to look through a great many chunks
EMBED_S = 2.0  # for the question's vector: an embedder may be elsewhere
IN_A_THREAD_CHUNKS = 4_000
MAX_KEPT_BYTES = 64 * 1024**2  # of what users' chunks are found by, about 1.3 kB each
MAX_KEPT_CHUNKS = 50_000  # of one owner; above it Postgres looks

AsRead = Callable[[str], str]
T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Looking:
    """A question, and where and for how much of an answer is looked."""

    principal: Principal
    looked: store.Looked
    top_k: int
    room_tokens: int
    as_read: AsRead | None
    vector: NDArray[np.float32] | None = field(hash=False)

    @property
    def owners(self) -> tuple[UUID, UUID]:
        return self.principal.user_id, NOBODY.user_id


class Retriever:
    """The verb, bound to where it looks."""

    def __init__(self, database: Database, embedder: Embedder, count: Callable[[str], int]) -> None:
        self._database = database
        self._embedder = embedder
        self._count = count
        self._stacks = Stacks(database, MAX_KEPT_BYTES)

    async def close(self) -> None:
        await self._stacks.close()

    async def retrieve(
        self,
        principal: Principal,
        query: str,
        top_k: int = TOP_K,
        reserved_tokens: int = 0,
        *,
        window_tokens: int,
        as_read: AsRead | None = None,
    ) -> list[Passage]:
        """What can be read of the best `top_k` articles beside `reserved_tokens` of a model's window: whole articles
        while they fit, then their best chunks. As `quoted` puts it, it never takes more; nor when `as_read` says what
        becomes of a text before a model reads it."""
        began = time.perf_counter()
        query, room = query[:READ_CHARS], window_tokens - reserved_tokens - self._count(quoted([])) - SEAM_TOKENS
        words = _words(query)
        if room <= 0 or top_k <= 0 or not query.strip():
            return []
        vector = await self._vector(query)
        size = self._embedder.size or (0 if vector is None else vector.size)
        looked = store.Looked(words, self._embedder.name, size, None if vector is None else written(vector[None])[0])
        passages = await self._found(Looking(principal, looked, top_k, room, as_read, vector))
        metrics.retrieval_seconds.observe(time.perf_counter() - began)
        return passages

    async def _found(self, looking: Looking) -> list[Passage]:
        """No connection is held while anything is loaded, ranked or counted: a long text may take a second."""
        seen = await self._seen(looking)
        look = partial(rank, list(seen.values()), len(looking.looked.words))
        hits = await _done(look, sum(len(each.positions) for each in seen.values()))
        articles = list(dict.fromkeys(hit.article for hit in hits))[: looking.top_k]
        if not articles:
            return []
        async with self._reading(looking) as connection:
            offered = await self._offered(connection, seen, articles)
            choice = fit.choose(hits, offered, looking.room_tokens)
            texts = await _texts(connection, looking.owners, choice.runs())
        scores = {key: next(hit.score for hit in hits if hit.article == key) for key in offered}
        passages = _passages(choice, offered, texts, scores)
        over = await self._over(passages, looking)
        if over < 0 and choice.fill_more(-over):  # estimates are careful
            async with self._reading(looking) as connection:
                texts = await _texts(connection, looking.owners, choice.runs())
            passages = _passages(choice, offered, texts, scores)
            over = await self._over(passages, looking)
        while over > 0:
            choice.give_back(over)
            passages = _passages(choice, offered, texts, scores)
            over = await self._over(passages, looking)
        return passages

    def _reading(self, looking: Looking) -> AbstractAsyncContextManager[Connection]:
        return self._database.transaction(looking.principal, timeout_ms=TIMEOUT_MS)

    async def _seen(self, looking: Looking) -> dict[UUID, Seen]:
        """What is there now of the user's and of everybody's, as the question sees it."""
        seen: dict[UUID, Seen] = {}
        scored: dict[UUID, store.Scored] = {}
        async with self._reading(looking) as connection:
            asked = [await store.ask_stamps(connection, owner, looking.looked.words) for owner in looking.owners]
            found = [(owner, await store.read_stamps(each)) for owner, each in zip(looking.owners, asked, strict=True)]
            for owner, stamps in found:
                if stamps.chunks > MAX_KEPT_CHUNKS and (
                    all_of := await store.score_chunks(connection, owner, looking.looked)
                ):
                    scored[owner] = all_of
        for owner, stamps in found:
            if owner in scored:
                seen[owner] = await _done(partial(Seen.of, owner, scored[owner]), scored[owner].size)
            elif stamps.articles and stamps.chunks <= MAX_KEPT_CHUNKS:
                stack = await self._stacks.of(looking.principal, owner, stamps.articles, looking.looked)
                see = partial(stack.seen, owner, stamps.words, looking.vector)
                seen[owner] = await _done(see, len(stack.positions))
        return seen

    async def _offered(
        self, connection: Connection, seen: Mapping[UUID, Seen], articles: Sequence[ArticleKey]
    ) -> dict[ArticleKey, fit.Offered]:
        """Those that are there, in their order."""
        asked = {
            owner: await store.ask_heads(
                connection, owner, [key.article_id for key in articles if key.owner_id == owner]
            )
            for owner in {key.owner_id for key in articles}
        }
        heads = {
            ArticleKey(owner, head.article_id): head
            for owner, answer in asked.items()
            for head in await answer.fetchall()
        }
        return {
            key: fit.Offered(heads[key], seen[key.owner_id].sizes_of(key.article_id), self._around(heads[key]))
            for key in articles
            if key in heads
        }

    def _around(self, head: store.Head) -> int:
        """What is written around a passage takes so many tokens, whatever page it is on."""
        return self._count(quoted([_empty(head)])) - self._count(quoted([])) + SEAM_TOKENS

    async def _over(self, passages: Sequence[Passage], looking: Looking) -> int:
        """How many tokens they take too many; counted only when it may be any."""
        text = quoted(passages)
        chunks = sum(passage.last - passage.first + 1 for passage in passages)
        inside = sum(passage.tokens for passage in passages) + SEAM_TOKENS * (chunks + len(passages))
        around = len(text) - sum(len(passage.text) for passage in passages)  # of hostile texts this may be much
        if inside + around * MAX_TOKENS_A_CHARACTER <= looking.room_tokens and not looking.as_read:
            return 0
        is_long = len(text) >= LONG_CHARS
        counted = partial(self._counted, text, looking.as_read)
        tokens = await asyncio.to_thread(counted) if is_long else counted()
        return tokens - self._count(quoted([])) - looking.room_tokens

    def _counted(self, text: str, as_read: AsRead | None) -> int:
        return self._count(as_read(text) if as_read else text)

    async def _vector(self, query: str) -> NDArray[np.float32] | None:
        """Of the question; without one, words alone have to do."""
        if self._embedder.size == 0:
            return None
        try:
            async with asyncio.timeout(EMBED_S):
                return np.asarray((await self._embedder.embed([query]))[0], np.float32)
        except (TimeoutError, errors.EmbedderFailed) as error:
            logger.warning("no vector for a question to the articles: %s", type(error).__name__)
            return None


async def _done(work: Callable[[], T], chunks: int) -> T:
    """Beside the loop where it takes longer than others should wait."""
    return await asyncio.to_thread(work) if chunks > IN_A_THREAD_CHUNKS else work()


def _words(query: str) -> list[str]:
    """The longest stems of a question: they tell the most."""
    return sorted(stems_of(query), key=len, reverse=True)[: store.WORDS]


async def _texts(
    connection: Connection, owners: Sequence[UUID], runs: Sequence[tuple[ArticleKey, range]]
) -> dict[tuple[ArticleKey, int], store.Live]:
    places: dict[UUID, list[store.Place]] = {owner: [] for owner in owners}
    for key, positions in runs:
        places[key.owner_id] += [store.Place(key.article_id, position) for position in positions]
    asked = {owner: await store.ask_chunks(connection, owner, each) for owner, each in places.items() if each}
    return {
        (ArticleKey(owner, live.article_id), live.position): live
        for owner, answer in asked.items()
        for live in await answer.fetchall()
    }


def _passages(
    choice: fit.Choice,
    offered: Mapping[ArticleKey, fit.Offered],
    texts: Mapping[tuple[ArticleKey, int], store.Live],
    scores: Mapping[ArticleKey, float],
) -> list[Passage]:
    found = []
    for key, positions in choice.runs():
        chunks = [texts[key, position] for position in positions if (key, position) in texts]
        if not chunks:  # deleted meanwhile
            continue
        head = offered[key].head
        found.append(
            replace(
                _empty(head),
                text="".join(chunk.text for chunk in chunks),
                tokens=sum(chunk.tokens for chunk in chunks),
                score=scores[key],
                first=chunks[0].position,
                last=chunks[-1].position,
                page=chunks[0].page,
                heading=chunks[0].heading,
                is_whole=len(chunks) == head.chunks,
                is_shared=key.owner_id == NOBODY.user_id,
            )
        )
    return found


def _empty(head: store.Head) -> Passage:
    """What stands around a passage, on the longest of page numbers."""
    return Passage(
        head.article_id, head.name, head.title, head.media_type, text="", tokens=0, score=0, first=0, last=0, page=10**6
    )
