"""Of whom a wish to forget speaks, where it is a sentence: that I live in Berlin is not that my sister does."""

import re
from datetime import UTC, datetime
from typing import NamedTuple

from chatServer.memory.facts import Fact, facts_in, is_denied
from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.vocabulary import KIN
from chatServer.memory.facts.words import undated
from chatServer.memory.forget.said import as_kept, telling
from chatServer.records import Memory

_LEAD = re.compile(r"(?:that |about )?(?:the )?(?:user(?P<own>'s)?(?: (?P<verb>is|has|does|\w+s)\b)? |)", re.IGNORECASE)
_IES = re.compile(r"ies\Z")  # studies
_FIRST = {"is": "am", "was": "was", "has": "have", "does": "do", "goes": "go"}
_NO_LONGER = " no longer "  # who wants it forgotten that he smoked means this, too


class Whose(NamedTuple):
    subject: str  # as rules for facts name it: user, sister, sister:mary
    is_negation: bool


def whose(what: str) -> Whose | None:
    """None where it is no sentence that the rules for facts can read."""
    words = as_kept(telling(what))
    told = sorted(facts_told(what), key=lambda each: len(words & telling(each.text)))
    return _of(told[-1]) if told else None  # "my boss Tom likes jazz" also tells that there is a boss


def is_of(memory: Memory, meant: Whose | None) -> bool:
    """Whether a memory speaks of the same, as far as both say of whom."""
    if meant is None or memory.triple is None:
        return True
    is_negation = is_denied(memory.text, memory.triple.object) and _NO_LONGER not in memory.text
    return _are_same(meant, Whose(memory.triple.subject.casefold(), is_negation))


def tells_of(text: str, meant: Whose, needed: frozenset[str]) -> bool:
    """Whether a message tells it of the same; also where the rules cannot read what it tells."""
    told = [each for each in _facts(text) if needed <= as_kept(telling(each.text))]
    return not told or any(_are_same(meant, _of(each)) for each in told)


def _are_same(one: Whose, other: Whose) -> bool:
    """A sister and the sister Mary may be the same, two sisters by their names are not; of what others than our rules
    have named only whether it is the user."""
    if one.is_negation != other.is_negation:
        return False
    (kin, _, name), (other_kin, _, other_name) = one.subject.partition(":"), other.subject.partition(":")
    if kin in KIN and other_kin in KIN:
        return kin == other_kin and (not name or not other_name or name == other_name)
    return is_the_user(one.subject) == is_the_user(other.subject)


def facts_told(text: str) -> list[Fact]:
    """Also where a model says it of the user."""
    return _facts(_in_first_person(text))


def _in_first_person(what: str) -> str:
    """ "That the user lives in Berlin", as models say it, as he himself would."""
    what = undated(what)
    lead = _LEAD.match(what)
    if lead is None or "user" not in lead[0].lower():
        return what[lead.end() :] if lead else what
    if lead["own"]:
        return f"my {what[lead.end() :]}"
    verb = (lead["verb"] or "").lower()
    return f"I {_FIRST.get(verb) or _IES.sub('y', verb).removesuffix('s')} {what[lead.end() :]}"


def _facts(text: str) -> list[Fact]:
    return facts_in(text, said_at=datetime.now(UTC))


def _of(fact: Fact) -> Whose:
    return Whose(fact.subject, fact.is_negation and _NO_LONGER not in fact.text)
