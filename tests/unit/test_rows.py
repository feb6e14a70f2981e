"""Rows of messages as they are read, and what is kept in mind of them."""

import json
import tracemalloc
from uuid import UUID

import pytest

from chatServer.messages import rows

FIRST, SECOND = UUID("0198c0de-0000-7000-8000-000000000001"), UUID("0198c0de-0000-7000-8000-000000000002")


def row_of(text: str) -> str:
    return json.dumps({"type": "human", "data": {"content": text}})


@pytest.fixture(autouse=True)
def nothing_in_mind():
    rows.forget_rows()
    yield
    rows.forget_rows()


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """Which rows were taken apart."""
    found, message_of = [], rows.message_of

    def noted(row, message_id=None):
        found.append(row)
        return message_of(row, message_id)

    monkeypatch.setattr(rows, "message_of", noted)
    return found


def test_a_row_that_is_read_again_is_not_taken_apart_again(read):
    assert rows.read_row(row_of("hello"), FIRST) == rows.read_row(row_of("hello"), FIRST)
    assert len(read) == 1


def test_a_row_that_was_changed_is_read_anew(read):
    rows.read_row(row_of("I live in Ghent"), FIRST)
    message, _ = rows.read_row(row_of("I live in Graz"), FIRST)
    assert message.content == "I live in Graz"


def test_the_same_words_of_two_messages_are_two_messages():
    first, _ = rows.read_row(row_of("hello"), FIRST)
    second, _ = rows.read_row(row_of("hello"), SECOND)
    assert (first.message_id, second.message_id) == (str(FIRST), str(SECOND))


def test_a_long_row_is_not_kept_in_mind(read):
    for _ in range(2):
        rows.read_row(row_of("x" * rows.SHORT), FIRST)
    assert len(read) == 2


@pytest.mark.parametrize("text", ["a", "é", "я", "😀", '"', "\\"])
@pytest.mark.parametrize("beside", [{}, {"a": [{}] * 340}, {"a": [0.5] * 200}, {"b": {str(i): i for i in range(120)}}])
def test_what_is_kept_in_mind_has_a_bound_whatever_the_rows_say(text, beside):
    data = {"content": text * 1_400, "response_metadata": beside}
    while len(row := json.dumps({"type": "ai", "data": data}, ensure_ascii=False)) > rows.SHORT:
        data["content"] = data["content"][:-10]
    tracemalloc.start()
    try:
        for number in range(200):
            rows.read_row(row[:1] + row[1:], UUID(int=FIRST.int + number))
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept / 200 < rows.LIGHT_BYTES + 500


def test_what_was_forgotten_is_read_anew(read):
    rows.read_row(row_of("hello"), FIRST)
    rows.forget_rows()
    rows.read_row(row_of("hello"), FIRST)
    assert len(read) == 2


def test_a_row_that_is_no_message_is_told_of_each_process_once_and_shown_each_time(caplog):
    for _ in range(2):
        message, is_readable = rows.read_row('{"type": 7}', FIRST)
        assert (message.content, is_readable) == ('(not a message: {"type": 7})', False)
    assert len(caplog.records) == 1
