"""A client that costs next to nothing: what it measures is the server, not itself.

httpx looks through all its connections for each request; with hundreds of them that took longer than the answers.
"""

import asyncio
import contextlib
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
CHUNKED = b"transfer-encoding: chunked"
TIMEOUT_S = 60
REUSED_FOR_S = 2  # well before the server hangs up on it


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """POSTs JSON over kept-alive connections, as many as are needed at once."""

    def __init__(self, address: str) -> None:
        self._parts = urlsplit(address)
        self._idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for *_, writer in self._idle:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def post(self, path: str, body: Any, headers: dict[str, str]) -> Answer:
        """Raises OSError or EOFError when the server hangs up, TimeoutError when it says nothing."""
        content = json.dumps(body).encode()
        head = [f"POST {path} HTTP/1.1", f"host: {self._parts.netloc}", "content-type: application/json"]
        head += [f"content-length: {len(content)}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        async with asyncio.timeout(TIMEOUT_S):
            reader, writer = await self._connection()
            writer.write("\r\n".join(head).encode() + content)
            told = await reader.readuntil(b"\r\n\r\n")
            answer = Answer(int(told[9:12]), await _body(told, reader))
        if b"connection: close" in told.lower():
            writer.close()
        else:
            self._idle.append((time.monotonic(), reader, writer))
        return answer

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while self._idle:
            since, reader, writer = self._idle.pop()
            if time.monotonic() - since < REUSED_FOR_S:
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._parts.hostname, self._parts.port)


async def _body(told: bytes, reader: asyncio.StreamReader) -> bytes:
    """The whole of it, also of a stream."""
    if length := LENGTH.search(told):
        return await reader.readexactly(int(length[1]))
    body = bytearray()
    if CHUNKED in told.lower():
        while size := int(await reader.readuntil(b"\r\n"), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
    return bytes(body)
