"""Which chunks are shown in so much room: whole articles first, then the best chunks with what stands around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chatServer.knowledge.rank import ArticleKey, Hit
from chatServer.store.retrieval import Head

NEIGHBOURS = 2  # chunks on each side of one that was found
PER_CHUNK = 1  # tokens that two texts may take more together than apart, as a rule; what is shown is counted anyway


@dataclass(frozen=True, slots=True)
class Offered:
    """An article that something was found in."""

    head: Head
    sizes: Mapping[int, int] = field(hash=False)  # tokens of its chunks by position
    frame_tokens: int  # what stands around a passage of it

    @property
    def whole_tokens(self) -> int:
        return sum(self.sizes.values()) + PER_CHUNK * len(self.sizes) + self.frame_tokens


class Choice:
    """What is taken so far, in the order in which it was: the last is given back first."""

    def __init__(self, hits: Sequence[Hit], offered: Mapping[ArticleKey, Offered], room_tokens: int) -> None:
        self._hits = [hit for hit in hits if hit.article in offered]
        self._offered = offered
        self._left = room_tokens
        self._order: list[tuple[ArticleKey, int]] = []
        self._taken: dict[ArticleKey, set[int]] = {key: set() for key in offered}

    def take_whole(self, key: ArticleKey) -> bool:
        article = self._offered[key]
        if article.whole_tokens > self._left:
            return False
        self._left -= article.whole_tokens
        self._order += [(key, position) for position in sorted(article.sizes)]
        self._taken[key] = set(article.sizes)
        return True

    def take(self, key: ArticleKey, position: int) -> None:
        """One chunk, if it is there, not taken yet, and fits."""
        article, taken = self._offered[key], self._taken[key]
        if position in taken or position not in article.sizes:
            return
        joins = (position - 1 in taken) + (position + 1 in taken)  # both: two passages become one
        tokens = article.sizes[position] + PER_CHUNK + (1 - joins) * article.frame_tokens
        if tokens <= self._left:
            self._left -= tokens
            self._order.append((key, position))
            taken.add(position)

    def fill(self) -> None:
        """Chunks as they were found, then what stands around them."""
        for hit in self._hits:
            self.take(hit.article, hit.position)
        found = [hit for hit in self._hits if hit.position in self._taken[hit.article]]
        for distance in range(1, NEIGHBOURS + 1):
            for hit in found:
                self.take(hit.article, hit.position + distance)
                self.take(hit.article, hit.position - distance)

    def fill_more(self, tokens: int) -> bool:
        """What was counted says that there is room for so much more; whether anything fits there."""
        before, self._left = len(self._order), tokens
        self.fill()
        return len(self._order) > before

    def give_back(self, tokens: int) -> None:
        """At least so many tokens, and at least one chunk."""
        while self._order:
            key, position = self._order.pop()
            self._taken[key].discard(position)
            tokens -= self._offered[key].sizes[position]
            if tokens <= 0:
                return

    def runs(self) -> list[tuple[ArticleKey, range]]:
        """The passages: chunks that follow each other, article by article."""
        found: list[tuple[ArticleKey, range]] = []
        for key, taken in self._taken.items():
            for position in sorted(taken):
                if found and found[-1][0] == key and found[-1][1].stop == position:
                    found[-1] = key, range(found[-1][1].start, position + 1)
                else:
                    found.append((key, range(position, position + 1)))
        return found


def choose(hits: Sequence[Hit], offered: Mapping[ArticleKey, Offered], room_tokens: int) -> Choice:
    """Of articles in the order of their best chunks: whole ones while they fit; of the first that does not, and of
    those after it, chunks as they were found, then their neighbours."""
    choice = Choice(hits, offered, room_tokens)
    for key in offered:
        if not choice.take_whole(key):
            break
    choice.fill()
    return choice
