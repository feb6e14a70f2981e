"""What the user has ahead, on a day or in a time that can be told."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeGuard

from chatServer.memory.facts.dates import HOUR, Span, when_in, without_time
from chatServer.memory.facts.meanings import USER, Fact, Meaning
from chatServer.memory.facts.moves import PLACE
from chatServer.memory.facts.objects import Object, folded, thing
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import EVENTS, PARTNERS
from chatServer.memory.facts.when import WRITTEN, When
from chatServer.memory.facts.words import counted

_WHERE = (
    r"(?: in [a-z][\w ]{2,30}| (?:to|with|at|for) (?-i:[A-Z])[\w '-]{1,30}|(?<=meeting) with [\w'-]{2,20}"
    rf"| (?:to|in|from) (?:{PLACE})\b)"
)
_EVENT = re.compile(rf"an? (?:[\w'-]+ ){{0,3}}?(\w+){_WHERE}?", re.IGNORECASE)
_DUE = re.compile(
    rf"(?P<what>(?:\w+ )?(?P<event>\w+))(?P<where>{_WHERE}??)"
    r" (?:is|leaves|departs|goes|starts|begins|(?:is|got|was|has been) (?:moved|pushed|postponed|rescheduled)(?: back)?"
    r" (?:to|until)) (?P<day>.{3,40})",
    re.IGNORECASE,
)
FORTY_WEEKS = 40
_HOUR_FIRST = re.compile(
    r"at (\d{1,2}(?::\d\d)?(?: ?(?:am|pm|o'clock))?) ((?:on )?\w+day|tomorrow)(?: morning| afternoon| evening)?$",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)", re.IGNORECASE)
_TO_WHERE = re.compile(r" (?:to|with|at|for|in) .*")

_PRESENT = re.compile(r"\b(?:is|has)\b")
_WAS = {"is": "was to be", "has": "was to have"}
_WHAT = r"(?:the|my|our) (?P<what>[\w'-]+(?: [\w'-]+){0,2}?)"
_AWAY = "(?: back| off| out| forward| up)?"
_MOVED = rf"(?P<verb>(?:moved|postponed|rescheduled|changed|delayed|shifted|pushed|put|brought){_AWAY})"
_PUT_OFF = re.compile(
    rf"{_WHAT} (?:is|(?:is|was|got|has been) {_MOVED}(?: to| for| until)?)"
    r"(?P<now> now| actually)?(?: on)? (?P<new>[^,]{3,40}?)"
    r"(?P<instead> instead| now)?(?:,? not (?:on )?(?P<old>.{3,40})|, (?!not\b)[\w' ]{3,40})?",
    re.IGNORECASE,
)
# "They moved my interview to Tuesday", "we had to bring the wedding forward to 5 July"
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
_LATER = re.compile("postponed?|delay(?:ed)?|(?:push(?:ed)?|put)(?: back| off)?", re.IGNORECASE)
_PUTS_OFF = re.compile(
    r"(?:i|we|they|he|she|(?:the|my) [\w-]+|dr [\w-]+)(?: have| has|'ve)?(?: just| now)?"
    rf" (?:{_MOVED}|had to (?P<had>move|postpone|reschedule|change|delay|shift|push|put|bring)) {_WHAT}"
    rf"{_AWAY} (?:to|for|until) "
    r"(?P<new>[^,]{3,40}?)(?P<instead> instead| now)?",
    re.IGNORECASE,
)


def planned(told: Told, text: str) -> list[Fact]:
    """Of "a dentist appointment next Friday at 3pm". It holds until that day is over."""
    what, span = without_time(HOUR.sub("", text.strip(" .!")), told.said_at, is_ahead=True)
    event, when = _EVENT.fullmatch(what), span.when
    if not event or event[1].lower() not in EVENTS or not _is_ahead(when, told.said_at) or told.clause.is_negation:
        return []
    said = Meaning("have", "event:{}", thing)
    day = Object(f"{what} {when}{_hour(text)}")  # two meetings on one day are two
    return [told.fact(said, day, Span(end=when.end))]


def due(told: Told, text: str) -> list[Fact]:
    """Of "my exam is next Friday" and "my flight to Rome leaves on 12 December"."""
    text = _HOUR_FIRST.sub(r"\2 at \1", text.strip(" .!"))
    said = _DUE.fullmatch(HOUR.sub("", text))
    when = (
        when_in(said["day"], told.said_at, is_ahead=True)
        if said and (said["event"].lower() in EVENTS or said["what"] == "new job")
        else None
    )
    if not said or not _is_ahead(when, told.said_at) or told.clause.is_negation:
        return []
    what = Object(when.what, f"{when}{_hour(text)}")
    name = said["what"].lower() + said["where"]
    key = f"event:{name.lower()} {{}}"
    return [told.fact(Meaning(f"'s {name}", key, thing), what, Span(end=when.end))]


def expected(told: Told, text: str) -> list[Fact]:
    """Of "my wife is expecting our second in March", and of the user herself; a grandchild is somebody else's."""
    whose = told.clause.who.relation
    return _baby(told, text) if not whose or whose in PARTNERS else []


