"""Rows of public.agent_long_term_memory, the pages of notes, and of their versions."""

from dataclasses import asdict
from uuid import UUID

from psycopg.rows import class_row

from chatServer import errors
from chatServer.records import Author, Notes, NotesVersion
from chatServer.store import queries, user_events
from chatServer.store.pool import Connection

SQL = queries.load("notes.sql")
LOCK_TRIES = 2  # an erasure may take the page while it is waited for


async def read_notes(connection: Connection, user_id: UUID, agent_name: str) -> Notes:
    """The page; one that is not there yet is empty and at version 0."""
    values = {"user_id": user_id, "agent_name": agent_name}
    async with connection.cursor(row_factory=class_row(Notes)) as cursor:
        await cursor.execute(SQL["read_notes"], values)
        return await cursor.fetchone() or Notes(agent_name)


async def lock_notes(connection: Connection, user_id: UUID, agent_name: str) -> Notes:
    """The page, made if there is none, held until the transaction ends."""
    values = {"user_id": user_id, "agent_name": agent_name}
    async with connection.cursor(row_factory=class_row(Notes)) as cursor:
        for _ in range(LOCK_TRIES):
            await cursor.execute(SQL["insert_notes"], values)
            await cursor.execute(SQL["lock_notes"], values)
            if found := await cursor.fetchone():
                return found
    raise errors.Erased


async def lock_attempt(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int | None) -> bool:
    """Whether this attempt of a turn runs; if so, it does until the transaction ends."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt}
    cursor = await connection.execute(SQL["lock_attempt"], values)
    return await cursor.fetchone() is not None


async def was_done(connection: Connection, user_id: UUID, agent_name: str, turn_id: UUID, reason: str | None) -> bool:
    """Whether the turn has changed the page for this reason before."""
    values = {"user_id": user_id, "agent_name": agent_name, "turn_id": turn_id, "reason": reason}
    cursor = await connection.execute(SQL["find_version_of_turn"], values)
    return await cursor.fetchone() is not None


async def write_notes(
    connection: Connection, user_id: UUID, page: Notes, notes: str, *, operation: str, author: Author
) -> Notes:
    """The locked page with a new text, and a version of it; without either when the text is what it was."""
    if notes == page.notes:
        return page
    values = {"user_id": user_id, "agent_name": page.agent_name, "notes": notes, "operation": operation}
    await connection.execute(SQL["keep_state"], values)
    async with connection.cursor(row_factory=class_row(Notes)) as cursor:
        await cursor.execute(SQL["update_notes"], values)
        written = await cursor.fetchone()
    assert written is not None  # nosec B101 # the row is locked
    await connection.execute(SQL["insert_version"], values | asdict(author) | {"version": written.version})
    about = {"what": "notes", "agent_name": page.agent_name, "version": written.version, "actor": author.actor}
    await user_events.tell(connection, user_id, "memory", about)
    return written


async def list_versions(
    connection: Connection, user_id: UUID, agent_name: str, *, limit: int, before: int | None
) -> list[NotesVersion]:
    """Versions without their text, the newest first."""
    values = {"user_id": user_id, "agent_name": agent_name, "limit": limit, "before": before}
    async with connection.cursor(row_factory=class_row(NotesVersion)) as cursor:
        await cursor.execute(SQL["list_versions"], values)
        return await cursor.fetchall()


async def read_version(connection: Connection, user_id: UUID, agent_name: str, version: int) -> NotesVersion | None:
    """One version, with its text."""
    values = {"user_id": user_id, "agent_name": agent_name, "version": version}
    async with connection.cursor(row_factory=class_row(NotesVersion)) as cursor:
        await cursor.execute(SQL["read_version"], values)
        return await cursor.fetchone()


async def find_pages_of_attempt(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int) -> list[str]:
    """The agents whose pages a turn has written to, up to an attempt."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt}
    cursor = await connection.execute(SQL["find_pages_of_attempt"], values)
    return [row[0] for row in await cursor.fetchall()]


async def read_version_before_attempt(
    connection: Connection, user_id: UUID, agent_name: str, turn_id: UUID, attempt: int
) -> NotesVersion | None:
    """The newest version, with its text, that the turn did not write, up to an attempt."""
    values = {"user_id": user_id, "agent_name": agent_name, "turn_id": turn_id, "attempt": attempt}
    async with connection.cursor(row_factory=class_row(NotesVersion)) as cursor:
        await cursor.execute(SQL["read_version_before_attempt"], values)
        return await cursor.fetchone()
