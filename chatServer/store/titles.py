"""Titles that nobody has given: found, set once, indexed and told in one transaction."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.records import Session
from chatServer.store import memories, queries, sessions, user_events
from chatServer.store.pool import Connection

SQL = queries.load("titles.sql")


class Untitled(NamedTuple):
    session_id: str
    agent_name: str


async def find_untitled(connection: Connection, user_id: UUID, turn_id: UUID) -> Untitled | None:
    async with connection.cursor(row_factory=class_row(Untitled)) as cursor:
        await cursor.execute(SQL["find_untitled"], {"user_id": user_id, "turn_id": turn_id})
        return await cursor.fetchone()


async def set_missing_title(
    connection: Connection, user_id: UUID, session_id: str, title: str, *, about: Collection[UUID] = ()
) -> Session | None:
    """The session, if the title is now its own; None when it has another, is gone, or the messages that the title is
    about have been replaced since."""
    # Locked before the statement that looks at the messages begins: else it would not see an edit that it waited for.
    await sessions.hold_session(connection, user_id, session_id)
    async with connection.cursor(row_factory=class_row(Session)) as cursor:
        values = {"user_id": user_id, "session_id": session_id, "title": title, "about": list(about)}
        session = await (await cursor.execute(SQL["set_missing_title"], values)).fetchone()
    if session:
        # Whoever forgets, or takes that back, holds the head: he sees the title, or it sees what he did. Before the
        # first memory there is none to lock, so it is made; and before the entry, since he takes entries after it.
        await memories.advance_head(connection, user_id)
        await sessions.index_title(connection, user_id, session)
        for name in ("hide_title", "name_hidden_title"):
            await connection.execute(SQL[name], values)
        told = {"session_id": session.session_id, "title": title}
        await user_events.tell(connection, user_id, "title", told)
    return session
