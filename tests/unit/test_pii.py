"""middleware: [pii]: what is held back while a text streams, and what the model is given."""

import random

import pytest

from chatServer.agent.pii import StreamRedactor, redact
from chatServer.agent.tools import ToolResult
from chatServer.messages import Message, text_of
from tests.tools.asking import Asking, events, said, text, tool
from tests.tools.spoken import SpokenModel, block, call

CARD = "4111 1111 1111 1111"  # everybody's example; passes Luhn
TEXT = (
    f"Write to ada@example.org, or to eve.b+x@mail.example.co.uk. Card: {CARD}. Since 2026 no 4111 1111 1111 1112; "
    f"a@ b, 12 12 @c.d e@f 4111-1111-1111-1111\nи почта ada@example.org конец 中文ok {CARD}"
)


def streamed(pieces) -> str:
    redactor = StreamRedactor()
    return "".join([*(redactor.feed(piece) for piece in pieces), redactor.rest()])


def test_a_text_is_redacted_the_same_however_it_is_cut():
    whole = redact(TEXT)
    assert whole.count("[REDACTED_EMAIL]") == 3
    assert whole.count("[REDACTED_CREDIT_CARD]") == 3
    assert streamed(TEXT) == whole  # character by character
    dice = random.Random(4)
    for _ in range(500):
        cuts = sorted(dice.sample(range(len(TEXT)), dice.randint(0, 30)))
        assert streamed(TEXT[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)) == whole


def test_words_are_not_held_back_longer_than_needed():
    redactor = StreamRedactor()
    assert redactor.feed("Hello ") == "Hello "
    assert redactor.feed("there") == ""
    assert redactor.feed(" ") == "there "
    assert redactor.feed("中文") == "中文"
    assert redactor.feed("x" * 1_000) == "x" * 680  # no address is longer than the rest
    assert redactor.rest() == "x" * 320


@pytest.mark.parametrize(
    "pieces", [["Ask ada@exam", "ple.org ", "now."], [block(type="text", text="Ask ada@example.org now.")]]
)
async def test_neither_followers_nor_the_stored_reply_see_an_address(pieces):
    heard = await Asking("create_agent", SpokenModel(rounds=[pieces])).hear()
    assert text(heard) == text_of(said(heard, "assistant")[0]) == "Ask [REDACTED_EMAIL] now."


async def test_the_model_sees_no_address_of_the_window_the_question_or_a_tool():
    async def look_up(*_):
        return ToolResult("It is eve@example.org.")

    model = SpokenModel(rounds=[[call("look_up", "{}", "c")], ["Found."]])
    window = [Message("user", "I am ada@example.org"), Message("assistant", "Hi."), Message("user", f"Pay with {CARD}")]
    heard = await Asking("create_agent", model).hear(window, tools=[tool("look_up", look_up)])
    given = [one.content for one in model.asked[1]]
    assert given[1:4] == ["I am [REDACTED_EMAIL]", "Hi.", "Pay with [REDACTED_CREDIT_CARD]"]
    assert given[-1] == "It is [REDACTED_EMAIL]."
    assert [one.value for one in events(heard, "tool-output")] == ["It is eve@example.org."]  # the user's own data


async def test_an_agent_without_it_leaves_words_alone():
    heard = await Asking("lean", SpokenModel(rounds=[["Ask ada@example.org."]])).hear()
    assert text(heard) == "Ask ada@example.org."
