"""Which items hold a term, and how often: one sorted array of (term, row), searched by bisection."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.pages import kept

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

ROW_BITS = np.uint64(32)
ROW_MASK = np.uint64(0xFFFFFFFF)
MAX_COUNT = 255


@dataclass(frozen=True, slots=True)
class Postings:
    """Nine bytes for each term of an item; nothing is kept by term, so there is no dictionary to build."""

    keys: npt.NDArray[np.uint64]  # term << 32 | row, ascending, each once
    counts: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.counts.nbytes

    def of(self, term: int) -> tuple[Rows, npt.NDArray[np.uint8]]:
        """The rows that hold a term, ascending, and how often each does."""
        first, last = np.searchsorted(self.keys, np.array([term << 32, (term + 1) << 32], np.uint64))
        return (self.keys[first:last] & ROW_MASK).astype(np.int64), self.counts[first:last]

    def terms(self) -> npt.NDArray[np.uint32]:
        """The term of each posting."""
        return (self.keys >> ROW_BITS).astype(np.uint32)

    def rows(self) -> Rows:
        """The row of each posting."""
        return (self.keys & ROW_MASK).astype(np.int64)

    def joined(self, later: "Postings") -> "Postings":
        """Both in one; no row is in both."""
        keys = np.concatenate([self.keys, later.keys])
        order = np.argsort(keys, kind="stable")
        return Postings(kept(keys[order]), kept(np.concatenate([self.counts, later.counts])[order]))

    def without(self, is_gone: npt.NDArray[np.bool_]) -> "Postings":
        """Those whose row is not gone."""
        stays = ~is_gone[self.rows()]
        return Postings(self.keys[stays], self.counts[stays])


NO_POSTINGS = Postings(np.empty(0, np.uint64), np.empty(0, np.uint8))


def post(terms: npt.NDArray[np.uint32], rows: Rows) -> Postings:
    """Sort the terms of some items; terms[i] stands in row rows[i]."""
    keys = np.sort((terms.astype(np.uint64) << ROW_BITS) | rows.astype(np.uint64))
    if not len(keys):
        return NO_POSTINGS
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    counts = np.diff(np.append(starts, len(keys)))
    return Postings(kept(keys[starts]), kept(np.minimum(counts, MAX_COUNT).astype(np.uint8)))
