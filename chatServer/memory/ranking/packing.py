"""How items become numbers: ids as two of 64 bits, vectors as int8 and as floats to scan; and what counts are worth."""

from collections.abc import Collection, Sequence
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.postings import Floats

DIMENSIONS = 256
SCANNED = 64  # of the dimensions: the first ones carry most, and a scan of all takes four times as long
K1, B = 1.2, 0.75


def saturated(counts: Floats, lengths: Floats) -> Floats:
    """BM25 without IDF: how much `counts` of a term are worth in texts of these relative lengths."""
    return (counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths))).astype(np.float32, copy=False)


def unit(vec: Floats) -> Floats:
    norm = float(np.linalg.norm(vec))
    return vec / norm if norm else vec


def packed_ids(ids: Collection[UUID]) -> npt.NDArray[np.uint64]:
    return np.frombuffer(b"".join(each.bytes for each in ids), ">u8").reshape(-1, 2).astype(np.uint64)


def packed_vectors(given: Sequence[bytes | None]) -> dict[str, npt.ArrayLike]:
    """Int8 with a scale for all dimensions, floats for those that are scanned; zeros where there is no vector, and
    no columns where there is none at all."""
    if not any(given):  # as what was just said
        return {}
    nothing = bytes(2 * DIMENSIONS)
    packed = b"".join(vec if vec and len(vec) == len(nothing) else nothing for vec in given)
    vecs = np.nan_to_num(np.frombuffer(packed, "<f2").reshape(-1, DIMENSIONS).astype(np.float32), posinf=0, neginf=0)
    norms = np.linalg.norm(vecs, axis=1, keepdims=True)
    vecs = vecs / np.maximum(norms, 1e-9)
    largest = np.maximum(np.abs(vecs).max(axis=1, keepdims=True, initial=0), 1e-9)
    starts = vecs[:, :SCANNED]
    starts = starts / np.maximum(np.linalg.norm(starts, axis=1, keepdims=True), 1e-9)
    return {
        "vec": np.rint(vecs * (127 / largest)).astype(np.int8),
        "scale": (largest[:, 0] / 127) * (norms[:, 0] > 0),
        "scan": starts,
    }
