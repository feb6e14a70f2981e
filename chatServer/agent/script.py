"""`MODEL=script:FILE`: a model that says what a file tells it to. For tests, demonstrations and teaching.

The file (YAML, or JSON) has `rules`, `default` and `log`. Of the rules for the model's purpose (`for`: chat, revise,
summary or title; chat) the first whose `match` is found in the last user message wins, else the `default`. A rule says
`reply`, after `reasoning` if it has one; or calls `tool_calls`, all at once, and when the results are there says `then`
(the results themselves if it has none); or plays `steps`, one for each round, the last one again and again.
A round is a message of the assistant's since the last user message, but for the call of a tool that the agent has to
begin with (`tool_choice`) and its rule does not make by itself. `delay_ms` is waited before each word,
`fail_after_words` breaks off after so many, `hang` waits for ever after the last; docs/models.md has examples.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import SkipValidation

from chatServer.agent import speech
from chatServer.agent.counted import count_given
from chatServer.agent.script_file import Purpose, Round, Rule, Script, ScriptedCall
from chatServer.agent.speech import SpokenCall, said_in
from chatServer.agent.template import fill, fill_all
from chatServer.messages.langchain import ROLE_OF_TYPE

FORCED = "_first"  # ends the id of a call that the agent has to begin with
SEARCHED_CHARACTERS = 10_000  # patterns are the operator's own, but what people write is not


class ScriptedFailure(Exception):
    """The script told the model to break off."""


class ScriptedModel(speech.SpeakingModel):
    """One script for one purpose. `calls` counts how often it was asked in this process."""

    script: Annotated[Script, SkipValidation]
    purpose: Purpose = "chat"
    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "script"

    def speak(
        self, messages: list[BaseMessage], tool_choice: str | None = None, **_: Any
    ) -> AsyncGenerator[AIMessageChunk | str, None]:
        given = Heard.of(messages)
        index, rule, match = self._chosen(given.question)
        step = rule.steps[min(given.round, len(rule.steps) - 1)]
        if tool_choice and all(call.name != tool_choice for call in step.calls):
            step = Round(calls=(ScriptedCall(tool_choice, {"query": "{question}"}, is_forced=True),))
        self.calls += 1
        said = _play(self.script.name, step, given, match)
        return self._noted(said, index, messages) if self.script.log else said

    async def _noted(
        self, said: AsyncIterator[AIMessageChunk | str], index: int | None, messages: list[BaseMessage]
    ) -> AsyncGenerator[AIMessageChunk | str, None]:
        call = uuid4().hex
        state = "cancelled"
        self._note(call, index, "started", messages)
        try:
            async for chunk in said:
                yield chunk
            state = "finished"
        except ScriptedFailure:
            state = "failed"
            raise
        finally:
            self._note(call, index, state)

    def _chosen(self, question: str) -> tuple[int | None, Rule, re.Match[str] | None]:
        searched = question[:SEARCHED_CHARACTERS]
        for index, rule in enumerate(self.script.rules):
            if rule.purpose != self.purpose:
                continue
            if rule.pattern is None:
                return index, rule, None
            if match := rule.pattern.search(searched):
                return index, rule, match
        return None, self.script.default, None

    def _note(self, call: str, rule: int | None, state: str, given: Sequence[BaseMessage] = ()) -> None:
        """One line in the script's log, for tests that look from outside: who was called and with how much, never what
        was said."""
        assert self.script.log is not None  # nosec B101 # narrows a type
        line: dict[str, Any] = {"call": call, "for": self.purpose, "rule": rule, "state": state, "at": time.time()}
        if given:
            line["given"] = [_shape(message) for message in given]
        with self.script.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


@dataclass(frozen=True, slots=True)
class Heard:
    """What the model was given, as rules and templates look at it."""

    messages: list[BaseMessage]
    question: str
    question_id: str | None
    since: list[BaseMessage]  # after the last user message

    @classmethod
    def of(cls, messages: list[BaseMessage]) -> "Heard":
        places = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
        if not places:
            return cls(messages, "", None, [])
        last = messages[places[-1]]
        return cls(messages, said_in(last), last.id, messages[places[-1] + 1 :])

    @property
    def round(self) -> int:
        return sum(isinstance(message, AIMessage) and not _is_forced(message) for message in self.since)

    def call_id(self, index: int, *, is_forced: bool = False) -> str:
        """The same for the same message and round, another for every other one of the conversation."""
        made = speech.call_id(self.question_id, f"{len(self.messages)}|{self.question}", self.round, index)
        return made + FORCED if is_forced else made

    def look_up(self, name: str, match: re.Match[str] | None) -> str:
        if name.isdecimal():
            return self.question if match is None else match[int(name)] or ""
        if name == "question":
            return self.question
        if name == "system":
            return "\n\n".join(said_in(m) for m in self.messages if isinstance(m, SystemMessage))
        if name == "results":
            return "\n".join(said_in(m) for m in self.since if isinstance(m, ToolMessage))
        return "\n".join(_line(m) for m in self.messages if not isinstance(m, SystemMessage))


def _is_forced(message: AIMessage) -> bool:
    return any((call["id"] or "").endswith(FORCED) for call in message.tool_calls)


def _shape(message: BaseMessage) -> dict[str, Any]:
    """Who said it, its tokens, and to which calls it belongs."""
    calls = [call["id"] for call in message.tool_calls] if isinstance(message, AIMessage) else []
    calls = [message.tool_call_id] if isinstance(message, ToolMessage) else calls
    return {"role": ROLE_OF_TYPE.get(message.type, message.type), "tokens": count_given(message), "calls": calls}


def _line(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    called = [f"[{call['name']} {json.dumps(call['args'], ensure_ascii=False)}]" for call in calls]
    return " ".join([f"{ROLE_OF_TYPE.get(message.type, message.type)}: {said_in(message)}".rstrip(), *called])


async def _play(
    model: str, step: Round, given: Heard, match: re.Match[str] | None
) -> AsyncGenerator[AIMessageChunk | str, None]:
    def look_up(name: str) -> str:
        return given.look_up(name, match)

    reasoning, reply = fill(step.reasoning, look_up), fill(step.reply, look_up)
    calls = [
        SpokenCall(each.name, fill_all(each.args, look_up), given.call_id(index, is_forced=each.is_forced))
        for index, each in enumerate(step.calls)
    ]
    pause_s = step.delay_ms / 1000
    for word in speech.words(reasoning):
        await asyncio.sleep(pause_s)
        yield speech.reasoning_chunk(word)
    for number, word in enumerate(speech.words(reply)):
        if number == step.fail_after_words:
            break
        if pause_s or number % speech.AT_ONCE == 0:
            await asyncio.sleep(pause_s)
        yield speech.text_block(word) if reasoning else word
    if step.fail_after_words is not None:
        raise ScriptedFailure(f"The script breaks off after {step.fail_after_words} words.")
    if step.hang:
        await asyncio.Event().wait()
    for chunk in speech.call_chunks(calls):
        yield chunk
    arguments = [json.dumps(call.args, ensure_ascii=False) for call in calls]
    usage = speech.count_words(given.messages, reasoning, reply, *arguments)
    ending = {"finish_reason": step.cut_short} if step.cut_short else {}
    yield speech.last_chunk(model, is_calling=bool(calls), usage=usage, **ending)
