"""The registers of this process: loaded when their user asks, the newest things first, and dropped when others need the
room."""

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from chatServer import errors, metrics
from chatServer.memory.recall.register import Register
from chatServer.memory.recall.unpack import Piece
from chatServer.records import Principal
from chatServer.store import recall as store
from chatServer.store.pool import Database

FIRST_ITEMS = 500  # of messages, and of memories: so many are there within the deadline
COURTESY_S = 0.1  # the question that waited for those is answered first
NEXT_ITEMS = 10_000
MAX_ITEMS = 200_000  # messages of one user, the newest
LOADS_AT_ONCE = 2
LOAD_TIMEOUT_MS = 3_000
MAX_LOADS = 3  # for one question, while others drop them
FRESH_S = 600  # then it is loaded anew, behind the answers: other writers may have put something in between

logger = logging.getLogger(__name__)


class _Dropped(Exception):
    """What was being loaded is no longer wanted."""


class _Kept(NamedTuple):
    register: Register
    nbytes: int
    loaded_at: float


@dataclass(frozen=True, slots=True, eq=False)
class _Loading:
    task: asyncio.Task[None]
    first: asyncio.Future[Register]  # there is something to search in


class Registers:
    """At most so many bytes of them; two questions of one user wait for the same load."""

    def __init__(self, database: Database, model: str, *, max_bytes: int, overlap_s: float) -> None:
        self._database = database
        self._model = model
        self._max_bytes = max_bytes
        self._overlap_s = overlap_s
        self._kept: OrderedDict[UUID, _Kept] = OrderedDict()
        self._loading: dict[UUID, _Loading] = {}
        self._slots = asyncio.Semaphore(LOADS_AT_ONCE)
        self.nbytes = 0

    async def of(self, principal: Principal) -> Register:
        """The user's register, as soon as there is something in it."""
        kept = self._kept.get(principal.user_id)
        if kept is None:
            return await self._first_of(principal)
        self._kept.move_to_end(principal.user_id)
        if kept.register.missing == "loading" or time.monotonic() - kept.loaded_at > FRESH_S:
            self._load(principal)  # unless that is being done: the rest may have failed to come
        return kept.register

    def at_hand(self, user_id: UUID) -> Register | None:
        """The user's register, if it is there and knows everything: nobody waits for it."""
        kept = self._kept.get(user_id)
        if kept is None or kept.register.missing or time.monotonic() - kept.loaded_at > FRESH_S:
            return None
        self._kept.move_to_end(user_id)
        return kept.register

    def measure(self, principal: Principal) -> None:
        """A register has grown: see that all of them still have room."""
        if kept := self._kept.get(principal.user_id):
            self._keep(principal.user_id, kept.register, kept.loaded_at)

    def drop(self, user_id: UUID) -> None:
        """Forget what is known of a user; whatever is being loaded is not kept either, and whoever waits for it gets
        what is loaded next."""
        if loading := self._loading.pop(user_id, None):
            if not loading.first.done():
                loading.first.set_exception(_Dropped())
            loading.task.cancel()
        if kept := self._kept.pop(user_id, None):
            self._count(-kept.nbytes)

    async def close(self) -> None:
        """Whoever waits for a load is told at once; a task that is cancelled before it began would not tell."""
        tasks = {loading.task for loading in self._loading.values()}
        for loading in self._loading.values():
            if not loading.first.done():
                loading.first.set_exception(errors.DatabaseUnavailable())
            loading.task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _first_of(self, principal: Principal) -> Register:
        for _ in range(MAX_LOADS):
            with contextlib.suppress(_Dropped):
                return await asyncio.shield(self._load(principal).first)
        raise errors.DatabaseUnavailable

    def _load(self, principal: Principal) -> _Loading:
        user_id = principal.user_id
        if user_id not in self._loading:
            first: asyncio.Future[Register] = asyncio.get_running_loop().create_future()
            first.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # whoever waits may be gone
            task = asyncio.create_task(self._fill(principal, first), name="recall's load")
            self._loading[user_id] = loading = _Loading(task, first)
            task.add_done_callback(lambda _: self._loading.get(user_id) is loading and self._loading.pop(user_id))
        return self._loading[user_id]

    async def _fill(self, principal: Principal, first: asyncio.Future[Register]) -> None:
        """The newest things, to be searched at once; then all of them in one, in their place."""
        try:
            clock, pieces = await self._newest(principal)
            register = await asyncio.to_thread(Register, clock, pieces, overlap_s=self._overlap_s)
            rest = [piece for piece in pieces if piece and len(piece) == FIRST_ITEMS]
            register.missing = "loading" if rest else None
            if register.missing is None or principal.user_id not in self._kept:  # an older one knows more
                self._keep(principal.user_id, register)
            first.set_result(register)
            if rest:
                await asyncio.sleep(COURTESY_S)
                whole = await self._whole(principal, clock, [piece for piece in pieces if piece])
                self._keep(principal.user_id, whole)
        except Exception as error:  # noqa: BLE001  whoever asked is told; nobody else waits
            logger.warning("recall cannot load: %s", type(error).__name__)
            if not first.done():
                first.set_exception(error)
        finally:
            first.cancel()

    async def _newest(self, principal: Principal) -> tuple[store.Clock, list[Piece | None]]:
        async with self._slots, self._database.transaction(principal, timeout_ms=LOAD_TIMEOUT_MS) as connection:
            clock, messages, memories = await store.load_newest(
                connection, principal.user_id, self._model, messages=FIRST_ITEMS, memories=FIRST_ITEMS
            )
        return clock, [Piece.of(messages, is_memory=False), Piece.of(memories, is_memory=True)]

    async def _whole(self, principal: Principal, clock: store.Clock, pieces: list[Piece]) -> Register:
        is_partial = False
        for newest in list(pieces):
            last, count = newest, len(newest)
            wanted = FIRST_ITEMS
            while len(last) == wanted:
                if count >= MAX_ITEMS:
                    is_partial = True
                    break
                wanted = NEXT_ITEMS
                piece = await self._older(principal, last, wanted)
                if piece is None:
                    break
                pieces.append(piece)
                last, count = piece, count + len(piece)
        register = await asyncio.to_thread(Register, clock, pieces, overlap_s=self._overlap_s)
        register.missing = "partial" if is_partial else None
        return register

    async def _older(self, principal: Principal, last: Piece, limit: int) -> Piece | None:
        load = store.load_memories if last.is_memory else store.load_messages
        async with self._slots, self._database.transaction(principal, timeout_ms=LOAD_TIMEOUT_MS) as connection:
            before = last.places[-1]
            columns = await load(connection, principal.user_id, self._model, before=before, limit=limit)
        return await asyncio.to_thread(Piece.of, columns, is_memory=last.is_memory)

    def _keep(self, user_id: UUID, register: Register, loaded_at: float | None = None) -> None:
        if before := self._kept.pop(user_id, None):
            self._count(-before.nbytes)
        self._kept[user_id] = _Kept(register, register.nbytes, time.monotonic() if loaded_at is None else loaded_at)
        self._count(register.nbytes)
        while self.nbytes > self._max_bytes and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._count(-oldest.nbytes)

    def _count(self, nbytes: int) -> None:
        self.nbytes += nbytes
        metrics.recall_cache_bytes.set(self.nbytes)
        metrics.recall_cache_users.set(len(self._kept))
