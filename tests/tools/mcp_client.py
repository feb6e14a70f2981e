"""The official Python client of MCP, against an app in this process or a server at an address."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

PLAIN = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

STORE = ("concept", "episode", "fact", "procedure", "working_memory")
ALL = {
    "store_session_message", "summarize_session", *(f"store_{kind}" for kind in STORE),
    "search_memories", "memory_graph", "read_notes", "manage_long_term_memory",
}  # fmt: skip


@contextlib.asynccontextmanager
async def connected(
    headers: dict[str, str],
    *,
    app: httpx.AsyncClient | None = None,
    address: str = "http://127.0.0.1:8000",
    mode="auto",
) -> AsyncIterator[Client]:
    """A client that has said hello; `app` is one that tests/conftest.py serves."""
    transport = httpx2.ASGITransport(app=app._transport.app) if app else None
    async with httpx2.AsyncClient(headers=headers, transport=transport, trust_env=False, timeout=60) as http:
        async with Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client:
            yield client


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers; an error is one of the test, too."""
    done = await client.call_tool(tool, arguments)
    assert not done.is_error, done.content
    return done.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence with which it does not."""
    done = await client.call_tool(tool, arguments)
    assert done.is_error, done.structured_content
    return done.content[0].text
