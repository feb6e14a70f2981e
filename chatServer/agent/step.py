"""One call of the model: its chunks become events, and at the end a message."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call

from chatServer import errors
from chatServer.agent.calls import Call
from chatServer.agent.counted import count_usage
from chatServer.agent.run import Hear, Run, tool_name
from chatServer.agent.thoughts import KEPT_AS
from chatServer.agent.tools import tokens_of
from chatServer.agent.unchecked import ANSWER, made_like
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

_tuple = tuple.__new__  # which a named tuple's own calls, by names that it looks up: each word is one
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
    """Takes the chunks, and tells at once what is heard in them; after `finish`, `calls` and `reply` say what the model
    wants and what it will read again."""

    def __init__(self, run: Run, hear: Hear, redactor: Redactor | None = None) -> None:
        self.calls: list[Call] = []
        self.reply: AIMessage = ANSWER
        self._run = run
        self._hear = hear
        self._redactor = redactor
        self._kind = ""  # of the part that is open, if one is
        self._id = ""
        self._half = ""  # of a character beyond U+FFFF that a provider has cut in two
        self._chunks: list[AIMessageChunk | str] = []
        self._more: list[AIMessageChunk] = []  # of them, those that hold more than their content
        self._has_blocks = False
        self._texts: list[str] = []

    @property
    def has_text(self) -> bool:
        return any(text.strip() for text in self._texts)

    def take(self, chunk: AIMessageChunk | str) -> None:
        self._chunks.append(chunk)
        if isinstance(chunk, str):
            self._say("text", chunk)
            return
        held = chunk.__dict__  # each chunk.field asks pydantic first: half of what a word takes here (2026-11-19)
        content, extra = held["content"], held["additional_kwargs"]
        if extra or held["tool_call_chunks"] or held["usage_metadata"] or held["response_metadata"]:
            self._more.append(chunk)
        if extra and isinstance(thought := extra.get(KEPT_AS), str):
            self._say("reasoning", thought)
        if isinstance(content, str):
            self._say("text", content)
            return
        self._has_blocks = True
        for block in content:
            self._say("text", text_in(block) or "")
            if isinstance(block, dict) and isinstance(thought := thought_in(block), str):
                self._say("reasoning", thought)

    async def finish(self, given: Sequence[BaseMessage]) -> None:
        """The model, given this, has ended; what is told last is what it said."""
        self._end_part()
        said = await self._said(given)
        for call in self.calls:
            value = call.arguments if call.args is None else call.args
            self._hear(TurnEvent("tool-input", id=call.id, name=call.name, value=value))
        self._hear(said)

    def _say(self, kind: str, text: str) -> None:
        if not text:
            return
        if kind == self._kind and text.isascii() and "\0" not in text and not (self._half or self._redactor):
            self._delta(text)  # as most words
            return
        if kind != self._kind:
            self._end_part()
            self._kind, self._id = kind, self._run.part_id(kind)
            self._hear(TurnEvent(_EVENTS[kind][0], id=self._id))
        if self._half or text[-1] >= "\ud800":
            text = self._half + text
            self._half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
            text = text.removesuffix(self._half)
        text = clean_text(text)
        self._delta(self._redactor.feed(text) if self._redactor else text)

    def _delta(self, text: str) -> None:
        """Clean words of the part that is open."""
        if text:
            if self._kind == "text":
                self._texts.append(text)
            self._hear(_tuple(TurnEvent, (_EVENTS[self._kind][1], self._id, text, "", None)))

    def _end_part(self) -> None:
        if self._kind:
            rest, self._half = clean_text(self._half), ""
            self._delta(self._redactor.feed(rest) + self._redactor.rest() if self._redactor else rest)
            self._hear(TurnEvent(_EVENTS[self._kind][2], id=self._id))
            self._kind = ""

    async def _said(self, given: Sequence[BaseMessage]) -> Said:
        thoughts = _taken_out(self._more)
        whole = _merged([*map(_as_chunk, self._chunks)] if self._has_blocks else _more_than_text(self._more))
        self.calls = _calls(whole, self._run, self._redactor)
        if not self.calls and not self.has_text:
            raise errors.ModelFailed(_SILENT.get(why_cut(whole.response_metadata), ANSWERED_NOTHING))
        content = "".join(self._texts) if isinstance(whole.content, str) else whole.content
        extra = whole.additional_kwargs | thoughts
        if self._redactor:
            content, extra = self._redactor.whole(content), self._redactor.whole(extra)
        said: dict[str, Any] = {"id": str(new_id()), "response_metadata": whole.response_metadata}
        said |= {"usage_metadata": whole.usage_metadata, "tool_calls": [], "invalid_tool_calls": []}
        said |= {"additional_kwargs": {name: value for name, value in extra.items() if name != "tool_calls"}}
        spoken = made_like(ANSWER, content=content, **said) if type(content) is str else AIMessage(content, **said)
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
        if not (extra := chunk.additional_kwargs):
            continue
        if isinstance(thought := extra.get(KEPT_AS), str):
            found.append(thought)
            # Ours by now, since the stream has ended. Copies of them took all the time that was saved (2026-11-17).
            chunk.additional_kwargs = {name: value for name, value in extra.items() if name != KEPT_AS}
    return {KEPT_AS: "".join(found)} if found else {}


def _as_chunk(said: AIMessageChunk | str) -> AIMessageChunk:
    return AIMessageChunk(content=said) if isinstance(said, str) else said


def _merged(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    if not chunks:
        return AIMessageChunk(content="")
    return chunks[0] + chunks[1:] if len(chunks) > 1 else chunks[0]  # all at once: pairs would take quadratic time


def _more_than_text(chunks: list[AIMessageChunk]) -> list[AIMessageChunk]:
    """Where all contents are texts, `Step` has them already."""
    return [
        each
        for each in chunks
        if each.tool_call_chunks or each.usage_metadata or each.response_metadata or each.additional_kwargs
    ]


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
