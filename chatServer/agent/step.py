"""One call of the model: its chunks become events, and at the end a message."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call

from chatServer import errors
from chatServer.agent.calls import Call
from chatServer.agent.counted import count_usage
from chatServer.agent.run import Run, tool_name
from chatServer.agent.thoughts import KEPT_AS
from chatServer.agent.tools import tokens_of
from chatServer.messages import Message, ToolCallMsg, clean_json, clean_text, from_langchain, thought_in
from chatServer.messages.blocks import text_in
from chatServer.messages.calls import json_object
from chatServer.messages.cut_short import why_cut
from chatServer.records import EventKind, Said, TurnEvent, Usage, new_id

ANSWERED_NOTHING = "The model answered with nothing. Try again."
_SILENT: dict[str | None, str] = {
    "length": "The model used up what it may say in one answer before it came to its first word: its agent needs more"
    " limits.output_tokens.",
    "content_filter": "The provider's filter did not let the answer through. Ask in other words.",
}
MOST_TOKENS = 100_000_000  # of one call; more is a mistake of whoever counted

_EVENTS: dict[str, tuple[EventKind, EventKind, EventKind]] = {
    "text": ("text-start", "text-delta", "text-end"),
    "reasoning": ("reasoning-start", "reasoning-delta", "reasoning-end"),
}


class Redactor(Protocol):
    """What may hold a text back until it is known what of it may be said."""

    def feed(self, text: str) -> str: ...

    def rest(self) -> str: ...

    def whole(self, content: Any) -> Any: ...

    def arguments(self, text: str, args: dict[str, Any] | None) -> tuple[str, dict[str, Any] | None]: ...


class Step:
    """Takes the chunks; after `finish`, `calls` and `reply` say what the model wants and what it will read again."""

    def __init__(self, run: Run, redactor: Redactor | None = None) -> None:
        self.calls: list[Call] = []
        self.reply = AIMessage("")
        self._run = run
        self._redactor = redactor
        self._kind = ""  # of the part that is open, if one is
        self._id = ""
        self._half = ""  # of a character beyond U+FFFF that a provider has cut in two
        self._chunks: list[AIMessageChunk] = []
        self._texts: list[str] = []

    @property
    def has_text(self) -> bool:
        return any(text.strip() for text in self._texts)

    def take(self, chunk: AIMessageChunk) -> list[TurnEvent]:
        """What is heard of a chunk at once."""
        self._chunks.append(chunk)
        heard: list[TurnEvent] = []
        if chunk.additional_kwargs:
            self._say("reasoning", chunk.additional_kwargs.get(KEPT_AS), heard)
        if isinstance(chunk.content, str):
            self._say("text", chunk.content, heard)
            return heard
        for block in chunk.content:
            self._say("text", text_in(block), heard)
            if isinstance(block, dict):
                self._say("reasoning", thought_in(block), heard)
        return heard

    async def finish(self, given: Sequence[BaseMessage]) -> list[TurnEvent | Said]:
        """What is heard when the model, given this, has ended; the last is what it said."""
        heard: list[TurnEvent] = []
        self._end_part(heard)
        said = await self._said(given)
        for call in self.calls:
            value = call.arguments if call.args is None else call.args
            heard.append(TurnEvent("tool-input", id=call.id, name=call.name, value=value))
        return [*heard, said]

    def _say(self, kind: str, text: object, heard: list[TurnEvent]) -> None:
        if not text or not isinstance(text, str):
            return
        if kind != self._kind:
            self._end_part(heard)
            self._kind, self._id = kind, self._run.part_id(kind)
            heard.append(TurnEvent(_EVENTS[kind][0], id=self._id))
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        self._clean_delta(text.removesuffix(self._half), heard)

    def _clean_delta(self, text: str, heard: list[TurnEvent]) -> None:
        text = clean_text(text)
        self._delta(self._redactor.feed(text) if self._redactor else text, heard)

    def _delta(self, text: str, heard: list[TurnEvent]) -> None:
        if text:
            if self._kind == "text":
                self._texts.append(text)
            heard.append(TurnEvent(_EVENTS[self._kind][1], id=self._id, text=text))

    def _end_part(self, heard: list[TurnEvent]) -> None:
        if self._kind:
            self._clean_delta(self._half, heard)
            self._half = ""
            if self._redactor:
                self._delta(self._redactor.rest(), heard)
            heard.append(TurnEvent(_EVENTS[self._kind][2], id=self._id))
            self._kind = ""

    async def _said(self, given: Sequence[BaseMessage]) -> Said:
        thoughts = _taken_out(self._chunks)
        whole = _merged(self._chunks)
        self.calls = _calls(whole, self._run, self._redactor)
        if not self.calls and not self.has_text:
            raise errors.ModelFailed(_SILENT.get(why_cut(whole.response_metadata), ANSWERED_NOTHING))
        content = "".join(self._texts) if isinstance(whole.content, str) else whole.content
        extra = whole.additional_kwargs | thoughts
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
        message = _message(spoken, self.calls)
        return Said(message, _usage(whole) or await self._counted(given, message))

    async def _counted(self, given: Sequence[BaseMessage], message: Message) -> Usage:
        known = () if self._run.is_last_step else tuple(self._run.tools.values())
        return await count_usage(given, message) + Usage(tokens_of(known))


def _taken_out(chunks: list[AIMessageChunk]) -> dict[str, str]:
    """What was thought, joined once and no longer in the chunks: LangChain copies all that it has for each of them."""
    found: list[str] = []
    for chunk in chunks:
        extra = chunk.additional_kwargs
        if isinstance(thought := extra.get(KEPT_AS), str):
            found.append(thought)
            # Ours by now, since the stream has ended. Copies of them took all the time that was saved (2026-11-17).
            chunk.additional_kwargs = {name: value for name, value in extra.items() if name != KEPT_AS}
    return {KEPT_AS: "".join(found)} if found else {}


def _merged(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    """One chunk of all. Where all contents are texts, `Step` has them already, and plain ones are left out."""
    if all(isinstance(chunk.content, str) for chunk in chunks):
        chunks = [chunk for chunk in chunks if _says_more_than_text(chunk)]
    if not chunks:
        return AIMessageChunk(content="")
    return chunks[0] + chunks[1:] if len(chunks) > 1 else chunks[0]  # all at once: pairs would take quadratic time


def _says_more_than_text(chunk: AIMessageChunk) -> bool:
    return bool(chunk.tool_call_chunks or chunk.usage_metadata or chunk.response_metadata or chunk.additional_kwargs)


def _calls(whole: AIMessageChunk, run: Run, redactor: Redactor | None) -> list[Call]:
    """LangChain repairs arguments that were cut off and would run half a wish: ours have to be whole."""
    calls = []
    for chunk in whole.tool_call_chunks:
        call_id, arguments = run.call_id(clean_text(chunk["id"] or "")), clean_text(chunk["args"] or "{}")
        args = clean_json(json_object(arguments))
        if redactor:
            arguments, args = redactor.arguments(arguments, args)
        calls.append(Call(call_id, tool_name(chunk["name"]), arguments, args))
    return calls


def _with_calls(spoken: AIMessage, calls: list[Call]) -> AIMessage:
    """As the model reads it again, with no arguments where they were broken; see agent/given.py."""
    wanted = [tool_call(name=call.name, args=call.args or {}, id=call.id) for call in calls]
    return spoken.model_copy(update={"tool_calls": wanted}) if calls else spoken


def _message(spoken: AIMessage, calls: list[Call]) -> Message:
    message = from_langchain(spoken)
    if not calls:
        return message
    told = [ToolCallMsg(call.id, call.id, "function", call.name, call.arguments) for call in calls]
    return replace(message, content=message.content or None, tool_calls=told)


def _usage(whole: AIMessageChunk) -> Usage | None:
    """What the provider says that it took; nonsense is as good as nothing, and counted by ourselves."""
    found = whole.usage_metadata
    if not found or not all(0 <= found[name] <= MOST_TOKENS for name in ("input_tokens", "output_tokens")):
        return None
    return Usage(found["input_tokens"], found["output_tokens"])
