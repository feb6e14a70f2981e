"""The words of a text as recall compares them: numbers, so that an index is loaded without cutting any text."""

import zlib
from array import array

from chatServer.messages.clean import searchable


def terms_of(text: str) -> "array[int]":
    """The words in their order, each as 32 bits."""
    return array("I", (zlib.crc32(word.encode()) for word in searchable(text).split()))


def packed_terms(text: str) -> bytes:
    """The same as bytes, little-endian, as rows keep them."""
    return terms_of(text).tobytes()
