"""What is over or called off, said by other words than those in which it was told."""

from dataclasses import replace

import pytest

from chatServer.memory.facts import arrived, called_off, facts_in, over
from chatServer.memory.facts.corrections import speaks_of_old
from tests.tools.telling import SAID_AT, told


def texts(text: str, before: str) -> list[str]:
    return [fact.text for fact in facts_in(text, said_at=SAID_AT, held=told(before))]


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("I live in Rome", "I moved away from Rome", ["The user no longer lives in Rome."]),
        ("I live in Rome", "We've just moved out of Rome.", ["The user no longer lives in Rome."]),
        (
            "I study law at Yale",
            "I graduated last week!",
            ["The user no longer studies law.", "The user no longer studies at Yale."],
        ),
        (
            "I study law at Yale",
            "dropped my bike. I dropped out of Yale.",
            ["The user no longer studies law.", "The user no longer studies at Yale."],
        ),
        ("I'm a student", "I've finished uni", ["The user is no longer a student."]),
        ("I play tennis", "I gave up tennis last year", ["The user no longer plays tennis."]),
        ("I run every morning", "I stopped running", ["The user does not go running."]),
        ("I do yoga twice a week", "I quit yoga last month", ["The user does not do yoga."]),
        ("I take metformin", "my doctor took me off metformin", ["The user does not take metformin."]),
        ("I take metformin", "I'm off metformin now", ["The user does not take metformin."]),
        ("I'm engaged to Tom", "we broke off the engagement", ["The user is no longer engaged to Tom."]),
        ("I'm engaged", "I've just called off our engagement.", ["The user is no longer engaged."]),
        (
            "My fiancée is called Anna",
            "Sadly, we ended our engagement last week",
            ["The user no longer has a fiancée called Anna."],
        ),
    ],
)
def test_what_is_over_may_be_said_by_another_word(before, text, now):
    assert texts(text, before) == now
    assert texts(text, "I like tea") == [], "of what was not told"
    ends = facts_in(text, said_at=SAID_AT, held=told(before))
    assert {fact.key for fact in ends} == {fact.key for fact in told(before)}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Rome", "we moved out of Milan"),
        ("I live in Rome", "my sister moved away from Rome"),
        ("I study law at Yale", "I graduated from Harvard"),
        ("I study law at Yale", "my brother graduated last week"),
        ("I'm retired", "I graduated last week"),
        ("I play tennis", "I gave up"),
        ("I play tennis", "I nearly gave up tennis"),
        ("I play tennis", "I stopped playing tennis because it rained"),
        ("I run every morning", "I stopped running because it got dark"),
        ("My sister plays tennis", "I gave up tennis"),
        ("I'm engaged to Tom", "my sister broke off her engagement"),
        ("I'm engaged to Tom", "we never broke off the engagement"),
        ("I'm engaged to Tom", "we called off the meeting"),
        ("I'm married to Tom", "we broke off the engagement"),
        ("My sister is engaged to Tom", "we broke off the engagement"),
        ("I take metformin", "I'm off sugar"),
        ("I take metformin", "I'm off to work"),
    ],
)
def test_what_was_not_told_is_not_over(before, text):
    assert texts(text, before) == []


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("My exam is on Friday", "my exam was cancelled", "The user's exam was to be on 2026-11-20"),
        (
            "My exam is on Friday",
            "The exam got cancelled because Mr Lee is ill",
            "The user's exam was to be on 2026-11-20",
        ),
        ("My exam is on Friday", "I had to cancel my exam", "The user's exam was to be on 2026-11-20"),
        (
            "I have a dentist appointment on Friday",
            "they've cancelled the appointment",
            "The user was to have a dentist appointment on 2026-11-20",
        ),
        ("My wedding is in May 2027", "we called the wedding off :(", "The user's wedding was to be in May 2027"),
        ("My wedding is in May 2027", "the wedding is off", "The user's wedding was to be in May 2027"),
        (
            "I'm flying to Rome on 12 December",
            "we're not flying to Rome after all",
            "The user was to have a flight to Rome on 2026-12-12",
        ),
    ],
)
def test_what_is_called_off_was_to_be(before, text, now):
    (was,) = facts_in(text, said_at=SAID_AT, held=told(before))
    assert (was.text, was.valid_to) == (f"{now}, which was called off.", SAID_AT)
    assert was.key == told(before)[0].key
    assert texts(text, "I like tea") == []
    assert speaks_of_old(text)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("My exam is on Friday", "my exam was not cancelled"),
        ("My exam is on Friday", "was my exam cancelled?"),
        ("My exam is on Friday", "my subscription was cancelled"),
        ("My exam was on 12 May", "my exam was cancelled"),
        ("I'm flying to Rome on 12 December. My flight to Oslo is on 14 December", "my flight was cancelled"),
        ("I'm flying to Rome on 12 December", "we're not flying to Oslo after all"),
    ],
)
def test_what_is_not_called_off_is_ahead_still(before, text):
    assert texts(text, before) == []


