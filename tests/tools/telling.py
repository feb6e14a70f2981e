"""Telling the rules something on a certain day, without a server."""

from collections.abc import Sequence
from datetime import UTC, datetime

from chatServer.memory.facts import Fact, facts_in

SAID_AT = datetime(2026, 11, 15, 12, tzinfo=UTC)  # a Sunday


def told(text: str, earlier: Sequence[Fact] = (), *, is_asked: bool = False) -> list[Fact]:
    return facts_in(text, said_at=SAID_AT, earlier=earlier, is_asked=is_asked)
