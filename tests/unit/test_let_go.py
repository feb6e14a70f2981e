"""What a conversation has had forgotten is neither quoted from it nor summed up."""

import time
from datetime import UTC, datetime

import pytest

from chatServer.agent.let_go import FORGET_TOOL, Spoken, still_told
from chatServer.agent.summary.compact import compact
from chatServer.messages import Message
from chatServer.records import StoredMessage, Summary

LISBON = Spoken("user", "I live in Lisbon")
TEA = Spoken("user", "I like tea")
WISH = Spoken("user", "Please forget that I live in Lisbon")
DONE = Spoken("assistant", "Forgotten: I live in Lisbon")


def told(*spoken: Spoken) -> list[bool]:
    """Of each whether all of it may still be told."""
    return [left == each.text for left, each in zip(still_told("", spoken)[1], spoken, strict=True)]


def left(*spoken: Spoken) -> list[str]:
    return still_told("", spoken)[1]


def tool(*lines: str) -> Spoken:
    return Spoken("tool", "\n".join(["Forgotten:", *(f"- {line}" for line in lines)]), FORGET_TOOL)


def test_what_was_said_before_the_wish_is_gone_and_what_is_said_after_it_is_not():
    assert told(LISBON, TEA) == [True, True]
    assert told(LISBON, TEA, WISH, DONE, LISBON) == [False, True, True, True, True]
    assert told(LISBON, Spoken("assistant", "Noted: you live in Lisbon"), WISH, DONE)[:2] == [False, False]


def test_a_wish_that_nothing_came_of_and_what_is_true_of_others_leave_all_as_it_is():
    assert told(LISBON, WISH, Spoken("assistant", "I find nothing like that.")) == [True, True, True]
    tests, later = Spoken("user", "Anna owns the tests"), Spoken("user", "Forget the tests for now")
    assert told(tests, later, Spoken("assistant", "All right.")) == [True, True, True]
    assert told(Spoken("user", "My sister lives in Lisbon"), LISBON, WISH, DONE)[:2] == [True, False]


def test_of_a_paragraph_only_the_sentences_go_that_say_it():
    summary = "The user lives in Lisbon and likes it. He decided on Python 3.12."
    assert still_told(summary, [WISH, DONE])[0] == "He decided on Python 3.12."
    both = Spoken("user", "I live in Lisbon. I like tea!")
    assert left(both, WISH, DONE)[0] == "I like tea!"
    apart = Spoken("user", "My home is a flat. Where I live is called Lisbon.")
    wish = Spoken("user", "forget my flat in Lisbon")
    assert left(apart, wish, Spoken("assistant", "Forgotten: my flat"))[0] == ""


def test_what_stands_far_down_goes_and_so_does_what_nobody_reads():
    long = Spoken("user", f"{'The fence is old. ' * 500}I live in Lisbon. The roof is new.")
    assert left(long, WISH, DONE)[0] == f"{'The fence is old. ' * 500}The roof is new."
    longer = Spoken("user", f"{'The fence of Lisbon is old. ' * 5_000}I live in Lisbon.")
    assert "live" not in left(longer, WISH, DONE)[0]
    assert left(longer, WISH, DONE)[0].startswith("The fence of Lisbon is old. The")


@pytest.mark.parametrize("what", ["it", "that", "what I said", "I live in Porto", "everything"])
def test_who_names_nothing_that_was_said_has_nothing_left_out(what):
    assert told(LISBON, Spoken("user", f"forget {what}"), Spoken("assistant", "Forgotten: it")) == [True, True, True]


def test_what_the_tool_names_is_gone_and_what_it_refuses_is_not():
    named = "Forgotten:\n- The user lives in Lisbon.\nThe user can undo that, under these ids: 1"
    asking = Spoken("user", "I would rather have you not know my home")
    assert told(LISBON, TEA, asking, Spoken("tool", named, FORGET_TOOL)) == [False, True, True, True]
    assert told(LISBON, TEA, asking, Spoken("tool", named, "other")) == [True, True, True, True]
    refused = Spoken("tool", "More than 10 memories say that.", FORGET_TOOL, is_error=True)
    assert told(LISBON, WISH, refused) == [True, True, True]
    long = f"Said in chats:\n- “I live in Lisbon in a house {'x' * 50}…”"
    said = Spoken("user", f"I live in Lisbon in a house {'x' * 60}")
    assert told(said, Spoken("tool", long, FORGET_TOOL)) == [False, True]


