"""Dates as people say them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from chatServer.memory.facts.dates import Span, date_in, day_in, when_in, without_time
from chatServer.memory.facts.when import WRITTEN

SAID_AT = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2021", "2021-01-01"),
        ("in 2021", "2021-01-01"),
        ("2020-02-29", "2020-02-29"),
        ("March 2020", "2020-03-01"),
        ("early March 2020", "2020-03-01"),
        ("the summer of 2019", "2019-06-01"),
        ("12 March 1990", "1990-03-12"),
        ("the 12th of March 1990", "1990-03-12"),
        ("March 12, 1990", "1990-03-12"),
        ("sept 3", "2026-09-03"),
        ("December", "2025-12-01"),
        ("today", "2026-11-15"),
        ("yesterday", "2026-11-14"),
        ("Friday", "2026-11-13"),
        ("last Friday", "2026-11-13"),
        ("last Sunday", "2026-11-08"),
        ("next Friday", "2026-11-20"),
        ("next Sunday", "2026-11-22"),
        ("next Monday", "2026-11-23"),
        ("this Sunday", "2026-11-15"),
        ("last week", "2026-11-02"),
        ("last month", "2026-10-01"),
        ("next year", "2027-01-01"),
        ("two years ago", "2024-11-15"),
        ("a week ago", "2026-11-08"),
        ("in 3 months", "2027-02-15"),
    ],
)
def test_a_date_is_read_against_the_day_on_which_it_was_said(said, day):
    assert f"{date_in(said, SAID_AT):%Y-%m-%d}" == day


@pytest.mark.parametrize(
    "said", ["", "soon", "Berlin", "31 February 2020", "2020-13-01", "12/03/1990", "next time", "99"]
)
def test_what_is_no_date_is_none(said):
    assert date_in(said, SAID_AT) is None


@pytest.mark.parametrize(
    "said", ["Friday 27 November", "on Fri, 27 Nov", "Friday the 27th of November", "friday nov 27", "Fri. 27 November"]
)
def test_a_day_may_be_named_beside_its_date(said):
    assert when_in(said, SAID_AT, is_ahead=True).what == "2026-11-27"


@pytest.mark.parametrize("said", ["Monday 27 November", "Friday in November", "Friday November", "Sunday 99"])
def test_a_day_that_is_not_on_its_date_is_none(said):
    assert when_in(said, SAID_AT, is_ahead=True) is None


def test_a_day_without_a_year_can_lie_ahead():
    assert when_in("3 December", SAID_AT, is_ahead=True).what == "2026-12-03"
    assert when_in("3 May", SAID_AT, is_ahead=True).what == "2027-05-03"
    assert when_in("Friday", SAID_AT, is_ahead=True).what == "2026-11-20"


@pytest.mark.parametrize(
    ("said", "when", "end"),
    [
        ("3 December", "on 2026-12-03", "2026-12-04"),
        ("tomorrow", "on 2026-11-16", "2026-11-17"),
        ("in two weeks", "on 2026-11-29", "2026-11-30"),
        ("this week", "in the week of 2026-11-09", "2026-11-16"),
        ("next month", "in December 2026", "2027-01-01"),
        ("in November", "in November 2026", "2026-12-01"),
        ("in October", "in October 2027", "2027-11-01"),
        ("in 3 months", "in February 2027", "2027-03-01"),
        ("spring 2027", "in spring 2027", "2027-06-01"),
        ("fall 2027", "in autumn 2027", "2027-12-01"),
        ("the winter of 2027", "in winter 2027", "2028-03-01"),
        ("next year", "in 2027", "2028-01-01"),
    ],
)
def test_who_names_no_day_is_not_taken_to_have_named_one(said, when, end):
    found = when_in(said, SAID_AT, is_ahead=True)
    assert (str(found), f"{found.end:%Y-%m-%d}") == (when, end)
    written = WRITTEN.search(f"an exam {found} at 9")
    assert written.group() == str(found)
    assert WRITTEN.fullmatch(found.what)["what"] == found.what


def test_months_end_where_they_end():
    assert f"{date_in('in 1 month', datetime(2027, 1, 31, tzinfo=UTC)):%Y-%m-%d}" == "2027-02-28"
    assert f"{date_in('a year ago', datetime(2028, 2, 29, tzinfo=UTC)):%Y-%m-%d}" == "2027-02-28"


def test_the_time_zone_of_the_speaker_is_kept():
    zone = timezone(timedelta(hours=9))
    assert date_in("2021", SAID_AT.astimezone(zone)) == datetime(2021, 1, 1, tzinfo=zone)


def test_a_birthday_has_a_day_and_maybe_a_year():
    assert str(day_in("the 3rd of March")) == "3 March"
    assert str(day_in("March 3, 1990")) == "3 March 1990"
    assert str(day_in("29 February")) == "29 February"
    assert day_in("March 1990") is day_in("31 June") is day_in("next week") is None


@pytest.mark.parametrize(
    ("said", "rest", "start", "end"),
    [
        ("Berlin since 2021", "Berlin", 2021, None),
        ("Berlin until 2019", "Berlin", None, 2019),
        ("Berlin, from 2010 to 2015", "Berlin", 2010, 2015),
        ("Berlin for three years now", "Berlin", 2023, None),
        ("Berlin now", "Berlin", None, None),
        ("Berlin since forever", "Berlin since forever", None, None),
    ],
)
def test_the_time_is_taken_off_the_end(said, rest, start, end):
    found, span = without_time(said, SAID_AT)
    assert found == rest
    assert (span.start and span.start.year, span.end and span.end.year) == (start, end)


def test_how_long_something_was_says_not_when():
    assert without_time("Berlin for three years", SAID_AT, is_past=True) == ("Berlin", Span())
