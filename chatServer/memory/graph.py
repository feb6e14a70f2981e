"""The graph of what is remembered: who is connected with whom, a few hops far, now or at another time."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from chatServer.memory.graph_names import NAMING, Names, names_in
from chatServer.records import Memory, Principal
from chatServer.store import memories as store
from chatServer.store.pool import Connection, Database

MAX_EDGES = 500
MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class Node:
    node_id: str  # its name, folded: "Mary" and "mary" are one; of the user "user", of his sister Mary "sister:mary"
    name: str
    hops: int  # from where we began


@dataclass(frozen=True, slots=True)
class Edge:
    memory: Memory  # with a triple
    source: str  # ids of nodes
    target: str


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    is_truncated: bool = False


async def graph(
    database: Database,
    principal: Principal,
    *,
    entity: str | None,
    hops: int = 1,
    at: datetime | None = None,
    ever: bool = False,
) -> Graph:
    """What surrounds an entity, or everything."""
    async with database.transaction(principal) as connection:
        entities = None if entity is None else [entity]
        return await neighbours(connection, principal.user_id, entities, hops=hops, at=at, ever=ever)


async def neighbours(
    connection: Connection,
    user_id: UUID,
    entities: Collection[str] | None,
    *,
    hops: int = 1,
    at: datetime | None = None,
    ever: bool = False,
    shelves: Collection[str] | None = None,
    limit: int = MAX_EDGES,
) -> Graph:
    """The facts around some entities, or all for None, that hold at a time or ever did; the nearest first."""
    names = names_in(await store.read_names(connection, user_id, NAMING))
    edges: dict[UUID, Edge] = {}
    frontier = None if entities is None else {node for name in entities for node in names.ids_of(name)}
    distance = dict.fromkeys(frontier or (), 0)
    for hop in range(1, 1 + (1 if frontier is None else min(hops, MAX_HOPS))):
        spelled = None if frontier is None else names.spellings(frontier)
        read = await store.read_triples(
            connection, user_id, entities=spelled, shelves=shelves, at=at, ever=ever, limit=limit + len(edges) + 1
        )
        found = [each for each in _edges(read, names) if frontier is None or {each.source, each.target} & frontier]
        edges |= {each.memory.memory_id: each for each in found if _lives(each.memory, at or datetime.now(UTC))}
        frontier = {node for each in found for node in (each.source, each.target)} - distance.keys()
        distance |= dict.fromkeys(frontier, 0 if entities is None else hop)
        if not frontier or len(edges) > limit:
            break
    kept = tuple(edges.values())[:limit]
    nodes = sorted((Node(key, name, distance[key]) for key, name in _named(kept, names)), key=lambda node: node.hops)
    return Graph(tuple(nodes), kept, len(edges) > limit)


def _edges(memories: Iterable[Memory], names: Names) -> Iterator[Edge]:
    for each in memories:
        if each.triple is not None:
            yield Edge(each, *names.ends(each.triple))


def _named(edges: Sequence[Edge], names: Names) -> Iterable[tuple[str, str]]:
    """Each node with its name: the one that somebody is called by, else as it was written last."""
    written: dict[str, str] = {}
    for edge in reversed(edges):
        assert edge.memory.triple is not None  # nosec B101 # narrows a type
        written |= {edge.source: edge.memory.triple.subject, edge.target: edge.memory.triple.object}
    return (written | {node: name for node, name in names.called.items() if node in written}).items()


def _lives(memory: Memory, moment: datetime) -> bool:
    return memory.expires_at is None or memory.expires_at > moment
