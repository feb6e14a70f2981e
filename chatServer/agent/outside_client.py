"""The client of MCP that outside servers meet: a connection for each question, closed behind it."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from chatServer.agent.outside import Listed
from chatServer.records import OutsideServer

MAX_PAGES = 10


class OutsideClient:
    """Two questions; whatever goes wrong is raised."""

    @staticmethod
    async def list_tools(server: OutsideServer) -> list[Listed]:
        found: list[Listed] = []
        cursor: str | None = None
        async with _connected(server) as client:
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += [
                    Listed(tool.name, tool.description or "", json.dumps(tool.input_schema)) for tool in page.tools
                ]
                cursor = page.next_cursor
                if cursor is None:
                    break
        return found

    @staticmethod
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
        httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http,
        Client(streamable_http_client(server.url, http_client=http)) as client,
    ):
        yield client


def _text(block: types.ContentBlock) -> str:
    return block.text if isinstance(block, types.TextContent) else f"[{block.type}]"
