"""Who moved from Lund to Graz lives elsewhere; who moved from Lightroom to Darktable, or from one employer to another,
does not. Which names are no places nobody can list, so one of the two has to be known as one, or as where he lived."""

import re
from collections.abc import Sequence

from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.vocabulary import COUNTRIES, LANDS, PLACE_STARTS, TOWNS

_MOVED = re.compile(r"\b(?:moved|relocated) from\b", re.IGNORECASE)
_KNOWN = TOWNS | COUNTRIES | LANDS
_STARTS = PLACE_STARTS - {"new"}  # New Relic


def may_leave_home(text: str) -> bool:
    """Whether it has to be known where somebody lived to understand this."""
    return _MOVED.search(text) is not None


def without_unsure(facts: list[Fact], told: Sequence[Fact]) -> list[Fact]:
    """What a clause tells, but for a move between two names that may be anything; `told` is what was told before."""
    homes = [fact for fact in facts if fact.predicate == "lives in"]
    if len(homes) < 2 or any(map(_is_known, homes)) or any(_is_home(homes[0], each) for each in told):
        return facts
    return [fact for fact in facts if fact not in homes]


def _is_known(home: Fact) -> bool:
    town, _, land = home.object.lower().removeprefix("the ").partition(", ")
    return bool(land) or town.removeprefix("new ") in _KNOWN or town.split(" ")[0] in _STARTS


def _is_home(left: Fact, other: Fact) -> bool:
    told = (other.subject, other.predicate, other.object.casefold())
    return told == (left.subject, left.predicate, left.object.casefold())
