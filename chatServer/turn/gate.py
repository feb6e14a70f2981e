"""How many turns begin at once, and when one more is turned away: at the door, while that is still quick."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from chatServer import errors, metrics

MAX_WAIT_S = 1.0  # what somebody may have to wait before his turn begins
SMOOTHING = 0.1  # how much one measurement changes what is believed


class Gate:
    """Whoever comes waits in a row, holding nothing. When those before him would take too long, he hears so at once,
    and those in the row are served as fast as ever: more at the same time would be slower for all of them.

    It cannot stay shut: it is full only while others wait."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._places = asyncio.Semaphore(width)
        self._waiting = 0
        self._takes_s = 0.01  # one turn to begin, as measured of late

    @property
    def is_full(self) -> bool:
        return self._waiting * self._takes_s / self._width > MAX_WAIT_S

    @contextlib.asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """For as long as a turn begins; Overloaded when it would begin too late."""
        if self.is_full:
            metrics.turns_turned_away.inc()
            raise errors.Overloaded
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        began_at = time.monotonic()
        try:
            yield
        finally:
            self._takes_s += SMOOTHING * (time.monotonic() - began_at - self._takes_s)
            self._places.release()
