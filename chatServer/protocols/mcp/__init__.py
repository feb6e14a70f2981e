"""The tools of memory over MCP. The package `mcp` takes a second to import: it is loaded when the server starts, beside
the models, and not with this room."""

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from chatServer.agent.memory_tools import MemoryTools, ToolsFor
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Caller

if TYPE_CHECKING:
    from chatServer.protocols.mcp import server

SERVER = "chatServer.protocols.mcp.server"
_loaded: "list[type[server.Served]]" = []
LATE = "jsonschema"  # by which a client reads results: it would take a second of the loop at the first one


async def load() -> "type[server.Served]":
    """What speaks MCP; the second time it is there, and no thread is waited for."""
    if not _loaded:
        await asyncio.to_thread(importlib.import_module, LATE)
        module = await asyncio.to_thread(importlib.import_module, SERVER)
        _loaded.append(module.Served)
    return _loaded[0]


def tools_for(desk: Desk) -> ToolsFor:
    """The tools in this very process, for whoever works without a token: a job."""

    @asynccontextmanager
    async def opened(caller: Caller) -> AsyncIterator[MemoryTools]:
        served = (await load())(desk, caller)
        async with served.in_memory() as client:
            yield client

    return opened
