"""What a finished turn leaves to be done, by one look at it."""

from typing import NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("left.sql")


class FinishedTurn(NamedTuple):
    session_id: str
    agent_name: str
    attempt: int
    question_id: UUID
    is_forgotten: bool  # the user has had forgotten what it says
    has_memory: bool  # its session's; it may have been switched off since
    is_anonymous: bool  # its user
    is_untitled: bool  # its session
    has_used: bool  # a memory was given to it
    is_unlearned: bool  # nothing was learned from it yet, and may be
    is_unrevised: bool
    unembedded: list[int]  # the places of its answer and its question, where they have no vector


async def ask_left(connection: Connection, user_id: UUID, turn_id: UUID) -> Answer[FinishedTurn]:
    """The answer comes with that to the question which follows."""
    values = {"user_id": user_id, "turn_id": turn_id}
    return await connection.cursor(row_factory=class_row(FinishedTurn)).execute(SQL["find_left"], values)
