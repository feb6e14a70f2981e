"""Dates as people say them, against the day on which they said it."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from chatServer.memory.facts.when import MONTH_NAMES, SEASONS, Unit, When
from chatServer.memory.facts.words import counted

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAMED = {"today": 0, "tonight": 0, "now": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WHICH = r"(?P<which>next|this|last|coming|this coming)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        _YEAR,
        r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)",
        rf"{_MONTH}(?: of)?,? {_YEAR}",
        rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"(?:{_WHICH} )?{_MONTH}",
        rf"(?P<season>spring|summer|autumn|fall|winter)(?: of)? {_YEAR}",
        rf"{_WHICH} (?P<season>spring|summer|autumn|fall|winter)",
        rf"(?:{_WHICH} )?(?P<weekday>{'|'.join(_DAYS)})",
        rf"{_WHICH} (?P<unit>week|month|year)",
        rf"(?:about |around )?{_COUNT} {_UNIT} (?P<ago>ago)",
        rf"in (?:about |around )?{_COUNT} {_UNIT}",
    )
)
_LEAD = re.compile(r"(?:on|in|the|early|late|around|about|sometime|back) ")
# "Friday, 27 November"
_OF_THE_WEEK = re.compile(r"(?P<name>mon|tue|wed|thu|fri|sat|sun)(?:[a-z]{0,6}day|r?s)?\.?,? (?=\w+ \w)", re.IGNORECASE)
HOUR = re.compile(
    r",? (?:at )?(\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|(?<= at )\d{1,2}(?::\d\d)?)$",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"at \d{1,2}|(?:at )?(?:\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d|noon|midnight)", re.IGNORECASE
)
_UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """From when until when; None is unknown."""

    start: datetime | None = None
    end: datetime | None = None
    unit: Unit = "day"  # how exactly the start was told

    @property
    def when(self) -> When | None:
        return When(self.start, self.unit) if self.start else None


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the year, and the year where it was said."""

    month: int
    day: int
    year: int | None = None

    def __str__(self) -> str:
        return f"{self.day} {MONTH_NAMES[self.month - 1]}" + (f" {self.year}" if self.year else "")


def date_in(text: str, said_at: datetime) -> datetime | None:
    """The day that a whole text names, or with which the time begins that it names, if it does."""
    when = when_in(text, said_at)
    return when.day if when else None


def when_in(text: str, said_at: datetime, *, is_ahead: bool = False) -> When | None:
    """When a whole text says, if it does; a day without a year is the last one, or the next one ahead. On which day of
    the week it is may be said beside it, and has to be true."""
    text, weekday = text.strip().lower(), ""
    midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in _NAMED:
        return When(midnight + timedelta(days=_NAMED[text]))
    for _ in range(4):
        found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
        if found:
            when = _read(found.groupdict(), midnight, is_ahead)
            return when if not weekday or (when and _is_on(when, weekday)) else None
        if not weekday and (named := _OF_THE_WEEK.match(text)):
            weekday, text = named["name"], text[named.end() :]
            continue
        lead = _LEAD.match(text)
        if not lead:
            return None
        text = text[lead.end() :]
    return None


def _is_on(when: When, weekday: str) -> bool:
    return when.unit == "day" and _DAYS[when.day.weekday()].startswith(weekday)


def is_when(text: str) -> bool:
    """Whether a whole text names nothing but a day or an hour: it is no place, and nobody works there."""
    day = _OF_THE_WEEK.sub("", HOUR.sub("", text.strip(" .!")), count=1)
    return _CLOCK.fullmatch(day) is not None or date_in(day, _ANY_DAY) is not None


def day_in(text: str) -> Day | None:
    """The day of the year that a whole text names, as birthdays are told."""
    text = text.strip().lower()
    for form in _FORMS[1:5]:
        found = form.fullmatch(text.removeprefix("on ").removeprefix("the "))
        parts = found.groupdict() if found else {}
        if parts.get("day"):
            month, day = _month(parts), int(parts["day"])
            is_real = 1 <= month <= 12 and 1 <= day <= monthrange(2024, month)[1]
            return Day(month, day, int(parts["year"]) if parts["year"] else None) if is_real else None
    return None


