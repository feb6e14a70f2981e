"""The graph of memories, as routes and tools tell it."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel

from chatServer.memory.facts import is_denied
from chatServer.memory.graph import Edge, Graph


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
