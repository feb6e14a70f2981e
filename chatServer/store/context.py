"""What stands before the window in a prompt, in one look."""

from typing import NamedTuple
from uuid import UUID

from psycopg.rows import args_row

from chatServer.records import NOBODY
from chatServer.store import queries
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("context.sql")


class Context(NamedTuple):
    """The notes of a user and agent, the summary of a session's head with the last message that is in it, and whether
    any article can be read."""

    notes: str | None = None
    summary: str | None = None
    covers_to: int | None = None
    has_articles: bool = False  # own ones, or everybody's


async def ask_context(connection: Connection, user_id: UUID, agent_name: str, session_id: str) -> Answer[Context]:
    """The question, which travels with whatever is asked next; no row in its answer is an empty Context."""
    values = {"user_id": user_id, "agent_name": agent_name, "session_id": session_id}
    values |= {"shared_id": NOBODY.user_id}
    return await connection.cursor(row_factory=args_row(Context)).execute(SQL["read_context"], values)
