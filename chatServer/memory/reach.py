"""Where may be looked for an answer: the shelves and sessions that an agent reaches, and how the index names them."""

from collections.abc import Collection
from uuid import UUID

from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.unpack import HELD, REPLACED, TOLD
from chatServer.records import EVERY_AGENT, Agent
from chatServer.store import recall as store


def scope_of(agent: Agent, session_id: str, closed: Collection[str] = ()) -> store.Scope | None:
    """Where an agent may look; None: nowhere. What was told to `closed` agents is theirs alone."""
    match agent.memory_scope:
        case "off":
            return None
        case "session":
            return store.Scope(session_id, None, session_id, (session_id,))
        case "agent":
            return store.Scope(session_id, agent.name, None, (EVERY_AGENT, agent.name, session_id))
        case "user":
            others = tuple(name for name in closed if name != agent.name)
            return store.Scope(session_id, None, None, (EVERY_AGENT, agent.name, session_id), others)


def shelves_of(agent: Agent, session_id: str) -> tuple[str, ...]:
    """From which an agent takes memories."""
    scope = scope_of(agent, session_id)
    return scope.shelves if scope else ()


def searched(index: Index, scope: store.Scope, excluded: Collection[UUID], *, about_the_past: bool) -> Scope:
    """The same, in the words of the index."""
    told = (
        {f"{TOLD}{scope.agent_name}"}
        if scope.agent_name
        else {name for name in index.shelves.codes if name.startswith(TOLD)}
    )
    told -= {f"{TOLD}{name}" for name in scope.closed}
    kinds = (HELD, REPLACED) if about_the_past else (HELD,)
    held = {f"{kind}{name}" for kind in kinds for name in scope.shelves}
    return Scope(frozenset(told | held), scope.session_id, frozenset(excluded))


def memories_of(index: Index) -> Scope:
    """All memories of the user, and no messages."""
    return Scope(frozenset(name for name in index.shelves.codes if not name.startswith(TOLD)))
