"""How long a connection may take to say what it wants: uvicorn itself would wait for the rest of a header forever."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_S = 15.0


class LimitedPatience(HttpToolsProtocol):
    """uvicorn's protocol; a connection that does not finish the headers of a request in time is closed."""

    headers_s = HEADERS_S
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait_for_headers()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_headers()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self.headers_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:  # the request before this one, on the same connection, is still being answered
            self._wait_for_headers()
