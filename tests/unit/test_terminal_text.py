"""What never reaches a terminal, of whatever anybody wrote, and how a table lines up."""

import pytest

from chatServer.terminal import screen
from chatServer.terminal.text import plain, table


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\x1b[2Jb", "a[2Jb"),  # clears the screen
        ("\x1b]0;title\x07", "]0;title"),  # names the window
        ("a\x9b31mb", "a31mb"),  # the same as ESC [ in one character
        ("safe\rrm -rf", "saferm -rf"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("a\x08\x7f\x00b", "ab"),
        ("a\u202eb\u2066c", "abc"),
        ("a\u200eb\u200fc\u061cd", "abcd"),
        ("one\u2028line\u2029only\x85", "onelineonly"),
        ("half \ud83d", "half "),
        ("family 👨\u200d👩\u200d👧 zero\u200bwidth", "family 👨\u200d👩\u200d👧 zero\u200bwidth"),
        ("naïve 日本 👩\u200d🚀 non\u00a0breaking", "naïve 日本 👩\u200d🚀 non\u00a0breaking"),
    ],
)
def test_a_text_cannot_move_the_cursor(text, left):
    assert plain(text) == left


def test_every_command_shows_a_text_alike():
    assert screen.plain is plain


def test_a_table_lines_up():
    assert table(("A", "B"), [("long one", None), ("x", 5)]).splitlines() == ["A         B", "long one", "x         5"]
    assert table(("A", "B"), [("a\tb\nc", 1)]).splitlines() == ["A      B", "a b c  1"]
