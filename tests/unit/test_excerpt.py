"""What is shown of a message in which something was found."""

import pytest

from chatServer.conversation.excerpt import CUT, LENGTH, excerpt

FAR = "one two three " * 50


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("I am allergic\n\nto  peanuts.", ["peanut"], "I am allergic to peanuts."),
        ("An appeal, then a pea", ["pea"], "An appeal, then a pea"),
        ("Nothing of it", ["straße"], "Nothing of it"),
        ("(a+)+ [b", ["b"], "(a+)+ [b"),
        ("", ["b"], ""),
    ],
)
def test_a_short_message_is_shown_whole_and_on_one_line(text, words, shown):
    assert excerpt(text, words) == shown


@pytest.mark.parametrize("word", ["peanuts", "PEANUTS", "pean"])
def test_a_long_message_is_shown_from_a_little_before_the_first_word(word):
    shown = excerpt(f"{FAR} some Peanuts then {FAR}", ["absent", word])
    assert shown.startswith(CUT)
    assert shown.endswith(CUT)
    assert len(shown) <= LENGTH + 2
    before, _, after = shown.partition("Peanuts")
    assert 10 < len(before) < 60
    assert after
    assert before.split()[0].strip(CUT) in ("one", "two", "three"), "no word is cut in its middle"


def test_a_beginning_of_a_word_comes_before_what_is_inside_of_one():
    assert "the pea soup" in excerpt(f"an appeal {FAR} the pea soup", ["pea"])


def test_what_is_written_without_spaces_is_found_inside():
    shown = excerpt("字" * 500 + "火山" + "字" * 500, ["火", "山"])
    assert "火山" in shown
    assert len(shown) <= LENGTH + 2


def test_what_was_found_stays_in_sight_behind_a_long_word():
    assert "needle" in excerpt("x" * 1_000 + " needle", ["needle"])
    assert "needle" in excerpt("a " + "x" * 1_000 + ".needle", ["needle"])
