"""Asking an agent through its seam, with a model and tools that the test brings along."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any
from uuid import UUID, uuid4

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from chatServer.agent.answer import Answerer
from chatServer.agent.models import Models
from chatServer.agent.tools import Tool, ToolContext, ToolResult
from chatServer.config import Settings
from chatServer.messages import Message
from chatServer.records import Agent, Limits, ModelInput, Principal, Said, TurnEvent
from tests.tools.grammar import complaints

Heard = list[TurnEvent | Said]


class BroughtModels(Models):
    """The test's own model under any name; whatever else models do is as in the server."""

    def __init__(self, model: BaseChatModel) -> None:
        super().__init__(Settings(_env_file=None), {})
        self.model = model
        self.output_tokens: list[int | None] = []

    async def get(self, name: str, *, output_tokens: int | None = None) -> BaseChatModel:
        self.output_tokens.append(output_tokens)
        return self.model


class Number(BaseModel):
    n: int = 0


def tool(name: str, run: Any, *, is_untrusted: bool = False) -> Tool:
    return Tool(name, f"The tool {name}.", Number, run, is_untrusted)


async def _double(context: ToolContext, given: Number) -> ToolResult:
    return ToolResult(str(2 * given.n))


DOUBLE = tool("double", _double)


def a_context(user_id: UUID | None = None) -> ToolContext:
    """No tool of these tests needs a database."""
    return ToolContext(None, Principal(user_id or uuid4()), "helper", str(uuid4()), uuid4())


class Asking:
    """One compiled agent of one kind ("lean" or "create_agent")."""

    def __init__(
        self,
        kind: str,
        model: BaseChatModel,
        *,
        limits: Limits | None = None,
        model_timeout_s: float = 20,
        tool_timeout_s: float = 20,
        window_tokens: int = 128_000,
        first_tool: str | None = None,
    ) -> None:
        middleware = ("pii",) if kind == "create_agent" else ()
        self.agent = Agent("helper", "d", "p", limits=limits or Limits(), middleware=middleware, first_tool=first_tool)
        self.models = BroughtModels(model)
        self.answerer = Answerer(self.models, model_timeout_s=model_timeout_s, tool_timeout_s=tool_timeout_s)
        self.context = a_context()
        self.window_tokens = window_tokens
        self.heard: Heard = []

    def asked(self, question: str | Message | Sequence[Message] = "Well?") -> ModelInput:
        if isinstance(question, str):
            question = Message("user", question)
        messages = (question,) if isinstance(question, Message) else tuple(question)
        return ModelInput(self.agent, "any", "Be brief.", messages, self.window_tokens)

    async def events(
        self,
        question: str | Message | Sequence[Message] = "Well?",
        tools: Sequence[Tool] = (DOUBLE,),
        context: ToolContext | None = None,
    ) -> AsyncGenerator[TurnEvent | Said, None]:
        """Keep what is heard, so that a broken answer can be looked at too."""
        self.heard = heard = []
        stream = told(self.answerer, self.asked(question), tools, context or self.context)
        async with contextlib.aclosing(stream):
            async for one in stream:
                heard.append(one)
                yield one

    async def hear(self, *args: Any, **kwargs: Any) -> Heard:
        """A whole answer, of which the grammar has nothing to complain."""
        heard = [one async for one in self.events(*args, **kwargs)]
        assert complaints(heard) == []
        return heard


async def told(
    answerer: Answerer, asked: ModelInput, tools: Sequence[Tool], context: ToolContext
) -> AsyncGenerator[TurnEvent | Said, None]:
    """What an answer tells, as it comes; whoever stops listening ends it."""
    heard: asyncio.Queue[TurnEvent | Said | None] = asyncio.Queue()
    answering = asyncio.create_task(answerer.answer(asked, tools, context, heard.put_nowait))
    answering.add_done_callback(lambda _: heard.put_nowait(None))
    try:
        while (one := await heard.get()) is not None:
            yield one
        await answering
    finally:
        answering.cancel()
        await asyncio.wait({answering})


def text(heard: Heard) -> str:
    return "".join(one.text for one in events(heard, "text-delta"))


def events(heard: Heard, kind: str) -> list[TurnEvent]:
    return [one for one in heard if isinstance(one, TurnEvent) and one.kind == kind]


def said(heard: Heard, role: str) -> list[Message]:
    return [one.message for one in heard if isinstance(one, Said) and one.message.role == role]


def kinds(heard: Heard) -> list[str]:
    """The sequence; how the words were cut into deltas is nobody's promise."""
    found = [f"said {one.message.role}" if isinstance(one, Said) else one.kind for one in heard]
    return [kind for place, kind in enumerate(found) if not kind.endswith("-delta") or found[place - 1] != kind]
