"""Times that Postgres and Python can both write, in any zone."""

from datetime import UTC, date, datetime
from typing import TypeVar

Day = TypeVar("Day", bound=date)  # a datetime is one too


def within_calendar(value: Day) -> Day:
    """The ends of the calendar are left out: there a time of one zone is none in another."""
    if not 1900 <= value.year < 9000:
        raise ValueError("the year is between 1900 and 8999")
    return value


def can_be_written(value: Day) -> Day:
    """The same of what is stored already, which may be earlier than anybody enters: "for 200 years", a day before."""
    if not 1000 <= value.year < 9100:
        raise ValueError("the year is between 1000 and 9099")
    return value


def utc_iso(moment: datetime) -> str:
    """As clients and documents are told it, whatever the zone of the database."""
    return moment.astimezone(UTC).isoformat()
