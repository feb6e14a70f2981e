"""The answer with middleware: LangChain's `create_agent` decides what comes next, and our steps are its nodes.

Importing this takes more than a second; agent/answer.py does it when the first agent with middleware is asked.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from chatServer.agent import pii
from chatServer.agent.calls import Answered, Planned, answer, plan
from chatServer.agent.given import system, window
from chatServer.agent.lean import ended
from chatServer.agent.listen import ModelStreams, listen
from chatServer.agent.run import Hear, Run
from chatServer.agent.step import Redactor, Step
from chatServer.agent.tight import Tight
from chatServer.records import TurnEvent


@dataclass(slots=True)
class InGraph:
    """What the graph is handed for one turn: create_agent's `context`."""

    run: Run
    hear: Hear
    redactor: Redactor | None
    tight: Tight
    asked: int  # so many messages are the prompt; what follows was added by this turn
    planned: dict[str, Planned] = field(default_factory=dict)  # of this step, by the id of the call, in order
    answered: dict[str, Answered] = field(default_factory=dict)

    def plan(self, step: Step, given: Sequence[BaseMessage]) -> None:
        planned = plan(step.calls, self.run, [*given, step.reply])
        self.planned = {one.call.id: one for one in planned}
        self.answered.clear()

    async def answer(self, call_id: str) -> ToolMessage:
        """Run one call among its neighbours, and tell the results in the order of the calls."""
        answered = await answer(self.planned[call_id], self.run)
        self.answered[call_id] = answered
        while self.planned and (first := next(iter(self.planned))) in self.answered:
            del self.planned[first]
            for event in self.answered[first].events:
                self.hear(event)
            if not self.planned:
                self.hear(TurnEvent("step-finish"))
        return answered.reply


class OurSteps(AgentMiddleware[AgentState[Any], InGraph]):
    """The innermost middleware: it calls the model and the tools itself, as the lean loop does."""

    def __init__(self, streams: ModelStreams) -> None:
        super().__init__()
        self._streams = streams

    async def awrap_model_call(
        self,
        request: ModelRequest[InGraph],
        handler: Callable[[ModelRequest[InGraph]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        turn = request.runtime.context
        run, hear = turn.run, turn.hear
        messages = await turn.tight.given(request.messages[turn.asked :])
        for event in (*turn.tight.told, *run.begin_step()):
            hear(event)
        step = Step(run, hear, turn.redactor)
        await listen(self._streams.for_step(run), messages, run.model_timeout_s, step.take)
        await step.finish(messages)
        turn.plan(step, messages)
        if not step.calls:
            hear(TurnEvent("step-finish"))
        elif run.is_last_step:
            for call in step.calls:
                await turn.answer(call.id)
            ended(step)
            step.reply.tool_calls = []  # so that the graph ends here
        return ModelResponse(result=[step.reply])

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> ToolMessage:
        turn = cast(InGraph, request.runtime.context)
        return await turn.answer(str(request.tool_call["id"]))


class Graph:
    """One agent with one model, compiled once for any number of turns."""

    def __init__(
        self,
        model: BaseChatModel,
        tools: Sequence[BaseTool],
        middleware: Sequence[str],
        streams: ModelStreams,
    ) -> None:
        self._has_pii = "pii" in middleware
        attached: list[AgentMiddleware[Any, Any]] = [*pii.middleware()] if self._has_pii else []
        self._graph = create_agent(
            model, list(tools), middleware=[*attached, OurSteps(streams)], context_schema=InGraph
        )

    async def answer(self, run: Run, hear: Hear) -> None:
        messages: list[BaseMessage] = window(run)
        redactor, tight = None, Tight(run, [*system(run), *messages])
        if self._has_pii:
            redactor = pii.StreamRedactor()
            run.context.as_read = pii.redact
            messages = [pii.redacted(message) for message in messages]
            tight = Tight(run, [*system(run), *messages], pii.redacted)
        turn = InGraph(run, hear, redactor, tight, len(messages))
        given: Any = {"messages": messages}
        await self._graph.ainvoke(given, context=turn)
