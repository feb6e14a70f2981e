"""Sessions, turns, prompts and notes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from chatServer.messages.message import Message
from chatServer.records.memories import told_missing
from chatServer.records.quick import quick

MemoryScope = Literal["off", "session", "agent", "user"]
Scopes = Callable[[str], MemoryScope]  # of an agent, by its name
Scope = Literal["chat", "memory"]  # what a personal token may be used for
LARGER = {"larger_model": True, "reason": "context"}  # of a turn whose prompt did not fit into the usual model
UNTOLD = ("is_read", "is_anonymous")  # what of a revision is for whoever revises
UNCHANGED: dict[str, Any] = {"memory_updated": False, "memory_tools_used": []}  # what most revisions say; no row does
TurnState = Literal["running", "done", "failed", "stopped", "interrupted"]
EventKind = Literal[
    "start",
    "step-start",
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "tool-input",
    "tool-output",
    "tool-error",
    "source",
    "data",
    "metadata",
    "step-finish",
    "finish",
    "abort",
    "error",
]
MAX_PARTIAL = 1_000_000  # characters that are kept of an answer that never came to its end
WORDS: frozenset[EventKind] = frozenset({"text-delta", "reasoning-delta"})  # as they come, each an event


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is asking: the user that a transaction becomes."""

    user_id: UUID
    is_anonymous: bool = False
    expires_at: float | None = field(default=None, compare=False)  # when the token is no longer taken, if there is one
    scopes: frozenset[str] | None = field(default=None, compare=False)  # of a personal token; None: he has signed in


NOBODY = Principal(UUID(int=0))  # what belongs to everybody is his; no token makes anybody him


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one turn may do: calls of the model, calls of tools, tokens of an answer."""

    steps: int = 8
    tool_calls: int = 16
    output_tokens: int = 4_096


@dataclass(frozen=True, slots=True)
class OutsideServer:
    """An MCP server elsewhere, and which of its tools an agent may use."""

    name: str
    url: str
    allow: tuple[str, ...]
    timeout_s: float = 20
    headers_env: tuple[tuple[str, str], ...] = ()  # a header, and the environment variable that has its value


@dataclass(frozen=True, slots=True)
class Agent:
    """One YAML file of agents/."""

    name: str
    description: str
    prompt: str
    model: str | None = None
    larger_model: str | None = None  # for prompts that do not fit into the other
    tools: tuple[str, ...] = ()
    window_messages: int = 20
    window_tokens: int | None = None  # what the model can take in all; None: what is known of the model
    compact_pct: int | None = None  # of the window, from where on it is summarised; None: what the settings say
    summary_tokens: int | None = None  # the same
    summary_prompt: str | None = None  # what a summary should hold; None: what agent/summary/by_model.py says
    memory_scope: MemoryScope = "agent"
    retention_days: int | None = None  # of what it was told and nobody needs; None: what the settings say
    limits: Limits = Limits()
    middleware: tuple[str, ...] = ()
    mcp: tuple[OutsideServer, ...] = ()
    first_tool: str | None = None  # what every answer begins with, where it may be used


@quick
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


@quick
class StoredMessage:
    """A message and its place: `id` is the order within the session."""

    id: int
    turn_id: UUID | None
    created_at: datetime
    message: Message
    is_readable: bool = True  # false: another writer's row that is no message; for people only
    tokens: int | None = None  # in a prompt; None: nobody has counted them yet
    importance: float = 0.0  # only where it was asked for
    superseded_at: datetime | None = None  # it was replaced then
    superseded_by: UUID | None = None  # by this turn
    size: int = 0  # characters of the row that it was read from


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some messages, oldest first, and whether they are fewer than were asked for because they are so long."""

    stored: list[StoredMessage]
    is_cut: bool


@quick
class Turn:
    """One request and how it went."""

    turn_id: UUID
    session_id: str
    agent_name: str
    turn_key: str | None
    request_hash: bytes | None
    state: TurnState
    attempt: int
    user_message_id: UUID | None
    reply_message_id: UUID | None
    partial_text: str | None = None
    error_code: str | None = None
    model: str | None = None
    usage: dict[str, Any] | None = field(default=None, hash=False)
    revision: dict[str, Any] | None = field(default=None, hash=False)
    recalled: dict[str, Any] | None = field(default=None, hash=False)  # what its prompt was given, as clients read it

    @property
    def told_revision(self) -> dict[str, Any] | None:
        """What came of making memory of it, as clients read it; None: nothing yet."""
        told = {name: value for name, value in (self.revision or {}).items() if name not in UNTOLD}
        return (UNCHANGED | told if "status" in told else told) or None

    @property
    def told_recall(self) -> dict[str, Any] | None:
        """That not all that is remembered could be looked up for it, and why; None: it could."""
        return told_missing((self.recalled or {}).get("degraded"))

    @property
    def told_larger(self) -> dict[str, Any]:
        """That the agent's larger model answered, and why, as metadata says it; nothing where it was the usual one."""
        return {name: value for name, value in (self.usage or {}).items() if name in LARGER}


@quick
class Usage:
    """Tokens, as the model counted them or, where it does not, as we did."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class Summary:
    """The compressed head of a session: what was said up to and including the row `covers_to`."""

    text: str
    covers_to: int
    messages: int  # how many it stands for
    tokens: int
    model: str | None = None  # None: taken from what was said, by rules
    usage: Usage = field(default=Usage(), compare=False)  # what making it took; not stored


@dataclass(frozen=True, slots=True)
class DayUsage:
    """What a user's turns with one agent and one model took on one day in UTC."""

    day: date
    agent_name: str
    model: str
    turns: int
    usage: Usage
    revision_tokens: int = 0  # of them, behind the scenes: memories and summaries


@quick
class ModelInput:
    """What a model is asked: the system prompt, then the window, the question last."""

    agent: Agent
    model: str  # a name that agent/models.py knows
    system: str
    messages: tuple[Message, ...] = field(hash=False)
    window_tokens: int = 128_000  # what the model can take in all
    mark_tokens: int = 0  # above it older messages are summarised; 0: there is none


class TurnEvent(NamedTuple):
    """One thing that happened in a turn, as its followers hear it; protocols/ spells it out for each client.

    A tuple, since each word is one: a frozen dataclass takes three times as long to make (1.5 us, 2026-11-18)."""

    kind: EventKind
    id: str = ""  # of the message, text, reasoning, tool call or data that it is about
    text: str = ""  # what was said; of an error, a sentence for a person
    name: str = ""  # of the tool, of the data, or the code of an error
    value: Any = None  # JSON: arguments, an output, data, metadata


@quick
class Said:
    """A message of the answer that is complete: what the model said in one step, or what a tool answered."""

    message: Message = field(hash=False)
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Notes:
    """The Markdown page of a user and an agent; version 0 is the page that nobody has written on yet."""

    agent_name: str
    notes: str = ""
    version: int = 0
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes notes: a person, an agent in an attempt of a turn, or the server itself; and why."""

    actor: Literal["user", "agent", "system"]
    turn_id: UUID | None = None
    attempt: int | None = None
    untrusted_turn: bool = False  # the turn had read text from outside when it wrote
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NotesVersion:
    """A state that a page was in; its text only where one version is asked for."""

    version: int
    operation: str
    actor: Literal["user", "agent", "system"]
    reason: str | None
    turn_id: UUID | None
    attempt: int | None
    untrusted_turn: bool
    created_at: datetime
    size_bytes: int
    notes: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """That everything of a user was erased: when, and how many rows of each table."""

    erased_at: datetime
    counts: dict[str, int] = field(hash=False)
