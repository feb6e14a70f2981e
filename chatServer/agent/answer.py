"""The agent's seam: `answer()` asks a model, runs its tools, and tells everything that happens.

In order, whether or not the agent has middleware; for each call of the model ("step"):

1.  `step-start`; in the last step that the limits allow, where there are tools, `metadata` {"limit": "steps"}, or
    {"limit": "window"} where one more call would not fit: that call is made without tools, so that the model answers.
2.  `reasoning-start/-delta/-end` and `text-start/-delta/-end`, one part after the other, each with an id of its own
    ("text-1", "reasoning-2") in this turn.
3.  `tool-input` (id, name, value: the arguments, or their text if they are no JSON object) for each tool call.
4.  `Said` with the assistant's message and what this step used.
5.  For each call, in the order of the calls though all run at once: `tool-output` (id, name, value: its text) or
    `tool-error` (id, name, text), the events of the tool, `metadata` {"limit": "tool_calls"} once if no call was
    left, and `Said` with the tool's message; its structured_data has duration_ms, success and error.
6.  `step-finish`. After a step without tool calls the answer ends. Else, where all that was said no longer fits,
    `data` (compaction) may come before the next step: agent/tight.py.

Whatever is wrong with a call or a tool is told to the model, and the loop goes on. What is wrong with the model is
raised: ModelTimeout when one call took too long, else ModelFailed; parts may then be open, and every `Said` before
stays valid. A cancellation passes through at once, to the model's connection and to the tools that run.
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool, StructuredTool

from chatServer.agent.given import in_turns
from chatServer.agent.lean import Lean
from chatServer.agent.listen import ModelStreams, Streams
from chatServer.agent.models import Models
from chatServer.agent.run import Hear, Run, Tighten
from chatServer.agent.speech import SpeakingModel
from chatServer.agent.tools import Tool, ToolContext, ToolResult, parameters_of
from chatServer.agent.tools.outside import Outside
from chatServer.records import ModelInput

if TYPE_CHECKING:
    from chatServer.agent.graph import Graph

MAX_COMPILED = 256


class Compiled(Protocol):
    """An agent that is ready: it holds nothing of any turn."""

    def answer(self, run: Run, hear: Hear) -> Coroutine[Any, Any, None]: ...


class Answerer:
    """Built once for a server; keeps what it has compiled."""

    def __init__(self, models: Models, *, model_timeout_s: float, tool_timeout_s: float) -> None:
        self._models = models
        self._model_timeout_s = model_timeout_s
        self._tool_timeout_s = tool_timeout_s
        self._compiled: dict[Hashable, Compiled] = {}
        self._outside = Outside()

    async def described(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The tools, those of servers elsewhere as these describe them; which may have to be asked."""
        return await self._outside.described(tools) if any(tool.outside for tool in tools) else tools

    def answer(
        self,
        asked: ModelInput,
        tools: Sequence[Tool],
        context: ToolContext,
        hear: Hear,
        tighten: Tighten | None = None,
    ) -> Coroutine[Any, Any, None]:
        """Tell everything that happens until the model has answered; the module says in which order. `tighten` gives a
        shorter prompt where the tools have said much."""
        run = Run(
            asked,
            {tool.name: tool for tool in tools},
            context,
            model_timeout_s=self._model_timeout_s,
            tool_timeout_s=self._tool_timeout_s,
            tighten=tighten,
            call_ids={call.call_id for message in asked.messages for call in message.tool_calls or ()},
        )
        agent = asked.agent
        key = (asked.model, agent.limits.output_tokens, agent.middleware, tuple(tools), run.first_tool)
        compiled = self._compiled.get(key)
        return compiled.answer(run, hear) if compiled else self._answer_first(key, run, hear)

    async def _answer_first(self, key: Hashable, run: Run, hear: Hear) -> None:
        agent = run.asked.agent
        model = await self._models.get(run.asked.model, output_tokens=agent.limits.output_tokens)
        compiled = await _compile(model, tuple(run.tools.values()), agent.middleware, run.first_tool)
        if len(self._compiled) >= MAX_COMPILED:  # tools that are made anew for each turn would fill the memory
            self._compiled.pop(next(iter(self._compiled)))
        self._compiled[key] = compiled
        await compiled.answer(run, hear)


async def _compile(
    model: BaseChatModel, tools: tuple[Tool, ...], middleware: tuple[str, ...], first_tool: str | None
) -> Compiled:
    known = [_described(tool) for tool in tools]
    with_tools = _streams(model.bind_tools(known) if known else model)
    first = _streams(model.bind_tools(known, tool_choice=first_tool)) if first_tool else with_tools
    streams = ModelStreams(first, with_tools, _streams(model))
    if not middleware:
        return Lean(streams)
    module = await asyncio.to_thread(importlib.import_module, "chatServer.agent.graph")
    graph: Graph = module.Graph(model, known, middleware, streams)
    return graph


def _described(tool: Tool) -> BaseTool:
    """The tool as LangChain tells models about it; it is never run through LangChain."""
    schema = parameters_of(tool) if tool.schema else tool.input
    return StructuredTool(name=tool.name, description=tool.description, args_schema=schema, coroutine=_not_here)


async def _not_here(**_: Any) -> ToolResult:
    raise NotImplementedError


def _streams(model: Runnable[Any, Any]) -> Streams:
    """Without the binding around it: that would be one more generator and one more config for every chunk."""
    bare, kwargs = (model.bound, dict(model.kwargs)) if isinstance(model, RunnableBinding) else (model, {})
    astream = cast(Callable[..., AsyncGenerator[BaseMessage, None]], bare.astream)  # it always is a generator
    if isinstance(bare, SpeakingModel):  # which tell apart who said what
        return lambda messages: bare.speak(messages, **kwargs)
    return lambda messages: astream(in_turns(messages), **kwargs)
