"""A second job beside the first: "I'm also a teacher", after "I'm a nurse". Without such a word the newest takes the
place of the one before."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from chatServer.memory.facts.meanings import Fact
from chatServer.memory.facts.objects import folded

_ONE_AT_A_TIME = ("job", "employer")
_BESIDE = re.compile(r"\b(?:also|as well|too|on the side|second job|(?:other|another) job)\b", re.IGNORECASE)
_OVER = re.compile(r"\b(?:no longer|any ?more|used to)\b", re.IGNORECASE)


def words_told_before(text: str) -> list[str]:
    """What a memory may say of a job; nothing where nobody speaks of a second, or of one that is over."""
    return ["work"] if _BESIDE.search(text) or _OVER.search(text) else []


def told_apart(found: Sequence[Fact], held: Sequence[Fact]) -> list[Fact]:
    """What was found, of which a second has a key of its own; also when it ends."""
    return [_apart(fact, [*held, *found[:place]]) for place, fact in enumerate(found)]


def _apart(fact: Fact, before: Iterable[Fact]) -> Fact:
    if not fact.key or fact.key.partition("|")[2] not in _ONE_AT_A_TIME:
        return fact
    own = f"{fact.key}:{folded(fact.object)}"
    holding = [each for each in before if not each.is_negation and not each.valid_to]
    is_second = any(each.key == own for each in holding)
    if not is_second and not fact.is_negation and not fact.valid_to and _BESIDE.search(fact.sentence):
        others = {each.object for each in holding if each.key == fact.key}
        is_second = bool(others) and fact.object not in others
    return replace(fact, key=own) if is_second else fact
