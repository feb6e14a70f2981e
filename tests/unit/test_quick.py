"""Records that are made quickly are what they were, in all that can be seen of them."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from chatServer.records.quick import changed, quick


@quick
@dataclass(frozen=True, slots=True)
class Quick:
    first: int
    second: str = "two"
    third: list[int] = field(default_factory=list, hash=False)


def test_a_quick_record_takes_what_it_is_given_by_place_and_by_name():
    assert (Quick(1, third=[3]).first, Quick(1, third=[3]).third, Quick(1).second) == (1, [3], "two")
    with pytest.raises(TypeError, match="first"):
        Quick()  # type: ignore[call-arg]


def test_a_quick_record_is_equal_hashed_and_changed_like_any_other():
    assert Quick(1) == Quick(1) != Quick(2)
    assert hash(Quick(1)) == hash(Quick(1, third=[3]))
    assert replace(Quick(1), second="2") == changed(Quick(1), second="2") == Quick(1, "2")


def test_what_is_made_for_each_record_is_its_own():
    assert Quick(1).third is not Quick(1).third


def test_a_quick_record_is_frozen():
    with pytest.raises(FrozenInstanceError):
        Quick(1).first = 2  # type: ignore[misc]


def test_a_record_is_of_its_own_class_and_keeps_to_its_slots():
    class More(Quick):
        __slots__ = ()

    for kind in (Quick, More):
        made = kind(1)
        assert type(made) is kind
        with pytest.raises(AttributeError):
            object.__setattr__(made, "other", 1)
    with pytest.raises(TypeError, match="other"):
        changed(Quick(1), other=1)


def test_a_field_that_is_no_plain_one_is_refused():
    with pytest.raises(TypeError, match=r"Odd\.only"):

        @quick
        @dataclass(frozen=True, slots=True)
        class Odd:
            only: int = field(kw_only=True)
