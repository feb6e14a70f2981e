"""Tools of outside MCP servers, which an agent's file allows by name: looked up when they are first needed, and run by
a connection of each call's own. They are never why a turn fails. Whatever they say is anybody's text."""

import asyncio
import importlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ConfigDict

from chatServer.agent.run import tool_name
from chatServer.agent.tools.tool import Listed, Tool, ToolContext, ToolResult
from chatServer.messages import clean_text
from chatServer.records import Agent, OutsideServer

CLIENT = "chatServer.agent.tools.outside_client"  # the package mcp takes a second to import
KNOWN_S = 600  # so long what a server said of its tools holds
RETRY_S = 30  # so long one that did not answer is left alone
LIST_S = 5.0  # a turn waits no longer for what tools are like
MAX_SCHEMA = 20_000  # characters
MAX_DESCRIPTION = 2_000
MAX_RESULT = 200_000

logger = logging.getLogger(__name__)


class AnyInput(BaseModel):
    """What fits is for the server to say."""

    model_config = ConfigDict(extra="allow")


def outside_tools(agent: Agent) -> tuple[Tool, ...]:
    """What the agent's file allows, whether or not the servers answer just now."""
    return tuple(_tool(server, name) for server in agent.mcp for name in server.allow)


def name_of(server: OutsideServer, tool: str) -> str:
    return tool_name(f"{server.name}_{tool}")


class Outside:
    """What is known of the servers' tools."""

    def __init__(self) -> None:
        self._known: dict[OutsideServer, dict[str, Listed]] = {}
        self._until: dict[OutsideServer, float] = {}

    async def described(self, tools: Sequence[Tool]) -> list[Tool]:
        """The tools, with what their servers say of them, if they do so in time."""
        servers = dict.fromkeys(tool.outside for tool in tools if tool.outside)
        unknown = [server for server in servers if time.monotonic() >= self._until.get(server, 0)]
        await asyncio.gather(*(self._learn(server) for server in unknown))
        return [self._described(tool) for tool in tools]

    def _described(self, tool: Tool) -> Tool:
        known = self._known.get(tool.outside, {}).get(tool.name) if tool.outside else None
        return replace(tool, description=known.description, schema=known.schema) if known else tool

    async def _learn(self, server: OutsideServer) -> None:
        try:
            client = await _client()
            async with asyncio.timeout(min(LIST_S, server.timeout_s)):
                listed: list[Listed] = await client.list_tools(server)
        except Exception as error:  # noqa: BLE001  a server that is away makes its tools fail, and not the turn
            _warn(server, error)
            self._until[server] = time.monotonic() + RETRY_S
            return
        known = [_bounded(each) for each in listed if each.name in server.allow]
        self._known[server] = {name_of(server, each.name): each for each in known}
        self._until[server] = time.monotonic() + KNOWN_S


@cache
def _tool(server: OutsideServer, name: str) -> Tool:
    """One object for each: models are told about the same tools again and again, and compiled once."""
    described = f"The tool {name} of the server {server.name}."
    run = partial(_run, server, name)
    return Tool(name_of(server, name), described, AnyInput, run, is_untrusted=True, outside=server)


async def _run(server: OutsideServer, name: str, _: ToolContext, given: AnyInput) -> ToolResult:
    limit: asyncio.Timeout | None = None
    try:
        client = await _client()
        async with asyncio.timeout(server.timeout_s) as limit:
            text, is_error = await client.call_tool(server, name, given.model_dump())
    except Exception as error:  # noqa: BLE001  the model reads that the server did not answer, and goes on
        _warn(server, error)
        # Whoever is cancelled amid connecting may raise something else.
        is_late = isinstance(error, TimeoutError) or (limit is not None and limit.expired())
        why = f"did not answer within {server.timeout_s:g} seconds" if is_late else "cannot be reached"
        return ToolResult(f"The server {server.name} {why}. Answer without it.", is_error=True)
    return ToolResult(text[:MAX_RESULT] or "(no text)", is_error)


async def _client() -> ModuleType:
    return await asyncio.to_thread(importlib.import_module, CLIENT)


def _bounded(listed: Listed) -> Listed:
    schema: Any = json.loads(listed.schema) if len(listed.schema) <= MAX_SCHEMA else None
    is_usable = isinstance(schema, Mapping) and schema.get("type") == "object"
    description = clean_text(listed.description)[:MAX_DESCRIPTION] or listed.name
    return Listed(listed.name, description, listed.schema if is_usable else "")


def _warn(server: OutsideServer, error: Exception) -> None:
    logger.warning("the MCP server %s failed: %s", server.name, type(error).__name__)
