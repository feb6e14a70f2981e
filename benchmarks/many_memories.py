"""Any number of memories, of made-up words that are as frequent as words are, copied into a database."""

import functools
import hashlib
import itertools
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks import apart
from benchmarks.conversations import NAMESPACE
from chatServer.memory.embed import Embedder
from chatServer.messages.terms import packed_terms
from chatServer.records import Principal

SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
VOCABULARY = 30_000
TOPICS = 300
OF_A_TOPIC = 200  # words that are said in it more than elsewhere
NAMES = 2_000
WITH_A_TRIPLE = 3  # of ten
IN_A_SESSION = 20
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 20_000  # rows of one COPY
TELLERS = 1_000  # users who tell something of their own; others tell the same again, and keep it for themselves
SHARED_FROM = 100  # users: then two processes make their memories
COPIED = {
    "chat.sessions": {"user_id": "uuid", "session_id": "text", "agent_name": "text"},
    "chat.memory_heads": {"user_id": "uuid", "seq": "int8", "kept_seq": "int8"},
    "chat.memory_changes": {
        "user_id": "uuid", "seq": "int8", "memory_id": "uuid", "operation": "text", "actor": "text",
    },
    "chat.memories": {
        "user_id": "uuid", "memory_id": "uuid", "seq": "int8", "shelf": "text", "agent_name": "text",
        "session_id": "text", "kind": "text", "category": "text", "text": "text", "digest": "bytea",
        "importance": "float4", "tier": "text", "subject": "text", "predicate": "text", "object": "text",
        "valid_from": "timestamptz", "created_at": "timestamptz", "origin": "text", "trust": "text",
        # These two as their types send themselves.
        "tsv": "bytea", "terms": "bytea", "embed_model": "text", "vec": "bytea",
    },
}  # fmt: skip


class Told(NamedTuple):
    """One made-up memory: its words, the first of them a name."""

    words: list[str]
    vec: bytes

    @property
    def text(self) -> str:
        return f"{' '.join(self.words).capitalize()}."


class Telling:
    """The same memories whenever it is asked for the same; vectors are what the embedder makes of the words, added."""

    def __init__(self, vectors: NDArray[np.float32], words: Sequence[str], names: Sequence[str]) -> None:
        self._vectors, self._words, self._names = vectors, words, names
        self._topics = np.random.default_rng(1).integers(0, len(words), (TOPICS, OF_A_TOPIC))

    @classmethod
    async def by(cls, embedder: Embedder) -> "Telling":
        random = np.random.default_rng(0)
        spelt = ("".join(random.choice(SYLLABLES, size)) for size in itertools.cycle((2, 3, 3, 4)))
        words = list(itertools.islice(dict.fromkeys(itertools.islice(spelt, 4 * VOCABULARY)), VOCABULARY + NAMES))
        vectors = [await embedder.embed(words[start : start + 1_000]) for start in range(0, len(words), 1_000)]
        return cls(np.vstack(vectors), words[:VOCABULARY], words[VOCABULARY:])

    def memories(self, count: int, number: int) -> list[Told]:
        """What the user of that number has told."""
        random = np.random.default_rng(number % TELLERS)
        lengths = random.integers(6, 22, count)
        of = np.repeat(np.arange(count), lengths)
        words = _zipf(random, VOCABULARY, len(of))
        own = self._topics[random.integers(0, TOPICS, count)[of], _zipf(random, OF_A_TOPIC, len(of))]
        words = np.where(random.random(len(of)) < 0.5, own, words)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        words[starts] = VOCABULARY + _zipf(random, NAMES, count)
        vecs = np.add.reduceat(self._vectors[words], starts)
        vecs /= np.linalg.norm(vecs, axis=1, keepdims=True)
        sent = vecs.astype(">f2")
        spelt = [*self._words, *self._names]
        head = struct.pack(">hh", vecs.shape[1], 0)
        return [
            Told([spelt[word] for word in some], head + vec.tobytes())
            for some, vec in zip(np.split(words, starts[1:]), sent, strict=True)
        ]


def question_about(told: Told, random: np.random.Generator) -> str:
    """Whom it is about, and some of the words that say it."""
    words = " ".join(random.choice(told.words[1:], 4, replace=False))
    return f"What did I tell you about {told.words[0].capitalize()} and {words}?"


