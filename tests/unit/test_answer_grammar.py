"""The checker of an answer's grammar finds what is wrong: each sequence here has one fault planted."""

import pytest

from chatServer.messages import Message, ToolCallMsg
from chatServer.records import Said, TurnEvent
from tests.tools.grammar import complaints

START, FINISH = TurnEvent("step-start"), TurnEvent("step-finish")
OPEN, WORD, CLOSE = TurnEvent("text-start", "t"), TurnEvent("text-delta", "t", "w"), TurnEvent("text-end", "t")
ASKED, TOLD = TurnEvent("tool-input", "c"), TurnEvent("tool-output", "c", value="r")
SPOKEN = Said(Message("assistant", "w"))
CALLED = Said(Message("assistant", tool_calls=[ToolCallMsg("c", "c", "function", "f", "{}")]))
HOW = {"duration_ms": 1, "success": True, "error": None}
RESULT = Said(Message("tool", "r", tool_call_id="c", structured_data=HOW))
TALK = [START, OPEN, WORD, CLOSE, SPOKEN, FINISH]
WORK = [START, ASKED, CALLED, TOLD, RESULT, FINISH]


def test_a_good_sequence_has_no_complaint():
    assert complaints([*WORK, *TALK]) == []
    assert complaints([START, OPEN, WORD], is_whole=False) == []


@pytest.mark.parametrize(
    "bad",
    [
        [START, OPEN, WORD, SPOKEN, FINISH],  # never closed
        [START, OPEN, CLOSE, WORD, SPOKEN, FINISH],
        [START, WORD, SPOKEN, FINISH],
        [START, OPEN, TurnEvent("reasoning-start", "r"), CLOSE, SPOKEN, FINISH],
        [START, OPEN, TurnEvent("text-delta", "other", "w"), CLOSE, SPOKEN, FINISH],
        [START, OPEN, TurnEvent("text-delta", "t"), CLOSE, SPOKEN, FINISH],
        [START, OPEN, WORD, CLOSE, OPEN, CLOSE, SPOKEN, FINISH],  # an id twice
        [START, SPOKEN, OPEN, WORD, CLOSE, FINISH],
        [START, OPEN, WORD, CLOSE, FINISH],  # nothing said
        [START, OPEN, WORD, CLOSE, SPOKEN],  # never finished
        [OPEN, WORD, CLOSE, SPOKEN],
        [START, START, SPOKEN, FINISH],
        [START, SPOKEN, SPOKEN, FINISH],
        [*TALK, *TALK],  # goes on after an answer
        [START, TOLD, CALLED, RESULT, FINISH],  # a result without its call
        [START, ASKED, TOLD, CALLED, RESULT, FINISH],
        [START, ASKED, CALLED, TOLD, FINISH],  # the message of the tool is missing
        [START, ASKED, CALLED, RESULT, FINISH],  # its event is missing
        [START, ASKED, CALLED, FINISH],
        [START, ASKED, SPOKEN, TOLD, RESULT, FINISH],  # the message does not have the call
        [START, ASKED, ASKED, CALLED, TOLD, RESULT, FINISH],
        [START, ASKED, CALLED, TOLD, Said(Message("tool", "r", tool_call_id="c")), FINISH],
        [*WORK[:-1], TOLD, FINISH],
        [START, OPEN, WORD, CLOSE, SPOKEN, TurnEvent("finish")],
    ],
)
def test_a_planted_fault_is_found(bad):
    assert complaints(bad) != []


def test_results_have_to_come_in_the_order_of_their_calls():
    calls = [ToolCallMsg(one, one, "function", "f", "{}") for one in "ab"]
    results = {one: Said(Message("tool", "r", tool_call_id=one, structured_data=HOW)) for one in "ab"}
    begun = [START, TurnEvent("tool-input", "a"), TurnEvent("tool-input", "b")]
    begun.append(Said(Message("assistant", tool_calls=calls)))

    def told(*order):
        return [one for call in order for one in (TurnEvent("tool-output", call, value="r"), results[call])]

    assert complaints([*begun, *told("a", "b"), FINISH]) == []
    assert complaints([*begun, *told("b", "a"), FINISH]) != []
