"""Rows of chat.memory_changes: what was done to memories, and what of it can be undone."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid5

from psycopg.rows import class_row

from chatServer.records import Memory, MemoryChange, Operation, Reason, Undoable
from chatServer.store import memory_json, queries
from chatServer.store.pool import Connection

SQL = queries.load("memory_changes.sql")
UNDO_FOR = timedelta(days=30)  # so long what was before a change is kept
OF_MESSAGES = UUID("5b0c6a0e-3f0b-4c53-9a57-0a5c1c6b7d52")


class Forgotten(NamedTuple):
    """A memory that was deleted and can be had back, as it was."""

    at: datetime
    memory: Memory


def id_of_message(message_id: UUID) -> UUID:
    """What is done to a message has an id made of its id, which no memory has."""
    return uuid5(OF_MESSAGES, str(message_id))


async def list_changes(connection: Connection, user_id: UUID, memory_id: UUID, *, limit: int) -> list[MemoryChange]:
    """What was done to a memory, the newest first, without its texts."""
    values = {"user_id": user_id, "memory_id": memory_id, "limit": limit}
    async with connection.cursor(row_factory=class_row(MemoryChange)) as cursor:
        await cursor.execute(SQL["list_changes"], values)
        return await cursor.fetchall()


async def find_undoable(connection: Connection, user_id: UUID, memory_id: UUID) -> Undoable | None:
    """The last change that was not taken back, if it is not too old; that something was said again or restored
    is none."""
    values = {"user_id": user_id, "memory_id": memory_id, "undo_for": UNDO_FOR}
    row = await (await connection.execute(SQL["find_undoable"], values)).fetchone()
    if row is None:
        return None
    *change, before, hidden = row
    return Undoable(MemoryChange(*change), None if before is None else memory_json.loaded(before), tuple(hidden))


async def find_forgotten_in(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int) -> list[UUID]:
    """The memories that a turn has deleted, or messages hidden, in attempts up to this one, the last first; each under
    the id that changes have of it."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt}
    return [row[0] for row in await (await connection.execute(SQL["find_forgotten_in"], values)).fetchall()]


async def find_forgotten(connection: Connection, user_id: UUID, memory_ids: Collection[UUID]) -> set[UUID]:
    """Those of some memories that were deleted and can be had back."""
    values = {"user_id": user_id, "memory_ids": list(memory_ids), "undo_for": UNDO_FOR}
    return {row[0] for row in await (await connection.execute(SQL["find_forgotten"], values)).fetchall()}


async def list_forgotten(connection: Connection, user_id: UUID, *, limit: int) -> list[Forgotten]:
    """What was deleted and can be had back, the last first."""
    values = {"user_id": user_id, "limit": limit, "undo_for": UNDO_FOR}
    rows = await (await connection.execute(SQL["list_forgotten"], values)).fetchall()
    return [Forgotten(at, memory_json.loaded(before)) for at, before in rows]


async def mark_undone(connection: Connection, user_id: UUID, change: MemoryChange) -> None:
    values = {"user_id": user_id, "seq": change.seq, "memory_id": change.memory_id}
    await connection.execute(SQL["mark_undone"], values)


async def mark_all_undone(connection: Connection, user_id: UUID, memory_id: UUID) -> None:
    await connection.execute(SQL["mark_all_undone"], {"user_id": user_id, "memory_id": memory_id})


async def add_of_message(
    connection: Connection,
    user_id: UUID,
    message_id: UUID,
    operation: Operation,
    reason: Reason,
    *,
    hidden: Collection[UUID] = (),
) -> None:
    """Write down that recall passes over a message, or shows it again. Without the attempt: a server of before, who
    takes the turn over, would take it for a memory, and lose its undo."""
    values = {
        "user_id": user_id,
        "change_id": id_of_message(message_id),
        "message_id": message_id,
        "operation": operation,
        "actor": reason.actor,
        "reason": reason.text,
        "turn_id": reason.turn_id,
        "hidden": list(hidden),
    }
    await connection.execute(SQL["add_of_message"], values)


async def drop_before(connection: Connection, user_id: UUID, memory_ids: Collection[UUID], *, session_id: str) -> None:
    """Keep nothing of what these memories were, nor of what others were that were learned in a session: no undo brings
    it back, also where the user has put something else in its place since."""
    values = {"user_id": user_id, "memory_ids": list(memory_ids), "session_id": session_id}
    await connection.execute(SQL["drop_before"], values)


async def count_created(connection: Connection, user_id: UUID) -> int:
    """The memories that were made for a user in the last minute, by anybody else."""
    row = await (await connection.execute(SQL["count_created"], {"user_id": user_id})).fetchone()
    return int(row[0]) if row else 0
