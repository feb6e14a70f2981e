"""The graph of what is remembered: who is connected with whom, a few hops far, now or at another time."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from chatServer.memory.graph_names import NAMING, Names, is_value, names_in
from chatServer.records import Memory, Principal
from chatServer.store import memories as store
from chatServer.store.pool import Database

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
    target: str  # or a value, which is none


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    is_truncated: bool


async def graph(
    database: Database,
    principal: Principal,
    *,
    entity: str | None,
    hops: int = 1,
    at: datetime | None = None,
    ever: bool = False,
) -> Graph:
    """What surrounds an entity, or everything: facts that hold now, held at a time or ever did, the nearest first."""
    moment = at or datetime.now(UTC)
    async with database.transaction(principal) as connection:
        names = names_in(await store.read_names(connection, principal.user_id, NAMING))
        read = partial(store.read_triples, connection, principal.user_id, at=at, ever=ever)
        if entity is None:
            found = list(_edges(await read(limit=MAX_EDGES + 1), names))
            edges, distance = _living(found, moment), dict.fromkeys(_ends(found), 0)
        else:
            edges, distance = await _around(entity, names, read, min(hops, MAX_HOPS), moment)
    kept = tuple(edges.values())[:MAX_EDGES]
    named = ((key, name) for key, name in _named(kept, names) if key in distance)
    nodes = sorted((Node(key, name, distance[key]) for key, name in named), key=lambda node: node.hops)
    return Graph(tuple(nodes), kept, len(edges) > MAX_EDGES)


async def _around(
    entity: str, names: Names, read: Callable[..., Awaitable[list[Memory]]], hops: int, moment: datetime
) -> tuple[dict[UUID, Edge], dict[str, int]]:
    """One question for each hop: the edges, and how far each node is."""
    frontier: Set[str] = names.ids_of(entity)
    distance = dict.fromkeys(frontier, 0)
    edges: dict[UUID, Edge] = {}
    for hop in range(1, hops + 1):
        triples = await read(entities=names.spellings(frontier), limit=MAX_EDGES + len(edges) + 1)
        found = _living((each for each in _edges(triples, names) if {each.source, each.target} & frontier), moment)
        edges |= found
        frontier = _ends(found.values()) - distance.keys()
        distance |= dict.fromkeys(frontier, hop)
        if not frontier or len(edges) > MAX_EDGES:
            break
    return edges, distance


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


def _ends(edges: Iterable[Edge]) -> set[str]:
    return {node for each in edges for node in (each.source, each.target) if node == each.source or not is_value(node)}


def _living(edges: Iterable[Edge], moment: datetime) -> dict[UUID, Edge]:
    """Those that have not expired by then."""
    ends = ((each, each.memory.expires_at) for each in edges)
    return {each.memory.memory_id: each for each, end in ends if end is None or end > moment}
