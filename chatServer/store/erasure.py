"""Everything of one user goes, in one transaction; what stays is a receipt."""

from collections import Counter
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from chatServer.records import Receipt
from chatServer.store import jobs, queries, usage
from chatServer.store.pool import Connection

SQL = queries.load("erasure.sql")
IN_ORDER = (
    *("user_agent_active_sessions", "hold_sessions", "turn_events", "summaries", "turns"),
    *("hold_notes", "notes_versions", "agent_long_term_memory"),
    *("memory_heads", "memories", "memory_changes"),
    *("hold_articles", "article_files", "article_chunks", "articles"),
    *("chat_message_history", "message_superseded", "message_index", "message_images", "sessions"),
    *("personal_tokens", "usage_daily", "user_limits", "user_events"),
)
MAX_RECEIPTS = 100


async def erase_all(connection: Connection, user_id: UUID) -> Receipt:
    """Delete every row, and leave a receipt with how many there were. What the day and the minute have taken stays as
    numbers, until the day is over: nobody gets another day by it.

    Twice: rows of transactions that were not committed yet could not be seen the first time. Before the second look the
    user's event head is held. Whoever had it is committed by then, and seen; whoever comes to it later finds the
    receipt, and is refused: chat.in_time.
    """
    counts: Counter[str] = Counter()
    await _erase_once(connection, user_id, counts)
    await connection.execute(SQL["hold_event_head"], {"user_id": user_id})
    await connection.flush()
    await _erase_once(connection, user_id, counts)
    await connection.execute(SQL["user_event_heads"], {"user_id": user_id})
    counts["jobs"] = await jobs.forget_jobs(connection)
    await jobs.enqueue_forgetting(connection)
    values = {"user_id": user_id, "counts": Jsonb(dict(sorted(counts.items())))}
    async with connection.cursor(row_factory=class_row(Receipt)) as cursor:
        receipt = await (await cursor.execute(SQL["insert_receipt"], values)).fetchone()
    assert receipt is not None  # nosec B101 # narrows a type
    return receipt


async def _erase_once(connection: Connection, user_id: UUID, counts: Counter[str]) -> None:
    values = {"user_id": user_id, "no_agent": usage.NO_AGENT}
    asked = {name: await connection.execute(SQL[name], values) for name in IN_ORDER}
    for name, answer in asked.items():
        rows = await answer.fetchall()
        if not name.startswith("hold_"):
            counts[name] += rows[0][0]


async def forget_rest(connection: Connection, user_id: UUID) -> None:
    """What limits needed of the day of an erasure, once that day is over."""
    await connection.execute(SQL["forget_usage"], {"user_id": user_id, "no_agent": usage.NO_AGENT})
    await connection.execute(SQL["user_limits"], {"user_id": user_id})


async def list_receipts(connection: Connection, user_id: UUID) -> list[Receipt]:
    """The last ones, the newest first."""
    async with connection.cursor(row_factory=class_row(Receipt)) as cursor:
        await cursor.execute(SQL["list_receipts"], {"user_id": user_id, "limit": MAX_RECEIPTS})
        return await cursor.fetchall()
