"""An answer that is sent as it comes, to a reader who may be slow, silent or gone."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

logger = logging.getLogger(__name__)

SLOW_READER_S = 30.0  # how long one piece may wait to be taken


class EventStream(Response):
    """Sends pieces until there are no more, the reader leaves, or it takes none for a while."""

    def __init__(self, pieces: AsyncGenerator[bytes, None], headers: Mapping[str, str]) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers(headers)
        del self.headers["content-length"]
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        leaving = asyncio.ensure_future(_left(receive))
        sending = asyncio.ensure_future(self._send(send))
        try:
            await asyncio.wait({leaving, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.wait({leaving, sending})
        if not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with contextlib.aclosing(self._pieces) as pieces:
            async for piece in pieces:
                if not await _is_taken(send({"type": "http.response.body", "body": piece, "more_body": True})):
                    logger.info("a reader took nothing for %g s and was dropped", SLOW_READER_S)
                    return  # without the last chunk: the reader knows that something is missing, and may resume
        await send({"type": "http.response.body", "body": b"", "more_body": False})


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
