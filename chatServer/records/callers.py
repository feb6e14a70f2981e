"""Who uses the tools of memory: an outside client, or our own memory agent after a turn."""

from dataclasses import dataclass, field
from uuid import UUID

from chatServer.records.memories import Origin, Trust
from chatServer.records.turns import Principal


@dataclass(frozen=True, slots=True)
class Caller:
    """The user of a token or of a job, and where what is kept for him comes from."""

    principal: Principal
    agent_name: str | None = None  # whose memory it is where no session says so; None: every agent's
    trust: Trust = "untrusted"  # an outside client's model has read what it liked
    origin: Origin = "mcp"
    turn_id: UUID | None = None  # after which it is called; whatever it does is done once, and not without the turn
    attempt: int | None = None
    source_ids: tuple[UUID, ...] = ()  # the messages that said it
    said: tuple[tuple[UUID, str], ...] = field(default=(), repr=False)  # or those among which it was said, with texts
    client: str | None = None  # as it calls itself
