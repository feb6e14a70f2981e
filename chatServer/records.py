"""What the rooms hand to each other: frozen, with no behaviour beyond reading themselves."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from uuid_utils.compat import uuid7 as new_id

from chatServer.messages.message import Message

__all__ = ["Agent", "Cursor", "MemoryScope", "Page", "Principal", "Session", "StoredMessage", "Turn", "new_id"]

MemoryScope = Literal["off", "session", "agent", "user"]
TurnState = Literal["running", "done", "failed", "stopped", "interrupted"]


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is asking: the user that a transaction becomes."""

    user_id: UUID
    is_anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Agent:
    """One YAML file of agents/."""

    name: str
    description: str
    prompt: str
    model: str | None = None
    tools: tuple[str, ...] = ()
    window_messages: int = 20
    memory_scope: MemoryScope = "agent"


@dataclass(frozen=True, slots=True)
class Session:
    """One thread of one user with one agent."""

    session_id: str
    agent_name: str
    external_id: str | None
    title: str | None
    memory: Literal["on", "off"]
    created_at: datetime
    last_active_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message and its place: `id` is the order within the session."""

    id: int
    turn_id: UUID | None
    created_at: datetime
    message: Message
    is_readable: bool = True  # false: another writer's row that is no message; for people only


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and how it went, as a reader of the transcript needs it."""

    turn_id: UUID
    state: TurnState
    reply_message_id: UUID | None
    partial_text: str | None
    error_code: str | None
    model: str | None
    usage: dict[str, Any] | None = field(hash=False)
    revision: dict[str, Any] | None = field(hash=False)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list of sessions goes on."""

    last_active_at: datetime
    session_id: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some sessions, newest first, and where the next ones begin."""

    sessions: list[Session]
    before: Cursor | None
