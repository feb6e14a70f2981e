"""The order of the rules, what each adds, and what follows from a category."""

import time
from datetime import UTC, datetime

import pytest

from chatServer.memory import rules
from chatServer.memory.remember.classify import classify

SAID = [
    ("The build failed with an error in the Python module", "error_pattern", "episode", 0.8),
    ("It crashed again, and I have no idea why", "error_pattern", "episode", 0.8),
    ("The login page does not work on my phone", "error_pattern", "episode", 0.8),
    ("I fixed the bug in the function", "error_pattern", "episode", 0.8),
    ("The function parses the query of the endpoint", "code_context", "concept", 0.7),
    ("```\nx = 1\n```", "code_context", "concept", 0.7),
    ("def add(a, b):", "code_context", "concept", 0.7),
    ("I prefer this function to that one", "code_context", "concept", 0.7),
    ("I solved it by turning the router off and on", "solution", "procedure", 0.8),
    ("The workaround that I prefer is to wait a minute", "solution", "procedure", 0.8),
    ("I prefer short answers in plain words", "user_preference", "fact", 0.6),
    ("I don't like long meetings", "user_preference", "fact", 0.6),
    ("My favorite colour is green", "user_preference", "fact", 0.6),
    ("The capital of France is Paris", "knowledge", "fact", 0.5),
    ("I would like a table for two at eight", "knowledge", "fact", 0.5),
    ("", "knowledge", "fact", 0.5),
]


@pytest.mark.parametrize(("text", "category", "kind", "importance"), SAID)
def test_the_first_rule_that_holds_decides(text, category, kind, importance):
    found = classify(text)
    assert (found.category, found.kind, found.importance) == (category, kind, importance)
    assert found.tags[0] == category


def test_tool_calls_count_only_when_the_words_say_nothing():
    assert classify("The capital is Paris", has_tool_calls=True).category == "task_history"
    assert classify("The capital is Paris", has_tool_calls=True).kind == "episode"
    assert classify("The capital is Paris", has_tool_calls=True).importance == 0.6
    assert classify("I prefer Paris", has_tool_calls=True).category == "user_preference"


def test_only_the_users_own_text_makes_a_procedure():
    assert rules.kind_of("solution") == "procedure"
    assert rules.kind_of("solution", is_own_text=False) == "episode"
    assert rules.kind_of("knowledge", is_own_text=False) == "fact"


def test_tags_name_technologies_and_telling_words():
    tags = classify("Postgres with Docker: the migration of the invoices, then the invoices again").tags
    assert tags == ("knowledge", "postgres", "docker", "invoices", "migration", "again")


def test_tags_are_bounded_and_hold_no_monsters():
    tags = classify(
        "python docker redis rust java kafka " + "x" * 60 + " " + " ".join(f"w{'o' * n}" for n in range(40))
    ).tags
    assert len(tags) <= 8
    assert all(len(tag) <= 32 for tag in tags)


def test_every_category_has_a_kind_and_an_increment():
    assert rules.INCREMENT.keys() == rules._KINDS.keys()
    assert all(0.5 <= rules.importance_of(category) <= 1.0 for category in rules.INCREMENT)


@pytest.mark.parametrize(("importance", "tier"), [(0.5, "short"), (0.69, "short"), (0.7, "long"), (1.0, "long")])
def test_what_matters_begins_in_the_long_tier(importance, tier):
    assert rules.tier_of(importance) == tier


TOLD_AT, EARLIER, LATER = (datetime(2026, 11, day, tzinfo=UTC) for day in (15, 1, 30))


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "begins"),
    [
        (None, None, TOLD_AT),
        (EARLIER, None, EARLIER),
        (LATER, None, LATER),
        (None, EARLIER, EARLIER),  # "I lived in Rome": over before it was told
        (None, LATER, TOLD_AT),
        (EARLIER, LATER, EARLIER),
    ],
)
def test_a_memory_holds_since_it_was_said_unless_it_tells_otherwise(valid_from, valid_to, begins):
    assert rules.begin_of(TOLD_AT, valid_from, valid_to) == begins


def test_junk_is_classified_quickly():
    began = time.process_time()
    for junk in ("{" * 100_000, "def " * 25_000, "w(" * 50_000, " " * 100_000, "~~~" * 33_000, "</a" * 33_000):
        classify(junk)
    assert time.process_time() - began < 1
