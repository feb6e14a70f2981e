"""The whole prompt, as the model is given it in each step of a turn: what is counted is what is sent, it never takes
more than there is, no call stands without its result, and nothing changes its place.

What runs is the code of a turn from its parts to the messages of each step; only what would be asked of a database, a
summary, is the scene's.
"""

import inspect
import logging
from collections.abc import Coroutine, Sequence
from functools import cache
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from chatServer import errors
from chatServer.agent import tight
from chatServer.agent.counted import count_given
from chatServer.agent.given import system, window
from chatServer.agent.run import Run
from chatServer.agent.tools import tokens_of
from chatServer.conversation import assemble as assembling
from chatServer.conversation import budget as budgeting
from chatServer.conversation import tokens
from chatServer.records import budget as records
from chatServer.turn import before, fitting
from chatServer.turn.begun import Begun
from tests.tools import prompt_scenes
from tests.tools.asking import a_context
from tests.tools.prompt_scenes import ASKING, SIZES, TURN, WINDOWS, Scene, ids_of, scene_of

ROOMS = (records, budgeting, assembling, before, fitting, tight)  # each uses the ones before it

_counts: dict[tuple[str, ...], int] = {}


def count(each: BaseMessage) -> int:
    """As in a prompt; what says the same is counted once in all these cases, which is half of the work."""
    calls = str(each.tool_calls) if isinstance(each, AIMessage) else ""
    key = (each.type, str(each.content), calls, each.name or "")
    if key not in _counts:
        _counts[key] = count_given(each)
    return _counts[key]


def counted(messages: Sequence[BaseMessage]) -> int:
    return sum(map(count, messages))


