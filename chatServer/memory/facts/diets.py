"""What somebody eats, and what he is called for what he does not: who eats fish now is no vegetarian any more."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product

from chatServer.memory.facts.clauses import Clause
from chatServer.memory.facts.meanings import MEANINGS, USER, Fact
from chatServer.memory.facts.objects import Object, folded
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.words import stem, word_set

_MEAT = word_set("meat chicken beef pork bacon steak ham lamb turkey duck veal venison sausage sausages burger burgers")
_FISH = word_set("fish salmon tuna seafood sushi shrimp prawns shellfish cod trout mussels oysters")
_OF_ANIMALS = word_set("cheese egg eggs milk dairy butter yoghurt yogurt honey")
_NOT_EATEN = {
    "pescatarian": _MEAT,
    "vegetarian": _MEAT | _FISH,
    "vegan": _MEAT | _FISH | _OF_ANIMALS,
}
_STEMS = {diet: frozenset(map(stem, foods)) for diet, foods in _NOT_EATEN.items()}
_EATS = re.compile(r"\b(?:eat|eating)\b", re.IGNORECASE)
_DIET = re.compile(rf"\b(?:{'|'.join(_NOT_EATEN)})\b", re.IGNORECASE)
_DIET_KEY, _EATS_KEY = "user|diet", "user|eats:"
_IS = re.compile(r".*? (?:is|are) ")


def words_told_before(text: str) -> list[str]:
    """What a memory may begin a word with that this contradicts; nothing where it is about no food."""
    diets = list(_NOT_EATEN) if _EATS.search(text) else []
    return diets + (["eat"] if _DIET.search(text) else [])


def ended(found: Sequence[Fact], held: Sequence[Fact], said_at: datetime) -> list[Fact]:
    """What of what was told before holds no longer, by what is told now of the user's own table."""
    known = {fact.object for fact in held if _is_diet(fact) and _holds(fact)}  # who says it again means no change
    over: list[Fact] = []
    for now, before in product(filter(_is_of_table, found), filter(_is_of_table, held)):
        told = Told(Clause(USER, "", is_negation=True, is_over=True), now.sentence, said_at)
        if _is_diet(before) and _is_eaten(now) and _excludes(before.object, now.object):
            over.append(told.fact(MEANINGS["diet"], Object(before.object)))
        is_new = _is_diet(now) and now.object not in known
        if is_new and _is_eaten(before) and _excludes(now.object, before.object):
            over.append(told.fact(MEANINGS["eats"], Object(before.object)))
    return over


def corrected(fact: Fact, text: str, sentence: str) -> list[Fact]:
    """Another diet than was said, and that one not, where both could hold side by side; nothing where it is none."""
    said, (who, _, about) = _IS.match(fact.text), (fact.key or "").partition("|")
    if not said or about.partition(":")[0] != "diet":
        return []
    for meaning in (MEANINGS["diet"], MEANINGS["diet_beside"]):
        if len(read := meaning.read(text)) == 1:
            shown, key = read[0].shown or read[0].value, f"{who}|{meaning.key}".replace("{}", folded(read[0].value))
            new = f"{said.group()}{shown}."
            now = replace(fact, text=new, object=read[0].value, key=key, valid_from=None, sentence=sentence)
            return [now] if key == fact.key else [now, _denied(fact, said, sentence)]
    return []


def _denied(fact: Fact, said: re.Match[str], sentence: str) -> Fact:
    text = f"{said.group()}not {fact.text[said.end() :]}"
    return replace(fact, text=text, is_negation=True, valid_from=None, sentence=sentence)


def _is_of_table(fact: Fact) -> bool:
    return _holds(fact) and (_is_diet(fact) or _is_eaten(fact))


def _holds(fact: Fact) -> bool:
    return not fact.is_negation and not fact.valid_to


def _is_diet(fact: Fact) -> bool:
    return fact.key == _DIET_KEY


def _is_eaten(fact: Fact) -> bool:
    return (fact.key or "").startswith(_EATS_KEY)


def _excludes(diet: str, food: str) -> bool:
    """By its last word: "smoked salmon" is fish, "fish sauce" may be anything."""
    return folded(food).rpartition(" ")[2] in _STEMS.get(diet, frozenset())
