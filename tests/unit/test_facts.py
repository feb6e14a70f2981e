"""What a user tells of himself becomes facts; what he asks, plays, quotes or pastes does not."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatServer.memory.rules import MAX_FACTS_PER_MESSAGE
from tests.tools.telling import told

HERE = Path(__file__).parent


def lines(name):
    read = [line for line in (HERE / name).read_text().splitlines() if line and not line.startswith("# ")]
    return [line.replace("\\n", "\n") for line in read]


TOLD = [tuple(line.split(" => ")) for line in lines("facts_told.txt")]
UNTOLD = lines("facts_untold.txt")


def shown(fact):
    parts = [fact.key or "-"]
    parts += ["not"] if fact.is_negation else []
    parts += [f"from {fact.valid_from:%Y-%m-%d}"] if fact.valid_from else []
    parts += [f"to {fact.valid_to:%Y-%m-%d}"] if fact.valid_to else []
    return f"{fact.text} [{'; '.join(parts)}]"


def test_the_tables_are_long_enough_to_mean_something():
    assert len(TOLD) >= 150
    assert len(UNTOLD) >= 150


@pytest.mark.parametrize(("text", "facts"), TOLD)
def test_what_is_told_is_a_fact(text, facts):
    assert " + ".join(shown(fact) for fact in told(text)) == facts


@pytest.mark.parametrize("text", UNTOLD)
def test_what_is_not_told_is_none(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "wordings",
    [
        [
            "I live in Berlin",
            "i'm living in berlin now",
            "My home is Berlin.",
            "I'm based in Berlin!",
            "I LIVE IN BERLIN",
        ],
        ["My name is Ada", "my name's ada", "Hi, I'm Ada.", "I am called Ada"],
        [
            "I love tea",
            "I like tea",
            "i really enjoy tea",
            "I'm a big fan of tea",
            "I've always loved tea",
            "I do like tea",
        ],
        ["I hate tea", "I don't like tea", "I can't stand tea", "I'm not a fan of tea", "I no longer like tea"],
        ["I work at Google", "I work for google", "I'm working at Google", "My employer is Google"],
        ["My favorite color is green", "green is my favourite colour", "my fav colour is green"],
        ["My birthday is March 3rd", "my birthday's on the 3rd of March", "I was born on 3 March"],
        ["I have two kids", "I've got 2 children"],
        ["I'm allergic to nuts", "I have a nut allergy", "im severely allergic to nuts"],
        ["My dog is called Rex", "I have a dog named Rex", "My dog's name is Rex"],
    ],
)
def test_the_same_in_other_words_is_the_same_fact(wordings):
    assert (
        len({(fact.text, fact.subject, fact.key, fact.object.lower()) for each in wordings for fact in told(each)}) == 1
    )
    assert all(len(told(each)) == 1 for each in wordings)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I love tea", "I don't like tea any more"),
        ("I'm allergic to peanuts", "I'm not allergic to peanuts"),
        ("I eat meat", "I stopped eating meat"),
        ("I live in Berlin", "I moved to Madrid"),
        ("I prefer tea to coffee", "I prefer coffee over tea"),
        ("I prefer dark mode", "I prefer light mode"),
        ("I have two cats", "I have no cats"),
        ("I'm married", "I got divorced"),
        ("My sister Anna lives in Rome", "my sister Anna lives in Oslo"),
        ("I love cities", "I hate cities"),
    ],
)
def test_facts_that_exclude_each_other_meet_under_one_key(first, second):
    one, other = told(first)[-1], told(second)[-1]
    assert one.key == other.key is not None
    assert one.text != other.text


def test_facts_that_hold_side_by_side_do_not_meet():
    pairs = [
        ("I love tea", "I love coffee"),
        ("I speak German", "I speak Dutch"),
        ("I prefer tea", "I prefer dark mode"),
        ("I'm vegan", "I'm gluten-free"),
        ("My sister is called Anna.", "My sister is called Eva."),
    ]
    for first, second in pairs:
        assert told(first)[0].key != told(second)[0].key


def test_a_fact_is_a_triple_with_the_sentence_that_it_stands_in():
    fact = told("Hello! I live in Berlin since 2021. What is new?")[0]
    assert (fact.subject, fact.predicate, fact.object) == ("user", "lives in", "Berlin")
    assert fact.valid_from == datetime(2021, 1, 1, tzinfo=UTC)
    assert fact.sentence == "I live in Berlin since 2021."
    home = told("My sister Anna lives in Rome")[1]
    assert (home.subject, home.predicate, home.object) == ("sister:anna", "lives in", "Rome")


def test_of_two_that_exclude_each_other_the_last_one_said_holds():
    assert [fact.object for fact in told("I live in Berlin. No, I live in Madrid.")] == ["Madrid"]
    assert [fact.object for fact in told("I used to live in Rome. I live in Madrid.")] == ["Rome", "Madrid"]


def test_a_flood_of_facts_is_cut():
    assert len(told(" ".join(f"I love tea{number}." for number in range(60)))) == MAX_FACTS_PER_MESSAGE


JUNK = [
    "I live in ", "I live in Berlin. ", "I am Ada, a ", "my sister Anna, ", "and I love ", "I like a, b and ",
    "i prefer to over to ", "I love tea and love tea and ", "'I ", "\"I my\" ",
    "I lived in Rome from 2010 to 2015 until ", "I, ", "I - ", "i am not i am no longer ", "is my favourite ",
    "my favourite my favourite is ", "i", "\n", "I\n", "no, actually, sorry, ", "A: I\n", "I in in in in 2019 ",
    "I live in " + "in 2019 " * 34 + ". ", "`", "> ", "\u0301", "I am " + "a b from " * 30 + ". ", "not a, ",
    "I have a dog called Rex and ", "I don't ", "@.I my email is a@",
    "My son Max is no longer a, he's ", "The exam is now on Monday not ", "Anna is ", "My cat Rex died of ",
    "8, not 7 ", "no, I meant Monday at 9 ", "My kids are Tom, Anna and ", "in my ",
    "no, sorry sorry ", "sorry, 13 13 13 13 ",
    "My flight to Rome leaves on Monday at ", "my exam starts begins ", "meeting with dave at 3 ", "meeting 3pm ",
    "I started at ", "I work at a small agency called ", "I work for a a a a a named ",
    "we have a dog called ", "we have a ", "I have a cat called minka and ",
    "I live in Graz with my wife and ", "I live in Graz together with my ", "I'm Pat, 34, ", "i live in leeds uk uk ",
]  # fmt: skip


@pytest.mark.parametrize("size", [4_000, 100_000])
def test_junk_takes_no_time(size):
    for piece in JUNK:
        text = (piece * (size // len(piece) + 1))[:size]
        began = time.process_time()
        told(text, told("I live in Berlin"))
        assert time.process_time() - began < 0.5, piece


# What a pattern that takes capitals for small letters takes for these, and what Python takes for digits; on Turkish
# keyboards an "ı" is where others have an "i".
ALIKE = str.maketrans({"i": "ı", "s": "ſ", "k": "\u212a", **dict.fromkeys("0123456789", "²")})


def test_letters_and_digits_that_are_taken_for_others_are_read_without_an_error():
    for text in [*(text for text, _ in TOLD), "I am five", "I'm diabetic", "I'm 2 months pregnant"]:
        told(text.translate(ALIKE))
    assert told("no, I meant ²", told("I'm 34")) == []


PIECES = re.findall(r"\S+\s*|\n", " ".join(text for text, _ in TOLD) + " ".join(UNTOLD))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30))
def test_any_text_is_read_without_an_error(pieces):
    for fact in told("".join(pieces), told("I live in Berlin")):
        assert fact.text.endswith(".")
        assert fact.object
        assert len(fact.text) < 200
