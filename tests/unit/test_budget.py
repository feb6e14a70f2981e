"""What fits into a prompt: never too much, never half an exchange, never less than could be there."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chatServer import errors
from chatServer.conversation import budget
from chatServer.conversation.budget import cut_result, fit
from chatServer.conversation.tokens import count_message
from chatServer.messages import Message, ToolCallMsg, cut, text_of, to_langchain
from chatServer.records import Budget, StoredMessage

Fit = Callable[..., tuple[Budget, list[StoredMessage]]]
NOW = datetime(2026, 11, 15, tzinfo=UTC)


def call(call_id: str) -> ToolCallMsg:
    return ToolCallMsg(id=call_id, call_id=call_id, type="function", name="t", arguments="{}")


def asks(*call_ids: str) -> Message:
    return Message(role="assistant", message_id="-".join(call_ids), tool_calls=[call(each) for each in call_ids])


def result(call_id: str, text: str = "r") -> Message:
    return Message(role="tool", content=text, message_id=f"r{call_id}", name="t", tool_call_id=call_id)


STEPS = ("user", "user", "says", "asks one", "asks two", "asks in vain", "orphan", "system")


@cache
def said(step: str, number: int) -> list[Message]:
    """What one step leaves behind, crashes and other writers included."""
    first, second = f"c{number}", f"d{number}"
    match step:
        case "says":
            return [Message(role="assistant", content="a", message_id=str(number))]
        case "asks one":
            return [asks(first), result(first)]
        case "asks two":
            return [asks(first, second), result(second), result(first)]
        case "asks in vain":
            return [asks(first)]
        case "orphan":
            return [result(first)]
    return [Message(role=step, content="q", message_id=str(number))]


COVERED = 3  # the last message that a summary stands for
COUNTS = (None, 0, 1, 5, 17, 40, 99, 250)
PARTS = ("reserve", "system", "question", "summary", "tools", "notes")
Case = tuple[list[StoredMessage], dict[str, int]]


def case_of(data: bytes) -> Case:
    """A window as a history gives it (whole exchanges, with counts, some of them unknown) and the other sizes.

    Read from bytes because one draw of Hypothesis's is much cheaper than fifty.
    """
    sizes = {name: (0, 1, 7, 30)[byte % 4] for name, byte in zip(PARTS, data[:6], strict=True)}
    sizes["window"] = data[6] * (1, 1, 2, 6)[data[7] % 4] + data[7] // 4 % 8
    raw = [message for number, byte in enumerate(data[8:]) for message in said(STEPS[byte % 8], number)]
    counts = [COUNTS[byte // 8 % 8] for byte in data[5:]]
    window = [
        StoredMessage(number, None, NOW, message, tokens=counts[number % len(counts)])
        for number, message in enumerate(cut(raw))
    ]
    return window, sizes


CASES = st.binary(min_size=8, max_size=25).map(case_of)


def tokens_of(stored: StoredMessage, max_result: int) -> int:
    """What a message is to count, said a second time: large results of tools are cut, and counted anew."""
    tokens = count_message(stored.message) if stored.tokens is None else stored.tokens
    if stored.message.role == "tool" and tokens > max_result:
        return count_message(cut_result(stored.message, max_result))
    return tokens


def examine(fit: Fit, window: list[StoredMessage], sizes: dict[str, int]) -> None:
    """All that a budget promises."""
    given = {f"{name}_tokens": size for name, size in sizes.items()}
    fixed = sum(sizes.values()) - sizes["window"]
    if fixed > sizes["window"]:
        with pytest.raises(errors.ContextTooLarge):
            fit(window, **given)
        return
    found, kept = fit(window, **given, covers_to=COVERED)
    assert {name: getattr(found, name) for name in given} == given, "what must be there is there, whole"
    counts = [tokens_of(each, sizes["window"] // 4) for each in window]
    start = len(window) - len(kept)
    assert fixed + sum(counts[start:]) <= sizes["window"], "never over"
    assert found.prompt_tokens + found.reserve_tokens + found.room_tokens == sizes["window"]
    assert found.room_tokens >= 0
    assert [each.id for each in kept] == [each.id for each in window[start:]], "the end of the window, in its order"
    assert [each.tokens for each in kept] == counts[start:]
    assert found.history_tokens == sum(counts[start:])
    assert found.dropped_messages == start
    assert found.forgotten_messages == sum(each.id > COVERED for each in window[:start]), "no summary stands for them"
    messages = [each.message for each in kept]
    assert [text_of(m) for m in cut(messages)] == [text_of(m) for m in messages], "whole exchanges"
    assert [m.tool_calls for m in cut(messages)] == [m.tool_calls for m in messages], "no call without its result"
    larger = [i for i in range(start) if window[i].message.role == "user"]
    assert all(fixed + sum(counts[i:]) > sizes["window"] for i in larger), "nothing was left out that would have fitted"


FAST = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


@given(CASES)
@settings(max_examples=10_000, **FAST)
def test_a_budget_keeps_its_promises(case):
    examine(fit, *case)


@pytest.mark.long
@pytest.mark.timeout(1_200)
@given(CASES)
@settings(max_examples=100_000, **FAST)
def test_a_budget_keeps_its_promises_100_000_times(case):
    examine(fit, *case)


# Planted bugs --------------------------------------------------------------------------------------------


PLANTED = [
    ("if tokens > room:", "if tokens > room + 1:"),
    ("if tokens > room:", "if tokens >= room:"),
    ("everything.room_tokens < 0", "everything.room_tokens < -1"),
    ("everything.room_tokens < 0", "everything.room_tokens <= 0"),
    ('if stored.message.role == "user":', 'if stored.message.role in ("user", "assistant"):'),
    ('if stored.message.role == "user":', "if True:"),
    ("tokens += counted.tokens or 0", "tokens += stored.tokens or 0"),
    ("kept += exchange", "kept += exchange[:-1]"),
    ("kept += exchange", "kept += exchange[1:]"),
    ("return kept[::-1], kept_tokens", "return kept, kept_tokens"),
    ("return kept[::-1], kept_tokens", "return kept[::-1], tokens"),
    ("window_tokens // RESULT_SHARE", "window_tokens"),
    ("len(window) - len(kept)", "max(len(window) - len(kept) - 1, 0)"),
    ("each.id > covers_to", "each.id >= covers_to"),
    ("notes_tokens=notes_tokens", "notes_tokens=0"),
    ("system_tokens=system_tokens", "system_tokens=system_tokens // 2"),
    ("question_tokens=question_tokens", "question_tokens=max(0, question_tokens - 1)"),
]


@pytest.mark.parametrize(("good", "bad"), PLANTED)
def test_a_planted_bug_is_found(good, bad):
    source = inspect.getsource(budget)
    assert source.count(good) == 1
    broken: dict[str, Any] = {"__name__": "broken"}
    exec(source.replace(good, bad), broken)

    @given(CASES)
    @settings(max_examples=10_000, phases=[Phase.generate], report_multiple_bugs=False, **FAST)
    def promises_of_the_broken(case):
        examine(broken["fit"], *case)

    with pytest.raises((AssertionError, errors.ContextTooLarge, pytest.fail.Exception)):
        promises_of_the_broken()


# By example ----------------------------------------------------------------------------------------------


def stored(message: Message, tokens: int | None = None, place: int = 0) -> StoredMessage:
    return StoredMessage(place, None, NOW, message, tokens=tokens)


def user(text: str = "q") -> Message:
    return Message(role="user", content=text)


def test_what_does_not_fit_is_refused_with_its_sizes():
    with pytest.raises(errors.ContextTooLarge) as refused:
        fit([], window_tokens=8_192, reserve_tokens=4_096, system_tokens=500, question_tokens=9_000, summary_tokens=7)
    assert refused.value.status == 422
    for size in ("8,192", "13,603", "9,000", "500", "4,096", "7"):
        assert size in refused.value.detail
    assert refused.value.extra == {"window_tokens": 8_192, "needed_tokens": 13_603}


def test_a_prompt_may_fill_the_window_to_the_last_token():
    found, kept = fit(
        [stored(user(), 5)], window_tokens=100, reserve_tokens=40, system_tokens=30, question_tokens=25, tools_tokens=0
    )
    assert (found.room_tokens, len(kept)) == (0, 1)


def test_what_is_beyond_the_room_is_not_even_counted(monkeypatch):
    counted = []
    monkeypatch.setattr(budget, "count_message", lambda message: counted.append(message.content) or 10)
    window = [stored(user(str(number))) for number in range(50)]
    found, kept = fit(window, window_tokens=35, reserve_tokens=0, system_tokens=0, question_tokens=0)
    assert [each.message.content for each in kept] == ["47", "48", "49"]
    assert counted == ["49", "48", "47", "46"]
    assert (found.history_tokens, found.dropped_messages, found.room_tokens) == (30, 47, 5)


def test_a_large_result_is_cut_with_a_mark_and_the_stored_one_stays_whole():
    text = "A line of the log that somebody asked for.\n" * 2_000
    whole = replace(result("c", text), structured_data={"duration_ms": 3, "success": True})
    window = [stored(user()), stored(asks("c")), stored(whole), stored(Message(role="assistant", content="done"))]
    found, kept = fit(window, window_tokens=8_000, reserve_tokens=100, system_tokens=10, question_tokens=10)
    assert len(kept) == 4
    shown = text_of(kept[2].message)
    beginning, mark, _ = shown.partition("\n[Cut here: ")
    assert mark
    assert text.startswith(beginning)
    assert f"the first {len(beginning):,} of {len(text):,} characters" in shown
    assert 1_600 < kept[2].tokens <= 2_000
    assert kept[2].tokens == count_message(kept[2].message)
    assert found.history_tokens == sum(each.tokens for each in kept)
    assert window[2].message is whole
    assert text_of(whole) == text
    assert kept[2].message.structured_data == {"duration_ms": 3, "success": True}


def test_a_result_in_other_forms_is_cut_too():
    text = "x y " * 5_000
    blocks = [{"type": "text", "text": text}, {"type": "other", "more": text}]
    for whole in (
        Message(role="tool", content={"tool_call_id": "c", "output": text}),
        Message(role="tool", content={"rows": [text]}, tool_call_id="c"),
        Message(role="tool", content=text, tool_call_id="c", structured_data={"langchain": {"content": blocks}}),
    ):
        shorter = cut_result(whole, 500)
        assert count_message(shorter) <= 500
        assert shorter.tool_call_id == "c"
        assert shorter.message_id == whole.message_id
        assert len(str(to_langchain(shorter).content)) < 5_000


@given(st.text(min_size=200, max_size=2_000), st.integers(60, 400))
@settings(max_examples=300, deadline=None)
def test_a_cut_result_takes_no_more_than_its_share(text, max_tokens):
    message = result("c", text)
    shorter = cut_result(message, max_tokens)
    assert count_message(shorter) <= max_tokens
    assert (shorter is message) == (count_message(message) <= max_tokens)


def test_only_results_of_tools_are_cut():
    long = "word " * 1_000
    window = [stored(user(long)), stored(Message(role="assistant", content=long))]
    _, kept = fit(window, window_tokens=3_000, reserve_tokens=0, system_tokens=0, question_tokens=0)
    assert [each.message for each in kept] == [each.message for each in window]
