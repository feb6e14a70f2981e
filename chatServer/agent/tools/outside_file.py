"""What an agent's file says of outside MCP servers."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from chatServer.agent.tools.outside import name_of
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.config import HttpAddress
from chatServer.records import OutsideServer

MAX_NAME = 64  # of a tool, as providers take it


class OutsideFile(BaseModel):
    """Only the operator's file names servers, and of each the tools that may be called; there is no "all"."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,23}$")]
    url: HttpAddress
    allow: Annotated[list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]], Field(min_length=1, max_length=64)]
    timeout_s: Annotated[float, Field(gt=0, le=300)] = 20
    headers_env: dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")], Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]
    ] = Field(default_factory=dict)

    def record(self) -> OutsideServer:
        headers = tuple(sorted(self.headers_env.items()))
        return OutsideServer(self.name, self.url, tuple(dict.fromkeys(self.allow)), self.timeout_s, headers)


def problems_of(servers: Iterable[OutsideServer]) -> Iterator[str]:
    """What cannot be seen in one line alone: names that clash or are too long, variables that are not set."""
    names = [(f"{server.name}_{tool}", name_of(server, tool)) for server in servers for tool in server.allow]
    counted = Counter(name for _, name in names)
    for whole, name in names:
        if len(whole) > MAX_NAME:
            yield f"mcp: {whole} has more than {MAX_NAME} characters, which is what a tool's name may have"
        if counted[name] > 1 or name in TOOLS:
            yield f"mcp: two tools would be called {name}"
    for server in servers:
        for _, variable in server.headers_env:
            if not os.environ.get(variable):
                yield f"mcp: {server.name} needs the environment variable {variable}"
