"""How the server ends: no new work, time for what runs, then the door."""

import asyncio
import time
from collections.abc import Callable

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from chatServer import errors, metrics
from chatServer.api.edge import Edge
from chatServer.api.problems import problem

REFUSED = ("/api/", "/mcp")


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


class ShutdownGate(Edge):
    """Counts what runs, and turns away what comes too late."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        shutdown: Shutdown = scope["state"]["chat"].shutdown
        if shutdown.has_begun and scope["path"].startswith(REFUSED):
            await problem(Request(scope), errors.ShuttingDown())(scope, receive, send)
            return
        shutdown.enter()
        try:
            with metrics.requests_running.track_inprogress():
                await self._finish(scope, receive, send, shutdown)
        finally:
            shutdown.leave()

    async def _finish(self, scope: Scope, receive: Receive, send: Send, shutdown: Shutdown) -> None:
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except asyncio.CancelledError:
            if has_begun or not shutdown.is_overdue:
                raise
            # The server cancels what outlives the grace: a sentence is better than a closed socket.
            await problem(Request(scope), errors.ShuttingDown())(scope, receive, send)
