"""What users leave in the queue: the after-work of turns, files to be read. store/queue.py is the worker's side."""

from typing import NamedTuple
from uuid import UUID

from psycopg.rows import class_row

from chatServer import metrics
from chatServer.records import NOBODY
from chatServer.store import queries
from chatServer.store.pool import Connection, Database
from chatServer.store.startup import READY_TIMEOUT_MS

SQL = queries.load("jobs.sql")
NO_TURN = UUID(int=0)
EVERY_TURN = UUID(int=1)
BETWEEN_TURNS = UUID(int=2)


class QueueStatus(NamedTuple):
    """How the queue does: numbers of all users together."""

    waiting: int
    oldest_s: float  # how late the next job is
    failed: int  # for good: dead letters
    revision_s: float = 0.0  # since when the oldest turn waits to be revised

    def __str__(self) -> str:
        dead = f", {self.failed} failed" if self.failed else ""
        late = f", revision {self.revision_s:.0f} s behind" if self.revision_s >= 1 else ""
        return f"{self.waiting} waiting, oldest {self.oldest_s:.0f} s{late}{dead}"


async def enqueue_after_turn(connection: Connection, session_id: str, turn_id: UUID, *, delay_s: int = 0) -> None:
    """Leave the after-work of the user's own turn, in the reply's transaction: both are there, or neither is."""
    values = {"session_id": session_id, "turn_id": turn_id, "delay_s": delay_s}
    await connection.execute(SQL["enqueue_after_turn"], values)


async def enqueue_ingest(connection: Connection, article_id: UUID) -> None:
    """Leave the reading of what the user has uploaded, in the transaction that stores it. What it took the place of
    need not be read."""
    await forget_ingest(connection, article_id)
    await connection.execute(SQL["enqueue_ingest"], {"article_id": article_id})


async def forget_ingest(connection: Connection, article_id: UUID) -> None:
    """Nobody has to read what the user deletes."""
    await connection.execute(SQL["forget_ingest"], {"article_id": article_id})


async def enqueue_forgetting(connection: Connection) -> None:
    """Leave what an erasure cannot do before the next day: the after-work of NO_TURN."""
    await connection.execute(SQL["enqueue_forgetting"], {"no_turn": NO_TURN})


async def enqueue_indexing(connection: Connection, session_id: str) -> None:
    """Leave vectors for whatever of the user's has none, after the session's jobs: the after-work of EVERY_TURN."""
    await _enqueue_unless_waiting(connection, session_id, EVERY_TURN)


async def enqueue_noticing(connection: Connection) -> None:
    """Leave vectors for what the user has just made of his memories himself: the after-work of a turn that is none."""
    await _enqueue_unless_waiting(connection, str(BETWEEN_TURNS), BETWEEN_TURNS)


async def _enqueue_unless_waiting(connection: Connection, session_id: str, turn_id: UUID) -> None:
    """Nothing counts how often a user corrects something: one job that waits is enough for all of it."""
    await connection.execute(SQL["enqueue_unless_waiting"], {"session_id": session_id, "turn_id": turn_id})


async def forget_jobs(connection: Connection) -> int:
    """Take the user's own jobs out of the queue, but for those that run; how many there were."""
    row = await (await connection.execute(SQL["forget_jobs"])).fetchone()
    return int(row[0]) if row else 0


async def read_status(database: Database) -> QueueStatus:
    """How the queue does, counted too; asked by a user who is nobody."""
    async with (
        database.transaction(NOBODY, timeout_ms=READY_TIMEOUT_MS) as connection,
        connection.cursor(row_factory=class_row(QueueStatus)) as cursor,
    ):
        status = await (await cursor.execute(SQL["read_status"])).fetchone()
    assert status is not None  # nosec B101 # narrows a type
    metrics.jobs_waiting.set(status.waiting)
    metrics.jobs_failed.set(status.failed)
    metrics.revision_late.set(status.revision_s)
    return status
