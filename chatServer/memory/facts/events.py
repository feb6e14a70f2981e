"""What the user has ahead, on a day that can be told."""

import re
from datetime import timedelta

from chatServer.memory.facts.dates import Span, date_in, without_time
from chatServer.memory.facts.meanings import Fact, Meaning
from chatServer.memory.facts.objects import Object, thing
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import EVENTS

_HOUR = re.compile(r",? at \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)?$", re.IGNORECASE)
_EVENT = re.compile(r"an? (?:[\w'-]+ ){0,3}?(\w+)(?: (?:to|with|at|for) (?-i:[A-Z])[\w '-]{1,30})?", re.IGNORECASE)
_DUE = re.compile(r"((?:\w+ )?(\w+)) is (.{3,40})", re.IGNORECASE)


def planned(told: Told, text: str) -> list[Fact]:
    """Of "a dentist appointment next Friday at 3pm". It holds until that day is over."""
    what, span = without_time(_HOUR.sub("", text.strip(" .!")), told.said_at, is_ahead=True)
    event = _EVENT.fullmatch(what)
    if not event or event[1].lower() not in EVENTS or not span.start or told.clause.is_negation:
        return []
    said = Meaning("have", None, thing)
    day = Object(f"{what} on {span.start:%Y-%m-%d}")
    return (
        [told.fact(said, day, Span(end=span.start + timedelta(days=1)))]
        if span.start >= told.said_at - timedelta(days=1)
        else []
    )


def due(told: Told, text: str) -> list[Fact]:
    """Of "my exam is next Friday"."""
    said = _DUE.fullmatch(_HOUR.sub("", text.strip(" .!")))
    day = date_in(said[3], told.said_at, is_ahead=True) if said and said[2].lower() in EVENTS else None
    if not said or not day or day < told.said_at - timedelta(days=1) or told.clause.is_negation:
        return []
    what = Object(f"{day:%Y-%m-%d}", f"on {day:%Y-%m-%d}")
    return [told.fact(Meaning(f"'s {said[1].lower()}", None, thing), what, Span(end=day + timedelta(days=1)))]