EXPECTING = "my wife is pregnant. my wife is expecting in March"
BORN = ["The user's wife is no longer pregnant.", "The user's baby was due in March 2027."]


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        ("I'm pregnant", "we had our baby yesterday!", ["The user is no longer pregnant."]),
        ("I'm pregnant", "I had a miscarriage.", ["The user is no longer pregnant."]),
        (EXPECTING, "Our daughter was born last night", BORN),
        (EXPECTING, "My wife had a miscarriage last week", BORN),
        (EXPECTING, "We lost the baby.", BORN),
        (EXPECTING, "my sister had a miscarriage", []),
        ("My sister is pregnant", "my sister had her baby", ["The user's sister is no longer pregnant."]),
        ("My sister is pregnant", "we had our baby", []),
        ("I like tea", "we had our baby yesterday", []),
    ],
)
def test_a_child_that_was_expected_is_so_no_longer(before, text, now):
    assert texts(text, before) == now
    assert called_off.words_told_before(text) == ["baby", "pregnant"]


def test_what_may_be_over_is_looked_for_by_the_words_that_memories_have():
    assert over.words_told_before("I graduated last week") == ["studies", "student"]
    assert over.words_told_before("we broke off the engagement") == ["engaged", "fiancé", "fiancée"]
    assert over.speaks_of_it("I gave up tennis")
    assert not over.speaks_of_it("I play tennis")
    assert not called_off.speaks_of_it("my exam is on Friday")
    assert over.words_told_before("I gave up tennis") == called_off.words_told_before("I like tea") == []


@pytest.mark.parametrize(
    ("before", "text", "was"),
    [
        ("I'm moving to Oslo", "I live in Oslo", "The user was moving to Oslo."),
        ("I'm moving to Oslo", "I've just moved to Oslo!", "The user was moving to Oslo."),
        ("I'm moving to Oslo next Friday", "We moved to Oslo", "The user was moving to Oslo on 2026-11-20."),
        (
            "I'm moving to Oslo next Friday",
            "I'm no longer moving to Oslo",
            "The user was moving to Oslo on 2026-11-20.",
        ),
        ("I'm moving to Oslo", "I rent a flat in Oslo now", "The user was moving to Oslo."),
        ("I'm moving to Oslo", "I have lived in Oslo since May", "The user was moving to Oslo."),
        ("I'm moving to Oslo", "I reside in Oslo", "The user was moving to Oslo."),
        ("I'm moving to Oslo", "I've been in Oslo since 2026", "The user was moving to Oslo."),
        ("My parents are moving to Oslo", "My parents live in Oslo", "The user's parents were moving to Oslo."),
        ("I'm moving to Oslo", "I moved to Bergen", None),
        ("I'm moving to Oslo", "My sister lives in Oslo", None),
        ("I'm moving to Oslo", "I lived in Oslo", None),
        ("I'm moving to Oslo", "I don't live in Oslo", None),
        ("I'm moving to Oslo", "I'm moving to Oslo next Friday", None),
    ],
)
def test_who_lives_where_he_was_moving_to_is_moving_there_no_longer(before, text, was):
    said = facts_in(text, said_at=SAID_AT, held=told(before))
    over = [fact for fact in said if fact.predicate == "is moving to" and fact.valid_to]
    assert [fact.text for fact in over if not fact.is_negation] == ([was] if was else [])
    assert {fact.key for fact in over if not fact.is_negation} <= {fact.key for fact in told(before)}
    assert arrived.words_told_before(text) == ["moving"] or not was
    assert arrived.words_told_before("I like tea") == []


def test_a_move_without_a_key_is_not_remembered_once_more():
    before = [replace(fact, key=None) for fact in told("I'm moving to Oslo")]
    assert [fact.text for fact in facts_in("I live in Oslo", said_at=SAID_AT, held=before)] == [
        "The user lives in Oslo."
    ]
