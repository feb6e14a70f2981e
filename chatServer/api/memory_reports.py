"""What is told of memories as a whole: their graph, and their audit."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel

from chatServer.api.memory_schemas import plain_of
from chatServer.memory.audit import DIFFERENT, HIDDEN, OUTSIDE, SAME, UNUSED, Audit, Entry
from chatServer.memory.facts import is_denied
from chatServer.memory.graph import Edge, Graph
from chatServer.records import Trust


class NodeAnswer(BaseModel):
    id: str
    name: str
    hops: int


class EdgeAnswer(BaseModel):
    memory_id: UUID
    source: str
    target: str
    predicate: str
    is_negated: bool
    valid_from: datetime
    valid_to: datetime | None


class GraphAnswer(BaseModel):
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    truncated: bool

    @classmethod
    def of(cls, found: Graph) -> Self:
        nodes = [NodeAnswer(id=node.node_id, name=node.name, hops=node.hops) for node in found.nodes]
        return cls(nodes=nodes, edges=[_edge(each) for each in found.edges], truncated=found.is_truncated)


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


def _edge(edge: Edge) -> EdgeAnswer:
    memory = edge.memory
    assert memory.triple is not None  # nosec B101 # narrows a type
    return EdgeAnswer(
        memory_id=memory.memory_id,
        source=edge.source,
        target=edge.target,
        predicate=memory.triple.predicate,
        is_negated=is_denied(memory.text, memory.triple.object),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )


def _entry(entry: Entry, suggestion: str) -> AuditEntry:
    shown = [AuditedMemory.model_validate(plain_of(each), from_attributes=True) for each in entry]
    return AuditEntry(memories=shown, suggestion=suggestion)
