"""Rows of chat.usage_daily: what turns took, by user, day in UTC, agent and model."""

from datetime import date
from uuid import UUID

from psycopg.rows import TupleRow

from chatServer.records import DayUsage, Usage
from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("usage.sql")
NO_AGENT = "*"  # whose row is what an erasure leaves of a day, without a model


async def add_usage(
    connection: Connection, user_id: UUID, *, agent_name: str, model: str, usage: Usage, day: date | None = None
) -> None:
    """Add one turn to a day: today's by the clock of the database, by which the limits count too."""
    values = {"user_id": user_id, "day": day, "agent_name": agent_name, "model": model}
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    await connection.execute(SQL["add_usage"], {**values, **counts})


async def add_revision(connection: Connection, user_id: UUID, *, agent_name: str, model: str, usage: Usage) -> None:
    """What a model took behind the scenes, for a user: part of his day, and no turn."""
    values = {"user_id": user_id, "agent_name": agent_name, "model": model}
    counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    await connection.execute(SQL["add_revision"], {**values, **counts})


async def ask_today(connection: Connection, user_id: UUID) -> Answer[TupleRow]:
    """What `read_today` reads; the answer comes with that to the question which follows."""
    return await connection.execute(SQL["read_today"], {"user_id": user_id})


async def read_today(connection: Connection, user_id: UUID, asked: Answer[TupleRow] | None = None) -> tuple[int, int]:
    """What the day has taken in all, and how much of that behind the scenes."""
    row = await (asked or await ask_today(connection, user_id)).fetchone()
    assert row is not None  # nosec B101 # narrows a type
    return row[0], row[1]


async def read_usage(connection: Connection, user_id: UUID, since: date, until: date | None = None) -> list[DayUsage]:
    """From that day on, to another one, oldest first."""
    cursor = await connection.execute(SQL["read_usage"], {"user_id": user_id, "since": since, "until": until})
    rows = await cursor.fetchall()
    return [
        DayUsage(day, agent, model, turns, Usage(given, said), revision)
        for day, agent, model, turns, given, said, revision in rows
    ]
