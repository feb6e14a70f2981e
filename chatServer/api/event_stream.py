"""An answer that is sent as it comes, to a reader who may be slow, silent or gone."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chatServer import errors
from chatServer.protocols import sse

logger = logging.getLogger(__name__)

SLOW_READER_S = 30.0  # how long one piece may wait to be taken
A_STREAM: dict[str, Any] = {"text/event-stream": {}}  # for /openapi.json, whose version has no word for single events


class EventStream(Response):
    """Sends pieces until there are no more, the reader leaves or takes none for a while, or its token expires: then the
    reader may go on with another token where it was."""

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None],
        headers: Mapping[str, str],
        *,
        expires_at: float | None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers(headers)
        del self.headers["content-length"]
        self._pieces = pieces
        self._expires_at = expires_at
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        leaving = asyncio.ensure_future(_left(receive))
        left_s = None if self._expires_at is None else max(0.0, self._expires_at - time.time())
        is_slow = False

        # Whatever ends it early ends this one time-out, instead of one for each piece and a task for all of them.
        def be_over(_: object = None) -> None:
            with contextlib.suppress(RuntimeError):  # it is over already
                until.reschedule(0)

        def give_up() -> None:
            nonlocal is_slow
            is_slow = True
            be_over()

        try:
            async with asyncio.timeout(left_s) as until:
                leaving.add_done_callback(be_over)
                await self._send(send, give_up)
        except TimeoutError:
            if not until.expired():
                raise
            if is_slow:
                logger.info("a reader took nothing for %g s and was dropped", SLOW_READER_S)
            elif not leaving.done():  # between two pieces, or behind one that was written but not taken yet
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SLOW_READER_S):
                        await send({"type": "http.response.body", "body": sse.EXPIRED, "more_body": False})
        finally:
            leaving.remove_done_callback(be_over)
            leaving.cancel()
            self._on_end()

    async def _send(self, send: Send, give_up: Callable[[], None]) -> None:
        """Without the last chunk where it breaks off: the reader knows that something is missing, and may resume."""
        call_later = asyncio.get_running_loop().call_later

        async def put(piece: bytes, *, more_body: bool) -> None:
            timer = call_later(SLOW_READER_S, give_up)
            try:
                await send({"type": "http.response.body", "body": piece, "more_body": more_body})
            finally:
                timer.cancel()

        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async with contextlib.aclosing(self._pieces) as pieces:
                async for piece in pieces:
                    await put(piece, more_body=True)
        except errors.DatabaseUnavailable:
            logger.warning("an answer broke off: the database does not answer")
            return
        await put(b"", more_body=False)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
