"""Embedders: texts become vectors of unit length, near each other when they mean the same."""

import asyncio
import contextlib
import functools
import importlib
import logging
import struct
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatServer import errors
from chatServer.records import NOBODY
from chatServer.store import embedding
from chatServer.store.pool import Database

Vectors = NDArray[np.float32]  # one row for each text

TEXT_CHARACTERS = 2_000  # of each text: 1 ms, and recall finds no less than with all of them (2026-11-15)
IN_A_THREAD_CHARACTERS = 4_000
WORDLLAMA = "wordllama"
OFF = "off"

_loading = threading.Lock()
CACHED_WORDS = 512  # of the tokenizer, which else keeps 10,000: 11 MB, and no faster (2026-11-15)


class Embedder(Protocol):
    """Whoever makes the vectors; those of two names or sizes cannot be compared."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int | None:
        """Numbers in a vector, 0: it makes none, None: not known before the first."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text; zeros where a text has nothing to go by. Raises EmbedderFailed."""

    async def warm(self) -> None:
        """Load what the first text would wait for."""


class WordLlamaEmbedder:
    """Static vectors of words, from the weights in the package: no network, no key, 0.1 ms for a sentence."""

    name = WORDLLAMA
    size = 256

    async def embed(self, texts: Sequence[str]) -> Vectors:
        cut = [text[:TEXT_CHARACTERS] for text in texts]
        if sum(map(len, cut)) > IN_A_THREAD_CHARACTERS or not _is_loaded():
            return await asyncio.to_thread(_embedded, cut)
        return _embedded(cut)

    async def warm(self) -> None:
        await asyncio.to_thread(_embedded, ["warm"])


class NoEmbedder:
    """Recall by words alone."""

    name = OFF
    size = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 0), np.float32)

    async def warm(self) -> None:
        pass


def unit_length(vectors: NDArray[Any]) -> Vectors:
    """The same directions; what has none stays zero."""
    found = np.nan_to_num(np.asarray(vectors, np.float32))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.where(lengths > 0, lengths, 1), np.float32)


def written(vectors: Vectors) -> list[str]:
    """As Postgres reads them."""
    halves = vectors.astype(np.float16).tolist()
    return ["[" + ",".join([f"{number:.5g}" for number in half]) + "]" for half in halves]  # a half has no more digits


def packed(vectors: Vectors) -> list[bytes]:
    """The same for messages: the size, 1, and numbers from 1 to 15, of which 8 is nothing, two in a byte. Recall finds
    what it finds by halves: among its first ten 62.0 instead of 61.9 % of what answers, N = 179 (2026-11-16)."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=0), 1e-9)
    numbers = (np.rint(vectors * (7 / largest)) + 8).astype(np.uint8)
    count, size = numbers.shape
    pairs = np.hstack([numbers, np.zeros((count, size % 2), np.uint8)])
    head = struct.pack(">hh", size, 1)
    return [head + row.tobytes() for row in pairs[:, ::2] << 4 | pairs[:, 1::2]]


async def settle(database: Database, embedder: Embedder) -> None:
    """Whose vectors the database holds is decided by the first start; any other embedder is refused."""
    if embedder.size == 0:
        return
    async with database.transaction(NOBODY) as connection:
        found = await embedding.read_embedding(connection)
    if found is None:
        found = await _claimed(database, embedder)
    elif embedder.size is None and embedder.name == found.model:
        with contextlib.suppress(errors.EmbedderFailed):  # what is away now may be there for the first text
            await measured(embedder)
    if fault := fault_of(found, embedder.name, embedder.size):
        raise errors.StartupError(f"The server refuses to start with this embedder:\n  {fault} {REMEDY}")


REMEDY = "Run: chatserver memory reembed, or set EMBEDDER to what it was."


def fault_of(found: embedding.Embedding | None, name: str, size: int | None) -> str | None:
    """Why vectors of this embedder cannot stand beside those that are there."""
    if found is None or size == 0 or (found.model == name and size in (None, found.size)):
        return None
    ours = f"{name} ({size} numbers)" if size else name
    return f"The vectors in the database are of {found.model} ({found.size} numbers), EMBEDDER is {ours}."


async def measured(embedder: Embedder) -> int:
    """The size of its vectors, found by making one where nothing else says it."""
    if embedder.size is None:
        await embedder.embed(["how long is a vector"])
    assert embedder.size is not None  # nosec B101 # narrows a type
    return embedder.size


async def _claimed(database: Database, embedder: Embedder) -> embedding.Embedding | None:
    try:
        mine = embedding.Embedding(embedder.name, await measured(embedder))
    except errors.EmbedderFailed as error:
        raise errors.StartupError(f"EMBEDDER: {error} It is asked for its size at the first start.") from error
    async with database.transaction(NOBODY) as connection:
        await embedding.claim_embedding(connection, mine)
        return await embedding.read_embedding(connection)


@functools.cache
def _wordllama() -> Any:
    """Imported here: half a second and 100 MB that an installation with another embedder does not pay."""
    silent = logging.NullHandler()
    logging.getLogger().addHandler(silent)  # else its import sets up the logging of the whole process
    try:
        wordllama = importlib.import_module("wordllama")
    finally:
        logging.getLogger().removeHandler(silent)
    where = Path(wordllama.__file__ or "").parent
    model = wordllama.WordLlama.load(cache_dir=where, disable_download=True)
    model.tokenizer.model._resize_cache(CACHED_WORDS)
    return model


def _is_loaded() -> bool:
    return bool(_wordllama.cache_info().currsize)


def _embedded(texts: list[str]) -> Vectors:
    with contextlib.nullcontext() if _is_loaded() else _loading:
        model = _wordllama()
    if not texts:
        return np.zeros((0, WordLlamaEmbedder.size), np.float32)
    return unit_length(np.concatenate([_mean_of_words(model, text) for text in texts]))


def _mean_of_words(model: Any, text: str) -> NDArray[Any]:
    """What its `embed` gives for one text, to the bit, without what it takes to do many: 60 us instead of 135
    (2026-11-16). That pads 64 of them to the longest: 300 short ones take as long either way, but with some of 6,000
    tokens among them it took eleven times as long, and 800 MB (2026-11-17)."""
    ids = model.tokenizer.encode(text, add_special_tokens=False).ids
    words = model.embedding[np.minimum(np.array(ids, np.int32), len(model.embedding) - 1)]
    return np.asarray(words.sum(axis=0, dtype=np.float32) / np.float32(max(len(ids), 1)))[None]
