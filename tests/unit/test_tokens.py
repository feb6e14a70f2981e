"""Counts are tiktoken's, offline, for whatever text; long texts take time in proportion."""

import gzip
import hashlib
import inspect
import random
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from chatServer.conversation import tokens
from chatServer.conversation.tokens import count_message, count_once, count_system, count_text, count_tools, shortened
from chatServer.messages import AgentCallMsg, Message, ToolCallMsg, from_langchain
from chatServer.messages.langchain import AIMessage

# Read off tiktoken 0.14.0 with OpenAI's own file of this hash. The first five are in OpenAI's cookbook too.
TABLE = [
    ("tiktoken is great!", 6),
    ("antidisestablishmentarianism", 6),
    ("2 + 2 = 4", 7),
    ("お誕生日おめでとう", 9),
    ("", 0),
    ("hello world", 2),
    ("hello\n\nworld\n", 4),
    ("def fib(n: int) -> int:\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n", 31),
    ("SELECT id, message FROM chat_message_history WHERE user_id = $1 ORDER BY id DESC LIMIT 20;", 22),
    ('{"a": [1, 2, {"b": null}]}', 15),
    ("Съешь же ещё этих мягких французских булок, да выпей чаю.", 36),
    ("我喜欢在下雨天喝一杯热茶，然后看一本好书。", 29),
    ("안녕하세요, 만나서 반갑습니다!", 14),
    ("مرحبا بالعالم", 10),
    ("नमस्ते दुनिया", 13),
    ("😀👩‍👩‍👧‍👦🇩🇪👍🏽", 32),
    ("Don't we'll they'RE I'd", 8),
    ("1234567890 3.14159", 9),
    ("<|endoftext|> is <|im_start|>text here", 15),
    (" " * 100, 2),
    ("\t\t\n \r\n x", 3),
    ("e\u0301\u0327 \u017f \u212a \ufb01 \u2167 \u00bd", 15),
    ("a" * 1000, 125),
    (bytes(range(256)).decode("latin-1"), 235),
    ("lone \ud800 surrogate", 4),
]
COOKBOOK = [
    ("user", None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
    ("system", "example_user", "New synergies will help drive top-line growth."),
    ("system", "example_assistant", "Things working well together will increase revenue."),
    (
        "system",
        "example_user",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
]
COOKBOOK_SYSTEM = "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."
WEATHER = {
    "name": "get_current_weather",
    "description": "Get the current weather in a given location",
    "parameters": {
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "unit": {
                "type": "string",
                "description": "The unit of temperature to return",
                "enum": ["celsius", "fahrenheit"],
            },
        },
        "required": ["location"],
    },
}


def test_the_vocabulary_and_the_pattern_are_openais():
    """tiktoken refuses a file with another hash than the one in its source."""
    source = inspect.getsource(openai_public.cl100k_base)
    [expected] = re.findall(r'expected_hash="([0-9a-f]{64})"', source)
    assert hashlib.sha256(gzip.decompress(tokens.VOCABULARY.read_bytes())).hexdigest() == expected
    assert f'"""{tokens.PATTERN}"""' in source


@pytest.mark.parametrize(("text", "count"), TABLE, ids=range(len(TABLE)))
def test_a_text_counts_as_tiktoken_counts_it(text, count):
    assert count_text(text) == count


def test_a_prompt_counts_as_openais_api_counted_it():
    """The example of the cookbook: 129 prompt tokens, said the API for gpt-4."""
    messages = [Message(role=role, name=name, content=content) for role, name, content in COOKBOOK]
    assert count_system(COOKBOOK_SYSTEM) + sum(count_message(each) for each in messages) == 129


def test_tools_count_at_least_what_openais_api_counted():
    """The other example of the cookbook: 105 prompt tokens. JSON is longer than what OpenAI makes of it."""
    system = "You are a helpful assistant that can answer to questions about the weather."
    question = Message(role="user", content="What's the weather like in San Francisco?")
    counted = count_system(system) + count_message(question) + count_tools([WEATHER])
    assert 105 <= counted <= 105 * 1.5
    assert count_tools([]) == 0
    assert count_tools([WEATHER, WEATHER]) > count_tools([WEATHER]) * 1.8


def test_a_message_counts_what_the_model_is_sent_and_nothing_else():
    plain = count_message(Message(role="assistant", content="ok"))
    call = ToolCallMsg(id="c1", call_id="c1", type="function", name="look_up", arguments='{"q": "a long question"}')
    asked = count_message(Message(role="assistant", content="ok", tool_calls=[call]))
    assert asked == plain + tokens.PER_MESSAGE + count_text(call.name) + count_text(call.arguments)
    to_agent = Message(role="assistant", content="ok", agent_calls=[AgentCallMsg("coder", {"task": "write it"})])
    assert count_message(to_agent) > plain + count_text("write it")
    wrapped = Message(role="tool", content={"tool_call_id": "c1", "output": "hello world"})
    assert count_message(wrapped) == tokens.PER_MESSAGE + tokens.PER_ROLE + 2
    thought = [{"type": "reasoning", "reasoning": "hm " * 500}, {"type": "text", "text": "ok"}]
    assert count_message(from_langchain(AIMessage(thought))) == plain
    assert count_message(Message(role="user")) == tokens.PER_MESSAGE + tokens.PER_ROLE


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300))
@settings(max_examples=500, deadline=None)
def test_no_text_is_too_odd_to_be_counted(text: str):
    assert 0 <= count_text(text) <= 4 * len(text)
    assert bool(text) == bool(count_text(text))
    assert count_text(shortened(text, 10)) <= 10
    assert text.startswith(shortened(text, 10))


