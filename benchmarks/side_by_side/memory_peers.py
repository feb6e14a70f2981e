"""The memory stores of others: filled by COPY, as their own code would fill them, and asked over HTTP."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID, uuid5

import httpx
import numpy as np
import psycopg

from benchmarks.many_memories import Telling, Told, owner_of

MEM0, STORE = "mem0", "langgraph store"
MODULES = {MEM0: "mem0_memory", STORE: "store_memory"}
SAID_AT = "2026-01-01T00:00:00+00:00"
# An index is built faster than it grows: it is taken away meanwhile, and comes back as it was.
INDEX = {
    MEM0: ("memories_hnsw_idx", "create index memories_hnsw_idx on memories using hnsw (vector vector_cosine_ops)"),
    STORE: (
        "store_vectors_embedding_idx",
        "create index store_vectors_embedding_idx on store_vectors using hnsw (embedding vector_cosine_ops)",
    ),
}
# Binary, which is read without being parsed; what is none of psycopg's types is sent as its own type sends itself.
COPIES = {
    MEM0: {
        "memories (id, vector, payload)": (
            ("uuid", "bytea", "bytea"), lambda row: (row.memory_id, row.vector, row.payload),
        ),
    },
    STORE: {
        "store (prefix, key, value)": (
            ("text", "text", "bytea"), lambda row: (row.prefix, str(row.memory_id), as_jsonb({"text": row.text})),
        ),
        "store_vectors (prefix, key, field_name, embedding)": (
            ("text", "text", "text", "bytea"), lambda row: (row.prefix, str(row.memory_id), "text", row.vector),
        ),
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    user_id: str
    memory_id: UUID
    text: str
    vector: bytes

    @property
    def prefix(self) -> str:
        return f"memories.{self.user_id}"

    @property
    def payload(self) -> bytes:
        said = {"user_id": self.user_id, "data": self.text, "text_lemmatized": self.text, "role": "user"}
        return as_jsonb(said | {"created_at": SAID_AT, "updated_at": SAID_AT})


def as_jsonb(said: dict[str, str]) -> bytes:
    return b"\x01" + json.dumps(said).encode()


def vector_of(told: Told) -> bytes:
    """Two short numbers, then floats; they were halves."""
    return told.vec[:4] + np.frombuffer(told.vec[4:], ">f2").astype(">f4").tobytes()


def rows(telling: Telling, memories: int, users: int) -> Iterator[Row]:
    for number in range(users):
        owner = owner_of(number, memories, users).user_id
        for place, told in enumerate(telling.memories(memories // users, number)):
            yield Row(str(owner), uuid5(owner, str(place)), told.text, vector_of(told))


def fill(url: str, name: str, telling: Telling, memories: int, users: int) -> None:
    """The peer has made its tables; it need not run."""
    index, create = INDEX[name]
    told = list(rows(telling, memories, users))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop index if exists {index}".encode())
        for table, (types, columns) in COPIES[name].items():
            command = f"copy {table} from stdin (format binary)".encode()
            with connection.cursor() as cursor, cursor.copy(command) as copy:
                copy.set_types(types)
                for row in told:
                    copy.write_row(columns(row))
        connection.execute("set maintenance_work_mem = '512MB'")  # it takes a third of that
        connection.execute(create.encode())
        connection.execute("vacuum analyze")


def make_tables(address: str, user: str) -> None:
    """By remembering one thing: mem0 makes its tables when it is first asked."""
    body = {"user_id": user, "text": "The first thing."}
    httpx.post(f"{address}/remember", json=body, timeout=60).raise_for_status()
