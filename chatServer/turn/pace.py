"""How often the running turns of a process write to the database: together, not each for itself."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from chatServer.store import turns

FLUSH_EVERY_S = 0.25  # followers in other processes are this much behind
WRITES_PER_S = 200  # of all turns; so with 200 of them each writes once a second, with 400 every two


class Pace:
    """Shared by all turns of a process. Few write at the same time, so that whoever asks for something finds a
    connection: without this, 200 streams on a pool of four made reads of others 69 times slower (2026-11-15)."""

    def __init__(self, lanes: int) -> None:
        self.running = 0
        self._lanes = asyncio.Semaphore(lanes)

    @property
    def pause_s(self) -> float:
        """Between two writes of a turn; never so long that a lease would be renewed too late."""
        return min(max(FLUSH_EVERY_S, self.running / WRITES_PER_S), turns.RENEW_AFTER_S / 2)

    @contextlib.asynccontextmanager
    async def lane(self, over: asyncio.Future[None]) -> AsyncIterator[bool]:
        """A place to write; False when it was over first: then what is left is written with the turn's end."""
        has_entered = await self._enter(over)
        try:
            yield not over.done()
        finally:
            if has_entered:
                self._lanes.release()

    async def _enter(self, over: asyncio.Future[None]) -> bool:
        if not self._lanes.locked():  # as mostly: there is nothing to wait for
            return await self._lanes.acquire()
        entering = asyncio.ensure_future(self._lanes.acquire())
        waiting: set[asyncio.Future[Any]] = {entering, over}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        entering.cancel()
        await asyncio.wait({entering})
        return not entering.cancelled()
