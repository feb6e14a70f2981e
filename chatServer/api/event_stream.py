"""An answer that is sent as it comes, to a reader who may be slow, silent or gone."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
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
        sending = asyncio.ensure_future(self._send(send))
        left_s = None if self._expires_at is None else max(0.0, self._expires_at - time.time())
        is_expired = False
        try:
            done, _ = await asyncio.wait({leaving, sending}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            is_expired = not done
        finally:
            leaving.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.wait({leaving, sending})
            self._on_end()
        if not sending.cancelled():
            sending.result()
        elif is_expired:  # between two pieces, or behind one that was written but not taken yet
            await _is_taken(send({"type": "http.response.body", "body": sse.EXPIRED, "more_body": False}))

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async with contextlib.aclosing(self._pieces) as pieces:
                async for piece in pieces:
                    if not await _is_taken(send({"type": "http.response.body", "body": piece, "more_body": True})):
                        logger.info("a reader took nothing for %g s and was dropped", SLOW_READER_S)
                        return  # without the last chunk: the reader knows that something is missing, and may resume
        except errors.DatabaseUnavailable:
            logger.warning("an answer broke off: the database does not answer")
            return  # the same
        await _is_taken(send({"type": "http.response.body", "body": b"", "more_body": False}))


async def _is_taken(sending: Awaitable[None]) -> bool:
    try:
        async with asyncio.timeout(SLOW_READER_S):
            await sending
    except TimeoutError:
        return False
    return True


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
