"""Preferences and favourites: what is preferred to what, and which of a kind is the dearest."""

import re

from chatServer.memory.facts.meanings import Fact, Meaning
from chatServer.memory.facts.objects import Object, folded, thing, titled, trimmed, way
from chatServer.memory.facts.told import Told
from chatServer.memory.facts.vocabulary import AXES, NOT_THINGS
from chatServer.memory.facts.words import folded_words, stem

MAX_SIDE = 6  # words
MAX_SIDE_OF_TO = 3  # with more, "to" begins a purpose and no comparison
_ADJECTIVES = re.compile(
    r"\w+, (?!it|because|but|so|since|as|and|thanks|please|especially|though|which|not|over)\w+ \w"
)


def preferred(told: Told, groups: dict[str, str]) -> list[Fact]:
    if "favourite" in groups:
        return _favourite(told, groups["favourite_of"], groups["favourite"])
    if "over" in groups:
        return _over(told, groups["prefers"], groups["over"], MAX_SIDE)
    if "than" in groups:
        return _over(told, groups["prefers"], groups["than"], MAX_SIDE_OF_TO)
    if _ADJECTIVES.match(groups["prefers"]):
        return []
    return [
        told.fact(Meaning("prefer", f"prefers:{_axis(what.value)}", thing, is_taste=True), what)
        for what in way(groups["prefers"])
    ]


def _over(told: Told, one: str, other: str, max_words: int) -> list[Fact]:
    dear, less = way(one), way(other)
    if not dear or not less or one.lower().startswith("to ") or max(len(one.split()), len(other.split())) > max_words:
        return []
    pair = "|".join(sorted([folded(dear[0].value), folded(less[0].value)]))
    said = Meaning("prefer", f"prefers:{pair}", thing, is_taste=True)
    return [told.fact(said, Object(dear[0].value, f"{dear[0].value} to {less[0].value}"))]


def _axis(value: str) -> str:
    """Dark mode and light mode exclude each other: one key for both."""
    first, _, head = value.lower().partition(" ")
    return f"{AXES[first]} {stem(head)}" if first in AXES and head and " " not in head else "{}"


def _favourite(told: Told, of: str, what: str) -> list[Fact]:
    words = folded_words(trimmed(of))
    found = thing(what)
    if told.clause.is_negation or not 0 < len(words) <= 3 or NOT_THINGS & set(words) or not found:
        return []
    kind, value = " ".join(words), found[0].value
    if what[:1].isupper() and told.clause.said.startswith(what) and value[1:].islower() and " " not in value:
        value = value.lower()  # the capital only begins the sentence
    return [
        told.fact(
            Meaning(f"'s favourite {kind}", f"favourite:{kind}", thing),
            Object(titled(value) if value != value.lower() else value),
        )
    ]
