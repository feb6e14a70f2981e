"""What the user had, and says in other words that he has no longer."""

import pytest

from chatServer.memory.facts import facts_in
from chatServer.memory.facts.corrections import speaks_of_old
from tests.tools.steps import steps_of
from tests.tools.telling import SAID_AT, told


def held(before: str, text: str) -> list[str]:
    return [fact.text for fact in facts_in(text, said_at=SAID_AT, held=told(before))]


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        (
            "I work at Greggs.",
            "quit Greggs, now I work in a warehouse",
            ["The user no longer works at Greggs.", "The user works in a warehouse."],
        ),
        (
            "I work at Greggs.",
            "I've just left Greggs and now I work at Bosch.",
            ["The user no longer works at Greggs.", "The user works at Bosch."],
        ),
        ("I work at Greggs.", "I stopped working at Greggs last month", ["The user no longer works at Greggs."]),
        ("I work at Greggs.", "got fired from Greggs", ["The user no longer works at Greggs."]),
        (
            "I drive a Volvo.",
            "sold the Volvo and bought a Fiat",
            ["The user no longer drives a Volvo.", "The user drives a Fiat."],
        ),
        (
            "I drive a Volvo.",
            "Sold the Volvo in June, got a Fiat now",
            ["The user no longer drives a Volvo.", "The user drives a Fiat."],
        ),
        ("I drive a Volvo.", "I sold the Volvo and got a bike", ["The user no longer drives a Volvo."]),
        ("I drive a Golf.", "We sold the Golf", ["The user no longer drives a Golf."]),
        ("I drive a Volvo V60.", "we sold our Volvo yesterday", ["The user no longer drives a Volvo V60."]),
        ("I drive a Volvo.", "I sold my car", ["The user no longer drives a Volvo."]),
        ("I work at the library.", "I quit the library", ["The user no longer works at the library."]),
        ("I study biology.", "Actually no, I switched to chemistry last term", ["The user studies chemistry."]),
        ("I study biology.", "I changed majors from biology to film", ["The user studies film."]),
        (
            "My boss is Karen.",
            "Karen left, my new boss is Dmitri",
            ["The user has a boss called Dmitri.", "The user no longer has a boss called Karen."],
        ),
        (
            "My girlfriend is called Eva.",
            "my new girlfriend's name is Ana",
            ["The user has a girlfriend called Ana.", "The user no longer has a girlfriend called Eva."],
        ),
    ],
)
def test_what_was_told_of_ends_by_another_word(before, text, now):
    assert held(before, text) == now
    assert speaks_of_old(text)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I work at Apple.", "I quit Apple Music"),
        ("I work at Apple.", "I left the Apple at home"),
        ("I work at Greggs.", "I left Greggs early"),
        ("I work at Greggs.", "I almost quit Greggs"),
        ("I work at Greggs.", "I want to quit Greggs"),
        ("I work at Greggs.", "I did not quit Greggs"),
        ("I work at Greggs.", "Tom quit Greggs"),
        ("My sister works at Greggs.", "I quit Greggs"),
        ("I live in Rome.", "I left Rome"),
        ("I drive a Volvo.", "I sold my bike"),
        ("I drive a Volvo.", "I sold a car"),
        ("I drive a Volvo.", "I sold the car of my father"),
        ("I work at Greggs.", "We quit Greggs"),
        ("I work at the library.", "I left the library"),
        ("I study biology.", "I switched to Linux"),
        ("I study biology.", "I switched from maths to history"),
        ("My boss is Karen.", "my new boss is great"),
        ("My dog is called Rex.", "I sold Rex"),
    ],
)
def test_what_may_mean_something_else_ends_nothing(before, text):
    assert held(before, text) == []


def test_a_new_dog_and_the_same_boss_end_nothing():
    assert held("My dog is called Rex.", "my new dog is called Max") == ["The user has a dog called Max."]
    assert held("My boss is Karen.", "my new boss is Karen") == ["The user has a boss called Karen."]


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("I stopped learning Spanish, I'm learning Polish now", ["no longer learns Spanish", "learns Polish"]),
        ("I gave up playing the piano because my hands hurt", ["no longer plays piano"]),
        ("I stopped playing chess at midnight", []),
        ("I stopped studying late at night", []),
        ("I stopped speaking English at home", []),
        ("I stopped playing when it rained", []),
    ],
)
def test_what_somebody_stopped_doing_he_does_no_longer(text, now):
    assert [fact.text for fact in told(text)] == [f"The user {each}." for each in now]


@pytest.mark.parametrize("junk", ["quit a ", "sold the my ", "my new boss is ", "left, and now i "])
def test_junk_takes_no_time(junk):
    text = (junk * 1_000)[:4_000]
    assert steps_of(lambda: facts_in(text, said_at=SAID_AT, held=told("I work at Greggs."))) < 700_000
    assert steps_of(lambda: speaks_of_old(text)) < 700_000
