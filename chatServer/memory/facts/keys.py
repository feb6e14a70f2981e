"""The keys of triples that a tool offers (memory/remember/offer.py). Those of facts that our rules find are in
meanings.py, and what a key does to the memories that are there is in memory/shelve.py."""

from collections import Counter

from chatServer.memory.facts.meanings import MEANINGS, predicate_of
from chatServer.memory.facts.objects import folded
from chatServer.records import Triple

_USER = frozenset(["user", "the user", "i", "me"])
_PREDICATES = Counter(
    predicate_of(meaning) for name, meaning in MEANINGS.items() if name not in ("sure_name", "company")
)
# "is" and "works in" say several things of somebody: under which key they belong only the object would tell.
_KEYS = {predicate_of(each): each.key for each in MEANINGS.values() if _PREDICATES[predicate_of(each)] == 1}


def key_of(triple: Triple) -> str | None:
    """The key of what is said of the user in the words that our rules have for it; None: it holds beside all others."""
    key = _KEYS.get(" ".join(triple.predicate.casefold().split()))
    if key is None or not is_the_user(triple.subject):
        return None
    return f"user|{key.replace('{}', folded(triple.object))}"


def is_the_user(subject: str) -> bool:
    """And not his sister."""
    return " ".join(subject.casefold().split()) in _USER
