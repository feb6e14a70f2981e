"""The bodies of requests and answers about memories."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field

from chatServer.api.fields import AgentName, Body
from chatServer.memory.edit import MAX_TAG, MAX_TAGS
from chatServer.memory.facts import is_denied
from chatServer.protocols.fields import Moment, Text, trimmed
from chatServer.records import (
    EVERY_AGENT,
    Actor,
    Category,
    Kind,
    Memory,
    MemoryChange,
    Operation,
    Origin,
    Tier,
    Triple,
    Trust,
)
from chatServer.store.memories import MAX_TEXT


def _future(value: datetime) -> datetime:
    if value <= datetime.now(UTC):
        raise ValueError("it is in the past")
    return value


Future = Annotated[Moment, AfterValidator(_future)]
MemoryText = Annotated[Text, Field(max_length=MAX_TEXT), AfterValidator(trimmed)]
Name = Annotated[Text, Field(max_length=500), AfterValidator(trimmed)]
Importance = Annotated[float, Field(ge=0, le=1), AfterValidator(lambda value: round(value, 4))]  # one that a real holds
Tags = Annotated[list[Annotated[Text, Field(max_length=MAX_TAG), AfterValidator(trimmed)]], Field(max_length=MAX_TAGS)]


class TripleBody(Body):
    subject: Name
    predicate: Name
    object: Name


class CreateMemoryRequest(Body):
    text: MemoryText
    kind: Kind | None = None
    category: Category | None = None
    importance: Importance | None = None
    tags: Tags | None = None
    agent_name: Annotated[AgentName, Field(description="* for every agent")] = EVERY_AGENT
    triple: TripleBody | None = None
    expires_at: Future | None = None


class ChangeMemoryRequest(Body):
    text: MemoryText | None = None
    kind: Kind | None = None
    category: Category | None = None
    importance: Importance | None = None
    tags: Tags | None = None
    tier: Tier | None = None
    triple: Annotated[TripleBody | None, Field(description="null takes it away")] = None
    valid_to: Annotated[Moment | None, Field(description="null: it holds")] = None
    expires_at: Annotated[Future | None, Field(description="null: never")] = None


class TripleAnswer(BaseModel):
    subject: str
    predicate: str
    object: str


class SourceAnswer(BaseModel):
    session_id: str | None
    turn_id: UUID | None = Field(description="Whose answer it was learned after")
    message_ids: list[UUID]


class MemoryAnswer(BaseModel):
    id: UUID
    text: str
    kind: Kind
    category: Category
    importance: float
    tags: list[str]
    tier: Tier
    triple: TripleAnswer | None
    is_negated: bool = Field(description="The text says that its triple does not hold")
    fact_key: str | None
    agent_name: str = Field(description="Who recalls it; * for every agent")
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: UUID | None
    origin: Origin
    trust: Trust
    source: SourceAnswer
    recalls: int
    recalled_at: datetime | None
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, memory: Memory) -> Self:
        return cls.model_validate(plain_of(memory), from_attributes=True)


class ChangeAnswer(BaseModel):
    operation: Operation
    actor: Actor
    reason: str | None
    message_id: UUID | None
    turn_id: UUID | None
    undone: bool
    created_at: datetime


class ReplacedAnswer(BaseModel):
    id: UUID = Field(validation_alias="memory_id")
    text: str


class WholeMemoryAnswer(MemoryAnswer):
    changes: list[ChangeAnswer]
    replaced: list[ReplacedAnswer] = Field(description="What it took the place of, the newest first")

    @classmethod
    def with_changes(cls, memory: Memory, changes: Sequence[MemoryChange], replaced: Sequence[Memory]) -> Self:
        return cls.model_validate({**plain_of(memory), "changes": changes, "replaced": replaced}, from_attributes=True)


class MemoriesAnswer(BaseModel):
    memories: list[MemoryAnswer]
    before: int | None = Field(description="Pass it as ?before= to get the next page")


def triple_of(body: TripleBody | None) -> Triple | None:
    return Triple(body.subject, body.predicate, body.object) if body else None


def shown_agent(memory: Memory) -> str:
    return EVERY_AGENT if memory.shelf == EVERY_AGENT else memory.agent_name


def plain_of(memory: Memory) -> dict[str, object]:
    plain: dict[str, object] = {name: getattr(memory, name) for name in MemoryAnswer.model_fields.keys() & _FIELDS}
    source = {"session_id": memory.session_id, "turn_id": memory.turn_id, "message_ids": memory.source_ids}
    is_negated = memory.triple is not None and is_denied(memory.text, memory.triple.object)
    told = {"id": memory.memory_id, "agent_name": shown_agent(memory), "source": source, "is_negated": is_negated}
    return plain | told


_FIELDS = frozenset(Memory.__dataclass_fields__)
