"""What a recalled line says of where it is from, and of whether it still holds."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from chatServer.memory.recall.label import is_over, label_of
from chatServer.records import Recalled, Source

SAID_AT = datetime(2026, 11, 17, 12, tzinfo=UTC)
LINE = Recalled(
    item_id=UUID(int=1), text="I live in Graz.", what="message", role="user", speaker=None, kind=None, category=None,
    score=0.5, parts={}, said_at=SAID_AT, valid_to=None, source=Source(None, None, None), trust="user",
)  # fmt: skip


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        (datetime(2026, 11, 20, tzinfo=UTC), "until 2026-11-20"),
        (datetime(2026, 11, 17, tzinfo=UTC), "until 2026-11-17"),
        (datetime(2026, 10, 1, tzinfo=UTC), "no longer so"),
    ],
)
def test_nothing_ends_before_the_day_on_which_it_was_said(ended, says):
    over, changed = label_of(replace(LINE, valid_to=ended)), label_of(replace(LINE, changed_at=ended))
    assert over == f"the user said, 2026-11-17, {says}"
    assert changed == f"the user said, 2026-11-17, in part {says}"
    titled = label_of(replace(LINE, source=Source(None, None, "Why, no longer so, until 2020")))
    later = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert [is_over(each, later) for each in (over, changed, label_of(LINE), titled)] == [True, False, False, False]


def test_an_appointment_holds_until_its_day_is_over():
    ends, nameless = datetime(2026, 11, 20, tzinfo=UTC), Source(None, None, "")
    for coming in (replace(LINE, valid_to=ends), replace(LINE, valid_to=ends, source=nameless)):
        assert not is_over(label_of(coming), datetime(2026, 11, 19, 23, tzinfo=UTC))
        assert is_over(label_of(coming), ends)
