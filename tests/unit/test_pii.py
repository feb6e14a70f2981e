"""middleware: [pii]: what is held back while a text streams, and what the model is given."""

import random

import pytest

from chatServer.agent.pii import LONGEST, StreamRedactor, redact
from chatServer.agent.tools import ToolResult
from chatServer.messages import Message, ToolCallMsg, text_of
from chatServer.messages.calls import json_object
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


CARDS = ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "5500 0000 0000 0004"]


def test_no_card_comes_out_of_a_long_row_of_numbers():
    for between in ("\n", " ", "-", "\t", "\n\n", " 1234 ", " 12 "):
        rows = between.join(CARDS * 12)
        assert len(rows) > 2 * LONGEST
        for size in (1, 2, 7, 19, 64, 400, 10_000):
            pieces = [rows[at : at + size] for at in range(0, len(rows), size)]
            assert streamed(pieces) == redact(rows), (between, size)
    assert redact("\n".join(CARDS * 12)).count("[REDACTED_CREDIT_CARD]") == 48


def test_digits_and_blanks_are_redacted_the_same_however_they_are_cut():
    dice = random.Random(10)
    parts = [
        *CARDS,
        "4111",
        "1111",
        "12",
        "7",
        "٤١١١ ١١١١ ١١١١ ١١١١",
        " ",
        " ",
        "\n",
        "-",
        "  ",
        "ada@example.org",
        "a.",
    ]
    for _ in range(300):
        whole = "".join(part + dice.choice([" ", "\n", "-", ""]) for part in dice.choices(parts, k=120))
        cuts = sorted(dice.sample(range(len(whole)), dice.randint(0, 200)))
        pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
        assert streamed(pieces) == redact(whole)


def test_an_address_that_is_too_long_to_be_one_is_not_held_for_ever():
    redactor = StreamRedactor()
    assert redactor.feed(f"{'a' * 400}@example.org") == "[REDACTED_EMAIL]"
    assert redactor.rest() == ""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"n": 1, "to": "ada@example.org"}', {"n": 1, "to": "[REDACTED_EMAIL]"}),
        ('{"n": 1, "to": "ada\\u0040example.org"}', {"n": 1, "to": "[REDACTED_EMAIL]"}),
        ('{"n": 4111111111111111}', {"n": "[REDACTED_CREDIT_CARD]"}),
        ('{"n": 1, "all": [{"ada@example.org": "x"}]}', {"n": 1, "all": [{"[REDACTED_EMAIL]": "x"}]}),
        ('{"n": 1, "to": "ada@example.org', '{"n": 1, "to": "[REDACTED_EMAIL]'),
    ],
)
async def test_neither_followers_nor_tools_nor_the_stored_call_see_an_address_in_arguments(arguments, expected):
    model = SpokenModel(rounds=[[call("double", arguments, "c")], ["Done."]])
    heard = await Asking("create_agent", model).hear()
    assert [one.value for one in events(heard, "tool-input")] == [expected]
    [stored] = said(heard, "assistant")[0].tool_calls
    assert (json_object(stored.arguments) or stored.arguments) == expected
    again = next(one for one in model.asked[1] if one.type == "ai")
    assert again.tool_calls[0]["args"] == (expected if isinstance(expected, dict) else {})


async def test_the_model_sees_no_address_in_a_call_of_the_window():
    called = ToolCallMsg("c", "c", "function", "double", '{"to": "ada@example.org"}')
    window = [
        Message("user", "Write."),
        Message("assistant", None, tool_calls=[called]),
        Message("tool", "Done.", tool_call_id="c"),
        Message("user", "Again."),
    ]
    model = SpokenModel(rounds=[["No."]])
    await Asking("create_agent", model).hear(window)
    assert model.asked[0][2].tool_calls[0]["args"] == {"to": "[REDACTED_EMAIL]"}


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
