"""What the user has said in so many words, and what has said it again: messages, as recall finds them."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from chatServer.store import queries
from chatServer.store.memories import MAX_SAYING
from chatServer.store.pool import Connection
from chatServer.store.recall import SHOWN_CHARACTERS, shown_text
from chatServer.store.word_forms import inflected

SQL = queries.load("said.sql")


class Reach(NamedTuple):
    """Where an agent may look: at what was told to agents, and in sessions, that its shelves are named after; unless
    `closed` is None, at what was told to all agents but those."""

    shelves: tuple[str, ...]
    closed: tuple[str, ...] | None


class Said(NamedTuple):
    message_id: UUID
    text: str


async def find_said(
    connection: Connection,
    user_id: UUID,
    reach: Reach,
    words: Collection[Sequence[str]],
    *,
    turn_id: UUID,
    limit: int,
) -> list[Said]:
    """The messages of the user that have one of the spellings of each word, the newest first; what a turn asks is none
    of them, nor what is hidden."""
    values = _values(user_id, reach, words) | {"turn_id": turn_id, "limit": limit, "characters": SHOWN_CHARACTERS}
    if not values["words"]:
        return []
    rows = await (await connection.execute(SQL["find_said"], values)).fetchall()
    texts = [(row[0], shown_text(row[1], row[2])) for row in rows]
    return [Said(message_id, text) for message_id, text in texts if text is not None]


async def find_quoting(
    connection: Connection, user_id: UUID, reach: Reach, words: Collection[Sequence[str]]
) -> list[UUID]:
    """The answers and titles that have one of the spellings of each word."""
    values = _values(user_id, reach, words) | {"limit": MAX_SAYING}
    if not values["words"]:
        return []
    return [row[0] for row in await (await connection.execute(SQL["find_quoting"], values)).fetchall()]


async def read_said(connection: Connection, user_id: UUID, places: Sequence[int]) -> dict[int, Said]:
    """What was said at some places, as far as it is shown; what is no message says nothing."""
    values = {"user_id": user_id, "places": list(places), "characters": SHOWN_CHARACTERS}
    rows = await (await connection.execute(SQL["read_said"], values)).fetchall()
    texts = [(place, message_id, shown_text(text, message)) for place, message_id, text, message in rows]
    return {place: Said(message_id, text) for place, message_id, text in texts if text}


def _values(user_id: UUID, reach: Reach, words: Collection[Sequence[str]]) -> dict[str, Any]:
    spelled = [" | ".join(inflected(each)) for each in words]
    return {
        "user_id": user_id,
        "shelves": list(reach.shelves),
        "is_open": reach.closed is not None,
        "closed": list(reach.closed or ()),
        "words": " & ".join(f"({each})" for each in spelled if each),
    }
