"""Which sentence of a message is kept beside its facts, if any."""

import time

import pytest

from chatServer.memory.remember.worth import worth_keeping


@pytest.mark.parametrize(
    ("text", "kept", "category"),
    [
        ("Remember that the spare key is under the pot.", "the spare key is under the pot.", "knowledge"),
        ("Please don't forget that the plumber comes at nine.", "the plumber comes at nine.", "knowledge"),
        ("Hi!\nnote: our rent is due on Mondays", "our rent is due on Mondays", "knowledge"),
        ("From now on answer in German", "From now on answer in German", "user_preference"),
        (
            "I solved the leak in my kitchen with a new washer. Great, right?",
            "I solved the leak in my kitchen with a new washer.",
            "solution",
        ),
        (
            "My code lives in a repository on the old server. My importer crashed with a timeout after the update.",
            "My importer crashed with a timeout after the update.",
            "error_pattern",
        ),
        ("My repository keeps its schema in one file.", "My repository keeps its schema in one file.", "code_context"),
    ],
)
def test_what_is_worth_it(text, kept, category):
    found = worth_keeping(text)
    assert (found.text, found.rules.category) == (kept, category)


@pytest.mark.parametrize(
    "text",
    [
        "remember me?",
        "Do you remember that song about the moon?",
        "Always?",
        "I always forget how this works, can you always explain it?",
        "I want you to remember nothing of the code, please.",
        "I need a fix for the error in my code today.",
        "Could you refactor my function so that it is async?",
        "I have a bug.",  # nothing that tells
        "I wrote a function yesterday for fun and profit.",  # of whose code?
        'He said: "I hate the error that my code throws every morning".',
        "Imagine that I hate every error that my code throws at me.",
        "```python\nraise ValueError('I failed badly in my code today')\n```",
    ],
)
def test_what_is_not(text):
    assert worth_keeping(text) is None


def test_what_is_kept_as_a_fact_is_not_kept_twice():
    text = "Remember that I live in Berlin."
    assert worth_keeping(text, {text}) is None


@pytest.mark.parametrize("junk", ["remember that " * 8_000, "I " * 50_000, "always " * 15_000, "my error " * 11_000])
def test_junk_costs_little(junk):
    began = time.process_time()
    worth_keeping(junk)
    assert time.process_time() - began < 1
