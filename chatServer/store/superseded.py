"""Rows of chat.message_superseded: what edits and regenerations replaced."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import TupleRow, class_row

from chatServer.records import StoredMessage, Stretch
from chatServer.store import queries
from chatServer.store.history import STRETCH_BYTES, stored_messages
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST

SQL = queries.load("superseded.sql")


class Question(NamedTuple):
    """A message of the user as it stands in the conversation, whoever named it."""

    id: int
    message_id: UUID
    turn_id: UUID | None
    reply_message_id: UUID | None
    named_id: int | None  # where what was named stands: here, or at the answer
    newest_turn_id: UUID | None  # of the session
    client_message_id: str | None  # under which it came, however often it was answered anew since

    @property
    def is_named(self) -> bool:
        """Whether it was named itself, and not by its answer."""
        return self.named_id == self.id


async def find_question(
    connection: Connection, user_id: UUID, session_id: str, *, name: str | None, has_answers: bool
) -> Question | None:
    """The user's message that a client means, also by the id of its answer if that is asked for; without a name, the
    newest one."""
    message_id = uuid_of(name)
    values = {"session_id": session_id, "name": name, "message_id": message_id, "newest": NEWEST}
    reply_id = message_id if has_answers else None
    async with connection.cursor(row_factory=class_row(Question)) as cursor:
        await cursor.execute(SQL["find_question"], {"user_id": user_id, "reply_id": reply_id, **values})
        return await cursor.fetchone()


async def supersede(
    connection: Connection, user_id: UUID, session_id: str, question: Question, *, by: UUID, with_question: bool
) -> None:
    """Move all that was said after a question, or from it on, out of the conversation, its search and its summary."""
    first = question.id if with_question else question.id + 1
    values = {"session_id": session_id, "question": question.id, "first": first, "superseded_by": by}
    for name in ("supersede", "delete_summary_of"):
        await connection.execute(SQL[name], {"user_id": user_id, **values})


async def adopt_question(connection: Connection, user_id: UUID, message_id: UUID, turn_id: UUID) -> None:
    """The question stays, and is another turn's from now on."""
    values = {"user_id": user_id, "message_id": message_id, "turn_id": turn_id}
    await connection.execute(SQL["adopt_question"], values)


async def read_page(
    connection: Connection, user_id: UUID, session_id: str, limit: int, before: int = NEWEST
) -> Stretch:
    """The newest replaced messages before a point, as many as can be held in memory."""
    values = {"user_id": user_id, "session_id": session_id, "limit": limit, "before": before, "bytes": STRETCH_BYTES}
    rows = await (await connection.execute(SQL["read_superseded"], values)).fetchall()
    return Stretch(await _stored([row[:-1] for row in rows]), bool(rows) and rows[0][-1] > len(rows))


async def read_turn(connection: Connection, user_id: UUID, session_id: str, turn_id: UUID) -> list[StoredMessage]:
    """What was replaced of a turn, oldest first; as much as can be held in memory."""
    return await _read(connection, "read_superseded_turn", user_id, session_id, turn_id=turn_id, bytes=STRETCH_BYTES)


async def find_place(connection: Connection, user_id: UUID, session_id: str, message_id: UUID) -> int | None:
    values = {"user_id": user_id, "session_id": session_id, "message_id": message_id}
    row = await (await connection.execute(SQL["find_superseded_place"], values)).fetchone()
    return row[0] if row else None


def uuid_of(name: str | None) -> UUID | None:
    """The id of ours that a client may mean."""
    try:
        return UUID(name) if name else None
    except ValueError:
        return None


async def _read(
    connection: Connection, name: str, user_id: UUID, session_id: str, **values: Any
) -> list[StoredMessage]:
    answer = await connection.execute(SQL[name], {"user_id": user_id, "session_id": session_id, **values})
    return await _stored(await answer.fetchall())


async def _stored(rows: Sequence[TupleRow]) -> list[StoredMessage]:
    """Oldest first, of the newest first."""
    stored = await stored_messages([row[:-2] for row in reversed(rows)])
    return [
        replace(each, superseded_at=at, superseded_by=by)
        for each, (*_, at, by) in zip(stored, reversed(rows), strict=True)
    ]
