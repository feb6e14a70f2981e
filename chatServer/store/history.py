"""How messages are read and written: LangChain's own PostgresChatMessageHistory on our table, made to read by
LIMIT and to work inside the caller's transaction. The stock class reads what this one writes, and the reverse."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage, message_to_dict
from langchain_postgres import PostgresChatMessageHistory
from psycopg.rows import TupleRow

from chatServer.errors import SessionNotFound
from chatServer.messages import (
    Message,
    clean_json,
    cut,
    from_langchain,
    paired,
    text_of,
    to_langchain,
    words_in,
)
from chatServer.messages.plain import plain_row, without_unsaid
from chatServer.messages.rows import read_row
from chatServer.messages.terms import packed_terms
from chatServer.records import StoredMessage, Stretch, new_id
from chatServer.records.ids import is_spelt
from chatServer.store import images, queries, sessions
from chatServer.store.jsonb import jsonb
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.queries import NEWEST

SQL = queries.load("messages.sql")
TABLE = "chat_message_history"
DEFAULT_AGENT = "assistant"
LONG = 100_000  # characters of rows
STRETCH_BYTES = 16_000_000
WINDOW_IMAGE_BYTES = 16_000_000  # the last picture may go beyond


class ChatMessageHistory(PostgresChatMessageHistory):
    """The messages of one session, bound to the connection of a transaction that has become its user.

    The synchronous half of LangChain's interface never waits for the database: `messages` is what `aload`
    read plus what was added since, and `aflush` writes the latter.
    """

    def __init__(
        self,
        connection: Connection,
        user_id: UUID,
        session_id: str,
        *,
        agent_name: str | None = None,
        turn_id: UUID | None = None,
        limit: int = 20,
        is_locked: bool = False,
        quotes: bool = False,
    ) -> None:
        # The rest of what LangChain's own __init__ keeps is for what is overridden here; before that it reads the id as
        # a UUID, in 3 us, and a turn has three histories (2026-11-19).
        self._session_id = session_id
        self._db = connection
        self._user_id = user_id
        self._agent_name = agent_name
        self._turn_id = turn_id
        self._limit = limit
        self._is_locked = is_locked  # whoever made us holds the session's row already
        self._quotes = quotes  # what the assistant says here was said before: recall need not find it again
        self.has_more = False  # whether there may be older messages than `window` has found
        self._ahead: dict[str, Answer[TupleRow]] = {}
        self._loaded: list[BaseMessage] = []
        self._added: list[BaseMessage] = []

    # What the server uses ------------------------------------------------------------------------------

    async def ask_ahead(self, *, limit: int) -> None:
        """Let what `window` will ask travel with the next question, whoever asks it."""
        self._ahead["read_window"] = await self._ask("read_window", limit=limit)

    async def ask_turn_ahead(self, turn_id: UUID, question_id: UUID, *, before: int) -> None:
        """The same for what `of_turn` will ask, and `before_question`."""
        values = {"turn_id": turn_id, "question_id": question_id}
        self._ahead["read_turn"] = await self._ask("read_turn", **values, bytes=STRETCH_BYTES)
        self._ahead["read_before"] = await self._ask("read_before", question_id=question_id, limit=before)

    async def window(self, limit: int) -> list[StoredMessage]:
        """The newest messages that a model may see, oldest first: whole exchanges only."""
        found = await self._read("read_window", limit=limit)
        self.has_more = len(found) >= limit
        seen = [each for each in found if each.is_readable]
        stored = {each.message.message_id: each for each in seen}
        whole = [_kept(stored[message.message_id], message) for message in cut([each.message for each in seen])]
        shown = await images.put_images_back(self._db, self._user_id, self._session_id, whole, most=WINDOW_IMAGE_BYTES)
        return [images.without_references(each) if each.message.images else each for each in shown]

    async def opening(self, limit: int) -> list[StoredMessage]:
        """The oldest messages that a model may see, oldest first."""
        return [each for each in await self._read("read_opening", limit=limit) if each.is_readable]

    async def page(self, limit: int, before: int = NEWEST) -> list[StoredMessage]:
        """The newest messages before a point, whatever became of their turns, oldest first."""
        return await self._read("read_newest", limit=limit, before=before)

    async def stretch(self, limit: int, before: int = NEWEST) -> Stretch:
        """The same, but no more of them at a time than can be held in memory."""
        answer = await self._ask("read_stretch", limit=limit, before=before, bytes=STRETCH_BYTES)
        return await _stretch(list(reversed(await answer.fetchall())))

    async def stretch_after(self, limit: int, after: int) -> Stretch:
        """The oldest messages after a point, and no more of them at a time than can be held in memory."""
        answer = await self._ask("read_stretch_after", limit=limit, after=after, bytes=STRETCH_BYTES)
        return await _stretch(await answer.fetchall())

    async def of_turn(self, turn_id: UUID, question_id: UUID) -> list[StoredMessage]:
        """What the user said in a turn, and what was answered; between the two no more than can be held in memory."""
        return await self._read("read_turn", turn_id=turn_id, question_id=question_id, bytes=STRETCH_BYTES)

    async def before_question(self, limit: int, question_id: UUID) -> list[StoredMessage]:
        """The newest messages before one of them, oldest first."""
        return await self._read("read_before", limit=limit, question_id=question_id)

    async def place_of(self, message_id: UUID) -> int | None:
        """Where a message stands; pages go on before it."""
        row = await (await self._ask("find_place", message_id=message_id)).fetchone()
        return row[0] if row else None

    async def weigh(self, message_id: UUID, importance: float) -> bool:
        """Say how important a message is; False where it is not in this session."""
        answer = await self._ask("weigh_message", message_id=message_id, importance=importance)
        return await answer.fetchone() is not None

    async def is_taken(self, message_id: UUID) -> bool:
        """Whether anything of the user's has this id, in whichever session."""
        return await (await self._ask("is_taken", message_id=message_id)).fetchone() == (True,)

    async def count_put(self) -> int:
        """The user's messages of the last minute, in any session, that belong to no turn."""
        row = await (await self._ask("count_put")).fetchone()
        return int(row[0]) if row else 0

    async def append(
        self,
        messages: Sequence[Message],
        tokens: Sequence[int | None] | None = None,
        said_at: Sequence[datetime] | None = None,
    ) -> None:
        """Store messages in their order, with what each takes in a prompt, under the session's row lock; `said_at` for
        what was said elsewhere and earlier."""
        if not self._is_locked and await sessions.lock_session(self._db, self._user_id, self._session_id) is None:
            raise SessionNotFound
        if not messages:
            return
        counts = [None] * len(messages) if tokens is None else tokens
        if len(counts) != len(messages):
            raise ValueError(f"{len(messages)} messages have {len(messages)} counts of tokens, not {len(counts)}.")
        times = [None] * len(messages) if said_at is None else [at.isoformat() for at in said_at]
        rows = [
            {**await self._row(message), "tokens": count, "said_at": at}
            for message, count, at in zip(messages, counts, times, strict=True)
        ]
        values = {"user_id": self._user_id, "session_id": self._session_id, "turn_id": self._turn_id}
        values |= {"agent_name": self._agent_name}
        if len(rows) == 1:
            [row] = rows
            alone = {**values, **row, "message": jsonb(row["message"])}
            await self._db.execute(SQL["append_message"], alone)
            return
        # One value, not an array of each column: psycopg would escape and join their items one by one, 2 s for a
        # million quotes.
        await self._db.execute(SQL["append_messages"], {**values, "messages": jsonb(rows)})

    async def _row(self, message: Message) -> dict[str, Any]:
        """A message as it is stored, and what it is found by where it is said by people and models."""
        message_id = _uuid_text(message.message_id)
        plain = plain_row(message)
        row = plain or without_unsaid(clean_json(message_to_dict(to_langchain(message))))
        if row["data"].get("id") == message_id:  # which the row says beside it
            del row["data"]["id"]
        if not plain or not images.has_no_picture(row["data"].get("response_metadata", {})):
            keeper = images.Keeper()
            row = keeper.without_images(row)
            await keeper.keep(self._db, self._user_id, self._session_id, UUID(message_id))
        text = text_of(message) if message.role in ("user", "assistant") else ""
        words = words_in(text)
        return {
            "message_id": message_id,
            "message": row,
            "words": " ".join(set(words)),
            "role": "quote" if self._quotes and message.role == "assistant" else message.role,
            "speaker": message.name,
            "chars": len(text),
            "terms": packed_terms(text, words).hex(),
        }

    # What LangChain uses -------------------------------------------------------------------------------

    async def aget_messages(self) -> list[BaseMessage]:
        found = await self._read("read_window", limit=self._limit)
        return [to_langchain(message) for message in paired([each.message for each in found if each.is_readable])]

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As the stock class does, also into a session that nobody has made yet."""
        agent_name = self._agent_name or DEFAULT_AGENT
        await sessions.ensure_session(self._db, self._user_id, self._session_id, agent_name)
        new = [*self._added, *messages]
        await self.append([from_langchain(message) for message in new])
        self._loaded, self._added = [*self._loaded, *new], []

    async def aclear(self) -> None:
        """Forget what was said; the session stays, and is still found by its title."""
        values = {"user_id": self._user_id, "session_id": self._session_id}
        for name in ("delete_messages", "delete_superseded", "delete_index", "delete_images", "delete_summary"):
            await self._db.execute(SQL[name], values)
        self._loaded, self._added = [], []

    async def aload(self) -> None:
        """Read once, for callers that cannot wait."""
        self._loaded = await self.aget_messages()

    async def aflush(self) -> None:
        """Write what such callers added."""
        await self.aadd_messages([])

    def get_messages(self) -> list[BaseMessage]:
        return [*self._loaded, *self._added]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._added += messages

    def clear(self) -> None:
        raise TypeError("clear() would have to wait for the database: use `await aclear()`")

    async def _read(self, name: str, **values: Any) -> list[StoredMessage]:
        answer = await self._ask(name, **values)
        return await stored_messages(list(reversed(await answer.fetchall())))

    async def _ask(self, name: str, **values: Any) -> Answer[TupleRow]:
        values = {"user_id": self._user_id, "session_id": self._session_id, **values}
        return self._ahead.pop(name, None) or await self._db.execute(SQL[name], values)


async def _stretch(rows: Sequence[TupleRow]) -> Stretch:
    return Stretch(await stored_messages([row[:-1] for row in rows]), bool(rows) and rows[0][-1] > len(rows))


async def stored_messages(rows: Sequence[Sequence[Any]]) -> list[StoredMessage]:
    """Of the columns that every query for messages begins with. Long ones beside the event loop: 20 of a million
    characters took 0.17 s of it (2026-11-17)."""
    is_long = sum(len(row[4]) for row in rows) > LONG
    return await asyncio.to_thread(lambda: [*map(stored_message, rows)]) if is_long else [*map(stored_message, rows)]


def stored_message(columns: Sequence[Any]) -> StoredMessage:
    place, given_id, turn_id, created_at, row, tokens = columns
    message, is_readable = read_row(row, given_id)
    return StoredMessage(place, turn_id, created_at, message, is_readable, tokens, size=len(row))


def _kept(stored: StoredMessage, message: Message) -> StoredMessage:
    """A message of the window; one that lost a call is no longer what was counted."""
    return stored if message is stored.message else replace(stored, message=message, tokens=None)


def _uuid_text(message_id: str) -> str:
    """As it is in most cases."""
    if is_spelt(message_id):
        return message_id
    try:
        return str(UUID(message_id))
    except ValueError:
        return str(new_id())  # providers' ids ("run-...", "msg_...") stay inside the message
