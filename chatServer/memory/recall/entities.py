"""People and things that triples are about: who is named in a question leads to what is known of them."""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from operator import attrgetter
from uuid import UUID

from chatServer.messages import searchable

NAMED = 1.0  # a memory about somebody whom the question names
ONE_HOP = 0.5  # about somebody to whom such a memory leads
MAX_WORDS = 64  # of a question
MAX_NAME_WORDS = 4
MAX_LINKED = 32
# Everything is about the user: that leads nowhere.
ANYBODY = frozenset(("", "user", "the user", "i", "me", "my", "myself", "you", "he", "she", "it", "they", "assistant"))


class Entities:
    """The ends of one user's triples, by name."""

    def __init__(self) -> None:
        self._ends: dict[UUID, tuple[str, ...]] = {}
        self._memories: defaultdict[str, set[UUID]] = defaultdict(set)
        self._newest: dict[str, list[UUID]] = {}  # of the names that were asked about; a question asks twice

    @property
    def nbytes(self) -> int:
        """About: dicts and sets of Python's."""
        return 500 * len(self._ends)

    def add(self, memory_id: UUID, *names: str | None) -> None:
        self.remove([memory_id])
        # Looked up before they are folded too: most memories are about the user, or about nobody.
        ends = tuple(name for each in names if each and each not in ANYBODY if (name := _folded(each)) not in ANYBODY)
        if ends:
            self._ends[memory_id] = ends
            for name in ends:
                self._memories[name].add(memory_id)
                self._newest.pop(name, None)

    def remove(self, memory_ids: Iterable[UUID]) -> None:
        for memory_id in memory_ids:
            for name in self._ends.pop(memory_id, ()):
                self._newest.pop(name, None)
                self._memories[name].discard(memory_id)
                if not self._memories[name]:
                    del self._memories[name]

    def linked(self, question: str) -> dict[UUID, float]:
        """The memories that are about whom the question names, and those one step further, with how near each is."""
        if not self._memories:
            return {}
        named = [name for name in _phrases(question) if name in self._memories]
        found = {memory_id: NAMED for name in named for memory_id in self._newest_of(name)}
        beyond = {end for memory_id in found for end in self._ends[memory_id]}.difference(named)
        for name in sorted(beyond):
            if len(found) >= MAX_LINKED:
                break
            for memory_id in self._newest_of(name):
                found.setdefault(memory_id, ONE_HOP)
        return dict(list(found.items())[:MAX_LINKED])

    def _newest_of(self, name: str) -> list[UUID]:
        """Ids begin with the time. Thousands may be of one name: sorting those took 20 ms of the event loop."""
        if name not in self._newest:
            self._newest[name] = heapq.nlargest(MAX_LINKED, self._memories[name], key=attrgetter("int"))
        return self._newest[name]


def _folded(name: str) -> str:
    return " ".join(searchable(name[:200]).split()[:MAX_NAME_WORDS])


def _phrases(question: str) -> list[str]:
    words = searchable(question[:4_000]).split()[:MAX_WORDS]
    spans = [(start, start + size) for size in range(MAX_NAME_WORDS, 0, -1) for start in range(len(words) - size + 1)]
    return list(dict.fromkeys(" ".join(words[start:end]) for start, end in spans))
