"""A chat model that streams exactly the chunks that a test gives it, one list for each call."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import Field


class SpokenModel(BaseChatModel):
    """In a list of `rounds`: a text, a chunk, an error to raise, or something to wait for. The last one repeats."""

    rounds: list[list[Any]]
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    tools: list[list[str]] = Field(default_factory=list)
    choices: list[str | None] = Field(default_factory=list)  # which tool it had to call
    closed: list[bool] = Field(default_factory=list)  # for each call that ended, whether it was heard to the end

    def bind_tools(self, tools: Sequence[BaseTool], **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=[tool.name for tool in tools], **kwargs)

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    @property
    def _llm_type(self) -> str:
        return "spoken"

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, tools: Sequence[str] = (), tool_choice: str | None = None, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        said = self.rounds[min(len(self.asked), len(self.rounds) - 1)]
        self.asked.append(messages)
        self.tools.append(list(tools))
        self.choices.append(tool_choice)
        is_whole = False
        try:
            for one in said:
                if isinstance(one, Exception):
                    raise one
                if callable(one):
                    await one()
                else:
                    chunk = AIMessageChunk(one) if isinstance(one, str) else one
                    yield ChatGenerationChunk(message=chunk.model_copy())
            is_whole = True
        finally:
            self.closed.append(is_whole)


def block(**values: Any) -> AIMessageChunk:
    return AIMessageChunk([values])


def call(name: str | None, args: str, call_id: str | None = None, index: int = 0) -> AIMessageChunk:
    return AIMessageChunk("", tool_call_chunks=[tool_call_chunk(name=name, args=args, id=call_id, index=index)])


def usage(taken: int, made: int) -> AIMessageChunk:
    return AIMessageChunk(
        "", usage_metadata={"input_tokens": taken, "output_tokens": made, "total_tokens": taken + made}
    )
