"""Text that Postgres refuses is repaired, and search sees words only."""

import json
import math
import re
import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatServer.messages import clean_json, clean_text, searchable

any_text = st.text(st.characters(exclude_categories=()))
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text | st.binary() | st.datetimes(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(any_text | st.integers(), inner),
)


def entries(value):
    if isinstance(value, dict):
        return len(value) + sum(entries(item) for item in value.values())
    return sum(entries(item) for item in value) if isinstance(value, list | tuple) else 0


def test_nul_and_lone_surrogates_become_the_replacement_character():
    assert clean_text("a\0b\ud83dc\udc00d") == "a\ufffdb\ufffdc\ufffdd"


def test_surrogates_that_form_a_pair_become_their_character():
    assert clean_text("\ud83d\ude00") == "\U0001f600"


def test_clean_text_is_the_same_text():
    text = "Grüße, \U0001f600 and 漢字\n"
    assert clean_text(text) is text


@given(any_text)
def test_cleaned_text_always_fits_postgres(text):
    cleaned = clean_text(text)
    assert "\0" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert clean_text(cleaned) == cleaned


@given(any_json)
def test_cleaned_json_always_fits_jsonb_and_loses_no_entry(value):
    cleaned = clean_json(value)
    assert orjson.loads(orjson.dumps(cleaned)) == cleaned
    assert "\\u0000" not in json.dumps(cleaned, allow_nan=False)
    assert entries(cleaned) == entries(value)
    assert clean_json(cleaned) == cleaned


def test_keys_that_collide_after_cleaning_keep_both_entries():
    keys = ("a\0", "a\ufffd", "a\ud800")
    assert clean_json(dict.fromkeys(keys, 1)) == {"a\ufffd": 1, "a\ufffd_1": 1, "a\ufffd_2": 1}
    assert clean_json({1: "number", "1": "text"}) == {"1": "number", "1_1": "text"}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_know_become_null(number):
    assert clean_json({"a": [number, 1.5]}) == {"a": [None, 1.5]}


def test_an_integer_of_more_than_64_bits_becomes_its_digits():
    assert clean_json([2**63 - 1, -(2**63), 2**70]) == [2**63 - 1, -(2**63), str(2**70)]


def test_a_value_that_cannot_even_be_printed_does_not_raise():
    class Broken:
        def __str__(self):
            raise RuntimeError

    assert clean_json({"a": Broken()}) == {"a": "\ufffd"}


def test_a_value_deeper_than_json_writers_go_is_cut():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    orjson.dumps(clean_json(deep))


def test_searchable_folds_case_width_and_ligatures():
    assert searchable("Straße ﬁnden, ＡＢＣ! It's snake_case.") == "strasse finden abc it s snake_case"


@pytest.mark.parametrize(
    "text", ["It's snake_case, 2 OF 3!\t\n\x1c\x7f end", "DATA:image/png;base64,AAAA= then", "a" * 300, "b" * 70 + " c"]
)
def test_searchable_reads_plain_text_as_it_reads_any_other(text):
    assert searchable(f"{text} é") == f"{searchable(text)} é".strip()


def test_searchable_makes_each_han_and_kana_character_a_word():
    assert searchable("漢字かなカナ・abc한국어") == "漢 字 か な カ ナ abc한국어"


def test_searchable_keeps_the_vowel_signs_of_hindi_words():
    assert searchable("हिन्दी।") == "हिन्दी"


def test_searchable_leaves_data_uris_out():
    assert searchable("see ![x](data:image/png;base64,iVBORw0KGgo=) here") == "see x here"
    assert searchable("before DATA:text/plain,hello after") == "before after"


def test_searchable_leaves_long_base64_out_and_cuts_long_words():
    assert searchable(f"a {'QUJD' * 64}== b {'x' * 255} c") == f"a b {'x' * 64} c"


def test_searchable_ends_after_100_kb_that_are_not_base64():
    text = "data:image/png;base64," + "A" * 500_000 + " " + "é1 " * 100_000
    words = searchable(text)
    assert words.startswith("é1")
    assert 99_000 <= len(words.encode()) <= 100_000


def test_searchable_stays_below_what_a_tsvector_takes_even_when_folding_expands():
    assert len(searchable("\ufdfa" * 100_000).encode()) < 200_000


def test_searchable_takes_linear_time_on_nearly_base64_runs():
    text = ("A" * 255 + " ") * 8_000
    start = time.process_time()
    searchable(text)
    assert time.process_time() - start < 2


@given(any_text)
def test_searchable_is_words_and_single_spaces_and_stable(text):
    words = searchable(text)
    assert not re.search(r"^ |  | $|\0", words)
    assert clean_text(words) == words
    assert searchable(words) == words


def test_ten_thousand_marks_on_a_letter_and_as_many_colliding_keys_are_no_work():
    """Counted in steps, not seconds: both grew with the square of their input."""
    assert len(searchable("a" + "\u0301" * 25_000 + "\u0327" * 25_000)) < 100
    keys = {chr(0xD800 + n // 50) + chr(0xD900 + n % 50): n for n in range(2_000)}
    assert sorted(clean_json(keys).values()) == list(range(2_000))
    assert max(len(key) for key in clean_json(keys)) < 10
