"""An answer that is sent as it comes, to a reader who may be slow, silent or gone."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

SLOW_READER_S = 30.0  # how long one piece may wait to be taken


class EventStream(Response):
    """Sends pieces until there are no more, the reader leaves, or it takes none for a while."""

    def __init__(self, pieces: AsyncIterator[bytes], headers: Mapping[str, str]) -> None:
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
        try:
            async for piece in self._pieces:
                async with asyncio.timeout(SLOW_READER_S):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        except TimeoutError:
            return  # without the last chunk: the reader knows that something is missing, and may resume
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
