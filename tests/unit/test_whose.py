"""What a model says of the user is read as he would say it himself."""

import pytest

from chatServer.memory.forget.whose import facts_told


@pytest.mark.parametrize(
    ("said", "what", "is_negation"),
    [
        ("The user does not have a sister called Hanna.", "Hanna", True),
        ("The user has a sister called Hanna.", "Hanna", False),
        ("The user studies chemistry.", "chemistry", False),
        ("that the user lives in Berlin", "Berlin", False),
    ],
)
def test_whether_it_denies_something_is_read_too(said, what, is_negation):
    assert [(each.object, each.is_negation) for each in facts_told(said)] == [(what, is_negation)]
