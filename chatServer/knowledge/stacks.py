"""The stacks of this process: loaded when somebody asks, brought up to date, and dropped when others need the room."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from uuid import UUID

from chatServer.knowledge.stack import Stack, stack_of
from chatServer.records import NOBODY, Principal
from chatServer.store import retrieval as store
from chatServer.store.pool import Database

ARTICLES_AT_ONCE = 100
LOADS_AT_ONCE = 2
LOAD_TIMEOUT_MS = 20_000
MAX_LOADS = 3  # for one question, while others ask for what was there before or after

Key = tuple[UUID, int]  # an owner, and the size of the vectors


class Stacks:
    """The users who were asked last, as many as there is room for; questions to one owner wait for the same load."""

    def __init__(self, database: Database, max_bytes: int) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._kept: OrderedDict[UUID, Stack] = OrderedDict()
        self._loading: dict[Key, asyncio.Task[Stack]] = {}
        self._slots = asyncio.Semaphore(LOADS_AT_ONCE)

    async def of(self, principal: Principal, owner: UUID, live: Mapping[UUID, str], looked: store.Looked) -> Stack:
        """What there is of an owner, as the user may read it: `live` says which articles, and what changes with the
        text of each. Whoever calls holds no connection."""
        for _ in range(MAX_LOADS):
            known = self._get(owner, looked.size)
            if known is not None and known.stamps == live:
                return known
            stack = await asyncio.shield(self._load(principal, owner, live, looked))
            if stack.stamps == live:
                return stack
        return stack  # a little older or newer: what is shown is read again

    async def close(self) -> None:
        """What is being loaded is for nobody any more."""
        tasks = set(self._loading.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _load(
        self, principal: Principal, owner: UUID, live: Mapping[UUID, str], looked: store.Looked
    ) -> asyncio.Task[Stack]:
        key = owner, looked.size
        if key not in self._loading:
            task = asyncio.create_task(self._fill(principal, owner, live, looked), name="retrieval's load")
            self._loading[key] = task
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # whoever waits may be gone
            task.add_done_callback(lambda _: self._loading.pop(key))
        return self._loading[key]

    async def _fill(self, principal: Principal, owner: UUID, live: Mapping[UUID, str], looked: store.Looked) -> Stack:
        """What is kept, without what is gone and with what is new."""
        async with self._slots:
            known = self._get(owner, looked.size)
            before: Mapping[UUID, str] = known.stamps if known else {}
            stack = known or stack_of({}, None, looked.size)
            stack = await asyncio.to_thread(
                stack.without, {each for each, stamp in before.items() if live.get(each) != stamp}
            )
            new = [each for each, stamp in live.items() if before.get(each) != stamp]
            for start in range(0, len(new), ARTICLES_AT_ONCE):
                ids = new[start : start + ARTICLES_AT_ONCE]
                async with self._database.transaction(principal, timeout_ms=LOAD_TIMEOUT_MS) as connection:
                    packed = await store.load_chunks(connection, owner, ids, model=looked.model, size=looked.size)
                loaded = await asyncio.to_thread(stack_of, {each: live[each] for each in ids}, packed, looked.size)
                stack = await asyncio.to_thread(stack.joined, loaded)
            self._put(owner, stack)
            return stack

    def _get(self, owner_id: UUID, size: int) -> Stack | None:
        """None: it has to be loaded, with vectors of this size."""
        found = self._kept.get(owner_id)
        if found is None or found.is_old or found.vectors.shape[1] != size:
            return None
        self._kept.move_to_end(owner_id)
        return found

    def _put(self, owner_id: UUID, stack: Stack) -> None:
        self._kept[owner_id] = stack
        self._kept.move_to_end(owner_id)
        # Every question needs everybody's beside a user's own: the two must not push each other out.
        users = [each for each in self._kept if each != NOBODY.user_id]
        while len(users) > 1 and sum(self._kept[each].nbytes for each in users) > self._max_bytes:
            del self._kept[users.pop(0)]
