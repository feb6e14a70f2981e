"""In which rows an id stands: half of each id, sorted, searched by bisection."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.pages import kept


@dataclass(frozen=True, slots=True)
class Places:
    """Twelve bytes for each row, which a dictionary would not do with."""

    lows: npt.NDArray[np.uint64]  # the second half of each id, ascending
    rows: npt.NDArray[np.int32]

    @property
    def nbytes(self) -> int:
        return self.lows.nbytes + self.rows.nbytes

    def of(self, lows: npt.NDArray[np.uint64]) -> list[int]:
        """The rows of these halves, in no order: dead ones too, and those of an id that shares its half."""
        firsts, ends = np.searchsorted(self.lows, lows), np.searchsorted(self.lows, lows, "right")
        spans = zip(firsts.tolist(), ends.tolist(), strict=True)
        return [row for first, end in spans if first < end for row in self.rows[first:end].tolist()]


NO_PLACES = Places(np.empty(0, np.uint64), np.empty(0, np.int32))


def places_of(lows: npt.NDArray[np.uint64]) -> Places:
    order = np.argsort(lows, kind="stable").astype(np.int32)
    return Places(kept(lows[order]), kept(order))
