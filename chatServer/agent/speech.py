"""How the models that live in this server speak: word by word, in LangChain's chunks, without a network."""

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from chatServer.agent.unchecked import WORD, made_like
from chatServer.messages.blocks import text_in

_WORD = re.compile(r"\S+\s*|\s+")
# Words that are said in one go, as a provider's come when it is quick: in between others get their turn, and a
# cancellation is heard. With a round of the event loop for each word a turn of 20 waited 20 times for the others.
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class SpokenCall:
    """A call of a tool that a model of ours makes."""

    name: str
    args: dict[str, Any] = field(hash=False)
    id: str


def words(text: str) -> list[str]:
    """The words with the space behind them; joined they are the text."""
    return _WORD.findall(text)


def count_words(given: Sequence[BaseMessage], *said: str) -> UsageMetadata:
    """What a script calls tokens: a number that whoever writes one can tell beforehand."""
    taken, made = (sum(len(text.split()) for text in texts) for texts in (map(said_in, given), said))
    return UsageMetadata(input_tokens=taken, output_tokens=made, total_tokens=taken + made)


def said_in(message: BaseMessage) -> str:
    """The text of a message, without images and reasoning."""
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(text for block in content if (text := text_in(block)))


def text_chunk(word: str) -> AIMessageChunk:
    return made_like(WORD, content=word)


def text_block(word: str) -> AIMessageChunk:
    """Text where blocks of reasoning came before: blocks of one message are told apart by their index."""
    block: dict[str | int, Any] = {"type": "text", "text": word, "index": 1}
    return AIMessageChunk(content=[block])


def reasoning_chunk(word: str) -> AIMessageChunk:
    block: dict[str | int, Any] = {"type": "reasoning", "reasoning": word, "index": 0}
    return AIMessageChunk(content=[block])


def call_id(message_id: str | None, text: str, round_number: int, index: int) -> str:
    """An id that no other call of the conversation has, made from the message that led to it."""
    digest = hashlib.sha256(f"{message_id}|{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"call_{digest}_{round_number}_{index}"


def call_chunks(calls: Sequence[SpokenCall]) -> Iterator[AIMessageChunk]:
    """Each call in two fragments, as providers send them: who is called, then with what."""
    for index, call in enumerate(calls):
        begun = tool_call_chunk(name=call.name, args="", id=call.id, index=index)
        arguments = tool_call_chunk(args=json.dumps(call.args, ensure_ascii=False), index=index)
        for fragment in (begun, arguments):
            yield AIMessageChunk(content="", tool_call_chunks=[fragment])


def last_chunk(
    model: str, *, is_calling: bool = False, usage: UsageMetadata | None = None, **more: Any
) -> AIMessageChunk:
    """Who spoke, why it ended, and what else is known of it; without a usage it is counted as the budget does."""
    return made_like(
        WORD,
        usage_metadata=usage,
        response_metadata={"model_name": model, "finish_reason": "tool_calls" if is_calling else "stop", **more},
        chunk_position="last",
    )


def tool_name(tool: object) -> str:
    """The name of a tool in any of the forms that `bind_tools` takes."""
    if isinstance(tool, dict):
        inner = tool.get("function")
        return str((inner if isinstance(inner, dict) else tool).get("name", ""))
    if isinstance(tool, str):
        return tool
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


class SpeakingModel(BaseChatModel):
    """A chat model that is asked asynchronously and streams; what it says is up to `speak` of each.

    Turns listen to `speak`; LangChain's own way of asking wraps each chunk once more, and tells callbacks of it, which
    nobody hears there."""

    @abstractmethod
    def speak(self, messages: list[BaseMessage], **kwargs: Any) -> AsyncGenerator[AIMessageChunk | str, None]:
        """What it says: plain words as they are, and in chunks whatever is more than that."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Of the tools it wants to know the names only, and which one it has to call."""
        known = [tool_name(tool) for tool in tools]
        chosen = {"tool_choice": tool_choice} if tool_choice in known else {}
        return self.bind(tools=known, **chosen, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("Models of this server are asked asynchronously.")

    async def _astream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        kwargs.pop("run_manager", None)
        async with aclosing(self.speak(messages, **kwargs)) as chunks:
            async for chunk in chunks:
                yield ChatGenerationChunk(message=text_chunk(chunk) if isinstance(chunk, str) else chunk)

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, **kwargs))
