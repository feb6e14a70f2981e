"""Relatives, friends and animals: that they are there, how many they are, and what they are called."""

import re
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts import names, objects
from chatServer.memory.facts.clauses import SAME_KIN, Clause
from chatServer.memory.facts.meanings import USER, Fact, Meaning, Who
from chatServer.memory.facts.objects import Object
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import KIN, LOOSE_KIN, PETS, PLURALS
from chatServer.memory.facts.words import CAPITAL, NUMBERS, counted

MAX_NAMES = 6
_SOMEBODY = re.compile(
    r"(?:(?P<count>no|any|an?|\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) )?"
    r"(?:(?:older|younger|little|big|lovely|beautiful|small|old|new|young|twin|rescue|wonderful|amazing|grown"
    r"|black|white|cute) )?"
    r"(?P<kin>\w+)(?: (?:called|named) (?P<names>.+))?",
    re.IGNORECASE,
)
_JOINT = re.compile(r",? and |, ")
_CALLED = re.compile(r"(?:i am (?:called|named)|my names are) ", re.IGNORECASE)
_NEXT = re.compile(r"(?:,? and|,? but|,) (?=(?:an?|\d{1,2}|one|two|three|four|five) )", re.IGNORECASE)
_NAME = rf"{CAPITAL}[\w'-]{{1,30}}"
_LISTED = re.compile(
    rf"(?P<who>\w+(?: \w+){{1,2}})(?:[,:]|(?P<called> called| named):?)"
    rf" (?P<names>{_NAME}(?:(?:, |,? and ){_NAME}){{1,5}})"
)
_CORRECTING = re.compile(r"\W*(?:no|nope|wait|sorry|oops|actually|correction|i mean|i meant)\b", re.IGNORECASE)
_NOT_CALLED = frozenset(["after", "me", "us", "him", "them", "yesterday", "names", "foo", "bar"])
_NOT_SO = re.compile(r",? (?:and )?not (?P<old>[^\W\d_][\w'-]{1,30})[.! ]*$")


def relation(told: Told, name: str) -> Fact:
    """That the user has somebody of this name."""
    word = told.clause.who.relation
    said = Meaning(f"have {_article(word)} called", None, names.name)
    fact = told.about(USER).fact(said, Object(name))
    return replace(fact, predicate=f"has {word}", key=_key(word, name))


def renamed(text: str, fact: Fact) -> list[Fact]:
    """Of "Max, not Rex", where Max is read already: that nobody of the kind is called Rex."""
    old = _NOT_SO.search(text)
    is_sure = text == text.lower() and _CORRECTING.match(fact.sentence)  # "called rex, not funny" denies nobody
    read = names.name if is_sure else names.sure_name
    name = read(old["old"]) if old else []
    return [denied(replace(fact, object=name[0].value), fact.sentence)] if name else []


def corrected(fact: Fact, text: str, sentence: str) -> list[Fact]:
    """Somebody is called otherwise than was said; nothing where the fact names nobody, or the text is no name."""
    name = names.sure_name(text) if is_relation(fact) else []
    if not name:
        return []
    now = name[0].value
    told = replace(fact, text=_called(_word(fact), now), object=now, key=_key(_word(fact), now), sentence=sentence)
    return [told, denied(fact, sentence)]


def denied(fact: Fact, sentence: str) -> Fact:
    """That there is somebody of this name."""
    word = _word(fact)
    text = _called(word, fact.object).replace(" has ", " does not have ", 1)
    return Fact(text, "user", fact.predicate, fact.object, _key(word, fact.object), True, None, None, sentence)


def no_longer(word: str, name: str, until: datetime, sentence: str, *, how: str = "") -> Fact:
    """That there is somebody of this name any more."""
    text = _called(word, name).replace(" has ", " no longer has ", 1).removesuffix(".")
    return Fact(f"{text}{how}.", "user", f"has {word}", name, _key(word, name), True, None, until, sentence)


def is_relation(fact: Fact) -> bool:
    return fact.key == _key(_word(fact), fact.object)


def _word(fact: Fact) -> str:
    return fact.predicate.removeprefix("has ")


def _called(word: str, name: str) -> str:
    return f"The user has {_article(word)} called {name}."


def _key(word: str, name: str) -> str:
    """One may have two dogs, and each name once."""
    return f"user|{word} called:{objects.folded(name)}"


def each_named(told: Told, text: str) -> list[Fact]:
    """Of "my kids are Tom and Anna" each by his name. Cats that are not said to be called so may be Siamese and
    Persian; "my twins" are children, where a twin is a brother."""
    clause, called = told.clause, _JOINT.split(text.strip(" .!"))
    single = PLURALS.get(clause.who.relation, "")
    is_told = clause.who.is_plural and not clause.is_negation and not clause.is_past and single != "twin"
    is_sure = single not in PETS or _CALLED.match(clause.said)
    if not is_told or not is_sure or not 1 < len(called) <= MAX_NAMES or not all(map(_is_name, called)):
        return []
    return [relation(told.about(Who(SAME_KIN.get(single, single))), name) for name in called]


def _is_name(text: str) -> bool:
    """Nor is anybody called Republicans."""
    return bool(names.sure_name(text) and names.sure_name(text.removesuffix("s")))


def possessed(told: Told, text: str) -> list[Fact]:
    """Of "a dog called Rex and a cat", "two kids" or "no siblings"; of everything else that one can have, nothing."""
    several = [_possessed(told, each) for each in _NEXT.split(text)[:MAX_NAMES]]
    return [fact for facts in several for fact in facts] if all(several) else _possessed(told, text)


def _possessed(told: Told, text: str) -> list[Fact]:
    text = objects.trimmed(_with_names(text))
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


def _with_names(text: str) -> str:
    """ "Two kids, Ava and Noah" as "two kids called Ava and Noah", where there are as many names as kids."""
    listed = _LISTED.fullmatch(text.strip(" .!"))
    called = _JOINT.split(listed["names"]) if listed else []
    count = listed["who"].partition(" ")[0].lower() if listed else ""
    if not listed or not all(map(names.sure_name, called)):
        return text
    is_told = listed["called"] or NUMBERS.get(count, count) == str(len(called))
    return f"{listed['who']} called {' and '.join(called)}" if is_told else text


def _somebody(told: Told, part: re.Match[str]) -> list[Fact]:
    count, word = (part["count"] or "").lower(), part["kin"].lower()
    single = PLURALS.get(word, word)
    number = counted(count, 1)
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
    if told.clause.who.relation:
        return facts  # "my sister has a dog called Rex": it is not the user's
    if part["names"] and number == 1:
        facts = []  # the name says it
    called = [_named(name) for name in _JOINT.split(part["names"])[:MAX_NAMES]] if part["names"] else []
    said = replace(told, clause=replace(told.clause, is_negation=told.clause.is_negation or count == "no"))
    who = said.about(Who(SAME_KIN.get(single, single)))
    return facts + [relation(who, name[0].value) for name in called if name]


def _named(text: str) -> list[Object]:
    """Also a single word in small letters: whoever says what somebody is called says a name."""
    is_small = text.islower() and text.isalpha() and text not in _NOT_CALLED
    return names.name(text) if is_small else names.sure_name(text)


def _counted(told: Told, count: str, word: str, single: str) -> Fact:
    key = f"count:{SAME_KIN.get(single, single)}"
    plain = replace(told, clause=Clause(told.clause.who, told.clause.said))  # "no" is a count, no negation
    return plain.fact(Meaning("have", key, objects.thing), Object(f"{count} {word}"))


def _shown(word: str) -> str:
    return "children" if word == "kids" else word


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
