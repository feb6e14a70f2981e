"""Tools as agents know them: a name, a description, a typed input, and what they do for the user of a turn."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from chatServer.conversation.tokens import count_tools
from chatServer.knowledge.retrieve import Retriever
from chatServer.messages.sources import SourceArticle
from chatServer.records import OutsideServer, Principal, TurnEvent
from chatServer.store.pool import Database


@dataclass(slots=True)
class ToolContext:
    """Whose turn it is, for as long as it runs."""

    database: Database
    principal: Principal
    agent_name: str
    session_id: str
    turn_id: UUID
    attempt: int = 1
    has_read_untrusted: bool = False  # once a tool has brought text from outside into this turn
    shelves: tuple[str, ...] = ()  # from which the agent takes what is remembered
    retriever: Retriever | None = None  # who finds passages of articles
    window_tokens: int = 0  # what the model can take in all
    room_tokens: int = 0  # what the text of a result may take of it, for tools that fill the room
    articles_tokens: int = 0  # what such results take of the prompt that was sent last
    as_read: Callable[[str], str] | None = None  # what becomes of a result before the model reads it
    sources: set[str] = field(default_factory=set)  # articles that followers have heard of
    closed: tuple[str, ...] | None = None  # agents whose messages this one does not recall; None: all but itself


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads, and what followers hear beside it."""

    text: str
    is_error: bool = False
    events: tuple[TurnEvent, ...] = ()
    read: str | None = None  # what the model reads in this turn instead of the text, which is all that is kept
    sources: tuple[SourceArticle, ...] = ()  # articles that it was shown


@dataclass(frozen=True, slots=True)
class Tool:
    """`run` gets a checked `input`, opens its own transactions, and answers every mistake of the model with a text."""

    name: str
    description: str
    input: type[BaseModel]
    run: Callable[[ToolContext, Any], Awaitable[ToolResult]]
    is_untrusted: bool = False  # its text comes from outside
    is_memory: bool = False  # not for sessions that keep nothing
    fills_room: bool = False  # it runs after the others of its step, and keeps to the room that they leave
    needs_articles: bool = False  # only for users who have any to read
    outside: OutsideServer | None = None  # where it runs, if not here
    schema: str = ""  # of what it is given, as JSON, where the input does not say it


@dataclass(frozen=True, slots=True)
class Listed:
    """What a server elsewhere says of one of its tools; the schema as JSON."""

    name: str
    description: str
    schema: str


def parameters_of(tool: Tool) -> dict[str, Any]:
    """The JSON schema of what it is given."""
    found: dict[str, Any] = json.loads(tool.schema) if tool.schema else tool.input.model_json_schema()
    return found


@cache
def tokens_of(tools: tuple[Tool, ...]) -> int:
    """What telling a model about them takes."""
    return count_tools(
        {"name": tool.name, "description": tool.description, "parameters": parameters_of(tool)} for tool in tools
    )