WORDS = st.text(st.sampled_from("abzÄßжщ字かſK"), min_size=1, max_size=12)
BETWEEN = st.text(st.sampled_from(" \n\r\t'’.,-_1½²😀\u0301\u00a0s"), min_size=1, max_size=8)


@given(st.lists(st.tuples(WORDS, BETWEEN), min_size=10, max_size=60))
@settings(max_examples=300, deadline=None)
def test_the_pieces_of_a_text_count_as_the_whole(found: list[tuple[str, str]]):
    text = "".join(word + between for word, between in found)
    whole = count_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "PIECE_CHARS", 40)
        patch.setattr(tokens, "SEARCH_CHARS", 38)
        assert len(list(tokens._pieces(text))) > 1 or len(text) <= 40
        assert count_text(text) == whole


def test_a_long_text_counts_as_tiktoken_counts_it_whole():
    pick = random.Random(5)
    words = [text for text, _ in TABLE if text and "\ud800" not in text]
    text = " ".join(pick.choice(words) for _ in range(6_000))
    assert len(text) > 4 * tokens.PIECE_CHARS
    assert count_text(text) == len(tokens._encoding().encode_ordinary(text))


# Worst cases ---------------------------------------------------------------------------------------------


def growth(count: Callable[[str], object], unit: str, end: str = "") -> float:
    """How much more CPU a text of a million characters takes than one of a hundred thousand."""

    def cpu_s(chars: int) -> float:
        text = (unit * (chars // len(unit) + 1))[:chars] + end
        start = time.process_time()
        count(text)
        return time.process_time() - start

    count("warm")
    pairs = [(cpu_s(100_000), cpu_s(1_000_000)) for _ in range(2)]
    return min(large for _, large in pairs) / max(0.001, min(small for small, _ in pairs))


HARD = [("a", ""), (" ", ""), (" ", "x"), ("\n", ""), ("\u0301", ""), ("!", ""), ("字", ""), ("😀", ""), (" \n", "x")]


@pytest.mark.parametrize(("unit", "end"), HARD)
def test_a_megabyte_of_one_letter_takes_time_in_proportion(unit, end):
    assert growth(count_text, unit, end) < 30


def test_the_worst_case_test_finds_a_square():
    assert growth(lambda text: [text[start:] for start in range(0, len(text), 1_000)], "a") > 30


def test_a_megabyte_without_words_is_off_by_a_few_tokens_at_most():
    assert count_text("a" * 1_000_000) == pytest.approx(125_000, abs=16)
    assert count_text(" " * 1_000_000 + "x") == pytest.approx(7_814, abs=32)


def test_a_text_is_shortened_to_what_was_asked():
    text = "The whole result of a tool. " * 500
    assert shortened(text, 10**9) == text
    assert shortened(text, 0) == shortened(text, -5) == ""
    for limit in (1, 50, 999):
        assert limit * 0.8 - 1 <= count_text(shortened(text, limit)) <= limit


def test_a_text_that_comes_again_is_counted_once_and_not_kept(monkeypatch):
    line, counted = "- (the user said, 2026-11-16) My dog is called Rex", []
    monkeypatch.setattr(tokens, "_counts", {})
    monkeypatch.setattr(tokens, "count_text", lambda text: counted.append(text) or count_text(text))
    assert [count_once(line) for _ in range(3)] == [count_text(line)] * 3
    assert counted == [line]
    assert all(len(key) == 16 for key in tokens._counts)
