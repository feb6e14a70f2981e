"""Sessions in pages, as they are listed and searched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from chatServer.records.turns import Session


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list of sessions goes on."""

    last_active_at: datetime
    session_id: str


@dataclass(frozen=True, slots=True)
class Hit:
    """The message of a session that has what was searched for, and the words around it."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some sessions, newest first, and where the next ones begin; of a search also where in them it was found."""

    sessions: list[Session]
    before: Cursor | None
    hits: Mapping[str, Hit] = field(default_factory=dict)  # by session
