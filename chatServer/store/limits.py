"""Rows of chat.user_limits, and what a user's turns take just now."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("limits.sql")


class Spending(NamedTuple):
    """What counts against a user's limits, by the database's clock: the servers' own may differ."""

    asked_at: datetime
    running: int  # turns whose lease is alive; a dead one gives its place and its tokens back with its lease
    reserved_tokens: int  # of those
    used_tokens: int  # by the turns that ended today


async def hold_limits(connection: Connection, user_id: UUID) -> Answer[tuple[Any, ...]]:
    """The question, which travels with whatever is asked next, and takes the lock; one row: a list of times."""
    return await connection.execute(SQL["hold_limits"], {"user_id": user_id})


async def ask_spending(connection: Connection, user_id: UUID) -> Answer[Spending]:
    """The same, to be asked after the lock: a statement of its own sees what those who held it before have done."""
    return await connection.cursor(row_factory=class_row(Spending)).execute(SQL["read_spending"], {"user_id": user_id})


async def add_turn_time(connection: Connection, user_id: UUID, at: datetime, *, forgotten: int) -> None:
    """One time is added: to send the whole list took 0.3 ms for 30 of them (November 2026)."""
    await connection.execute(SQL["add_turn_time"], {"user_id": user_id, "at": at, "forgotten": forgotten})


async def reserve_tokens(connection: Connection, user_id: UUID, turn_id: UUID, tokens: int) -> None:
    await connection.execute(SQL["reserve_tokens"], {"user_id": user_id, "turn_id": turn_id, "tokens": tokens})
