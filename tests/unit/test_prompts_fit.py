"""The whole prompt, as the model is given it in each step: what is counted is what is sent, it never takes more than
there is, no call stands without its result, and nothing changes its place."""

import inspect
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from chatServer import errors
from chatServer.agent import tight
from chatServer.agent.counted import count_given
from chatServer.agent.given import system, window
from chatServer.agent.run import Head, Run
from chatServer.agent.tight import Tight
from chatServer.conversation import assemble as assembling
from chatServer.conversation.assemble import Parts, assemble
from chatServer.conversation.quote import quoted_within
from chatServer.conversation.tokens import count_message, count_system
from chatServer.messages import Message, ToolCallMsg
from chatServer.records import Agent, Compression, Limits, ModelInput, Recalled, Source, StoredMessage
from tests.tools.asking import a_context

NOW = datetime(2026, 11, 15, tzinfo=UTC)
LENGTHS = (1, 3, 20, 90)


def words(byte: int) -> str:
    return "ha " * LENGTHS[byte % 4]


def remembered(number: int, byte: int) -> Recalled:
    source = Source(None, None, None)
    return Recalled(
        UUID(int=number), words(byte), "memory", "user", None, "fact", None, 0.5, {}, NOW, None, source, "user"
    )


_counts: dict[tuple[str, ...], int] = {}


def tokens_of(messages: Sequence[BaseMessage]) -> int:
    """Counted one by one, and each text once in all these cases."""
    total = 0
    for each in messages:
        calls = str(each.tool_calls) if isinstance(each, AIMessage) else ""
        key = (each.type, str(each.content), calls, each.name or "")
        if key not in _counts:
            _counts[key] = count_given(each)
        total += _counts[key]
    return total


