"""The graph of what is remembered: who is connected with whom, a few hops far, now or at another time."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from chatServer.records import Memory, Principal
from chatServer.store import memories as store
from chatServer.store.pool import Connection, Database

MAX_EDGES = 500
MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class Node:
    node_id: str  # its name, folded: "Mary" and "mary" are one
    name: str
    hops: int  # from where we began


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...] = ()
    edges: tuple[Memory, ...] = ()  # memories with a triple
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
    edges: dict[UUID, Memory] = {}
    distance = {fold(name): 0 for name in entities or ()}
    frontier = None if entities is None else set(distance)
    for hop in range(1, 1 + (1 if frontier is None else min(hops, MAX_HOPS))):
        found = await store.read_triples(
            connection, user_id, entities=frontier, shelves=shelves, at=at, ever=ever, limit=limit + len(edges) + 1
        )
        edges |= {each.memory_id: each for each in found if _lives(each, at or datetime.now(UTC))}
        frontier = {fold(name) for each in found for name in _ends(each)} - distance.keys()
        distance |= dict.fromkeys(frontier, 0 if entities is None else hop)
        if not frontier or len(edges) > limit:
            break
    kept = tuple(edges.values())[:limit]
    names = {fold(name): name for each in reversed(kept) for name in _ends(each)}
    nodes = sorted((Node(key, name, distance[key]) for key, name in names.items()), key=lambda node: node.hops)
    return Graph(tuple(nodes), kept, len(edges) > limit)


def fold(name: str) -> str:
    """As names are compared."""
    return name.strip().lower()


def _ends(memory: Memory) -> tuple[str, str]:
    assert memory.triple is not None  # nosec B101 # narrows a type
    return memory.triple.subject, memory.triple.object


def _lives(memory: Memory, moment: datetime) -> bool:
    return memory.expires_at is None or memory.expires_at > moment
