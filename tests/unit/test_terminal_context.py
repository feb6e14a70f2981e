"""How the parts of a prompt are drawn."""

from chatServer.terminal.context import bars, marks
from chatServer.turn.explain import Part
from chatServer.turn.triggers import Trigger

PARTS = [
    Part("system", 1_000, "in", "The agent's own."),
    Part("notes", 0, "out", "None."),
    Part("history", 500, "shortened", "Half."),
    Part("question", 1, "in", "A word."),
    Part("reserve", 4_096, "in", "Kept."),
    Part("room", 100_000, "in", "Left."),
]


def test_the_largest_of_what_is_sent_has_the_whole_bar_and_little_is_still_seen():
    assert bars(PARTS) == [
        "system      1,000  ████████████████████████  The agent's own.",
        "notes           0                            None.",
        "history       500  ████████████              Half.",
        "question        1  ▏                         A word.",
        "reserve     4,096  ███████████████████████▶  Kept.",
        "room      100,000  ███████████████████████▶  Left.",
    ]


def test_every_mark_is_told_and_whether_it_is_reached():
    told = [
        Trigger("every_five", "messages", 5, 6, would_fire=True),
        Trigger("mark_after_turn", "tokens", 3_200, 3_500, would_fire=False, why_not="memory is off"),
        Trigger("mark_before_model", "tokens", 3_400, 100, would_fire=False, why_not="memory is off"),
        Trigger("larger_model", "tokens", 4_000, 5_000, would_fire=False),
        Trigger("context_too_large", "tokens", 4_000, 100, would_fire=False),
    ]
    assert marks(told) == [
        "▶ After the answer a summary is made from 5 messages on: it would happen now, with 6.",
        "  After the answer a summary is made above 3,200 tokens that were said: it would not happen now, with 3,500,"
        " for memory is off.",
        "  Before the model is asked a summary is made above 3,400 tokens that were said: it would not happen now,"
        " with 100.",
        "  The larger model is asked when the prompt and its answer need more than 4,000 tokens: it would not happen"
        " now, with 5,000.",
        "  The message is refused when the prompt and its answer need more than 4,000 tokens: it would not happen now,"
        " with 100.",
    ]
