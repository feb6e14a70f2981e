"""The example of seed 4, turn by turn: what a growing conversation leaves for articles in a window of 262,144 tokens,
and how compaction gives the room back."""

from datetime import UTC, datetime

import pytest

from chatServer.agent.summary.compact import compact
from chatServer.conversation.assemble import Parts, assemble, lasting
from chatServer.conversation.tokens import count_system
from chatServer.messages import Message
from chatServer.records import Agent, Budget, Limits, StoredMessage, Summary

WINDOW, SYSTEM, QUESTION, ANSWER = 262_144, 2_000, 500, 1_000
AGENT = Agent("helper", "d", "p", limits=Limits(output_tokens=ANSWER))


def instructions() -> str:
    """Of exactly 2,000 tokens."""
    text = "word" + " word" * (SYSTEM - 1 - count_system(""))
    assert count_system(text) == SYSTEM
    return text


def history(turns: int, tokens: int) -> list[StoredMessage]:
    """So many questions and answers, which take so many tokens in all."""
    share, rest = divmod(tokens, 2 * turns) if turns else (0, 0)
    return [
        StoredMessage(
            place + 1,
            None,
            datetime(2025, 11, 3, tzinfo=UTC),
            Message(("user", "assistant")[place % 2], f"Sentence {place} about subject {place}."),
            tokens=share + (rest if place == 0 else 0),
        )
        for place in range(2 * turns)
    ]


def asked(turns: int, tokens: int, summary: Summary | None = None) -> tuple[Parts, list[StoredMessage], Budget]:
    """The next question after so many turns, when the conversation takes so many tokens, the question included."""
    question = Message("user", "Well?")
    text, covers_to = (summary.text, summary.covers_to) if summary else (None, 0)
    parts = Parts(AGENT, "m", WINDOW, instructions(), 0, text, QUESTION, question, covers_to)
    window = history(turns, tokens - QUESTION)
    return parts, window, assemble(parts, window, is_whole=True)[1]


@pytest.mark.parametrize(
    ("turn", "conversation", "articles"), [(1, 500, 259_644), (5, 10_000, 250_144), (50, 150_000, 110_144)]
)
def test_a_conversation_leaves_articles_what_it_does_not_take(turn, conversation, articles):
    _, _, budget = asked(turn - 1, conversation)
    assert budget.room_tokens + budget.reserve_tokens == articles == WINDOW - SYSTEM - conversation
    assert budget.reserve_tokens == ANSWER, "which the seed leaves to chance"
    assert not budget.is_over_mark
    assert (budget.mark_tokens, budget.dropped_messages) == (222_822, 0)


async def test_turn_60_is_over_the_mark_and_turn_61_has_its_room_back():
    """The seed has 200,000 there and calls that above; 223,000 with the instructions is."""
    parts, window, budget = asked(59, 223_000 - SYSTEM)
    assert budget.is_over_mark
    assert budget.said_tokens == 223_000
    assert not asked(59, 222_822 - SYSTEM)[2].is_over_mark
    kept, is_enough = lasting(parts, window)
    assert (len(kept), is_enough) == (4, True)
    made = await compact(None, window, kept_from=kept[0].id)
    assert (made.messages, made.tokens <= 1_000) == (114, True)
    for turns, tokens in ((59, 223_000 - SYSTEM), (60, 224_500 - SYSTEM)):
        _, window, budget = asked(turns, tokens, made)
        assert not budget.is_over_mark
        assert budget.dropped_messages == 114
        assert budget.forgotten_messages == 0
        last = sum(each.tokens for each in window[114:])
        room = budget.room_tokens + budget.reserve_tokens
        assert room == WINDOW - SYSTEM - QUESTION - last - budget.summary_tokens
        assert room > 246_000, "of the articles' 255,000; our two last turns are longer than the seed's"
