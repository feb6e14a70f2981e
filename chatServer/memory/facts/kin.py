"""Relatives, friends and animals: that they are there, how many they are, and what they are called."""

import re
from dataclasses import replace

from chatServer.memory.facts import names, objects
from chatServer.memory.facts.clauses import SAME_KIN, Clause
from chatServer.memory.facts.meanings import USER, Fact, Meaning, Who
from chatServer.memory.facts.objects import Object
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import KIN, LOOSE_KIN, PLURALS
from chatServer.memory.facts.words import NUMBERS

MAX_NAMES = 6
_SOMEBODY = re.compile(
    r"(?:(?P<count>no|any|an?|\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) )?"
    r"(?:(?:older|younger|little|big|lovely|beautiful|small|old|new|young|twin|rescue|wonderful|amazing|grown"
    r"|black|white|cute) )?"
    r"(?P<kin>\w+)(?: (?:called|named) (?P<names>.+))?",
    re.IGNORECASE,
)
_JOINT = re.compile(r",? and |, ")


def relation(told: Told, name: str) -> Fact:
    """That the user has somebody of this name."""
    word = told.clause.who.relation
    said = Meaning(f"have {_article(word)} called", None, names.name)
    fact = told.about(USER).fact(said, Object(name))
    return Fact(fact.text, "user", f"has {word}", name, None, False, None, None, told.sentence)


def possessed(told: Told, text: str) -> list[Fact]:
    """Of "a dog called Rex", "two kids" or "no siblings"; of everything else that one can have, nothing."""
    text = objects.trimmed(text)
    whole = _SOMEBODY.fullmatch(text)
    parts = (
        [whole] if whole and whole["names"] else [_SOMEBODY.fullmatch(part) for part in _JOINT.split(text)[:MAX_NAMES]]
    )
    facts: list[Fact] = []
    for part in parts:
        if part is None or part["kin"].lower() not in KIN or (part["kin"].lower() in LOOSE_KIN and not part["names"]):
            return []
        facts += _somebody(told, part)
    return facts


def _somebody(told: Told, part: re.Match[str]) -> list[Fact]:
    count, word = (part["count"] or "").lower(), part["kin"].lower()
    single = PLURALS.get(word, word)
    number = int(NUMBERS.get(count) or (count if count.isdigit() else 1))
    is_plural = word in PLURALS and word not in ("fish", "goldfish")
    if count == "no" or (told.clause.is_negation and is_plural):
        facts = [_counted(told, "no", _shown(word), single)]
    elif number > 1:
        facts = [_counted(told, str(number), _shown(word), single)]
    elif count in ("a", "an", "one") and not is_plural:
        single = SAME_KIN.get(single, single)
        facts = [told.fact(Meaning("have", "has:{}", objects.thing), Object(single, _article(single)))]
    else:
        return []
    if part["names"] and number == 1:
        facts = []  # the name says it
    called = [names.sure_name(name) for name in _JOINT.split(part["names"])[:MAX_NAMES]] if part["names"] else []
    who = told.about(Who(SAME_KIN.get(single, single)))
    return facts + [relation(who, name[0].value) for name in called if name]


def _counted(told: Told, count: str, word: str, single: str) -> Fact:
    key = f"count:{SAME_KIN.get(single, single)}"
    plain = replace(told, clause=Clause(told.clause.who, told.clause.said))  # "no" is a count, no negation
    return plain.fact(Meaning("have", key, objects.thing), Object(f"{count} {word}"))


def _shown(word: str) -> str:
    return "children" if word == "kids" else word


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
