"""What there is to be revised of a session: a turn, those that wait with it, and what a model is to read of them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from chatServer.agent.summary.unsummarised import Unsummarised
from chatServer.agent.tools.toolbox import known_tools
from chatServer.messages import text_of
from chatServer.records import Caller, Principal, StoredMessage, Trust
from chatServer.store.left import FinishedTurn
from chatServer.store.pool import Connection
from chatServer.store.revisions import RecentTurn, Unrevised

MAX_WAITING = 20  # turns; with so many nobody waits for yet another

Also = Callable[[Connection, UUID], Awaitable[None]]


def is_left_to_another(turn_id: UUID, waiting: Sequence[RecentTurn]) -> bool:
    """Whether a later turn is in the queue: its job does it for this one too, unless too many wait for such a one
    already. What has begun is left to nobody."""
    if len(waiting) >= MAX_WAITING:
        return False
    began = next((each.started_at for each in waiting if each.turn_id == turn_id and each.state == "queued"), None)
    return began is not None and any(each.state == "queued" and each.started_at > began for each in waiting)


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to be revised, after one turn."""

    turn: Unrevised
    turn_id: UUID
    waiting: tuple[RecentTurn, ...] = ()  # this one, and those that have waited for it
    due: Unsummarised | None = None  # what a summary is to be made of
    unread: tuple[RecentTurn, ...] = ()  # turns that the memory agent is to read
    said: tuple[StoredMessage, ...] = field(default=(), repr=False)  # what it is shown of them
    spent: tuple[int, int] = (0, 0)  # tokens of the user's day: in all, and behind the scenes

    @property
    def waiting_ids(self) -> list[UUID]:
        return [each.turn_id for each in self.waiting] or [self.turn_id]

    def caller(self, principal: Principal) -> Caller:
        """In whose name tools are called, and where what they keep comes from."""
        names = {each.message.name for each in self.said if each.message.role == "tool"}
        trust: Trust = "assistant" if names <= known_tools().trusted else "untrusted"
        # The oldest: whoever does it again, after a run that was broken off, does so in the same name.
        first = self.waiting[0] if self.waiting else None
        return Caller(
            principal,
            self.turn.agent_name,
            trust,
            "model",
            first.turn_id if first else self.turn_id,
            first.attempt if first else None,
            said=tuple(
                (UUID(each.message.message_id), text_of(each.message))
                for each in self.said
                if each.message.role == "user"
            ),
        )


@dataclass(slots=True)
class Seen:
    """A turn that is to be revised."""

    turn_id: UUID
    turn: FinishedTurn
    found: Found | None = None  # all that there is to it; None: that is to be looked for
    also: Also | None = None  # what is to be written when it ends