def born(told: Told, text: str) -> list[Fact]:
    """Of "our baby is due on 3 March"."""
    return _baby(told, text) if told.clause.who.relation == "child" else []


def retiring(told: Told, text: str) -> list[Fact]:
    """Of "I'm retiring next year"."""
    when = when_in(text.strip(" .!"), told.said_at, is_ahead=True)
    if not _is_ahead(when, told.said_at) or told.clause.is_negation:
        return []
    return [told.fact(Meaning("be", "retiring", thing), Object(when.what, f"retiring {when}"), Span(end=when.end))]


def pregnant(told: Told, text: str) -> list[Fact]:
    """Of "I'm 5 months pregnant", until the child is there; of a dream, or of a cow, nobody says "my wife"."""
    count, _, unit = text.removesuffix("pregnant").strip().partition(" ")
    weeks = counted(count) * (1 if unit == "weeks" else 4)
    if weeks > FORTY_WEEKS:
        return []
    left = Span() if told.clause.is_negation else Span(end=told.said_at + timedelta(weeks=FORTY_WEEKS - weeks))
    return [told.fact(Meaning("be", "pregnant", thing), Object("pregnant"), left)]


def _baby(told: Told, text: str) -> list[Fact]:
    when = when_in(text.strip(" .!"), told.said_at, is_ahead=True)
    if not _is_ahead(when, told.said_at) or told.clause.is_negation:
        return []
    said = Meaning("'s baby", "event:baby {}", thing)
    return [told.about(USER).fact(said, Object(when.what, f"due {when}"), Span(end=when.end))]


def _is_ahead(when: When | None, said_at: datetime) -> TypeGuard[When]:
    return when is not None and when.end >= said_at


def is_event(fact: Fact) -> bool:
    return (fact.key or "").partition("|")[2].startswith("event:") and WRITTEN.search(fact.object) is not None


def is_on(fact: Fact, day: str, said_at: datetime) -> bool:
    """Whether it was told of the day that a text names."""
    if not is_event(fact):  # as most are not: to read a day takes its time
        return False
    named, number = _when(day, said_at), _NUMBER.fullmatch(day)
    what = f"-{int(number[1]):02}" if number else named.what if named else None  # "not the 12th" is of any month
    return what is not None and what in fact.object


def moved(fact: Fact, text: str, sentence: str, said_at: datetime) -> list[Fact]:
    """On another day, where the text is one; and that it was to be on the old one."""
    old = WRITTEN.search(fact.object)
    when = _when(text, said_at) or _in_its_month(text, old["what"] if old else "", said_at)
    is_still_ahead = _is_ahead(when, said_at) and fact.valid_to and fact.valid_to > said_at
    if not when or not old or not is_still_ahead or when.what == old["what"]:
        return []
    key, whose = fact.key or "", fact.subject
    what = _put(fact.object, when, _hour(text) if fact.predicate == "has" else "")
    is_had = fact.predicate == "has"
    new = replace(
        fact,
        text=f"{_put(fact.text.removesuffix('.'), when, _hour(text))}.",
        object=what,
        key=f"{whose}|event:{folded(what)}" if is_had else key.replace(folded(old["what"]), folded(when.what)),
        valid_from=None,
        valid_to=when.end,
        sentence=sentence,
    )
    return [new, was_to_be(fact, sentence, said_at)]


