"""What is told of the audit of memories."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel

from chatServer.api.memory_schemas import plain_of
from chatServer.memory.audit import DIFFERENT, FORGOTTEN, HIDDEN, OUTSIDE, SAME, UNUSED, Audit, Entry
from chatServer.records import Memory, Trust


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


class ForgottenEntry(BaseModel):
    memory: AuditedMemory
    forgotten_at: datetime
    suggestion: str


class AuditAnswer(BaseModel):
    counts: dict[str, int]
    duplicates: list[AuditEntry]
    never_recalled: list[AuditEntry]
    untrusted: list[AuditEntry]
    contradicted: list[AuditEntry]
    hidden_messages: list[HiddenEntry]
    forgotten: list[ForgottenEntry]

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
            forgotten=[
                ForgottenEntry(memory=_shown(each.memory), forgotten_at=each.at, suggestion=FORGOTTEN)
                for each in found.forgotten
            ],
        )


def _entry(entry: Entry, suggestion: str) -> AuditEntry:
    return AuditEntry(memories=[_shown(each) for each in entry], suggestion=suggestion)


def _shown(memory: Memory) -> AuditedMemory:
    return AuditedMemory.model_validate(plain_of(memory), from_attributes=True)
