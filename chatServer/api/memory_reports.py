"""What is told of the audit of memories."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel

from chatServer.api.memory_schemas import plain_of
from chatServer.memory.audit import DIFFERENT, HIDDEN, OUTSIDE, SAME, UNUSED, Audit, Entry
from chatServer.records import Trust


class AuditedMemory(BaseModel):
    id: UUID
    text: str
    trust: Trust
    agent_name: str
    created_at: datetime


class AuditEntry(BaseModel):
    memories: list[AuditedMemory]
    suggestion: str


class HiddenEntry(BaseModel):
    message_id: UUID
    session_id: str
    suggestion: str


class AuditAnswer(BaseModel):
    counts: dict[str, int]
    duplicates: list[AuditEntry]
    never_recalled: list[AuditEntry]
    untrusted: list[AuditEntry]
    contradicted: list[AuditEntry]
    hidden_messages: list[HiddenEntry]

    @classmethod
    def of(cls, found: Audit) -> Self:
        hidden = [HiddenEntry(**each._asdict(), suggestion=HIDDEN) for each in found.hidden_messages]
        return cls(
            counts=found.counts,
            duplicates=[_entry(each, SAME) for each in found.duplicates],
            never_recalled=[_entry(each, UNUSED) for each in found.never_recalled],
            untrusted=[_entry(each, OUTSIDE) for each in found.untrusted],
            contradicted=[_entry(each, DIFFERENT) for each in found.contradicted],
            hidden_messages=hidden,
        )


def _entry(entry: Entry, suggestion: str) -> AuditEntry:
    shown = [AuditedMemory.model_validate(plain_of(each), from_attributes=True) for each in entry]
    return AuditEntry(memories=shown, suggestion=suggestion)