@cache
def exchange(number: int, byte: int) -> list[Message]:
    """A question and its answer; every other time by way of a tool."""
    said = Message("assistant", words(byte // 4), f"a{number}")
    asked = Message("user", words(byte), f"q{number}")
    if byte % 2:
        return [asked, said]
    call = ToolCallMsg(f"c{number}", f"c{number}", "function", "t", "{}")
    result = Message("tool", words(byte // 8), f"t{number}", name="t", tool_call_id=f"c{number}")
    return [asked, Message("assistant", None, f"b{number}", tool_calls=[call]), result, said]


@cache
def step(number: int, byte: int) -> list[BaseMessage]:
    """What the tools of this turn add to it."""
    ids = [f"s{number}-{call}" for call in range(1 + byte % 3)]
    calls = [{"name": "t", "args": {"n": words(byte // 64)}, "id": each} for each in ids]
    results = [ToolMessage(words(byte // 4) * (1 + byte // 16 % 3), tool_call_id=each, name="t") for each in ids]
    return [AIMessage("", id=f"s{number}", tool_calls=calls), *results]


class Scene:
    """One prompt and what comes of it, read from bytes."""

    def __init__(self, data: bytes) -> None:
        said = [message for number, byte in enumerate(data[8:12]) for message in exchange(number, byte)]
        counts = [None if data[0] % 5 == place % 5 else count_message(each) for place, each in enumerate(said)]
        self.window = [StoredMessage(i + 1, None, NOW, each, tokens=counts[i]) for i, each in enumerate(said)]
        self.is_whole = data[0] % 2 == 0
        question = Message("user", words(data[1]), "question")
        self.parts = Parts(
            agent=Agent("a", "d", "p", limits=Limits(output_tokens=1 + data[2] % 64)),
            model="any",
            window_tokens=60 + 3 * data[3],
            system=words(data[4]),
            tools_tokens=0,
            summary=words(data[5]) if data[5] >= 64 else None,
            question_tokens=count_message(question),
            question=question,
            covers_to=data[6] % 12,
            compression=Compression(threshold_pct=50 + data[7] % 46),
        )
        self.items = [remembered(number, byte) for number, byte in enumerate(data[12:14])]
        self.steps = [step(number, byte) for number, byte in enumerate(data[14:])]


SIZES = (14, 15, 15, 16, 17)  # bytes: with no, one, two or three steps


def done(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What it returns; short texts are counted without waiting for anything."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


def run_of(scene: Scene, asked: ModelInput) -> Run:
    async def tighten(tail_tokens: int) -> Head:
        parts = replace(scene.parts, question_tokens=scene.parts.question_tokens + tail_tokens)
        try:
            return Head(assembling.assemble(parts, scene.window, is_whole=scene.is_whole)[0].messages)
        except errors.ContextTooLarge:
            return Head(assembling.assemble(scene.parts, [])[0].messages)

    return Run(asked, {}, a_context(), model_timeout_s=1, tool_timeout_s=1, tighten=tighten)


def ids_of(messages: Sequence[BaseMessage]) -> list[str]:
    return [each.tool_call_id if isinstance(each, ToolMessage) else each.id or "" for each in messages]


def examine(scene: Scene, modules: Any) -> None:
    """All that is promised of what a model is given."""
    parts = scene.parts
    most = parts.window_tokens - parts.agent.limits.output_tokens
    try:
        asked, budget = modules.assemble(parts, scene.window, is_whole=scene.is_whole)
    except errors.ContextTooLarge:
        fixed = count_system(parts.system) + parts.question_tokens
        assert fixed > most, "what fits is not refused"
        return
    memories, tokens, _ = quoted_within(scene.items, budget.room_tokens)
    if memories:
        asked = replace(asked, messages=(*asked.messages[:-1], memories, asked.messages[-1]))
        budget = replace(budget, recall_tokens=tokens)
    run = run_of(scene, asked)
    head = [*system(run), *window(run)]
    assert tokens_of(head) == budget.prompt_tokens, "what is counted is what is sent"
    shows(head, head, most)
    shown, added = modules.Tight(run, head), []
    for new in scene.steps:
        added += new
        try:
            messages = done(shown.given(added))
        except errors.ContextTooLarge:
            last = [each.model_copy(update={"content": ""}) for each in new]
            least = [*system(run), *window(run)[-1:], *last]
            marks = sum(tight.LEAST_RESULT_TOKENS for each in new if isinstance(each, ToolMessage))
            summary = assemble(parts, [])[1].summary_tokens
            assert tokens_of(least) + marks + summary > most, "what fits is not refused"
            return
        shows(messages, [*head, *added], most)


def shows(messages: Sequence[BaseMessage], whole: Sequence[BaseMessage], most: int) -> None:
    assert tokens_of(messages) <= most, "never over"
    known = ids_of(whole)
    places = [known.index(each) for each in ids_of(messages) if each in known]
    assert places == sorted(set(places)), "in its order, and once"
    assert "question" in ids_of(messages), "what was asked is there"
    wanted: list[str] = []
    for each in messages:
        if isinstance(each, ToolMessage):
            assert each.tool_call_id in wanted, "no result without its call"
            wanted.remove(each.tool_call_id)
        else:
            assert not wanted, "no call without its result"
            wanted = [call["id"] for call in each.tool_calls] if isinstance(each, AIMessage) else []
    assert not wanted


OURS = SimpleNamespace(assemble=assemble, Tight=Tight)


def try_all(seeds: range, modules: Any = OURS) -> None:
    """Plain bytes of a seed: Hypothesis would take as long again as the cases."""
    for seed in seeds:
        try:
            examine(Scene(Random(seed).randbytes(SIZES[seed % len(SIZES)])), modules)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def test_10_000_prompts_keep_their_promises():
    try_all(range(10_000))


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_100_000_prompts_keep_their_promises():
    try_all(range(10_000, 110_000))


PLANTED = [
    (tight, "while await self._over(tail) > 0:", "while await self._over(tail) > 5:"),
    (tight, "return list(tail[places[1] :])", "return list(tail[places[1] - 1 :])"),
    (tight, "self._left_out += len(tail) - len(rest)", "self._left_out += len(tail) - len(rest) + 1"),
    (tight, "- run.asked.agent.limits.output_tokens", ""),
    (tight, "if not rest:", "if True:"),
    (tight, "if await self._is_too_much(tail):", "if True:\n            raise errors.ContextTooLarge('x')"),
    (tight, "return [*self._head, *tail]", "return [*tail, *self._head]"),
    (assembling, "system_tokens=system_tokens - notes_tokens", "system_tokens=0"),
    (assembling, "sum(count_message(message) for message in summary)", "0"),
    (assembling, "(*summary, *(each.message for each in kept), parts.question)", "(*summary, parts.question)"),
]


@pytest.mark.parametrize(("module", "good", "bad"), PLANTED)
def test_a_planted_bug_is_found(module, good, bad):
    source = inspect.getsource(module)
    assert source.count(good) == 1
    broken: dict[str, Any] = {"__name__": "broken"}
    exec(source.replace(good, bad), broken)
    modules = SimpleNamespace(**{**vars(OURS), **{name: broken[name] for name in vars(OURS) if name in broken}})
    with pytest.raises((AssertionError, errors.ContextTooLarge)):
        try_all(range(3_000), modules)
