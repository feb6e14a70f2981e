"""What a reviser knows of whoever keeps memory: tools that are listed and called, as MCP has them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from chatServer.records import Caller


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is listed."""

    name: str
    description: str
    input_schema: Mapping[str, Any] = field(default_factory=dict, hash=False)  # JSON schema


class ToolFailed(Exception):
    """The tool refuses or fails; the message is for a model to read."""


class ToolBroken(Exception):
    """The server of the tool is at fault, and no model can help that: to be asked again later."""


class MemoryTools(Protocol):
    """The seed's `mcp_manager`: a client of one MCP server, in memory or elsewhere."""

    async def list_tools(self) -> Sequence[ToolSpec]:
        """Everything that can be called."""

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Its structured result; ToolFailed when it refuses, anything else when it is out of order."""


ToolsFor = Callable[[Caller], AbstractAsyncContextManager[MemoryTools]]  # opened for one caller, closed afterwards
