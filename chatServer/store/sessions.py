"""Rows of chat.sessions and of the active session per agent."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import args_row

from chatServer.messages import searchable
from chatServer.records import Cursor, Session
from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("sessions.sql")
for enter in ("enter_session", "enter_active_session"):
    SQL[f"{enter}_by_name"] = SQL[enter].replace(b"{place}", b"external_id")
    SQL[enter] = SQL[enter].replace(b"{place}", b"session_id")


class Listed(NamedTuple):
    """A session of a list; of a search also where in it that was said, unless only the title has it."""

    session: Session
    place: int | None


async def find_session(connection: Connection, user_id: UUID, key: str) -> Session | None:
    return await _one(connection, "find_session", user_id=user_id, id=key)


async def lock_session(connection: Connection, user_id: UUID, key: str) -> Session | None:
    return await _one(connection, "lock_session", user_id=user_id, id=key)


async def hold_session(connection: Connection, user_id: UUID, session_id: str) -> None:
    """The same lock, for whoever finds out otherwise that the session is gone: asks for no answer."""
    await connection.execute(SQL["hold_session"], {"user_id": user_id, "session_id": session_id})


async def insert_session(
    connection: Connection,
    user_id: UUID,
    session_id: str,
    agent_name: str,
    *,
    external_id: str | None = None,
    title: str | None = None,
    memory: str = "on",
) -> Session | None:
    values = {"external_id": external_id, "title": title, "memory": memory}
    return await _one(
        connection, "insert_session", user_id=user_id, session_id=session_id, agent_name=agent_name, **values
    )


async def ensure_session(connection: Connection, user_id: UUID, session_id: str, agent_name: str) -> None:
    """There is such a session afterwards; whether it is new is not asked."""
    values = {"session_id": session_id, "agent_name": agent_name, "external_id": None, "title": None, "memory": "on"}
    await connection.execute(SQL["insert_session"], {"user_id": user_id, **values})


async def touch_session(connection: Connection, user_id: UUID, session_id: str) -> Session | None:
    return await _one(connection, "touch_session", user_id=user_id, session_id=session_id)


async def enter_session(
    connection: Connection, user_id: UUID, key: str, agent_name: str | None, *, by_name: bool = False
) -> Session | None:
    """The session with our id, or with the client's name for it, now the active one of its agent; None where there is
    none, or it is not this agent's."""
    values = {"user_id": user_id, "id": key, "agent_name": agent_name}
    kind = "_by_name" if by_name else ""
    entered = await _one(connection, f"enter_active_session{kind}", **values)
    return entered or await _one(connection, f"enter_session{kind}", **values)


async def claim_active(connection: Connection, user_id: UUID, agent_name: str, session_id: str) -> str:
    values = {"user_id": user_id, "agent_name": agent_name, "session_id": session_id}
    row = await (await connection.execute(SQL["claim_active"], values)).fetchone()
    assert row is not None  # nosec B101 # narrows a type
    return str(row[0])


async def find_active(connection: Connection, user_id: UUID, agent_name: str) -> Session | None:
    return await _one(connection, "find_active", user_id=user_id, agent_name=agent_name)


async def set_active(connection: Connection, user_id: UUID, agent_name: str, session_id: str) -> None:
    values = {"user_id": user_id, "agent_name": agent_name, "session_id": session_id}
    await connection.execute(SQL["set_active"], values)


async def clear_active(connection: Connection, user_id: UUID, session_id: str) -> None:
    await connection.execute(SQL["clear_active"], {"user_id": user_id, "session_id": session_id})


async def update_session(
    connection: Connection,
    user_id: UUID,
    session_id: str,
    *,
    title: str | None,
    set_title: bool,
    memory: str | None,
    archived: bool | None,
) -> Session | None:
    values = {"title": title, "set_title": set_title, "memory": memory, "archived": archived}
    return await _one(connection, "update_session", user_id=user_id, session_id=session_id, **values)


async def list_sessions(
    connection: Connection,
    user_id: UUID,
    *,
    limit: int,
    before: Cursor | None = None,
    agent_name: str | None = None,
    archived: bool = False,
    phrase: str | None = None,
    words: Sequence[str] = (),
) -> list[Listed]:
    """A page of sessions, the most recently used first; with a phrase, those in which it is found."""
    values = {
        "user_id": user_id,
        "limit": limit,
        "before_time": before.last_active_at if before else None,
        "before_id": before.session_id if before else None,
        "agent_name": agent_name,
        "archived": archived,
        "phrase": phrase,
        "words": [f"'{word}':*" for word in words],
        "all": " & ".join(f"'{word}':*" for word in words) or None,
    }
    statement = SQL["list_sessions" if phrase is None else "search_sessions"]
    rows = await (await connection.execute(statement, values)).fetchall()
    return [Listed(Session(*row[:-1]), row[-1]) for row in rows]


async def index_title(connection: Connection, user_id: UUID, session: Session) -> None:
    words = sorted(set(searchable(session.title or "").split()))
    values = {"session_id": session.session_id, "agent_name": session.agent_name, "words": words}
    await connection.execute(SQL["index_title"], {"user_id": user_id, **values})


async def delete_turns(connection: Connection, user_id: UUID, session_id: str) -> None:
    """What was asked in a session, before what is remembered of it: a tool that runs there holds its turn first too."""
    await connection.execute(SQL["delete_turns"], {"user_id": user_id, "session_id": session_id})


async def delete_session(connection: Connection, user_id: UUID, session_id: str) -> None:
    """The session and its title; its turns are gone by then, and what was said in it is the history's to delete."""
    for name in ("delete_title", "delete_session"):
        await connection.execute(SQL[name], {"user_id": user_id, "session_id": session_id})


async def _one(connection: Connection, name: str, **values: Any) -> Session | None:
    async with connection.cursor(row_factory=args_row(Session)) as cursor:  # whose fields are the columns, in order
        await cursor.execute(SQL[name], values)
        return await cursor.fetchone()
