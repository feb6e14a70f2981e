"""Ids that we make are UUIDs like any other, which know what they look like."""

import copy
import pickle
from uuid import UUID

from chatServer.records import new_id


def test_an_id_is_the_uuid_that_it_looks_like():
    made = new_id()
    assert UUID(str(made)) == made == UUID(int=made.int)
    assert hash(made) == hash(UUID(str(made)))
    assert (made.version, f"{made}", made.hex) == (7, str(made), str(made).replace("-", ""))


def test_each_id_comes_after_those_before_it():
    made = [new_id() for _ in range(1_000)]
    assert made == sorted(set(made))


def test_a_copy_of_an_id_looks_the_same():
    made = new_id()
    assert {str(copy.copy(made)), str(copy.deepcopy(made)), str(pickle.loads(pickle.dumps(made)))} == {str(made)}
