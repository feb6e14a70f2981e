"""What of a conversation is shown, and what never reaches a terminal."""

import io

import pytest

from chatServer.records import TurnEvent
from chatServer.terminal.screen import SHOWN_OF_EARLIER, Screen
from chatServer.terminal.text import plain


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def said(*texts: str) -> list[TurnEvent]:
    events = [TurnEvent("step-start"), TurnEvent("text-start", id="t")]
    events += [TurnEvent("text-delta", id="t", text=text) for text in texts]
    return [*events, TurnEvent("text-end", id="t"), TurnEvent("step-finish")]


def noted(**change: object) -> TurnEvent:
    value = {"operation": "append", "version": 4, "previous_version": 3, "untrusted": False, **change}
    return TurnEvent("data", name="notes", value=value)


def shown(screen: Screen, *events: TurnEvent) -> None:
    screen.begin("assistant")
    for event in events:
        screen.show(event)


def test_nothing_of_an_event_reaches_the_terminal_raw():
    out = io.StringIO()
    evil = "x\x1b[2J\x9b\r\x07"
    screen = Screen(out, out, names_speakers=True)
    screen.begin(evil)
    for event in [*said(evil), TurnEvent("tool-input", name=evil), TurnEvent("tool-error", text=evil)]:
        screen.show(event)
    screen.show(noted(previous_version=evil))
    screen.sentence(evil)
    parts = [{"type": "text", "text": evil}, {"type": "dynamic-tool", "toolName": evil}]
    screen.show_earlier({"id": "1", "role": "assistant", "parts": parts, "metadata": {"state": evil}}, evil)
    assert out.getvalue().count("x[2J") == 10
    assert plain(out.getvalue()) == out.getvalue()


def test_an_answer_alone_goes_out_and_the_rest_beside_it():
    out, asides = io.StringIO(), io.StringIO()
    screen = Screen(out, asides, names_speakers=False)
    events = [*said("One ", "moment."), TurnEvent("tool-input", name="manage_long_term_memory"), noted()]
    shown(screen, TurnEvent("start"), *events, *said("Done."), TurnEvent("finish"))
    assert out.getvalue() == "One moment.\n\nDone.\n"
    assert asides.getvalue() == "· manage_long_term_memory\n· noted (undo: version 3)\n"


def test_an_answer_that_was_cut_short_says_so_now_and_later():
    out, asides = io.StringIO(), io.StringIO()
    screen = Screen(out, asides, names_speakers=False)
    cut = {"state": "done", "cut_short": "length"}
    shown(screen, *said("Once upon"), TurnEvent("finish", value=cut))
    parts = [{"type": "text", "text": "Once upon"}]
    screen.show_earlier({"id": "1", "role": "assistant", "parts": parts, "metadata": cut}, "assistant")
    assert out.getvalue() == 2 * "Once upon\n"
    assert asides.getvalue() == 2 * "· that is as long as one answer may be: ask for the rest\n"


def test_in_a_conversation_everything_has_its_line_and_its_speaker():
    out = io.StringIO()
    screen = Screen(out, out, names_speakers=True)
    shown(screen, *said("One moment."), TurnEvent("tool-input", name="look"), *said("It is "), TurnEvent("abort"))
    assert out.getvalue() == "assistant> One moment.\n· look\nIt is \n· stopped\n"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"operation": "delete_all_notes"}, "· forgotten (undo: version 3)\n"),
        ({"untrusted": True}, "· noted, after reading text from outside (undo: version 3)\n"),
    ],
)
def test_what_was_done_to_the_notes_is_said(change, line):
    out = io.StringIO()
    shown(Screen(out, out, names_speakers=True), noted(**change))
    assert out.getvalue() == line


def test_colours_are_for_terminals_whose_owner_likes_them(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def aside(stream: io.StringIO) -> str:
        Screen(stream, stream, names_speakers=True).aside("look")
        return stream.getvalue()

    assert aside(Tty()) == "\x1b[2m· look\x1b[0m\n"
    assert aside(io.StringIO()) == "· look\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert aside(Tty()) == "· look\n"


def test_what_was_said_before_is_shortened_and_says_how_it_ended():
    out = io.StringIO()
    screen = Screen(out, out, names_speakers=True)
    long = {"type": "text", "text": "a" * (SHOWN_OF_EARLIER + 1)}
    screen.show_earlier({"id": "1", "role": "user", "parts": [long, {"type": "file", "url": "data:"}]}, "coder")
    parts = [{"type": "step-start"}, {"type": "text", "text": "I was about"}]
    screen.show_earlier({"id": "2", "role": "assistant", "parts": parts, "metadata": {"state": "stopped"}}, "coder")
    expected = f"you> {'a' * SHOWN_OF_EARLIER} …\n· an image\ncoder> I was about\n· stopped\n"
    assert out.getvalue() == expected
