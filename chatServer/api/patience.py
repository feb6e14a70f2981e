"""How long a connection may take to say what it wants, and in how many bytes: uvicorn would read headers forever."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from chatServer.api import headers

HEADERS_S = 15.0
HEADERS_BYTES = 65_536
ALWAYS = {**headers.ALWAYS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}


class LimitedPatience(HttpToolsProtocol):
    """uvicorn's protocol; a connection that does not finish the headers of a request in time and size is closed."""

    headers_s = HEADERS_S
    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is None:  # no headers are waited for
            return
        self._header_bytes += len(data)
        if self._header_bytes > HEADERS_BYTES and not self.transport.is_closing():
            self._refuse("431 Request Header Fields Too Large", "The headers are too large.")

    def send_400_response(self, msg: str) -> None:
        """uvicorn's answer to what is no HTTP; there is no request, so no middleware adds its headers."""
        self._refuse("400 Bad Request", msg)

    def _refuse(self, status: str, sentence: str) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in ALWAYS.items())]
        lines += [f"Content-Length: {len(sentence)}", "", sentence]
        self.transport.write("\r\n".join(lines).encode())
        self.transport.close()

    def _should_upgrade_to_ws(self) -> bool:
        """Nothing here speaks WebSocket, and uvicorn's refusal would pass our edges by: it is a request like others."""
        return False

    def _unsupported_upgrade_warning(self) -> None:
        """Said once for each such request, with the advice to install something: nobody has to do anything."""

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
        self._header_bytes = 0
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
