"""A turn that has begun: what it is answered from, and who looks ahead for what bears on its question."""

from dataclasses import field
from typing import Protocol

from chatServer.agent.tools import Tool
from chatServer.conversation.assemble import Parts
from chatServer.conversation.window import WindowMemory
from chatServer.records import Agent, Budget, ModelInput, Principal, Session, Turn
from chatServer.records.quick import quick
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.recall import Glance
from chatServer.turn.limits import Allowance

EVENTS_PER_ATTEMPT = 1_000_000
MAX_ATTEMPTS = 2_147  # the numbers of their events are a column of type integer


@quick
class Begun:
    """A turn that is ours to run, and what its prompt is made of."""

    principal: Principal
    session: Session
    agent: Agent
    turn: Turn
    window: WindowMemory = field(hash=False)  # what was said, and what this turn adds to it
    parts: Parts = field(hash=False)
    asked: ModelInput = field(hash=False)
    budget: Budget
    tools: tuple[Tool, ...] = field(hash=False)
    allowance: Allowance | None = None  # what the user has left; None: as much as he likes
    asked_at: float = 0.0  # by the clock of this process that never goes back
    glance: Glance | None = field(default=None, hash=False)  # at what recall might find; None: it looks

    @property
    def first_seq(self) -> int:
        """Where this attempt begins to count: beyond whatever a client may have heard of those before it."""
        return (self.turn.attempt - 1) * EVENTS_PER_ATTEMPT + 1

    @property
    def last_seq(self) -> int:
        """Beyond it another attempt counts."""
        return self.turn.attempt * EVENTS_PER_ATTEMPT


class Looks(Protocol):
    """Who looks for what bears on the question while its turn begins."""

    async def glance(self, connection: Connection, principal: Principal, agent: Agent) -> Answer[Glance] | None:
        """Ask, with whatever is asked next, whether there is anything to look for."""

    def look(self, begun: Begun) -> None:
        """Begin to; what was begun is about to be committed."""
