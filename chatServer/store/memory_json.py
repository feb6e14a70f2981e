"""A memory as chat.memory_changes keeps it, and back: what undo puts in its place again."""

from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import UUID

from chatServer.records import Memory, Triple

TIMES = ("valid_from", "valid_to", "created_at", "updated_at", "recalled_at", "expires_at")
_IDS = ("memory_id", "superseded_by", "turn_id")


def dumped(memory: Memory) -> dict[str, Any]:
    plain: dict[str, Any] = {field.name: getattr(memory, field.name) for field in fields(Memory)}
    for name in TIMES:
        plain[name] = plain[name] and plain[name].isoformat()
    for name in _IDS:
        plain[name] = plain[name] and str(plain[name])
    triple = memory.triple
    plain["triple"] = [triple.subject, triple.predicate, triple.object] if triple else None
    return plain | {"tags": list(memory.tags), "source_ids": [str(each) for each in memory.source_ids]}


def loaded(plain: dict[str, Any]) -> Memory:
    values = dict(plain)
    for name in TIMES:
        values[name] = values[name] and datetime.fromisoformat(values[name])
    for name in _IDS:
        values[name] = values[name] and UUID(values[name])
    if values["triple"]:
        subject, predicate, object_ = values["triple"]
        values["triple"] = Triple(subject, predicate, object_, values["valid_from"], values["valid_to"])
    values["tags"] = tuple(values["tags"])
    values["source_ids"] = tuple(UUID(each) for each in values["source_ids"])
    return Memory(**values)
