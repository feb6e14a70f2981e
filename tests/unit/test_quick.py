"""Records that are made quickly are what frozen dataclasses are; that nobody changes one is for mypy to see."""

from dataclasses import field, replace

import mypy.api
import pytest

from chatServer.records import quick as quick_file
from chatServer.records.quick import quick


@quick
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
    assert replace(Quick(1), second="2") == Quick(1, "2")


def test_what_is_made_for_each_record_is_its_own():
    assert Quick(1).third is not Quick(1).third


def test_a_quick_record_keeps_to_its_slots():
    with pytest.raises(AttributeError):
        Quick(1).other = 1  # type: ignore[attr-defined]


CHANGED = """
from chatServer.records.quick import quick

@quick
class Quick:
    first: int

quick_one = Quick(first=1)
print(quick_one.first)
quick_one.first = 2
"""


def test_mypy_refuses_to_change_one(tmp_path):
    (tmp_path / "changed.py").write_text(CHANGED)
    alone = ("--follow-imports=skip", f"--cache-dir={tmp_path}", "--config-file=")
    said, _, _ = mypy.api.run([*alone, str(tmp_path / "changed.py"), quick_file.__file__])
    [error, _summary] = said.splitlines()
    assert error.endswith(': error: Property "first" defined in "Quick" is read-only  [misc]')
