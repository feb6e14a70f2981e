"""A question, and where may be looked for its answer: the shelves and sessions that an agent reaches, and how the
index names them."""

import math
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass
from uuid import UUID

from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.recall.unpack import HELD, REPLACED, TOLD
from chatServer.records import EVERY_AGENT, Agent, Principal
from chatServer.store import recall as store

NOWHERE = store.Scope("", None, None, ())


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, and what its answer may be made of."""

    principal: Principal
    question: str
    scope: store.Scope
    _: KW_ONLY
    budget_tokens: int
    limit: int
    about_the_past: bool
    excluded: frozenset[UUID] = frozenset()  # what the prompt has already
    tools: frozenset[str] = frozenset()
    for_everything: bool = False
    until_s: float = math.inf  # nobody waits for the answer any longer
    glance: store.Glance | None = None  # at what came since


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
            others = closed_to(agent, closed) or ()
            return store.Scope(session_id, None, None, (EVERY_AGENT, agent.name, session_id), others)


def shelves_of(agent: Agent, session_id: str) -> tuple[str, ...]:
    """From which an agent takes memories."""
    scope = scope_of(agent, session_id)
    return scope.shelves if scope else ()


def closed_to(agent: Agent, closed: Collection[str]) -> tuple[str, ...] | None:
    """Of which agents one recalls no messages; None: of all others."""
    return tuple(name for name in closed if name != agent.name) if agent.memory_scope == "user" else None


def searched(index: Index, ask: Ask) -> Scope:
    """The same, in the words of the index."""
    scope = ask.scope
    told = (
        {f"{TOLD}{scope.agent_name}"}
        if scope.agent_name
        else {name for name in index.shelves.codes if name.startswith(TOLD)}
    )
    told -= {f"{TOLD}{name}" for name in scope.closed}
    kinds = (HELD, REPLACED) if ask.about_the_past else (HELD,)
    held = {f"{kind}{name}" for kind in kinds for name in scope.shelves}
    return Scope(frozenset(told | held), scope.session_id, ask.excluded)


def memories_of(index: Index) -> Scope:
    """All memories of the user, and no messages."""
    return Scope(frozenset(name for name in index.shelves.codes if not name.startswith(TOLD)))
