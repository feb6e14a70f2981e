"""A stack: what articles are found by, and when it is loaded anew."""

import time
import uuid
from dataclasses import replace

import numpy as np
import pytest

from chatServer.knowledge.stack import MAX_AGE_LACKING_S, MAX_AGE_S, Stack, stack_of
from chatServer.store.retrieval import Packed

HEAD = np.zeros(2, ">f2").tobytes()


def of_one_chunk(vector: list[float] | None, size: int) -> Stack:
    article_id = uuid.uuid4()
    number = np.array([1], ">i4").tobytes()
    none = np.array([0], ">i4").tobytes()
    vectors = b"" if vector is None else HEAD + np.array(vector, ">f2").tobytes()
    packed = Packed(1, article_id.bytes, none, number, none if vector is None else number, vectors, none, b"")
    return stack_of({article_id: "now"}, packed, size)


@pytest.mark.parametrize(
    ("vector", "size", "is_lacking"),
    [(None, 2, True), ([0.6, 0.8], 2, False), ([0.0, 0.0], 2, False), (None, 0, False)],
)
def test_only_a_vector_that_may_still_be_made_is_waited_for(vector, size, is_lacking):
    stack = of_one_chunk(vector, size)
    later = replace(stack, loaded_at=time.monotonic() - MAX_AGE_LACKING_S - 1)
    assert (later.is_old, stack.is_old) == (is_lacking, False)
    assert replace(stack, loaded_at=time.monotonic() - MAX_AGE_S - 1).is_old


def test_both_in_one_lack_what_either_lacks():
    complete, lacking = of_one_chunk([0.6, 0.8], 2), of_one_chunk(None, 2)
    assert complete.joined(lacking).lacks_vectors
    assert lacking.joined(complete).lacks_vectors
    assert not complete.joined(complete).lacks_vectors


@pytest.mark.parametrize("word", [0, 1, 2**31, 2**32 - 1])
def test_every_word_is_found_the_last_number_too(word):
    count, none = np.array([1], ">i4").tobytes(), np.array([0], ">i4").tobytes()
    packed = Packed(1, uuid.uuid4().bytes, none, count, none, b"", count, np.array([word], ">u4").tobytes())
    stack = stack_of({}, packed, 0)
    seen = stack.seen(uuid.uuid4(), [word, (word + 1) % 2**32, (word - 1) % 2**32], None)
    assert list(seen.words) == [1]