def test_a_summary_loses_the_lines_that_said_it():
    summary = "- User: I live in Lisbon\n- Assistant: Noted: you live in Lisbon\n- User: I like tea"
    assert still_told(summary, [WISH, DONE]) == ("- User: I like tea", [WISH.text, DONE.text])
    wished = f"- User: {WISH.text}\n- Assistant: {DONE.text}"
    assert still_told(f"{summary}\n{wished}", [LISBON]) == (f"- User: I like tea\n{wished}", [LISBON.text])


def test_what_the_tool_names_is_gone_of_whom_it_is_said():
    sister, home = Spoken("user", "My sister lives in Lisbon"), tool("The user lives in Lisbon.")
    assert told(sister, LISBON, WISH, home)[:2] == [True, False]
    assert told(sister, LISBON, Spoken("user", "forget where she is"), tool("The user's sister lives in Lisbon."))[
        :2
    ] == [
        False,
        True,
    ]


def test_of_a_message_that_has_a_forgotten_word_the_other_sentences_stay():
    recipe = Spoken("assistant", "Here is a vegan lasagne. Soak the lentils. Bake it for an hour.")
    assert left(recipe, tool("The user is vegan."))[0] == "Soak the lentils. Bake it for an hour."


@pytest.mark.parametrize("line", ["a" * 1_000_000, "a…" * 300_000, " " * 1_000_000, "“" * 500_000])
def test_junk_of_another_writer_takes_no_time(line):
    many = Spoken("tool", f"- {line}\n" + "- a\n" * 300_000, FORGET_TOOL)
    spaces = f"{' ' * 65_000}\n- User: I like tea"
    text, kept = still_told(spaces, [LISBON, many, many])
    assert text.endswith("I like tea")
    assert kept == [LISBON.text, many.text, many.text]


async def test_a_new_summary_is_made_of_the_rest():
    odd = [Spoken("user", f"My number {each} is odd") for each in range(4)]
    messages = [
        StoredMessage(place, None, datetime.now(UTC), Message(role=each.role, content=each.text), importance=0.9)
        for place, each in enumerate([LISBON, TEA, WISH, DONE, *odd])
    ]
    before = Summary("- User: My flat in Lisbon is where I live\n\nWord for word:\n> user: I live in Lisbon", 0, 1, 9)
    made = await compact(before, messages)
    assert made is not None
    assert "tea" in made.text
    assert "> user: I live in Lisbon" not in made.text
    assert "My flat" not in made.text


def test_forged_rows_and_summaries_take_no_time():
    """They took 200 s, 4 s and 1 s of CPU before they were bounded, here 0.7 s together."""
    texts = [Spoken("user", "w0 a. " * 115_000)] * 7
    rows = [tool(*(f"w0{row} x{line}" for line in range(20))) for row in range(300)]
    lines = (f"- user: forget zeb{each:x}\n- assistant: Forgotten:" for each in range(1_400))
    long = [tool(*["my sister lives in Oslo and " * 70] * 20)] * 9
    began = time.thread_time()
    still_told("", [*texts, *rows])
    still_told("\n".join(lines), [])
    still_told("", [Spoken("user", "I live in Oslo. " * 60_000), *long])
    assert time.thread_time() - began < 5


def test_of_very_much_that_was_let_go_the_last_counts():
    gone = [tool(f"The user lives in Lisbon{each}.") for each in range(100)]
    first, last = Spoken("user", "I live in Lisbon0"), Spoken("user", "I live in Lisbon99")
    assert left(first, last, *gone)[:2] == [first.text, ""]


def test_what_is_too_much_to_read_is_not_told():
    long = [Spoken("user", "I live in Lisbon. I like tea. " * 1_600)] * 6
    told_of = left(TEA, *long, WISH, DONE)
    assert told_of[0] == TEA.text
    assert ["tea" in each for each in told_of[1:7]] == [False, False, True, True, True, True]
    assert not any("Lisbon" in each for each in told_of[:7])
