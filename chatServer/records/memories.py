"""What is remembered, and what of it was found."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

Kind = Literal["concept", "episode", "fact", "procedure", "working"]
Category = Literal["error_pattern", "code_context", "solution", "user_preference", "task_history", "knowledge"]
Tier = Literal["short", "long"]
Origin = Literal["rules", "model", "user", "tool", "import", "mcp"]
Trust = Literal["user", "assistant", "untrusted"]
Operation = Literal[
    "created", "repeated", "edited", "superseded", "merged", "promoted", "expired", "deleted", "restored"
]
Actor = Literal["user", "rules", "model", "maintenance"]

EVERY_AGENT = "*"  # the shelf from which every agent of the user takes
NOT_LOOKED_UP = ("timeout", "loading", "database", "failed")  # of the reasons why recall is degraded


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact of the graph, and when it holds."""

    subject: str
    predicate: str
    object: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One small record. It holds from `valid_from` on, until `valid_to` when something has replaced it."""

    memory_id: UUID
    text: str
    kind: Kind
    category: Category
    importance: float
    tags: tuple[str, ...]
    tier: Tier
    shelf: str  # '*' for every agent, an agent's name, or a session's id
    agent_name: str
    session_id: str | None
    origin: Origin
    trust: Trust
    valid_from: datetime
    valid_to: datetime | None
    created_at: datetime
    updated_at: datetime
    triple: Triple | None = None
    fact_key: str | None = None  # of its key only one holds at a time
    source_ids: tuple[UUID, ...] = ()  # the messages that said it, the latest last
    superseded_by: UUID | None = None
    turn_id: UUID | None = None
    attempt: int | None = None
    recalls: int = 0
    recalled_at: datetime | None = None
    expires_at: datetime | None = None
    seq: int = 0  # of its last change


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """What was done to a memory, by whom and why."""

    seq: int
    memory_id: UUID
    operation: Operation
    actor: Actor
    reason: str | None
    message_id: UUID | None
    turn_id: UUID | None
    undone: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Undoable:
    """The last change to a memory that was not taken back, and what can be put back; None: there was nothing."""

    change: MemoryChange
    before: Memory | None
    hidden: tuple[UUID, ...]  # messages that recall has shown no longer since


@dataclass(frozen=True, slots=True)
class Reason:
    """Who does something to a memory, why, and in which turn."""

    actor: Actor
    text: str | None = None
    message_id: UUID | None = None
    turn_id: UUID | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are listed: those that hold now, or held `at` a time, or `ever`; None leaves a thing open."""

    kind: Kind | None = None
    category: Category | None = None
    tier: Tier | None = None
    trust: Trust | None = None
    tag: str | None = None
    agent_name: str | None = None
    session_id: str | None = None
    shelves: tuple[str, ...] | None = None
    ids: tuple[UUID, ...] | None = None
    phrase: str | None = None  # in the text, or all its words
    at: datetime | None = None
    ever: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was said: a session and, in it, a message."""

    session_id: str | None
    message_id: UUID | None
    title: str | None = None  # of the session; "" where it says what is forgotten


@dataclass(frozen=True, slots=True)
class Recalled:
    """A line that was found: read from its live row, with where it is from and why it is here."""

    item_id: UUID
    text: str
    what: Literal["memory", "message"]
    role: str  # who said it: user or assistant
    speaker: str | None
    kind: Kind | None  # of a memory
    category: Category | None
    score: float
    parts: dict[str, float] = field(hash=False)  # what the score is made of
    said_at: datetime
    valid_to: datetime | None  # it held until then
    source: Source
    trust: Trust
    tokens: int = 0
    corrected_at: datetime | None = None  # by the user himself: from then on it is his word, and no longer the source's
    changed_at: datetime | None = None  # something that a message says held until then, something else still holds
    asks: bool = False  # a question of the user's, or a wish: it answers nothing by itself


def told_missing(reason: object) -> dict[str, str] | None:
    """What is told with an answer when not all could be looked up for it. Rows hold other reasons too, which are none
    for that: by words alone (`embedder`) everything was looked through, and who has more than an index takes
    (`partial`) would hear it with every answer."""
    return {"status": "degraded", "reason": str(reason)} if reason in NOT_LOOKED_UP else None


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The best lines, as many as the budget takes; `degraded` says why there may be more than these."""

    items: tuple[Recalled, ...] = ()
    total_found: int = 0
    degraded: str | None = None  # loading, timeout, database, off...
