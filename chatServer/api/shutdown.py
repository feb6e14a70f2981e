"""How the server ends: no new work, time for what runs, then the door."""

import asyncio
import time
from collections.abc import Callable

from chatServer import metrics


class Shutdown:
    """Whether the server was told to end, and what it still has to finish. Work that outlives a request (a turn)
    waits for `begun` beside its own end, and holds the server with `enter` and `leave`."""

    def __init__(self, grace_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.begun = asyncio.Event()
        self._grace_s = grace_s
        self._clock = clock
        self._began_at: float | None = None
        self._running = 0
        metrics.shutting_down.set(0)

    def begin(self) -> None:
        """From now on nothing new is taken. A second call does not begin the grace anew."""
        if self._began_at is None:
            self._began_at = self._clock()
            self.begun.set()
            metrics.shutting_down.set(1)

    def enter(self) -> None:
        self._running += 1

    def leave(self) -> None:
        self._running -= 1

    @property
    def has_begun(self) -> bool:
        return self._began_at is not None

    @property
    def is_overdue(self) -> bool:
        """Whether the grace is used up."""
        return self._began_at is not None and self._clock() - self._began_at >= self._grace_s

    @property
    def may_end(self) -> bool:
        return self.has_begun and (self._running == 0 or self.is_overdue)
