"""Which chunks bear on a question: by the words that they share with it, the rarer the better, and by their meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.store.retrieval import Scored

WORDS_WEIGHT, MEANING_WEIGHT = 0.55, 0.45
LEAST_NEAR = 0.3  # a cosine below it is a coincidence
ENOUGH = 0.4  # of the best score; less is not worth the room
CANDIDATES = 200

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """Whose article it is, and which."""

    owner_id: UUID
    article_id: UUID


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that bears on the question."""

    article: ArticleKey
    position: int
    score: float


@dataclass(frozen=True, slots=True)
class Seen:
    """All chunks of one owner as a question sees them: numbers."""

    owner_id: UUID
    ids: npt.NDArray[np.uint64]  # two for each chunk
    positions: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.int32]
    near: Floats
    words: npt.NDArray[np.int16]

    @classmethod
    def of(cls, owner_id: UUID, scored: Scored) -> "Seen":
        return cls(
            owner_id,
            np.frombuffer(scored.ids, ">u8").reshape(-1, 2).astype(np.uint64),
            np.frombuffer(scored.positions, ">i4").astype(np.int32),
            np.frombuffer(scored.tokens, ">i4").astype(np.int32),
            np.nan_to_num(np.frombuffer(scored.near, ">f4").astype(np.float32)),
            np.frombuffer(scored.words, ">i2").astype(np.int16),
        )

    def key_of(self, row: int) -> ArticleKey:
        return ArticleKey(self.owner_id, UUID(bytes=self.ids[row].astype(">u8").tobytes()))

    def sizes_of(self, article_id: UUID) -> dict[int, int]:
        """The tokens of each chunk of an article, by position."""
        wanted = np.frombuffer(article_id.bytes, ">u8").astype(np.uint64)
        rows = np.flatnonzero((self.ids[:, 0] == wanted[0]) & (self.ids[:, 1] == wanted[1]))
        return dict(zip(self.positions[rows].tolist(), self.tokens[rows].tolist(), strict=True))


def rank(owners: Sequence[Seen], word_count: int) -> list[Hit]:
    """The best first, none that is not worth its room."""
    if not owners:
        return []
    words = np.concatenate([seen.words for seen in owners])
    near = np.maximum(np.concatenate([seen.near for seen in owners]), 0)
    lexical = _shared(words, word_count)
    scores = WORDS_WEIGHT * lexical + MEANING_WEIGHT * near / max(float(near.max(initial=0)), LEAST_NEAR)
    scores[(lexical == 0) & (near < LEAST_NEAR)] = 0
    best = _best(scores)
    best = best[scores[best] > ENOUGH * float(scores[best[0]])] if len(best) else best
    starts = np.cumsum([0, *(len(seen.words) for seen in owners)])
    hits = []
    for row in best.tolist():
        number = int(np.searchsorted(starts, row, side="right")) - 1
        seen, place = owners[number], row - int(starts[number])
        hits.append(Hit(seen.key_of(place), int(seen.positions[place]), float(scores[row])))
    return hits


def _best(scores: Floats) -> npt.NDArray[np.int64]:
    """Of equals the first."""
    rows = np.arange(len(scores))
    if len(rows) > CANDIDATES:
        least = np.partition(scores, -CANDIDATES)[-CANDIDATES]
        rows = np.flatnonzero(scores >= least)
    return rows[np.argsort(-scores[rows], kind="stable")][:CANDIDATES]


def _shared(words: npt.NDArray[np.int16], word_count: int) -> Floats:
    """How much of the question a chunk has of its words, 0 to 1; a word that hardly any chunk has counts most."""
    total, weight = np.zeros(len(words), np.float32), 0.0
    for bit in range(word_count):
        has = (words >> bit) & 1
        count = int(np.count_nonzero(has))
        if count:
            idf = float(np.log(1 + (len(words) - count + 0.5) / (count + 0.5)))
            total += np.float32(idf) * has.astype(np.float32)
            weight += idf
    return total / np.float32(weight) if weight else total
