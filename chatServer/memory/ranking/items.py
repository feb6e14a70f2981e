"""What an index is made of: some items of one user, column by column, as rows of the store are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.pages import kept_zeros

ROLES = ("user", "assistant", "other")
ASSISTANT = ROLES.index("assistant")
GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class Items:
    """Messages and memories in any order; all columns have one length."""

    ids: Sequence[UUID]
    is_memory: Sequence[bool]
    roles: Sequence[str]
    speakers: Sequence[str | None]
    sessions: Sequence[str | None]
    shelves: Sequence[str]  # of a message its agent's name, of a memory its shelf
    places: Sequence[int]  # the order within the user's history
    times: Sequence[float]  # seconds since 1970
    chars: Sequence[int]
    terms: Sequence[bytes]  # as messages/terms.py packs them
    vecs: Sequence[bytes | None]  # packed float16
    importances: Sequence[float]
    is_long_term: Sequence[bool]

    def __len__(self) -> int:
        return len(self.ids)


class Columns:
    """Arrays that grow together, with room at their ends, so that appending a few rows copies nothing."""

    def __init__(self, kinds: Mapping[str, tuple[npt.DTypeLike, int]]) -> None:
        self.count = 0
        self._arrays: dict[str, npt.NDArray[Any]] = {
            name: np.zeros((0, width) if width > 1 else 0, kind) for name, (kind, width) in kinds.items()
        }

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """A view of the rows that there are."""
        return self._arrays[name][: self.count]

    def append(self, values: Mapping[str, npt.ArrayLike], count: int) -> None:
        """New rows at the end; a column that is not given is zero there."""
        end = self.count + count
        for name, array in self._arrays.items():
            if end > len(array):
                room = end if not self.count else int(end * GROWTH)
                larger = kept_zeros((room, *array.shape[1:]), array.dtype)
                larger[: self.count] = array[: self.count]
                self._arrays[name] = larger
            if name in values:
                self._arrays[name][self.count : end] = values[name]
        self.count = end

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())


class Codes:
    """Names as small numbers, in the order in which they were met; no name is -1."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def of(self, names: Sequence[str | None]) -> npt.NDArray[np.int32]:
        codes = self.codes
        return np.array([-1 if name is None else codes.setdefault(name, len(codes)) for name in names], np.int32)

    def known(self, names: Sequence[str] | frozenset[str]) -> list[int]:
        """The numbers of those that were met."""
        return [self.codes[name] for name in names if name in self.codes]

    def among(self, column: npt.NDArray[np.int32], names: Sequence[str] | frozenset[str]) -> npt.NDArray[np.bool_]:
        """Whether each of some numbers stands for one of these names. Looked up: np.isin sorts them first."""
        is_one = np.zeros(len(self.codes) + 1, np.bool_)  # the last is nobody's
        is_one[self.known(names)] = True
        return is_one[column]
