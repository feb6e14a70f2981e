"""JSON as rows keep it and streams tell it, whoever writes it."""

import json
import math

import pytest

from chatServer.messages.as_json import as_json
from chatServer.messages.clean import MAX_DEPTH


def written(value) -> str:
    return as_json(value).decode()


@pytest.mark.parametrize(
    "value",
    [{"a": [1, -(2**63), 2**63 - 1, 1.5, True, None]}, 'ж 漢 🙂 \u2028 \x01 "\\', {"é": {}}, [], 2**70, (1, 2)],
)
def test_what_is_written_is_read_back_with_its_letters_as_they_are(value):
    assert json.loads(written(value)) == (list(value) if isinstance(value, tuple) else value)
    assert "\\u0436" not in written(value)


def test_a_number_that_json_does_not_have_is_null():
    assert written([math.nan, math.inf, -math.inf]) == "[null,null,null]"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 20, 500])
def test_what_is_nested_deeply_is_written_too(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    assert json.loads(written(value)) == value


@pytest.mark.parametrize("value", ["\ud800", object()], ids=["a surrogate", "no JSON"])
def test_what_cannot_be_stored_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        as_json(value)