def was_to_be(fact: Fact, sentence: str, said_at: datetime, why: str = "") -> Fact:
    """The event as one that was ahead once: "The user's exam was to be on 2026-11-20"."""
    text = _PRESENT.sub(lambda verb: _WAS[verb.group()], fact.text, count=1).replace("was to be due", "was due")
    text = f"{text.removesuffix('.')}, {why}." if why else text
    return replace(fact, text=text, valid_from=None, valid_to=said_at, sentence=sentence)


def _in_its_month(text: str, old: str, said_at: datetime) -> When | None:
    """ "The 16th", of what was to be on the 14th of May."""
    number = _NUMBER.fullmatch(HOUR.sub("", text.strip(" .!")))
    day = f"{old[:8]}{int(number[1]):02}" if number and _DAY.fullmatch(old) else ""
    return when_in(day, said_at, is_ahead=True) if day else None


def put_off(sentence: str, told: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """Of "the wedding is now on 12 June instead", where one wedding was told of."""
    said = _put_off(sentence)
    if said is None:
        return []
    what = said["what"].lower()
    named = [fact for fact in told if fact.valid_to and fact.valid_to > said_at and is_called(fact, what)]
    old = said.groupdict().get("old")
    if len({fact.key for fact in named}) != 1 or (old and not is_on(named[0], old, said_at)):
        return []
    new = moved(named[0], said["new"], sentence, said_at)
    is_later = _LATER.fullmatch(said["verb"] or said.groupdict().get("had") or "")
    return _after(named[0], said["new"], new, said_at) if is_later and new else new


def _after(old: Fact, text: str, new: list[Fact], said_at: datetime) -> list[Fact]:
    """What is put off comes later: "pushed back to Monday" is said of the Monday after it."""
    if not old.valid_to or not new[0].valid_to or new[0].valid_to > old.valid_to:
        return new
    if not _WEEKDAY.fullmatch(HOUR.sub("", text)):
        return []
    later = moved(old, text, new[0].sentence, old.valid_to - timedelta(days=1))
    return [*later[:1], *(replace(was, valid_to=said_at) for was in later[1:])]


def puts_off(sentence: str) -> bool:
    """Whether what was told long ago has to be known to understand this."""
    return _put_off(sentence) is not None


def _put_off(sentence: str) -> re.Match[str] | None:
    if said := _PUTS_OFF.fullmatch(sentence):
        return said
    said = _PUT_OFF.fullmatch(sentence)
    return said if said and (said["verb"] or said["now"] or said["instead"] or said["old"]) else None


def settled(found: Sequence[Fact], corrected: Sequence[Fact]) -> list[Fact]:
    """With what corrects it; a slip of the tongue within one message was never a plan."""
    slips = {fact.key for fact in found if is_event(fact)} & {fact.key for fact in corrected}
    return [fact for fact in (*found, *corrected) if fact.key not in slips]


def is_called(fact: Fact, what: str) -> bool:
    """ "The appointment" is the dentist appointment, too, and "the flight" the one to Rome."""
    if not is_event(fact):
        return False
    name = (fact.predicate if fact.predicate != "has" else WRITTEN.split(fact.object)[0].strip()).lower()
    return any(f" {each}".endswith(f" {what}") for each in (name, _TO_WHERE.sub("", name)))


def _put(text: str, when: When, hour: str) -> str:
    """To the new day, at the new hour if one was said."""
    was = WRITTEN.search(text)
    if was is None:
        return text
    return f"{text[: was.start()]}{when if was['at'] else when.what}{hour or text[was.end() :]}"


def _hour(text: str) -> str:
    found = HOUR.search(text.strip(" .!"))
    return f" at {found[1].lower()}" if found else ""


def _when(text: str, said_at: datetime) -> When | None:
    return when_in(HOUR.sub("", text.strip(" .!")), said_at, is_ahead=True)
