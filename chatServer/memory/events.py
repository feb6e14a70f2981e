"""What the user has ahead, on a day that can be told."""

import re
from datetime import timedelta

from chatServer.memory.dates import Span, without_time
from chatServer.memory.meanings import Fact, Meaning
from chatServer.memory.objects import Object, thing
from chatServer.memory.told import Told
from chatServer.memory.vocabulary import EVENTS

_HOUR = re.compile(r",? at \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)?$", re.IGNORECASE)
_EVENT = re.compile(r"an? (?:[\w'-]+ ){0,3}(\w+)", re.IGNORECASE)


def planned(told: Told, text: str) -> list[Fact]:
    """Of "a dentist appointment next Friday at 3pm". It holds until that day is over."""
    what, span = without_time(_HOUR.sub("", text.strip(" .!")), told.said_at, is_ahead=True)
    event = _EVENT.fullmatch(what)
    if not event or event[1].lower() not in EVENTS or not span.start or told.clause.is_negation:
        return []
    said = Meaning("have", None, thing)
    day = Object(f"{what} on {span.start:%Y-%m-%d}")
    return [told.fact(said, day, Span(end=span.start + timedelta(days=1)))] if span.start >= told.said_at - timedelta(days=1) else []
