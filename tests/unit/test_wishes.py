"""What a message plainly wishes is read by sixty patterns, and by one that knows whether any of them fits."""

import pytest

from chatServer.agent import wishes

SAID = [
    "Remember that I like tea.",
    "Please remember: the key is under the mat",
    "Forget my address",
    "Hello!",
    "Thanks a lot",
    "Vergiss alles über mich",
    "Merk dir, dass ich Tee mag",
    "Забудь всё обо мне",
    "Запомни: я живу в Риге",
    "ok",
    "merci",
    "Olvida todo lo que sabes de mí",
    "Note que je pars demain",
    "Quels documents as-tu ?",
    "What is the weather like?",
    "The garden in the north needs water, and I go away.",
    "",
    "remembering is hard",
    "I forget things",
]


@pytest.mark.parametrize("text", SAID)
def test_the_one_pattern_fits_where_one_of_the_others_does(text):
    said = " ".join(text.split())
    assert bool(wishes._ANY.match(said)) == any(pattern.match(said) for *_, pattern in wishes._PATTERNS)


def test_the_one_pattern_keeps_nothing_so_that_no_group_of_it_is_counted():
    assert wishes._ANY.groups == 0


def test_some_of_what_was_tried_wishes_something_and_some_does_not():
    assert {wishes.wish_in(text) is None for text in SAID} == {True, False}
