"""The client of MCP that outside servers meet: a connection for each question, closed behind it. Whatever goes wrong
is raised."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from chatServer.agent.tools.tool import Listed
from chatServer.records import OutsideServer

MAX_PAGES = 10
MAX_BYTES = 4_000_000  # of all that a server says to one question


class TooMuch(httpx2.StreamError):
    """A server says more than anybody wants to hold."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_BYTES:,} bytes, or packed ones")


class Bounded(httpx2.AsyncHTTPTransport):
    """Ends an answer where it becomes too much, before it is held and parsed. A packed one could be any size."""

    def __init__(self) -> None:
        super().__init__(trust_env=False)
        self._left = MAX_BYTES

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            await response.aclose()
            raise TooMuch
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # nosec B101 # narrows a type
        response.stream = Counted(response.stream, self)
        return response

    def count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise TooMuch


class Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, transport: Bounded) -> None:
        self._stream, self._transport = stream, transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._transport.count(len(part))
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def list_tools(server: OutsideServer) -> list[Listed]:
    found: list[Listed] = []
    cursor: str | None = None
    async with _connected(server) as client:
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += [Listed(tool.name, tool.description or "", json.dumps(tool.input_schema)) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
    return found


async def call_tool(server: OutsideServer, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """What the tool says, and whether it is an error."""
    async with _connected(server) as client:
        done = await client.call_tool(name, dict(arguments))
    texts = [_text(block) for block in done.content]
    if not texts and done.structured_content is not None:
        texts = [json.dumps(done.structured_content, ensure_ascii=False)]
    return "\n".join(texts), done.is_error


@asynccontextmanager
async def _connected(server: OutsideServer) -> AsyncIterator[Client]:
    headers = {name: os.environ.get(variable, "") for name, variable in server.headers_env}
    timeout = httpx2.Timeout(server.timeout_s)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, transport=Bounded(), trust_env=False) as http,
        Client(streamable_http_client(server.url, http_client=http)) as client,
    ):
        yield client


def _text(block: types.ContentBlock) -> str:
    return block.text if isinstance(block, types.TextContent) else f"[{block.type}]"
