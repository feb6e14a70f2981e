"""What one owner's articles are found by, in the process: vectors and words as numbers. It says where to look; what is
shown is always read again, as the user who asks."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.knowledge.rank import Seen
from chatServer.memory.ranking.pages import kept
from chatServer.store.retrieval import Packed

MAX_AGE_S = 600  # then it is loaded anew
MAX_AGE_LACKING_S = 20  # where vectors are still being made
CHUNK_BITS, CHUNK_MASK = np.uint64(32), np.uint64(0xFFFFFFFF)
VECTOR_HEAD = 2  # numbers before those of a vector: its size, and nothing


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Chunks in any order, and which of them have a word."""

    stamps: Mapping[UUID, str]
    ids: npt.NDArray[np.uint64]  # two for each
    positions: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.int32]
    vectors: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]  # 0: it has no vector, or one of nothing
    words: npt.NDArray[np.uint64]  # word << 32 | chunk, ascending
    lacks_vectors: bool = False  # that may still be made
    loaded_at: float = field(default_factory=time.monotonic)

    @property
    def nbytes(self) -> int:
        arrays = (self.ids, self.positions, self.tokens, self.vectors, self.scales, self.words)
        return sum(array.nbytes for array in arrays)

    @property
    def is_old(self) -> bool:
        age_s = time.monotonic() - self.loaded_at
        return age_s > MAX_AGE_S or (age_s > MAX_AGE_LACKING_S and self.lacks_vectors)

    def seen(self, owner_id: UUID, words: list[int], vector: npt.NDArray[np.float32] | None) -> Seen:
        """Every chunk as this question sees it."""
        near = np.zeros(len(self.positions), np.float32)
        if vector is not None and vector.size == self.vectors.shape[1]:
            near = (self.vectors.astype(np.float32) @ vector) * self.scales
        bits = np.zeros(len(self.positions), np.int16)
        for place, word in enumerate(words):
            begin = np.uint64(word) << CHUNK_BITS
            first, last = np.searchsorted(self.words, begin), np.searchsorted(self.words, begin | CHUNK_MASK, "right")
            bits[self.words[first:last] & CHUNK_MASK] |= 1 << place
        return Seen(owner_id, self.ids, self.positions, self.tokens, near, bits)

    def without(self, gone: set[UUID]) -> "Stack":
        """What is left when some articles are gone or have changed."""
        if not gone:
            return self
        lost = np.frombuffer(b"".join(each.bytes for each in gone), ">u8").astype(np.uint64).reshape(-1, 2)
        is_lost = np.zeros(len(self.positions), np.bool_)
        for high, low in lost:
            is_lost |= (self.ids[:, 0] == high) & (self.ids[:, 1] == low)
        stays = ~is_lost
        places = np.cumsum(stays, dtype=np.uint64) - np.uint64(1)  # what is left moves up, in the same order
        rows = self.words & CHUNK_MASK
        words = ((self.words >> CHUNK_BITS << CHUNK_BITS) | places[rows])[stays[rows]]
        return Stack(
            {article_id: stamp for article_id, stamp in self.stamps.items() if article_id not in gone},
            self.ids[stays],
            self.positions[stays],
            self.tokens[stays],
            self.vectors[stays],
            self.scales[stays],
            words,
            self.lacks_vectors,
            self.loaded_at,
        )

    def joined(self, later: "Stack") -> "Stack":
        """Both in one; no article is in both."""
        if not len(self.positions):
            return later
        return Stack(
            {**self.stamps, **later.stamps},
            kept(np.concatenate([self.ids, later.ids])),
            kept(np.concatenate([self.positions, later.positions])),
            kept(np.concatenate([self.tokens, later.tokens])),
            kept(np.concatenate([self.vectors, later.vectors])),
            kept(np.concatenate([self.scales, later.scales])),
            kept(np.sort(np.concatenate([self.words, later.words + np.uint64(len(self.positions))]), kind="stable")),
            self.lacks_vectors or later.lacks_vectors,
            self.loaded_at,
        )


def stack_of(stamps: Mapping[UUID, str], packed: Packed | None, size: int) -> Stack:
    """Of what was loaded for some articles."""
    packed = packed or Packed(0, b"", b"", b"", b"", b"", b"", b"")
    has_vector = np.frombuffer(packed.has_vector, ">i4").astype(np.bool_)
    found = np.frombuffer(packed.vectors, ">f2").reshape(-1, size + VECTOR_HEAD)[:, VECTOR_HEAD:].astype(np.float32)
    found = np.nan_to_num(found, posinf=0, neginf=0)
    largest = np.abs(found).max(axis=1, initial=0) if size else np.zeros(len(found), np.float32)
    vectors, scales = np.zeros((packed.size, size), np.int8), np.zeros(packed.size, np.float32)
    vectors[has_vector] = np.rint(found * (127 / np.maximum(largest, 1e-9))[:, None])
    scales[has_vector] = largest / 127
    return Stack(
        stamps,
        kept(np.frombuffer(packed.ids, ">u8").reshape(-1, 2).astype(np.uint64)),
        kept(np.frombuffer(packed.positions, ">i4").astype(np.int32)),
        kept(np.frombuffer(packed.tokens, ">i4").astype(np.int32)),
        kept(vectors),
        kept(scales),
        kept(_words(packed)),
        lacks_vectors=size > 0 and not has_vector.all(),
    )


def _words(packed: Packed) -> npt.NDArray[np.uint64]:
    chunks = np.repeat(np.arange(packed.size, dtype=np.uint64), np.frombuffer(packed.word_counts, ">i4"))
    words = np.frombuffer(packed.words, ">u4").astype(np.uint64)
    return np.unique((words << CHUNK_BITS) | chunks)
