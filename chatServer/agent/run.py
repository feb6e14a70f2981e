"""One answer in the making: whose it is, what it may do, and how much of that it has done."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from langchain_core.messages import BaseMessage

from chatServer.agent.tools import Tool, ToolContext
from chatServer.messages import Message
from chatServer.records import ModelInput, Said, TurnEvent, new_id

Limit = Literal["steps", "tool_calls", "window"]

_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")  # providers refuse a history in which such a name stands


@dataclass(frozen=True, slots=True)
class Head:
    """What is asked anew, because it has to share the window with what came of it; and what is told of that."""

    messages: tuple[Message, ...] = field(hash=False)
    told: tuple[TurnEvent, ...] = ()


Tighten = Callable[[int], Awaitable[Head]]  # beside so many tokens that were added since
Hear = Callable[[TurnEvent | Said], None]  # is told what happens, at once and in order; what it raises ends the answer


@dataclass(slots=True)
class Run:
    """It lives as long as one turn; compiled agents hold nothing of it, they are handed it."""

    asked: ModelInput
    tools: Mapping[str, Tool]
    context: ToolContext
    model_timeout_s: float
    tool_timeout_s: float
    tighten: Tighten | None = None
    steps: int = 0
    tool_runs: int = 0
    parts: int = 0
    call_ids: set[str] = field(default_factory=set)
    limits_told: set[Limit] = field(default_factory=set)
    sent: Sequence[BaseMessage] = ()  # what the model was given in this step, and what it said
    answers: dict[str, "asyncio.Future[BaseMessage]"] = field(default_factory=dict)  # of this step's calls, in order
    filling: set[str] = field(default_factory=set)  # calls of tools that fill the room
    is_full: bool = False  # not one more call would fit into the window

    @property
    def is_last_step(self) -> bool:
        return self.is_full or self.steps >= self.asked.agent.limits.steps

    @property
    def first_tool(self) -> str | None:
        """What the model has to call first, if it is offered."""
        name = self.asked.agent.first_tool
        return name if name in self.tools else None

    def begin_step(self) -> list[TurnEvent]:
        self.steps += 1
        return [TurnEvent("step-start"), *(self.reached_last() if self.is_last_step and self.tools else [])]

    def reached_last(self) -> list[TurnEvent]:
        """The event that tells why no tool can be called any more."""
        return self.reached("window" if self.is_full else "steps")

    def take_tool_run(self) -> bool:
        """Whether one more tool may run; if so, it is counted."""
        if self.tool_runs >= self.asked.agent.limits.tool_calls:
            return False
        self.tool_runs += 1
        return True

    def reached(self, limit: Limit) -> list[TurnEvent]:
        """The event that tells of a limit, the first time only."""
        if limit in self.limits_told:
            return []
        self.limits_told.add(limit)
        return [TurnEvent("metadata", value={"limit": limit})]

    def part_id(self, kind: str) -> str:
        self.parts += 1
        return f"{kind}-{self.parts}"

    def call_id(self, given: str | None) -> str:
        """The provider's id of a call, or one of ours where it gave none or has given this one before."""
        call_id = given if given and given not in self.call_ids else f"call_{new_id().hex}"
        self.call_ids.add(call_id)
        return call_id


def tool_name(given: str | None) -> str:
    """A name as the model spelled it, made fit to be sent back."""
    return _NO_NAME.sub("_", given or "")[:64] or "unknown"
