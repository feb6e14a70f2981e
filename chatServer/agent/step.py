"""One call of the model: its chunks become events, and at the end a message."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.messages.tool import tool_call

from chatServer import errors
from chatServer.agent.calls import Call
from chatServer.agent.models import translated
from chatServer.agent.run import Run, tool_name
from chatServer.messages import Message, ToolCallMsg, clean_text, from_langchain, thought_in, to_langchain
from chatServer.messages.blocks import text_in
from chatServer.messages.calls import json_object
from chatServer.records import EventKind, Said, TurnEvent, Usage, new_id

Streams = Callable[[list[BaseMessage]], AsyncGenerator[BaseMessage, None]]  # a model, with its tools or without

_EVENTS: dict[str, tuple[EventKind, EventKind, EventKind]] = {
    "text": ("text-start", "text-delta", "text-end"),
    "reasoning": ("reasoning-start", "reasoning-delta", "reasoning-end"),
}


class Redactor(Protocol):
    """What may hold a text back until it is known what of it may be said."""

    def feed(self, text: str) -> str: ...

    def rest(self) -> str: ...

    def whole(self, content: Any) -> Any: ...


class Step:
    """After `events` is through, `calls` and `reply` say what the model wants and what it said."""

    def __init__(self, run: Run, redactor: Redactor | None = None) -> None:
        self.calls: list[Call] = []
        self.reply = AIMessage("")
        self._run = run
        self._redactor = redactor
        self._kind = ""  # of the part that is open, if one is
        self._id = ""
        self._chunks: list[AIMessageChunk] = []
        self._texts: list[str] = []

    @property
    def has_text(self) -> bool:
        return any(text.strip() for text in self._texts)

    async def events(self, model: Streams, messages: list[BaseMessage]) -> AsyncGenerator[TurnEvent | Said, None]:
        """Ask, and tell what comes; the last is what was said."""
        async with aclosing(_chunks(model, messages, self._run.model_timeout_s)) as chunks:
            async for chunk in chunks:
                self._chunks.append(chunk)
                for kind, text in _pieces(chunk):
                    for event in self._say(kind, text):
                        yield event
        for event in self._end_part():
            yield event
        said = self._finish()
        for call in self.calls:
            value = call.arguments if call.args is None else call.args
            yield TurnEvent("tool-input", id=call.id, name=call.name, value=value)
        yield said

    def _say(self, kind: str, text: str) -> Iterator[TurnEvent]:
        if kind != self._kind:
            yield from self._end_part()
            self._kind, self._id = kind, self._run.part_id(kind)
            yield TurnEvent(_EVENTS[kind][0], id=self._id)
        yield from self._delta(self._redactor.feed(text) if self._redactor else text)

    def _delta(self, text: str) -> Iterator[TurnEvent]:
        if text:
            if self._kind == "text":
                self._texts.append(text)
            yield TurnEvent(_EVENTS[self._kind][1], id=self._id, text=text)

    def _end_part(self) -> Iterator[TurnEvent]:
        if self._kind:
            yield from self._delta(self._redactor.rest() if self._redactor else "")
            yield TurnEvent(_EVENTS[self._kind][2], id=self._id)
            self._kind = ""

    def _finish(self) -> Said:
        whole = _merged(self._chunks)
        self.calls = _calls(whole, self._run)
        if not self.calls and not self.has_text:
            raise errors.ModelFailed("The model answered with nothing. Try again.")
        content = "".join(self._texts) if isinstance(whole.content, str) else whole.content
        extra = whole.additional_kwargs
        if self._redactor:
            content, extra = self._redactor.whole(content), self._redactor.whole(extra)
        spoken = AIMessage(
            content,
            id=str(new_id()),
            additional_kwargs={name: value for name, value in extra.items() if name != "tool_calls"},
            response_metadata=whole.response_metadata,
            usage_metadata=whole.usage_metadata,
        )
        self.reply = _with_calls(spoken, self.calls)
        return Said(_message(spoken, self.calls), _usage(whole))


def prompt(run: Run) -> list[BaseMessage]:
    """The window as the model gets it, without the system prompt."""
    return [_sendable(to_langchain(message)) for message in run.asked.messages]


def system(run: Run) -> list[BaseMessage]:
    return [SystemMessage(run.asked.system)] if run.asked.system else []


async def _chunks(
    model: Streams, messages: list[BaseMessage], timeout_s: float
) -> AsyncGenerator[AIMessageChunk, None]:
    """What the model streams, until the whole call has taken too long."""
    # The timer runs only while we wait for the model: a generator must not cancel whoever reads from it.
    deadline = asyncio.get_running_loop().time() + timeout_s
    stream = model(messages)
    try:
        while True:
            try:
                async with asyncio.timeout_at(deadline) as limit:
                    chunk = await anext(stream)
            except StopAsyncIteration:
                return
            except errors.ChatError:
                raise
            except Exception as error:
                if limit.expired():
                    raise errors.ModelTimeout from error
                raise translated(error) from error
            yield chunk if isinstance(chunk, AIMessageChunk) else _as_chunk(chunk)
    finally:
        await stream.aclose()  # hangs up


def _as_chunk(message: BaseMessage) -> AIMessageChunk:
    """Models that cannot stream give one whole message."""
    values = message.model_dump(exclude={"type"})
    return AIMessageChunk(**values)


def _pieces(chunk: AIMessageChunk) -> Iterator[tuple[str, str]]:
    """What a chunk says, in order: ("text" or "reasoning", words)."""
    content = chunk.content
    if chunk.additional_kwargs and isinstance(thought := chunk.additional_kwargs.get("reasoning_content"), str):
        yield from _piece("reasoning", thought)
    if isinstance(content, str):
        yield from _piece("text", content)
        return
    for block in content:
        if (text := text_in(block)) is not None:
            yield from _piece("text", text)
        elif isinstance(block, dict) and isinstance(thought := thought_in(block), str):
            yield from _piece("reasoning", thought)


def _piece(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if text:
        yield kind, clean_text(text)


def _merged(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    """One chunk of all. Where all contents are texts, `Step` has them already, and plain ones are left out."""
    if all(isinstance(chunk.content, str) for chunk in chunks):
        chunks = [chunk for chunk in chunks if _says_more_than_text(chunk)]
    if not chunks:
        return AIMessageChunk(content="")
    return chunks[0] + chunks[1:] if len(chunks) > 1 else chunks[0]  # all at once: pairs would take quadratic time


def _says_more_than_text(chunk: AIMessageChunk) -> bool:
    return bool(chunk.tool_call_chunks or chunk.usage_metadata or chunk.response_metadata or chunk.additional_kwargs)


def _calls(whole: AIMessageChunk, run: Run) -> list[Call]:
    """LangChain repairs arguments that were cut off and would run half a wish: ours have to be whole."""
    calls = []
    for chunk in whole.tool_call_chunks:
        arguments = chunk["args"] or "{}"
        calls.append(Call(run.call_id(chunk["id"]), tool_name(chunk["name"]), arguments, json_object(arguments)))
    return calls


def _with_calls(spoken: AIMessage, calls: list[Call]) -> AIMessage:
    """As the model reads it again. No provider takes arguments that are no object, nor a result without its call."""
    wanted = [tool_call(name=call.name, args=call.args or {}, id=call.id) for call in calls]
    return spoken.model_copy(update={"tool_calls": wanted}) if calls else spoken


def _sendable(base: BaseMessage) -> BaseMessage:
    if not isinstance(base, AIMessage) or not base.invalid_tool_calls:
        return base
    broken = [tool_call(name=tool_name(call["name"]), args={}, id=call["id"]) for call in base.invalid_tool_calls]
    return base.model_copy(update={"tool_calls": [*base.tool_calls, *broken], "invalid_tool_calls": []})


def _message(spoken: AIMessage, calls: list[Call]) -> Message:
    message = from_langchain(spoken)
    if not calls:
        return message
    told = [ToolCallMsg(call.id, call.id, "function", call.name, call.arguments) for call in calls]
    return replace(message, content=message.content or None, tool_calls=told)


def _usage(whole: AIMessageChunk) -> Usage:
    found = whole.usage_metadata
    return Usage(found["input_tokens"], found["output_tokens"]) if found else Usage()
