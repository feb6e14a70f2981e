"""Who is who in the graph: one person may be told of as the user, as somebody's sister and by a name."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chatServer.memory.facts import is_denied
from chatServer.memory.facts.vocabulary import KIN
from chatServer.records import Memory, Triple

USER = "user"
NAMING = frozenset({"name", "has name", "is named", "is called"})


def fold(name: str) -> str:
    """As names are compared."""
    return name.strip().lower()


def is_value(name: str) -> bool:
    """A number, whatever it counts: an age, a year, a number to call. Two who are five have nothing to do with each
    other."""
    return any(map(str.isdigit, name)) and not any(map(str.isalpha, name))


@dataclass(frozen=True, slots=True)
class Names:
    """Who may be meant by a name, and how each is called. A name that two have stands for neither of them."""

    meant: Mapping[str, frozenset[str]]  # a folded name: the ids of whoever has it
    called: Mapping[str, str]  # an id: the name, as it was written

    def id_of(self, name: str) -> str:
        """The one that is meant, or the name itself."""
        ids = self.meant.get(fold(name), frozenset())
        return next(iter(ids)) if len(ids) == 1 else fold(name)

    def ids_of(self, name: str) -> frozenset[str]:
        """Everybody who may be meant."""
        return self.meant.get(fold(name), frozenset()) | {self.id_of(name)}

    def spellings(self, ids: Iterable[str]) -> set[str]:
        """Under which names facts about them may be kept."""
        wanted = set(ids)
        return wanted | {name for name, meant in self.meant.items() if meant & wanted}

    def ends(self, triple: Triple) -> tuple[str, str]:
        """The ids of both sides of a fact."""
        source, word = self.id_of(triple.subject), _kin_of(triple.predicate)
        if source == USER and word:
            return source, f"{word}:{fold(triple.object)}"
        target = self.id_of(triple.object)
        # Who is called Paris and lives in Paris does not live in himself.
        is_self = target == source and fold(triple.predicate) not in NAMING
        return source, fold(triple.object) if is_self else target


def names_in(facts: Iterable[Memory]) -> Names:
    """Read them from facts, the newest first."""
    meant: defaultdict[str, set[str]] = defaultdict(set)
    called: dict[str, str] = {}
    for each in facts:
        if each.triple is None or is_denied(each.text, each.triple.object):
            continue
        subject, _, known = fold(each.triple.subject).partition(":")
        word = _kin_of(each.triple.predicate)
        if known and subject in KIN:
            meant[known].add(f"{subject}:{known}")
            meant[subject].add(f"{subject}:{known}")
        elif subject == USER and (word or fold(each.triple.predicate) in NAMING):
            name = fold(each.triple.object)
            person = f"{word}:{name}" if word else USER
            meant[name].add(person)
            called.setdefault(person, each.triple.object.strip())
            if word:
                meant[word].add(person)
    return Names({name: frozenset(ids) for name, ids in meant.items()}, called)


def _kin_of(predicate: str) -> str:
    """Of "has sister", who that is."""
    word = fold(predicate).removeprefix("has ")
    return word if word != fold(predicate) and word in KIN else ""
