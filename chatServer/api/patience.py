"""How long a connection may take to say what it wants, and in how many bytes: uvicorn would read headers forever."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from chatServer.api import headers

HEADERS_S = 15.0
HEADERS_BYTES = 65_536
TOO_LARGE = "431 Request Header Fields Too Large"
ALWAYS = {**headers.ALWAYS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}


class LimitedPatience(HttpToolsProtocol):
    """uvicorn's protocol; a connection that does not finish the headers of a request in time and size is closed."""

    headers_s = HEADERS_S
    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0
    _reading = _to_read = b""
    _answering: RequestResponseCycle | None = None
    _refusal = b""  # which waits for the answers before it; whatever comes behind it is not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        self._to_read = b"" if self._refusal else data
        while self._to_read:  # not by recursion: there may be very many such requests in one piece
            self._reading, self._to_read = self._to_read, b""
            super().data_received(self._reading)
            self._header_bytes += len(self._reading)
        if self._header_bytes > HEADERS_BYTES and not self._refusal and not self.transport.is_closing():
            self._refuse(TOO_LARGE, "The headers are too large.")

    def send_400_response(self, msg: str) -> None:
        """uvicorn's answer to what is no HTTP; there is no request, so no middleware adds its headers."""
        if self._header_bytes > HEADERS_BYTES:
            self._refuse(TOO_LARGE, "The headers are too large.")
        else:
            self._refuse("400 Bad Request", msg)

    def _refuse(self, status: str, sentence: str) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in ALWAYS.items())]
        lines += [f"Content-Length: {len(sentence)}", "", sentence]
        self._refusal = "\r\n".join(lines).encode()
        if self._is_answering_others():
            self.flow.resume_reading()  # what is never read would reset the connection when it is closed
        else:
            self._send_refusal()

    def _is_answering_others(self) -> bool:
        """Whether a request before the one that is refused is being answered: written now, the refusal would stand in
        the midst of that answer, or be taken for it."""
        answering = self._answering
        if answering is None or answering.response_complete:
            return False
        return answering.response_started or not answering.more_body

    def _send_refusal(self) -> None:
        self.transport.write(self._refusal)
        self.transport.close()

    def on_response_complete(self) -> None:
        is_next_whole = bool(self.pipeline) and not self.pipeline[-1][0].more_body
        if self._refusal and not is_next_whole and not self.transport.is_closing():
            self._send_refusal()
        super().on_response_complete()

    def _should_upgrade(self) -> bool:
        """Whoever wants another protocol (WebSocket, or HTTP/2 as Java's own client does) is asked in below."""
        return True

    def handle_websocket_upgrade(self) -> None:
        """Read the request once more, as one that wants nothing of the kind: nobody here speaks anything else, and by
        the parser's rules whatever follows its headers is no body, but the next request of that connection."""
        ended = sys.exception()
        assert isinstance(ended, httptools.HttpParserUpgrade)  # nosec B101 # we are called while it is handled
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        if method == b"CONNECT":  # what it wants has no headers that could be left out
            self.send_400_response("Invalid HTTP request received.")
            return
        lines = [b"%s %s HTTP/%s" % (method, self.url, version), *_plain(self.headers), b"", b""]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self._to_read = b"\r\n".join(lines) + self._reading[ended.args[0] :]

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_headers()
        if self.cycle is not None:  # the piece that is being read may begin with the body of the request before
            self._header_bytes = -len(self._reading)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Not what comes behind a body: no proxy has looked at it, and 60 MB of it took 600 MB (2026-11-18)."""
        if self._deadline is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._header_bytes = len(self.url) + 4 * len(self.headers) + sum(map(len, chain.from_iterable(self.headers)))
        if self._header_bytes > HEADERS_BYTES:  # all of them came in one piece
            raise ValueError  # ends the parser, and uvicorn refuses
        self._header_bytes = -len(self._reading)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._header_bytes = -len(self._reading)  # what else is in the piece that is being read
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """uvicorn tells that a client has left only to the last of its requests, which may still wait for its turn."""
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

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


def _plain(given: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """Headers as lines, without the wish for another protocol."""
    for name, value in given:
        if name == b"connection":
            kept = [token for token in value.split(b",") if token.strip().lower() != b"upgrade"]
            yield name + b": " + b",".join(kept)
        elif name != b"upgrade":
            yield name + b": " + value
