"""Rows of a document into their tables, under the user's own id; what is there already stays as it is."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from chatServer.messages import searchable
from chatServer.messages.terms import packed_terms, stems_of
from chatServer.records import NOBODY, Session
from chatServer.store import articles, queries
from chatServer.store import sessions as titles
from chatServer.store.jsonb import jsonb
from chatServer.store.memories import digest_of
from chatServer.store.pool import Connection

SQL = queries.load("bring_in.sql")
COUNTED = ("active_sessions", "turns", "summaries", "notes", "notes_versions", "memories", "articles", "usage")
LACKS_TEXT = {  # what an article is until all of its text has come
    "state": "failed",
    "error_code": "not_read",
    "error": "Its text did not come with it, or not all of it. Import the document again, or upload the file.",
}

Rows = Sequence[dict[str, Any]]


class GivenPicture(NamedTuple):
    image_id: UUID
    message_id: str
    session_id: str
    media_type: str
    content: bytes
    created_at: datetime


class Given(NamedTuple):
    """An article of a document."""

    article_id: UUID
    name: str
    content_hash: str
    chunks: int
    is_ready: bool


class More(NamedTuple):
    """What a document would add."""

    articles: int
    chunks: int


async def count_new(connection: Connection, user_id: UUID, given: Sequence[Given]) -> More:
    columns = {name: [getattr(each, name) for each in given] for name in Given._fields}
    async with connection.cursor(row_factory=class_row(More)) as cursor:
        counted = await (await cursor.execute(SQL["count_new"], {"user_id": user_id, **columns})).fetchone()
    assert counted is not None  # nosec B101 # narrows a type
    return counted


async def add_rows(connection: Connection, user_id: UUID, section: str, rows: Rows) -> int:
    """How many of a section's rows were new; those of memories have what they are `found_by`."""
    if section == "sessions":
        return await _add_sessions(connection, user_id, rows)
    if section in ("memories", "memory_changes"):
        last = max(row["seq"] for row in rows)
        await connection.execute(SQL["hold_memories"], {"user_id": user_id, "seq": last})
    if section == "memory_changes":
        return await _add_changes(connection, user_id, rows)
    if section == "article_chunks":
        return await _add_chunks(connection, user_id, rows)
    assert section in COUNTED  # nosec B101 # a name of ours
    if section in ("turns", "summaries"):
        await _hold_sessions(connection, user_id, rows)
    if section == "notes_versions":
        names = sorted({row["agent_name"] for row in rows})
        await connection.execute(SQL["hold_notes"], {"user_id": user_id, "agent_names": names})
    values = {"user_id": user_id, "shared_id": NOBODY.user_id, "rows": _json(rows)}
    answer = await (await connection.execute(SQL[section], values)).fetchone()
    return int(answer[0]) if answer else 0


def found_by(text: str) -> dict[str, Any]:
    words = sorted(set(searchable(text).split()))
    return {"digest": digest_of(text).hex(), "words": words, "terms": packed_terms(text).hex()}


def chunk_found_by(title: str, heading: str, text: str) -> dict[str, Any]:
    return {"words": stems_of(articles.found_by(title, heading, text))}


async def _add_chunks(connection: Connection, user_id: UUID, rows: Rows) -> int:
    """Of articles that came along, or are what the document says."""
    whole = {UUID(row["article_id"]): row["whole"] for row in rows}
    ids = sorted(whole)
    await connection.execute(SQL["hold_articles"], {"user_id": user_id, "article_ids": ids})
    answer = await connection.execute(SQL["article_chunks"], {"user_id": user_id, "rows": _json(rows)})
    added = await answer.fetchall()
    await connection.execute(SQL["count_chunks"], {"user_id": user_id, "article_ids": ids})
    values = {"article_ids": ids, "whole": [whole[each] for each in ids]}
    await connection.execute(SQL["call_read"], {"user_id": user_id, **values})
    return len(added)


async def _add_changes(connection: Connection, user_id: UUID, rows: Rows) -> int:
    answer = await connection.execute(SQL["memory_changes"], {"user_id": user_id, "rows": _json(rows)})
    added = {(seq, str(memory_id)) for seq, memory_id in await answer.fetchall()}
    new = [row for row in rows if (row["seq"], row["memory_id"]) in added and not row["undone"]]
    hidden = [UUID(each) for row in new for each in row["hidden"]]
    if hidden:
        await connection.execute(SQL["hide_titles"], {"user_id": user_id, "message_ids": hidden})
    return len(added)


async def _add_sessions(connection: Connection, user_id: UUID, rows: Rows) -> int:
    async with connection.cursor(row_factory=class_row(Session)) as cursor:
        await cursor.execute(SQL["sessions"], {"user_id": user_id, "rows": _json(rows)})
        added = await cursor.fetchall()
    for session in added:
        if session.title:
            await titles.index_title(connection, user_id, session)
    return len(added)


async def add_messages(connection: Connection, user_id: UUID, rows: Rows, pictures: Sequence[GivenPicture]) -> int:
    """Messages with their pictures, in their order; how many were new. What they are found by is made later, of all
    that lacks it."""
    await _hold_sessions(connection, user_id, rows)
    placed = [row | {"place": place} for place, row in enumerate(rows)]
    answer = await connection.execute(SQL["messages"], {"user_id": user_id, "rows": _json(placed)})
    added = {str(row[0]) for row in await answer.fetchall()}
    new = [row for row in rows if row["message_id"] in added]
    of_turns = {"turn_ids": sorted({UUID(row["turn_id"]) for row in new if row["turn_id"]})}
    ids = {"user_id": user_id, "message_ids": [UUID(each) for each in added]}
    await connection.execute(SQL["answer"], ids | of_turns)
    replaced = [row for row in new if row["superseded_at"]]
    if replaced:
        values = {"message_ids": [UUID(row["message_id"]) for row in replaced], "rows": _json(replaced, "message")}
        await connection.execute(SQL["supersede"], {"user_id": user_id, **values})
    marked = [row for row in new if not row["superseded_at"] and (row["hidden"] or row["quote"])]
    if marked:
        values = {"message_ids": [UUID(row["message_id"]) for row in marked], "rows": _json(marked, "message")}
        await connection.execute(SQL["mark"], {"user_id": user_id, **values})
    for picture in pictures:
        if picture.message_id in added:
            ids = {"user_id": user_id, "message_id": UUID(picture.message_id), "image_id": picture.image_id}
            kept = {"session_id": picture.session_id, "media_type": picture.media_type, "bytes": picture.content}
            await connection.execute(SQL["image"], {**ids, **kept, "created_at": picture.created_at})
    return len(added)


async def _hold_sessions(connection: Connection, user_id: UUID, rows: Rows) -> None:
    """Or else one that is deleted meanwhile is there when we look, and gone when its rows come."""
    session_ids = sorted({row["session_id"] for row in rows})
    await connection.execute(SQL["hold_sessions"], {"user_id": user_id, "session_ids": session_ids})


def _json(rows: Rows, *but: str) -> Jsonb:
    return jsonb([{name: row[name] for name in row if name not in but} for row in rows])
