"""recall: what the user has said or is remembered of him that bears on a question. It is never late and never an error:
what cannot be had in time is left out, and that is said."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Set
from dataclasses import replace
from uuid import UUID

from chatServer import errors, metrics
from chatServer.memory.embed import Embedder
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.overview import overview
from chatServer.memory.ranking.question import READ_CHARS
from chatServer.memory.ranking.rank import Hit, rank
from chatServer.memory.ranking.rehearse import rehearse
from chatServer.memory.ranking.relevance import relevant
from chatServer.memory.ranking.weights import Weights, shipped_weights
from chatServer.memory.recall.about_me import asks_for_everything
from chatServer.memory.recall.news import NewsStand
from chatServer.memory.recall.past import asks_about_the_past, without_before
from chatServer.memory.recall.reach import NOWHERE, Ask, memories_of, scope_of, searched
from chatServer.memory.recall.register import Register
from chatServer.memory.recall.registers import Registers
from chatServer.memory.recall.reworded import in_other_words
from chatServer.memory.recall.shown import shown
from chatServer.memory.recall.sought import Sought, sought
from chatServer.messages import searchable
from chatServer.records import NOBODY, Agent, Principal, RecallResult
from chatServer.store import recall as store
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection, Database

PROMISED_MS = 50
DEADLINE_S = 0.045  # of them
EMBED_S = 0.02
STATEMENT_MS = 40
LOOKING_S = 2.0  # for either, where somebody looks through his memories himself: no answer waits for them
POOL_SIZE = 4  # two of them load
POOL_WAIT_MS = 30
LIMIT = 10
OVERVIEW = 20  # lines, for who asks for everything
FOUND = 40  # read for so many to be shown: some are gone, some say the same
MEMORIES = 10  # beside them, if need be: one of them comes before the message that said it
GLANCED = 50  # of the newest messages: most prompts have no more
# Above it a search takes longer than others should wait for. Of 20,000 items it takes a tenth more CPU in a thread, but
# in the loop it makes another user's turn a quarter longer: 68 ms instead of 54 (N = 424 and 542, busy, 2026-11-18).
IN_A_THREAD_ITEMS = 4_000
CLOSE_S = 2

logger = logging.getLogger(__name__)


class Recaller:
    """The verb, bound to where it looks."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        count: Callable[[str], int],
        *,
        cache_bytes: int,
        overlap_s: float,
        weights: Weights | None = None,
        pace: float = 1.0,
        closed: Collection[str] = (),
    ) -> None:
        """On a database of its own, so that it neither waits for turns nor lets them wait."""
        self._database = database
        self._embedder = embedder
        self._count = count
        self._weights = weights or shipped_weights()
        self._closed = frozenset(closed)  # agents whose messages no other one reads
        self._pace = pace  # how many times what is promised it may take
        self.is_warm = False  # the first question waits for nothing
        self._late: set[asyncio.Task[RecallResult]] = set()
        self._news = NewsStand(database, embedder.name, round(STATEMENT_MS * pace))
        self._patient_news = NewsStand(database, embedder.name, round(LOOKING_S * 1_000))
        self.registers = Registers(database, embedder.name, max_bytes=cache_bytes, overlap_s=overlap_s)

    async def recall(
        self,
        principal: Principal,
        agent: Agent,
        session_id: str,
        question: str,
        *,
        excluded: Collection[UUID] = (),
        budget_tokens: int,
        limit: int = LIMIT,
        tools: Collection[str] = (),
        glance: store.Glance | None = None,
    ) -> RecallResult:
        """The lines that bear on a question, best first; then how the tools went that may be used to answer it."""
        began = time.perf_counter()
        scope, question = scope_of(agent, session_id, self._closed), question[:READ_CHARS]
        if scope is None or not searchable(question):
            return RecallResult()
        for_everything = asks_for_everything(question)
        ask = Ask(
            principal,
            in_other_words(without_before(question)),
            scope,
            budget_tokens=budget_tokens,
            limit=max(limit, OVERVIEW) if for_everything else limit,
            about_the_past=asks_about_the_past(question),
            excluded=frozenset(excluded),
            tools=frozenset(tools),
            for_everything=for_everything,
            until_s=began + DEADLINE_S * self._pace,
            glance=glance,
        )
        found = await self._in_time(ask)
        took_s = time.perf_counter() - began
        metrics.recall_seconds.observe(took_s)
        if found.degraded:
            metrics.recalls_degraded.labels(found.degraded).inc()
            fields = {"reason": found.degraded, "lines": len(found.items), "took_ms": round(took_s * 1_000)}
            logger.warning("recall was degraded", extra={"fields": fields})
        return found

    async def ask_glance(
        self, connection: Connection, principal: Principal, *, most: int
    ) -> Answer[store.Glance] | None:
        """Whether anything came since, asked with whatever else is asked in this transaction: where all that is known
        may be in a prompt of so many messages, or memories may just have been learned. Else None."""
        register = self.registers.at_hand(principal.user_id)
        if register is None or not (register.has_memories or register.may_fit(most)):
            return None
        return await store.ask_glance(connection, principal.user_id, after=register.since_place, limit=GLANCED)

    def has_nothing_beside(self, principal: Principal, prompt: frozenset[str], glance: store.Glance) -> bool:
        """Whether recall would find nothing, for the prompt has these messages, and there are no others. Of the
        4.96 million instructions that it added to a turn of a first conversation 0.53 are left (2026-11-19)."""
        register = self.registers.at_hand(principal.user_id)
        is_so = register is not None and len(glance.newest) < GLANCED and register.has_all_within(prompt, glance)
        if is_so:
            metrics.recall_seconds.observe(0.0)
        return is_so

    async def warm(self) -> None:
        """Load and connect what the first question would wait for, every connection of the pool; nobody asks it, about
        nothing. Ready is then also who cannot have it: he is degraded, and says so."""
        try:
            await self._embedder.warm()
        except errors.EmbedderFailed as error:
            logger.warning("recall has no vectors: %s", error)
        await asyncio.to_thread(rehearse, self._weights)
        self._count("anything")
        with contextlib.suppress(errors.DatabaseUnavailable):  # whoever asks then is told so
            await self._database.connect()
        ask = Ask(NOBODY, "anything", NOWHERE, budget_tokens=0, limit=1, about_the_past=False)
        await asyncio.gather(*(self._recall(ask) for _ in range(POOL_SIZE)), return_exceptions=True)
        self.registers.drop(NOBODY.user_id)
        self.is_warm = True

    async def rank_memories(self, principal: Principal, question: str) -> list[UUID]:
        """The memories that bear on a question, from all shelves, the best first; fewer or none when the database is
        slow: for whoever looks through them, beside a search by words."""
        question = question[:READ_CHARS]
        if not searchable(question):
            return []
        ask = Ask(principal, question, NOWHERE, budget_tokens=0, limit=0, about_the_past=True)
        try:
            register = await self.registers.of(principal)
            news = await self._patient_news.read(register, ask, ())
        except errors.DatabaseUnavailable:
            return []
        if register.is_behind(news.clock):
            self.registers.drop(principal.user_id)
        wanted = await sought(question, register.speakers, self._embedder, LOOKING_S)
        async with register.lock:
            register.update(news)
            if not len(index := register.index):
                return []
            return list(await asyncio.to_thread(self._ranked, index, wanted, memories_of(index)))

    async def close(self) -> None:
        await self.registers.close()
        if self._late:
            await asyncio.wait(self._late, timeout=CLOSE_S)

    async def _in_time(self, ask: Ask) -> RecallResult:
        """Waited for and not cancelled: a connection that is told to cancel waits for a database that hangs."""
        task = asyncio.create_task(self._recall(ask), name="recall")
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # whoever asked may be gone
        await asyncio.wait({task}, timeout=ask.until_s - time.perf_counter())
        if not task.done():
            return RecallResult(degraded="timeout")
        if task.cancelled():  # whoever did that did not mean the turn
            return RecallResult(degraded="failed")
        try:
            return task.result()
        except TimeoutError:
            return RecallResult(degraded="timeout")
        except errors.DatabaseUnavailable:
            return RecallResult(degraded="database")
        except Exception as error:  # the turn goes on without
            logger.exception("recall failed: %s", type(error).__name__)
            return RecallResult(degraded="failed")

    async def _recall(self, ask: Ask) -> RecallResult:
        register = await self.registers.of(ask.principal)
        came, is_behind = None, False
        if ask.glance and not register.has_heard(ask.excluded, ask.glance):
            # Before the search, which else knows nothing of it and is done again.
            came = await self._news.came(register, ask)
            is_behind, _ = await self._learn(register, ask, came)
            came = came._replace(messages=None, memories=None)
        hits: dict[UUID, Hit] = {}
        wanted = None  # read, and made a vector of, when there is something to search in
        if not register.is_within(ask.excluded):
            wanted = await self._sought(register, ask.question)
            hits = await self._search(register, ask, wanted)
        news = await self._news.read(register, ask, hits, came)
        if news.clock.is_off:
            return RecallResult()
        is_further_behind, changed = await self._learn(register, ask, news, hits)
        if changed:
            wanted = wanted or await self._sought(register, ask.question)
            hits = await self._search(register, ask, wanted)
        is_late = wanted is not None and wanted.is_late
        is_behind |= is_further_behind
        degraded = register.missing or ("embedder" if is_late else "loading" if is_behind else None)
        return replace(shown(register, ask, hits, news, self._count), degraded=degraded)

    async def _learn(
        self, register: Register, ask: Ask, news: store.News, hits: Collection[UUID] = ()
    ) -> tuple[bool, Set[UUID]]:
        """Whether more came than was told, and what of it is not in the prompt."""
        is_behind = register.is_behind(news.clock)
        if is_behind:
            self.registers.drop(ask.principal.user_id)
        async with register.lock:
            changed = register.update(news, hits) - ask.excluded
        self.registers.measure(ask.principal)
        return is_behind, changed

    async def _sought(self, register: Register, question: str) -> Sought:
        return await sought(question, register.speakers, self._embedder, EMBED_S * self._pace)

    async def _search(self, register: Register, ask: Ask, wanted: Sought) -> dict[UUID, Hit]:
        """The best of what the register knows, and what it knows of whom the question names."""
        async with register.lock:
            if time.perf_counter() > ask.until_s:  # else those that are late keep the next one waiting until it is late
                raise TimeoutError
            index = register.index_beside(ask.excluded)
            named = register.entities.linked(ask.question)
            if len(index) > IN_A_THREAD_ITEMS:
                return await asyncio.to_thread(self._found, index, ask, wanted, named)
            return self._found(index, ask, wanted, named)

    def _found(self, index: Index, ask: Ask, wanted: Sought, named: Collection[UUID]) -> dict[UUID, Hit]:
        scope = searched(index, ask)
        if ask.for_everything:
            return {hit.item_id: hit for hit in overview(index, scope, limit=FOUND)}
        found = self._ranked(index, wanted, scope)
        least = min((hit.score for hit in found.values()), default=0.1)
        for memory_id in index.within(scope, named):
            found.setdefault(memory_id, Hit(memory_id, least, {}))
        return found

    def _ranked(self, index: Index, wanted: Sought, scope: Scope) -> dict[UUID, Hit]:
        now, weights = time.time(), self._weights
        found = rank(
            index, wanted.question, wanted.vec, scope, now=now, limit=FOUND, weights=weights, memories=MEMORIES
        )
        return {hit.item_id: hit for hit in relevant(found, index, wanted.vec)}


@contextlib.asynccontextmanager
async def recalling(
    database: Database,
    embedder: Embedder,
    count: Callable[[str], int],
    *,
    cache_mb: int,
    deadline_ms: int = PROMISED_MS,
    closed: Collection[str] = (),
) -> AsyncIterator[Recaller]:
    """A recaller with a small pool of its own, and its embedder being loaded meanwhile."""
    overlap_s = 2 * database.longest_transaction_s  # of one that gave out an id, and of one that came before it
    pace = deadline_ms / PROMISED_MS
    wait_ms, statement_ms, room = round(POOL_WAIT_MS * pace), round(STATEMENT_MS * pace), cache_mb * 1024**2
    async with database.beside(pool_size=POOL_SIZE, wait_ms=wait_ms, statement_ms=statement_ms) as own:
        recaller = Recaller(own, embedder, count, cache_bytes=room, overlap_s=overlap_s, pace=pace, closed=closed)
        warming = asyncio.create_task(recaller.warm())
        try:
            yield recaller
        finally:
            warming.cancel()  # it may wait long for a database that went away
            await asyncio.wait({warming}, timeout=CLOSE_S)
            await recaller.close()
