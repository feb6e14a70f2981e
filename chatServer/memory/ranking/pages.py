"""Arrays that stay, on pages of their own, which go back to the system with them.

Between other things on the heap they would not: users come and go, and a cache that was full took ever more memory
(2026-11-15: 50 users in 16 MB, 24,000 questions: 148 MB and rising, on pages 104).
"""

import math
import mmap
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

OWN_PAGES = 16_384  # bytes; smaller ones find room anywhere

Number = TypeVar("Number", bound=np.generic)


def kept_zeros(shape: tuple[int, ...], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    size = math.prod(shape) * kind.itemsize
    return np.frombuffer(mmap.mmap(-1, size), kind).reshape(shape) if size >= OWN_PAGES else np.zeros(shape, kind)


def kept(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The same numbers, there to stay."""
    if array.nbytes < OWN_PAGES:
        return array
    copy: npt.NDArray[Number] = kept_zeros(array.shape, array.dtype)
    copy[:] = array
    return copy
