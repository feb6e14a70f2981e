"""Packed columns of the store, as the items of an index and what a register notes beside it."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from chatServer.memory.ranking.items import Items
from chatServer.memory.ranking.packing import DIMENSIONS
from chatServer.store.recall import Columns

# Shelves of the index: what an agent was told, what is remembered, and what was remembered until it was replaced.
TOLD, HELD, REPLACED = "told:", "held:", "replaced:"
HEAD = struct.Struct(">hh")  # before the numbers of a vector: how many there are, and whether they are small
T = TypeVar("T")
ROLE_OF_TRUST = {"user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some messages, or some memories."""

    columns: Columns
    is_memory: bool
    ids: list[UUID]
    places: list[int]
    times: list[float]
    has_vector: list[bool]
    ends: list[float]  # when something replaced it; infinity: nothing has

    @classmethod
    def of(cls, columns: Columns | None, *, is_memory: bool) -> "Piece | None":
        if columns is None:
            return None
        return cls(
            columns,
            is_memory,
            [UUID(bytes=columns.ids[start : start + 16]) for start in range(0, len(columns.ids), 16)],
            np.frombuffer(columns.places, ">i8").tolist(),
            np.frombuffer(columns.times, ">f8").tolist(),
            np.frombuffer(columns.has_vector, ">i4").astype(bool).tolist(),
            np.frombuffer(columns.ends, ">f8").tolist() if is_memory else [],
        )

    def __len__(self) -> int:
        return self.columns.size

    def is_replaced(self, place: int) -> bool:
        return self.is_memory and self.ends[place] != float("inf")

    def sources(self, place: int) -> tuple[UUID, ...]:
        return tuple(map(UUID, self.columns.sources[place].split()))

    def shelf(self, place: int) -> str:
        if not self.is_memory:
            return f"{TOLD}{self.columns.agents[place]}"
        return f"{REPLACED if self.is_replaced(place) else HELD}{self.columns.speakers[place]}"


def items_of(parts: Iterable[tuple[Piece, Sequence[int]]]) -> Items:
    """Some places of each of some pieces, in one."""
    found = [_items(piece, places) for piece, places in parts]
    return Items(*(list(chain.from_iterable(getattr(items, name) for items in found)) for name in Items.__slots__))


def _items(piece: Piece, places: Sequence[int]) -> Items:
    columns, is_memory, count = piece.columns, piece.is_memory, len(places)
    is_whole = count == len(piece)  # as most are: then nothing is copied

    def chosen(column: Sequence[T]) -> Sequence[T]:
        return column if is_whole else [column[place] for place in places]

    ends = np.cumsum(np.frombuffer(columns.term_bytes, ">i4")).tolist()
    starts = [0, *ends]
    characters = np.frombuffer(columns.characters, ">i4").tolist()
    importances = np.frombuffer(columns.importances, ">f4").tolist()
    is_long = np.frombuffer(columns.is_long, ">i4").astype(bool).tolist()
    roles = [ROLE_OF_TRUST.get(trust, "other") for trust in columns.roles] if is_memory else columns.roles
    return Items(
        ids=chosen(piece.ids),
        is_memory=[is_memory] * count,
        roles=chosen(roles),
        speakers=[None] * count if is_memory else chosen(columns.speakers),
        sessions=[columns.sessions[place] or columns.speakers[place] for place in places],  # or that of its shelf
        shelves=[piece.shelf(place) for place in places],
        places=chosen(piece.places),
        times=chosen(piece.times),
        chars=chosen(characters),
        terms=[columns.terms[starts[place] : ends[place]] for place in places],
        vecs=chosen(_vectors(piece)),
        importances=chosen(importances) if is_memory else [0.0] * count,
        is_long_term=chosen(is_long) if is_memory else [False] * count,
    )


def fitted(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of any size as the index takes them: shorter ones end in zeros, longer ones are projected, which keeps
    their angles within a few hundredths."""
    count, size = vectors.shape
    if size <= DIMENSIONS:
        return np.hstack([vectors, np.zeros((count, DIMENSIONS - size), np.float32)])
    return np.asarray(vectors @ _projection(size), np.float32)


@cache
def _projection(size: int) -> NDArray[np.float32]:
    chosen = np.random.default_rng(size).standard_normal((size, DIMENSIONS))
    return np.asarray(np.linalg.qr(chosen)[0], np.float32)


def _vectors(piece: Piece) -> list[bytes | None]:
    """Those of the newest's size; others are of an embedder that answered otherwise then, and cannot be compared."""
    if not any(piece.has_vector):
        return [None] * len(piece)
    has_vector, raw = _of_one_size(piece)
    packed = fitted(raw).astype("<f2").tobytes()
    width = 2 * DIMENSIONS
    parts = (packed[start : start + width] for start in range(0, len(packed), width))
    return [next(parts) if has else None for has in has_vector]


def _of_one_size(piece: Piece) -> tuple[list[bool], NDArray[np.float32]]:
    """Which items have a vector of the first one's size, and those vectors, whose lengths are any."""
    vectors, count = piece.columns.vectors, sum(piece.has_vector)
    width = _width(vectors, 0)
    if len(vectors) == count * width:  # as nearly always
        rows = np.frombuffer(vectors, np.uint8).reshape(count, width)
        if (rows[:, : HEAD.size] == rows[0, : HEAD.size]).all():
            return piece.has_vector, _numbers(vectors, 0, rows[:, HEAD.size :])
    starts, start = [], 0
    for _ in range(count):
        starts.append(start)
        start += _width(vectors, start)
    size = vectors[:2]
    fits = iter([vectors[start : start + 2] == size for start in starts])
    raw = np.frombuffer(vectors, np.uint8)
    same = [
        _numbers(vectors, start, raw[start + HEAD.size : start + _width(vectors, start)])
        for start in starts
        if vectors[start : start + 2] == size
    ]
    return [has and bool(next(fits)) for has in piece.has_vector], np.array(same, np.float32)


def _width(vectors: bytes, start: int) -> int:
    size, is_small = HEAD.unpack_from(vectors, start)
    return HEAD.size + ((int(size) + 1) // 2 if is_small else 2 * int(size))


def _numbers(vectors: bytes, start: int, raw: NDArray[np.uint8]) -> NDArray[np.float32]:
    size, is_small = HEAD.unpack_from(vectors, start)
    if not is_small:
        return raw.view(">f2").astype(np.float32)
    pairs = np.stack([raw >> 4, raw & 15], axis=-1).reshape(*raw.shape[:-1], -1)
    return pairs[..., :size].astype(np.float32) - 8
