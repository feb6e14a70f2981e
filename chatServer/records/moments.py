"""Times that Postgres and Python can both write, in any zone."""

from datetime import UTC, date, datetime
from typing import TypeVar

Day = TypeVar("Day", bound=date)  # a datetime is one too


def within_calendar(value: Day) -> Day:
    """The ends of the calendar are left out: there a time of one zone is none in another."""
    if not 1900 <= value.year < 9000:
        raise ValueError("the year is between 1900 and 8999")
    return value


def utc_iso(moment: datetime) -> str:
    """As clients and documents are told it, whatever the zone of the database."""
    return moment.astimezone(UTC).isoformat()
