"""Who moved from Lund to Graz lives elsewhere; who moved from Lightroom to Darktable, or from one employer to another,
does not. Which names are no places nobody can list, so one of the two has to be known as one, or as where he lived.
Where "we" live, or moved to, the user lives, if it is a place that is known: a team moves to Kanban."""

import re
from collections.abc import Sequence

from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.vocabulary import COUNTRIES, LANDS, PLACE_STARTS, TOWNS

_MOVED = re.compile(r"\b(?:moved|relocated) from\b", re.IGNORECASE)
_KNOWN = TOWNS | COUNTRIES | LANDS
_STARTS = PLACE_STARTS - {"new"}  # New Relic
PLACE = "|".join(sorted(map(re.escape, _KNOWN), key=len, reverse=True))
_AFTER_PLACE = r"now|last|this|yesterday|recently|in|with|from|and|but|because|since|when|for work|\w+ \w+ ago"
_WE_DWELL = re.compile(
    r"\b(?P<we>we)(?P<have>'ve| have)? (?=(?:(?:just|now|recently|finally|all|both|currently) ){0,2}"
    rf"(?:lived? in|(?:moved|relocated) to) (?:the |new )?(?:{PLACE})(?:[.,;!]|$| (?:{_AFTER_PLACE})\b))",
    re.IGNORECASE,
)
_WHEN = r"(?:last|this) (?:week|weekend|month|year|spring|summer|autumn|fall|winter)|yesterday|in (?:\w+ )?\d{4}"
_WHEN_FIRST = re.compile(rf"(?P<when>{_WHEN}),? (?P<said>i (?:just |finally )?(?:moved|relocated) .+)", re.IGNORECASE)


# Who rents a flat there, or shares it with somebody, lives there; unless it is for the holidays.
_STAYS = r"(?!.*\b(?:weekends?|nights?|holidays?|days|airbnb|trip|visit)\b)"
_HOUSE = r"(?:\w+ )?(?:flat|apartment|house|room|studio|bungalow|village|town|suburb|city|cottage|farm)"
_HOUSED = re.compile(
    rf"\bi (?:(?:(?:still|currently|now) )?(?:live|am living)|rent|am renting|share|am sharing) {_STAYS}"
    rf"(?:in )?(?:an? |the )(?:small |tiny |little )?{_HOUSE}(?P<whom> with [\w ]{{2,30}}?)? in (?=\w)",
    re.IGNORECASE,
)
_WITH = re.compile(
    rf"\bi (?:(?P<live>(?:still |currently |now )?(?:live|am living))|(?:have )?(?:just |recently )?moved(?: back)?"
    r"(?: in)?)"
    rf"(?: in)?(?: back)?(?: together)? {_STAYS}(?P<whom>with my [\w ]{{2,25}}?) (?:in|to) (?P<place>[^,;.!]{{2,40}})",
    re.IGNORECASE,
)
_FOR_WORK = re.compile(
    r"(?P<moved>\bi (?:\w+ )?(?:moved|relocated) to .{2,60}?) (?:for|because of)"
    r" (?:work|uni|love|my (?:job|studies))(?=[.!]*\Z)",
    re.I,
)
_BEEN = re.compile(
    rf"\bi have been in (?=(?:the )?(?:{PLACE}) (?:since .+|for (?:about |over |almost )?\w+ (?:years|months)))",
    re.IGNORECASE,
)


def may_leave_home(text: str) -> bool:
    """Whether it has to be known where somebody lived to understand this."""
    return _MOVED.search(text) is not None


def tells_of_us(text: str) -> bool:
    """Whether it tells where the user and others live."""
    return _WE_DWELL.search(text) is not None


def in_one_form(text: str) -> str:
    """ "I moved to Madrid last week", for "last week we moved to Madrid"."""
    text = _WE_DWELL.sub(
        lambda found: f"{'I' if found['we'] == 'We' else 'i'}{' have' if found['have'] else ''} ", text
    )
    text = _BEEN.sub("i have lived in ", _HOUSED.sub("i live in ", text))
    if moved := _FOR_WORK.search(text):
        text = text[: moved.end("moved")]
    if dwelt := _WITH.search(text):
        verb = "live in" if dwelt["live"] else "moved to"
        text = f"{text[: dwelt.start()]}i {verb} {dwelt['place']} {dwelt['whom']}{text[dwelt.end() :]}"
    first = _WHEN_FIRST.fullmatch(text.rstrip(".! "))
    return f"{first['said']} {first['when'].lower()}" if first else text


def without_unsure(facts: list[Fact], told: Sequence[Fact]) -> list[Fact]:
    """What a clause tells, but for a move between two names that may be anything; `told` is what was told before."""
    homes = [fact for fact in facts if fact.predicate == "lives in"]
    if len(homes) < 2 or any(map(is_known, homes)) or any(_is_home(homes[0], each) for each in told):
        return facts
    return [fact for fact in facts if fact not in homes]


def is_known(home: Fact) -> bool:
    """Whether everybody knows that it is a place."""
    town, _, land = home.object.lower().removeprefix("the ").partition(", ")
    return bool(land) or town.removeprefix("new ") in _KNOWN or town.split(" ")[0] in _STARTS


def _is_home(left: Fact, other: Fact) -> bool:
    told = (other.subject, other.predicate, other.object.casefold())
    return told == (left.subject, left.predicate, left.object.casefold())
