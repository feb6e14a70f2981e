"""The words that recall compares, and what it reads out of a question."""

import time
from datetime import UTC, datetime

import pytest

from chatServer.memory.ranking.question import read_question
from chatServer.messages import terms
from chatServer.messages.terms import (
    ASKS,
    MARKS,
    MAX_TERMS,
    OF_A_TIME,
    OF_ONESELF,
    hashed,
    packed_terms,
    stems_of,
    terms_of,
)

FLOOD = 3  # words that are kept in mind, where a test lets these be few

JUNK = [
    "\0" * 100_000,
    "a" * 100_000,
    "a " * 50_000,
    "?" * 100_000,
    "e\u0301" * 50_000,
    "漢" * 33_000,
    "\ud800" * 9_000,
    "x1y2 " * 20_000,
    "ß" * 100_000,
    "data:image/png;base64," + "A" * 99_000,
    "2023 " * 20_000,
    "İ" * 50_000,
]


def test_forms_of_a_word_are_one_term_and_words_of_grammar_are_none():
    assert words("She was running in the gardens") == words("RUN garden!")
    assert len(words("tea tea tea")) == 3, "repeats are kept"
    assert words("the and of") == []


def test_marks_say_what_a_text_is_like():
    assert ASKS in terms_of("Do you like tea?")
    assert ASKS not in terms_of("Tea? No.")
    assert OF_ONESELF in terms_of("My sister came")
    assert OF_A_TIME in terms_of("She left yesterday")
    assert OF_A_TIME in terms_of("in 2023")
    assert not set(MARKS) & set(terms_of("green tea"))


def test_terms_are_the_same_in_every_process_and_packed_little_endian():
    assert packed_terms("tea") == bytes.fromhex("b2d7868e")


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
def test_hostile_text_is_cut_in_bounded_time_and_space(text):
    started = time.process_time()
    assert len(terms_of(text)) <= MAX_TERMS + len(MARKS)
    read_question(text, ["mia"])
    assert time.process_time() - started < 1


def test_a_question_names_its_speakers_and_looks_for_the_other_words():
    read = read_question("What did Mia tell Ole about Mia's garden?", ["mia", "ole", "kim"])
    assert read.named == {"mia", "ole"}
    assert read.plain == "tell garden"
    assert set(read.terms) == set(words("tell garden"))


def test_a_question_of_nothing_but_grammar_still_has_a_meaning():
    assert read_question("Who are you?").plain == "who are you"


def test_a_question_says_whose_words_it_wants_and_whether_it_asks_for_a_time():
    assert read_question("What did you recommend for my resume?").asks_assistant
    assert not read_question("What did I tell you?").asks_assistant
    assert read_question("Can you summarize my project?").asks_all
    assert read_question("When did we meet?").asks_when
    assert not read_question("Which tea do I like?").asks_when


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What happened on 7 May 2023?", (2023, 5, 7), (2023, 5, 8)),
        ("on May 7th, 2023", (2023, 5, 7), (2023, 5, 8)),
        ("in July 2023", (2023, 7, 1), (2023, 8, 1)),
        ("in 2023", (2023, 1, 1), (2024, 1, 1)),
        ("on 2023-05-07", (2023, 5, 7), (2023, 5, 8)),
        ("on 31 February 2023", (2023, 2, 1), (2023, 3, 1)),
    ],
)
def test_a_question_that_names_a_date_means_its_days(text, first, last):
    expected = tuple(datetime(*day, tzinfo=UTC).timestamp() for day in (first, last))
    assert read_question(text).period == expected


def test_a_question_without_a_year_names_no_days():
    assert read_question("May I have 3 of the 40000 in march?").period is None


def words(text: str) -> list[int]:
    return [term for term in terms_of(text) if term not in MARKS]


def test_the_stems_of_a_chunk_are_each_there_once_and_fit_into_its_row():
    assert stems_of("The printers print, and the printer printed.") == ["printer", "print"]
    junk = " ".join(f"w{number}x" for number in range(5_000))
    assert 100 < len(stems_of(junk)) < 1_000
    assert sum(len(stem) + 4 for stem in stems_of(junk)) <= 4_000
    assert stems_of("") == stems_of("\0 \ud800") == []


def test_words_that_are_known_are_not_stemmed_again_and_mean_the_same(monkeypatch):
    terms.forget_words()
    asked: list[str] = []
    stemmed = terms._stemmed
    monkeypatch.setattr(terms, "_stemmed", lambda words: asked.extend(words) or stemmed(words))
    first = hashed(["running", "gardens"])
    assert hashed(["gardens", "running", "gardens"]) == [first[1], first[0], first[1]]
    assert asked == ["running", "gardens"]


def test_what_is_kept_of_words_is_bounded_and_can_be_forgotten(monkeypatch):
    terms.forget_words()
    monkeypatch.setattr(terms, "MAX_KNOWN", FLOOD)
    alone = [hashed([word])[0] for word in ("one1", "two2", "three3", "four4")]
    assert len(terms._known) <= FLOOD
    assert hashed(["four4", "three3", "two2", "one1"]) == alone[::-1], "those that were forgotten too"
    terms.forget_words()
    assert not terms._known
