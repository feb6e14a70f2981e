"""A second job does not take the place of the first, where somebody says that he has both."""

import pytest

from chatServer.memory.facts import beside, facts_in
from tests.tools.telling import SAID_AT, told


def then(text, *before):
    held = []
    for each in before:
        held += facts_in(each, said_at=SAID_AT, held=held)
    return facts_in(text, said_at=SAID_AT, held=held), held


@pytest.mark.parametrize(
    ("before", "text", "second"),
    [
        ("I'm a nurse", "I'm also a teacher", "The user works as a teacher."),
        ("I'm a nurse", "I am a teacher as well", "The user works as a teacher."),
        ("I'm a nurse", "I work as a barista on the side", "The user works as a barista."),
        ("I work at Greggs", "I also work at Lidl", "The user works at Lidl."),
        ("My sister is a nurse", "My sister is also a teacher", "The user's sister works as a teacher."),
    ],
)
def test_a_second_job_holds_beside_the_first(before, text, second):
    [fact], [first] = then(text, before)
    assert fact.text == second
    assert fact.key == f"{first.key}:{fact.object.casefold()}"
    assert beside.words_told_before(text) == ["work"]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I'm a nurse", "I'm a teacher"),
        ("I'm a nurse", "I'm also a nurse"),
        ("My sister is a nurse", "I'm also a teacher"),
        ("I live in Rome", "I also live in Oslo"),  # of homes one holds
    ],
)
def test_what_is_no_second_job_keeps_its_key(before, text):
    found, _ = then(text, before)
    assert found
    assert not [fact for fact in found if ":" in fact.key]


def test_both_may_be_told_at_once():
    assert [fact.text for fact in told("I'm a nurse. I'm also a teacher.")] == [
        "The user works as a nurse.",
        "The user works as a teacher.",
    ]


@pytest.mark.parametrize("text", ["I'm no longer a teacher", "I don't work as a teacher any more"])
def test_a_second_job_ends_by_itself(text):
    assert beside.words_told_before(text) == ["work"]
    [over], held = then(text, "I'm a nurse", "I'm also a teacher")
    assert over.key == held[-1].key == "user|job:teacher"
    assert over.valid_to


def test_an_employer_that_was_left_is_the_one_that_is_named():
    [over], held = then("I quit Lidl", "I work at Greggs", "I also work at Lidl")
    assert (over.object, over.key) == ("Lidl", held[-1].key)
