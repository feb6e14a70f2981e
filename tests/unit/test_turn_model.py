"""The plain model of a turn takes a block of memories for what it may be, and for nothing else."""

import pytest

from tests.tools.turn_model import CLOSING, OPENING, SUMMARY_CLOSING, SUMMARY_OPENING, begin, with_memories
from tests.tools.world import WINDOWS, Thread, World

SAID = "- (the user said, 2026-11-15, in “Pears”) apple pie"


def recital(memory: str = "on"):
    world = World()
    here, there, off = Thread("a", "assistant", memory=memory), Thread("b", "coder"), Thread("c", "assistant")
    world.threads += [here, there, off]
    begin(world, here, "apple pie", own_body=None)
    begin(world, there, "said to the coder", own_body=None)
    begin(world, off, "said in private", own_body=None)
    off.memory = "off"
    return begin(world, here, "recite", own_body=None)


def heard(turn, *lines: str) -> str:
    before, _, question = turn.texts[0].rpartition("\n")
    return f"{before}\n{OPENING}" + "\n".join(lines) + f"{CLOSING}\n{question}"


def test_what_was_said_in_reach_may_be_quoted():
    turn = recital()
    text = heard(turn, SAID, "- (the assistant said, 2026-11-15) You said: apple pie")
    with_memories(turn, text)
    assert turn.texts == [text]


@pytest.mark.parametrize(
    ("memory", "line"),
    [
        ("on", SAID.replace("apple", "peach")),
        ("on", SAID.replace("apple pie", "said to the coder")),
        ("on", SAID.replace("apple pie", "said in private")),
        ("on", SAID.replace("the user said", "somebody said")),
        ("on", "apple pie"),
        ("on", ""),
        ("off", SAID),
    ],
)
def test_nothing_else_may(memory, line):
    turn = recital(memory)
    with pytest.raises(AssertionError):
        with_memories(turn, heard(turn, SAID, line) if memory == "on" else heard(turn, line))


def test_the_rest_is_what_it_was():
    turn = recital()
    with pytest.raises(AssertionError):
        with_memories(turn, heard(turn, SAID) + " more")


def summarised(turn, *lines: str) -> str:
    before, _, messages = turn.texts[0].partition("---\n")
    return f"{before}---\n{SUMMARY_OPENING}" + "\n".join(lines) + f"{SUMMARY_CLOSING}{messages}"


def long_recital():
    world = World()
    thread = Thread("a", "assistant")
    world.threads.append(thread)
    for _ in range(WINDOWS["assistant"]):
        begin(world, thread, "apple pie", own_body=None)
    return begin(world, thread, "recite", own_body=None)


def test_a_summary_has_the_words_of_its_thread_and_stands_only_where_the_window_is_full():
    turn = long_recital()
    text = summarised(turn, "- User: apple pie", "- Assistant: You said: apple pie")
    with_memories(turn, text)
    assert turn.texts == [text]
    for other, line in (
        (long_recital(), "- User: peach pie"),
        (long_recital(), "apple pie"),
        (recital(), "- User: pie"),
    ):
        with pytest.raises(AssertionError):
            with_memories(other, summarised(other, line))
