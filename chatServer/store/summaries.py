"""Rows of chat.summaries, and the messages that are not in them yet."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer.records import StoredMessage, Summary
from chatServer.store import queries
from chatServer.store.history import stored_messages
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

SQL = queries.load("summaries.sql")


async def read_summary(connection: Connection, user_id: UUID, session_id: str) -> Summary | None:
    async with connection.cursor(row_factory=class_row(Summary)) as cursor:
        await cursor.execute(SQL["read_summary"], {"user_id": user_id, "session_id": session_id})
        return await cursor.fetchone()


async def read_after(
    connection: Connection, user_id: UUID, session_id: str, known: Summary | None, *, limit: int
) -> list[StoredMessage]:
    """The newest messages that a summary does not hold, oldest first."""
    after = known.covers_to if known else 0
    values = {"user_id": user_id, "session_id": session_id, "after": after, "limit": limit}
    rows = await (await connection.execute(SQL["read_after"], values)).fetchall()
    stored = await stored_messages([row[:-1] for row in reversed(rows)])
    return [replace(each, importance=row[-1]) for each, row in zip(stored, reversed(rows), strict=True)]


class Rest(NamedTuple):
    """What a summary does not hold."""

    messages: int
    tokens: int


async def count_after(connection: Connection, user_id: UUID, session_id: str, *, limit: int) -> Rest:
    """How many there are of these, and what they take."""
    values = {"user_id": user_id, "session_id": session_id, "limit": limit}
    row = await connection.cursor(row_factory=class_row(Rest)).execute(SQL["count_after"], values)
    found = await row.fetchone()
    assert found is not None  # nosec B101 # narrows a type
    return found


class Extent(NamedTuple):
    """How long a session is: what its summary holds and takes, and what was said since."""

    summarised: int
    summary_tokens: int
    messages: int
    tokens: int


async def ask_extent(connection: Connection, user_id: UUID, session_id: str, *, limit: int) -> Answer[Extent]:
    """The answer comes with that to the question which follows."""
    values = {"user_id": user_id, "session_id": session_id, "limit": limit}
    return await connection.cursor(row_factory=class_row(Extent)).execute(SQL["measure"], values)


class Claimed(NamedTuple):
    """Until when nobody else makes a summary; None: another is at it. And the one that there is."""

    until: datetime | None
    known: Summary | None


async def claim(
    connection: Connection, user_id: UUID, session_id: str, *, lease_s: float, is_job: bool = False
) -> Claimed:
    """The jobs of a session run one at a time: to one of them the claim of another is that of a dead worker."""
    values = {"user_id": user_id, "session_id": session_id, "lease_s": lease_s, "is_job": is_job}
    asked = await connection.execute(SQL["claim_summary"], values)
    known = await read_summary(connection, user_id, session_id)
    row = await asked.fetchone()
    return Claimed(row[0] if row else None, known)


class Standing(NamedTuple):
    """How a session's summary stands: whether somebody is at the next one, and how far the last one goes."""

    is_claimed: bool
    covers_to: int


async def look(connection: Connection, user_id: UUID, session_id: str) -> Standing | None:
    """For whoever waits; None: there is no such session."""
    async with connection.cursor(row_factory=class_row(Standing)) as cursor:
        await cursor.execute(SQL["look"], {"user_id": user_id, "id": session_id})
        return await cursor.fetchone()


async def release(connection: Connection, user_id: UUID, session_id: str, until: datetime) -> None:
    await connection.execute(SQL["release_summary"], {"user_id": user_id, "session_id": session_id, "until": until})


async def write_summary(
    connection: Connection,
    user_id: UUID,
    session_id: str,
    new: Summary,
    *,
    known: Summary | None,
    message_ids: Collection[UUID],
) -> Summary | None:
    """The summary as it is kept; None when another has taken the place of the one it goes on from, or a message that it
    is made of is no longer said. The caller holds the session's row."""
    values = {"user_id": user_id, "session_id": session_id, "text": new.text, "covers_to": new.covers_to}
    values |= {"tokens": new.tokens, "model": new.model, "message_ids": list(message_ids)}
    values |= {"after": known.covers_to if known else 0, "before": known.messages if known else 0}
    row = await (await connection.execute(SQL["write_summary"], values)).fetchone()
    return replace(new, messages=row[0]) if row else None