def owner_of(number: int, memories: int, users: int) -> Principal:
    """One of so many who share so many memories; another one where the numbers differ."""
    return Principal(uuid5(NAMESPACE, f"{number} of {users} with {memories}"))


def fill(owner_url: str, telling: Telling, model: str, memories: int, users: int) -> None:
    """So many memories, each user with the same number of them; by two processes where there are many users."""
    began = time.perf_counter()
    parts = [range(users)] if users < SHARED_FROM else [range(users // 2), range(users // 2, users)]
    some = functools.partial(_fill_some, owner_url, telling, model, memories, users)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")
        if len(parts) == 1:
            some(parts[0])
        else:
            with apart.processes(len(parts)) as pool:
                pool.map(some, parts)
        connection.execute("vacuum analyze")  # else autovacuum does it amid the measurement
    print(f"{memories:,} memories of {users:,} users, filled in {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _fill_some(owner_url: str, telling: Telling, model: str, memories: int, users: int, numbers: range) -> None:
    each = memories // users
    at_once = max(1, BATCH // each)
    contents = functools.cache(lambda teller: [_content(told) for told in telling.memories(each, teller)])
    with psycopg.connect(owner_url, autocommit=True) as connection:
        for first in range(numbers.start, numbers.stop, at_once):
            rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in COPIED}
            for number in range(first, min(first + at_once, numbers.stop)):
                said = contents(number % TELLERS)
                for table, row in _rows(owner_of(number, memories, users).user_id, said, model):
                    rows[table].append(row)
            for table, some in rows.items():
                _copy(connection, table, some)


def _zipf(random: np.random.Generator, size: int, count: int) -> NDArray[np.int64]:
    """Numbers below `size`, each as frequent as its place says: the second half as often as the first, and so on."""
    ends = np.cumsum(1 / np.arange(1, size + 1))
    return np.searchsorted(ends, random.random(count) * ends[-1]).clip(max=size - 1)


class Content(NamedTuple):
    """What is the same of a memory, whosever it is."""

    text: str
    triple: tuple[str, str, str]
    lexemes: bytes
    terms: bytes
    vec: bytes


def _content(told: Told) -> Content:
    triple = (told.words[0].capitalize(), "likes", told.words[-1])
    return Content(told.text, triple, _lexemes(told.words), packed_terms(told.text), told.vec)


def _rows(user_id: UUID, said: Sequence[Content], model: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield "chat.memory_heads", (user_id, len(said), len(said))
    session_id = ""
    for place, each in enumerate(said):
        if place % IN_A_SESSION == 0:
            session_id = str(uuid5(user_id, str(place)))
            yield "chat.sessions", (user_id, session_id, "assistant")
        at = BEGAN + timedelta(minutes=place)
        # Ids begin with the time, as those that we make do.
        head = int(at.timestamp() * 1_000) << 80 | 7 << 76 | 2 << 62
        memory_id = UUID(int=head | int.from_bytes(user_id.bytes[:4]) << 20 | place)
        has_triple = place % 10 < WITH_A_TRIPLE
        triple = each.triple if has_triple else (None, None, None)
        yield "chat.memory_changes", (user_id, place + 1, memory_id, "created", "rules")
        yield "chat.memories", (
            user_id, memory_id, place + 1, "*" if place % 4 else "assistant", "assistant", session_id, "fact",
            "knowledge", each.text, hashlib.sha256(f"{place} {each.text}".encode()).digest(), 0.5 + place % 5 / 10,
            "long" if place % 3 else "short", *triple, at, at, "rules", "user", each.lexemes,
            each.terms, model, each.vec,
        )  # fmt: skip


def _lexemes(words: Sequence[str]) -> bytes:
    places = {word: place for place, word in enumerate(words, 1)}
    sent = (word.encode() + struct.pack(">xHH", 1, places[word]) for word in sorted(places))
    return struct.pack(">i", len(places)) + b"".join(sent)


def _copy(connection: psycopg.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    columns = COPIED[table]
    command = f"copy {table} ({', '.join(columns)}) from stdin (format binary)"
    with connection.cursor() as cursor, cursor.copy(command) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)