def done(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What it returns; short texts are counted without waiting for anything."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


def built(planted: ModuleType | None = None, good: str = "", bad: str = "") -> Any:
    """The rooms anew, from their sources, with a bug in one of them, if any."""
    known: dict[str, Any] = {"summarize_session": prompt_scenes.summarize_session, "count_given": count}
    known["compact"] = prompt_scenes.compact
    for module in ROOMS:
        source = inspect.getsource(module)
        assert module is not planted or source.count(good) == 1
        names: dict[str, Any] = {"__name__": module.__name__}
        exec(source.replace(good, bad) if module is planted else source, names)
        own = {name: each for name, each in names.items() if getattr(each, "__module__", "") == module.__name__}
        names |= {name: each for name, each in known.items() if name in names}
        known |= own
    return SimpleNamespace(**known)


def begun(scene: Scene, rooms: Any) -> Any:
    """As Beginning.begin ends."""
    beginning = rooms.Beginning(None, None, WINDOWS, "usual", None)
    parts, asked, budget = beginning.assembled(scene.parts, scene.window)
    return Begun(ASKING, scene.session, scene.agent, TURN, scene.window, parts, asked, budget, scene.tools)


def examine(scene: Scene, rooms: Any) -> None:
    """All that is promised of what a model is given."""
    try:
        turn = begun(scene, rooms)
    except errors.ContextTooLarge:
        assert least_of(scene) > max_of(scene, scene.parts.window_tokens), "what fits is not refused"
        return
    most = turn.parts.window_tokens - scene.agent.limits.output_tokens
    prompt = rooms.Fitting(turn, scene, None)
    prompt.describe(scene.described)
    done(prompt.compact())
    prompt.quote(scene.recalled)
    run = Run(
        prompt.asked,
        {tool.name: tool for tool in prompt.tools},
        a_context(),
        model_timeout_s=1,
        tool_timeout_s=1,
        tighten=prompt.tighten,
        filling=scene.filling,
    )
    shown, added = rooms.Tight(run, [*system(run), *window(run)]), []
    for new in ([], *scene.steps):
        added += new
        messages = done(shown.given(added))
        tools_tokens = tokens_of(prompt.tools)
        if run.is_full:
            last = [each.model_copy(update={"content": ""}) for each in new]
            marks = sum(tight.LEAST_RESULT_TOKENS for each in new if isinstance(each, ToolMessage))
            summary_tokens = prompt.told(0).summary_tokens
            needed = counted([*system(run), *window(run)[-1:], *last]) + marks + summary_tokens
            assert needed + tools_tokens > most, "tools are taken away only where a step does not fit beside them"
            tools_tokens = 0
        check(scene, messages, added, most=most - tools_tokens)
        head = messages[: ids_of(messages).index("question") + 1]
        sent = counted(head) + tokens_of(prompt.tools)
        assert sent == prompt.told(0).prompt_tokens, "what is counted is what is sent"
        if run.is_full:
            return  # the model can only answer now


def least_of(scene: Scene) -> int:
    """What has to be there."""
    system_tokens = counted(system(SimpleNamespace(asked=scene.parts)))  # type: ignore[arg-type]
    return system_tokens + scene.parts.question_tokens + tokens_of(scene.tools)


def max_of(scene: Scene, window_tokens: int) -> int:
    larger = WINDOWS.tokens["larger"] if scene.agent.larger_model else 0
    return max(window_tokens, larger) - scene.agent.limits.output_tokens


def check(scene: Scene, messages: Sequence[BaseMessage], added: Sequence[BaseMessage], *, most: int) -> None:
    assert counted(messages) <= most, "never over"
    assert not scene.waits_again, "a turn waits for another once"
    said = [each.message.tool_call_id or each.message.message_id for each in scene.window.stored]
    known, shown = [*said, "question", *ids_of(added)], ids_of(messages)
    places = [known.index(each) for each in shown if each in known]
    assert places == sorted(set(places)), "in its order, and once"
    asked_at = shown.index("question")
    kept = [place for place in places if place < len(said)]
    assert kept == list(range(len(said) - len(kept), len(said))), "the end of what was said, without a gap"
    first = int(messages[0].type == "system")
    others = [place for place, each in enumerate(shown) if each not in known and place >= first]
    assert set(others) <= {first, asked_at - 1}, "a summary first, what is recalled last"
    assert all(place < asked_at for place in others)
    wanted: list[str] = []
    for each in messages:
        if isinstance(each, ToolMessage):
            assert each.tool_call_id in wanted, "no result without its call"
            wanted.remove(each.tool_call_id)
        else:
            assert not wanted, "no call without its result"
            wanted = [str(call["id"]) for call in each.tool_calls] if isinstance(each, AIMessage) else []
    assert not wanted


@pytest.fixture(autouse=True)
def _few_words(monkeypatch):
    """The same for texts; and nobody reads what is logged of a database that is away in every eighth case."""
    encoding = tokens._encoding()
    quick = SimpleNamespace(encode_ordinary=cache(encoding.encode_ordinary))
    monkeypatch.setattr(tokens, "_encoding", lambda: quick)
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def try_all(seeds: range, rooms: Any) -> None:
    """Plain bytes of a seed: Hypothesis would take as long again as the cases."""
    for seed in seeds:
        try:
            examine(scene_of(Random(seed).randbytes(SIZES[seed % len(SIZES)])), rooms)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def test_10_000_prompts_keep_their_promises():
    try_all(range(10_000), built())


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_100_000_prompts_keep_their_promises():
    try_all(range(10_000, 110_000), built())


PLANTED = [
    (records, "- self.reserve_tokens - self.prompt_tokens", "- self.reserve_tokens - self.prompt_tokens + 1"),
    (records, "self.said_tokens + self.tools_tokens + ", "self.said_tokens + "),
    (budgeting, "if tokens > room:", "if tokens > room + 1:"),
    (budgeting, 'if stored.message.role == "user":', "if True:"),
    (budgeting, "notes_tokens=notes_tokens,", "notes_tokens=0,"),
    (assembling, "system_tokens=system_tokens - notes_tokens", "system_tokens=0"),
    (assembling, "sum(count_lasting(text_of(message)) for message in summary)", "0"),
    (assembling, "(*summary, *[each.message for each in kept], parts.question)", "(*summary, parts.question)"),
    (before, "return larger, *assemble(larger,", "return parts, *assemble(larger,"),
    (fitting, "replace(self._parts, tools_tokens=tokens)", "self._parts"),
    (fitting, "(*before, self._memories, question)", "(self._memories, *before, question)"),
    (fitting, "count_message(memories)) <= self.budget.room_tokens:", "count_message(memories)):"),
    (fitting, "least.question_tokens + self._tail_tokens", "least.question_tokens"),
    (fitting, "self._has_waited = True", "pass"),
    (tight, "while await self._over(tail) > 0:", "while await self._over(tail) > 1:"),
    (tight, "return list(tail[places[1] :])", "return list(tail[places[1] - 1 :])"),
    (tight, "self._left_out += len(tail) - len(rest)", "self._left_out += len(tail) - len(rest) + 1"),
    (tight, "- run.asked.agent.limits.output_tokens", ""),
    (tight, "0 if run.is_full else tokens_of(tuple(run.tools.values()))", "0"),
    (tight, "if not rest:", "if True:"),
    (tight, "if await self._is_too_much(tail):", "if False:"),
    (tight, "if await self._over(shown) <= 0:", "if True:"),
    (tight, "(step, _bare(step))", "(step[1:], _bare(step))"),
    (tight, "return [*self._head, *tail]", "return [*tail, *self._head]"),
]


@pytest.mark.parametrize(("module", "good", "bad"), PLANTED)
def test_a_planted_bug_is_found(module, good, bad):
    rooms = built(module, good, bad)
    with pytest.raises((AssertionError, errors.ContextTooLarge)):
        try_all(range(3_000), rooms)
