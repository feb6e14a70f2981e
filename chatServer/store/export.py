"""Everything that is a user's, section by section and page by page."""

from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import dict_row

from chatServer.store import queries, recalled
from chatServer.store.pool import Connection

SQL = queries.load("export.sql")
PAGE = 100  # rows
PAGE_BYTES = 1_000_000  # of messages, turns and changes; the last of them may be larger
NIL = UUID(int=0)


class Section(NamedTuple):
    """Rows of one kind, in the order of a key; `start` is before all of them."""

    name: str
    key: tuple[str, ...]
    start: tuple[Any, ...]


SECTIONS = (  # each after those that its rows refer to
    Section("sessions", ("session_id",), ("",)),
    Section("active_sessions", ("agent_name",), ("",)),
    Section("turns", ("turn_id",), (NIL,)),
    Section("messages", ("id",), (-1,)),
    Section("summaries", ("session_id",), ("",)),
    Section("notes", ("agent_name",), ("",)),
    Section("notes_versions", ("agent_name", "version"), ("", -1)),
    Section("memories", ("memory_id",), (NIL,)),
    Section("memory_changes", ("seq", "memory_id"), (-1, NIL)),
    Section("articles", ("article_id",), (NIL,)),
    Section("article_chunks", ("article_id", "position"), (NIL, -1)),
    Section("usage", ("day", "agent_name", "model"), (date.min, "", "")),
)


class Picture(NamedTuple):
    image_id: UUID
    media_type: str
    content: bytes
    created_at: Any


async def read_page(
    connection: Connection, user_id: UUID, section: Section, after: tuple[Any, ...]
) -> list[dict[str, Any]]:
    """The next rows, PAGE at most; none: there are no more."""
    places = {f"after_{number}": value for number, value in enumerate(after, 1)}
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SQL[section.name], {"user_id": user_id, "limit": PAGE, "bytes": PAGE_BYTES, **places})
        rows = await cursor.fetchall()
    for row in rows if section.name == "turns" else ():
        row["recalled"] = recalled.read(row["recalled"])
    return rows


async def read_image(connection: Connection, user_id: UUID, image_id: UUID) -> Picture | None:
    row = await (await connection.execute(SQL["read_image"], {"user_id": user_id, "image_id": image_id})).fetchone()
    return Picture(*row) if row else None