def _read(parts: dict[str, str | None], midnight: datetime, is_ahead: bool) -> When | None:
    if parts.get("weekday"):
        return When(_weekday(str(parts["weekday"]), parts.get("which"), midnight, is_ahead))
    if parts.get("unit"):
        return _shifted(parts, midnight)
    month = SEASONS.get(parts.get("season") or "") or _month(parts)
    day, year = int(parts.get("day") or 1), int(parts.get("year") or midnight.year)
    if not (1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return None
    found = When(midnight.replace(year=year, month=month, day=day), _unit(parts))
    if parts.get("year"):
        return found
    is_ahead = (is_ahead or parts.get("which") == "next") and parts.get("which") != "last"
    is_before = is_ahead and found.end <= midnight
    other_year = year + 1 if is_before else year - 1 if not is_ahead and found.day > midnight else year
    return replace(found, day=found.day.replace(year=other_year)) if (month, day) != (2, 29) else found


def _unit(parts: dict[str, str | None]) -> Unit:
    """How exactly a date of the calendar was told."""
    if parts.get("day"):
        return "day"
    return "season" if parts.get("season") else "month" if parts.get("month") else "year"


def _month(parts: dict[str, str | None]) -> int:
    if parts.get("number"):
        return int(str(parts["number"]))
    named = parts.get("month")
    return _MONTHS.index(named[:3]) + 1 if named else 1


def _weekday(name: str, which: str | None, midnight: datetime, is_ahead: bool) -> datetime:
    ahead = (_DAYS.index(name) - midnight.weekday()) % 7
    if which == "last" or (which is None and not is_ahead):
        return midnight + timedelta(days=ahead - 7)
    if which == "next" and ahead == 1:  # else he would have said "tomorrow"
        ahead = 8
    return midnight + timedelta(days=ahead or (0 if which == "this" else 7))


def _shifted(parts: dict[str, str | None], midnight: datetime) -> When:
    unit, which = str(parts["unit"]), parts.get("which")
    if which:
        return When(_begin(unit, midnight, {"last": -1, "this": 0}.get(which, 1)), _UNITS[unit])
    count = counted(str(parts["count"]), 1)
    # Who counts in days and weeks means a day.
    exact = "day" if unit in ("day", "week") else _UNITS[unit]
    return When(back(midnight, count if parts.get("ago") else -count, unit), exact)


def _begin(unit: str, midnight: datetime, step: int) -> datetime:
    if unit == "week":
        return midnight - timedelta(days=midnight.weekday()) + timedelta(weeks=step)
    if unit == "year":
        return midnight.replace(year=midnight.year + step, month=1, day=1)
    return back(midnight.replace(day=1), -step, "month")


def back(midnight: datetime, count: int, unit: str) -> datetime:
    """So many days, weeks, months or years before; after, when negative."""
    if unit in ("day", "week"):
        return midnight - timedelta(days=count * (7 if unit == "week" else 1))
    months = midnight.year * 12 + midnight.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return midnight.replace(year=year, month=month + 1, day=min(midnight.day, monthrange(year, month + 1)[1]))


_NOW = "now|currently|right now|at the moment|these days|nowadays|today|already|again|for now|at present|by now|though"
_TAIL = re.compile(
    rf",? (?P<now>{_NOW})|,? since (?P<since>.{{3,40}})|,? (?:un)?til?l? (?P<until>.{{3,40}})"
    r"|,? from (?P<start>.{3,40}?) (?:to|until|till) (?P<end>.{3,40})"
    rf"|,? for (?:the (?:last|past) |about |around |over |almost |nearly )?{_COUNT} {_UNIT}(?: now)?"
    r"|,? (?P<at>(?:in|on|last|next|this|back in|as of|coming) .{3,40}|tomorrow|yesterday|.{3,20} ago)",
    re.IGNORECASE,
)
_GAP = re.compile(r",? ")


def without_time(text: str, said_at: datetime, *, is_ahead: bool = False, is_past: bool = False) -> tuple[str, Span]:
    """A text without the time at its end, and that time."""
    for gap in _GAP.finditer(text):
        if (found := _TAIL.fullmatch(text, gap.start())) and (span := _span(found, said_at, is_ahead, is_past)):
            return text[: gap.start()].rstrip(","), span
    return text, Span()


def _span(found: re.Match[str], said_at: datetime, is_ahead: bool, is_past: bool) -> Span | None:
    parts = found.groupdict()
    if parts["now"]:
        return Span()
    if parts["count"]:
        midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
        start = back(midnight, counted(parts["count"], 1), parts["unit"].lower())
        return Span() if is_past else Span(start)
    told = {name: when_in(parts[name], said_at, is_ahead=is_ahead) for name in _PLACES if parts[name]}
    if not all(told.values()):
        return None
    begins, ends = told.get("since") or told.get("start") or told.get("at"), told.get("until") or told.get("end")
    return Span(begins.day if begins else None, ends.day if ends else None, begins.unit if begins else "day")


_PLACES = ("since", "until", "start", "end", "at")
