"""How messages are read and written: LangChain's own PostgresChatMessageHistory on our table, made to read by
LIMIT and to work inside the caller's transaction. The stock class reads what this one writes, and the reverse."""

import json
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_postgres import PostgresChatMessageHistory
from psycopg.types.json import Jsonb

from chatServer.messages import Message, clean_json, from_langchain, searchable, text_of, to_langchain
from chatServer.records import StoredMessage, new_id
from chatServer.store import images, queries
from chatServer.store.pool import Connection

SQL = queries.load("messages.sql")
TABLE = "chat_message_history"
NEWEST = 2**63 - 1
WORD_LENGTH = 64  # Postgres refuses lexemes above 2 kB; nobody types that much of a word to find it

logger = logging.getLogger(__name__)


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
    ) -> None:
        super().__init__(TABLE, session_id, async_connection=connection)
        self._db = connection
        self._user_id = user_id
        self._agent_name = agent_name
        self._turn_id = turn_id
        self._limit = limit
        self._loaded: list[BaseMessage] = []
        self._added: list[BaseMessage] = []

    # What the server uses ------------------------------------------------------------------------------

    async def window(self, limit: int) -> list[StoredMessage]:
        """The newest messages that a model may see, oldest first."""
        return await self._read("read_window", limit=limit)

    async def page(self, limit: int, before: int | None = None) -> list[StoredMessage]:
        """The newest messages before a point, whatever became of their turns, oldest first."""
        return await self._read("read_newest", limit=limit, before=NEWEST if before is None else before)

    async def append(self, messages: Sequence[Message], tokens: Sequence[int | None] | None = None) -> None:
        """Store messages in their order, within the caller's transaction, under the session's row lock."""
        if not messages:
            return
        ids = [_uuid_of(message.message_id) for message in messages]
        kept = [
            await images.keep_images(self._db, self._user_id, self._session_id, message_id, message)
            for message_id, message in zip(ids, messages, strict=True)
        ]
        rows = [Jsonb(clean_json(message_to_dict(to_langchain(message))), dumps=_dumps) for message in kept]
        values = {"user_id": self._user_id, "session_id": self._session_id, "message_ids": ids}
        await self._db.execute(
            SQL["append_messages"],
            {**values, "messages": rows, "turn_id": self._turn_id, "tokens": list(tokens or [None] * len(ids))},
        )
        words = {"agent_name": self._agent_name, "words": [_words(message) for message in kept]}
        await self._db.execute(SQL["index_messages"], {**values, **words})

    # What LangChain uses -------------------------------------------------------------------------------

    async def aget_messages(self) -> list[BaseMessage]:
        return [to_langchain(stored.message) for stored in await self.window(self._limit)]

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await self.append([from_langchain(message) for message in messages])

    async def aclear(self) -> None:
        values = {"user_id": self._user_id, "session_id": self._session_id}
        for name in ("delete_messages", "delete_superseded", "delete_index", "delete_images"):
            await self._db.execute(SQL[name], values)
        self._loaded, self._added = [], []

    async def aload(self) -> None:
        """Read once, for callers that cannot wait."""
        self._loaded = await self.aget_messages()

    async def aflush(self) -> None:
        """Write what such callers added."""
        added, self._added = self._added, []
        await self.aadd_messages(added)
        self._loaded += added

    def get_messages(self) -> list[BaseMessage]:
        return [*self._loaded, *self._added]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._added += messages

    def clear(self) -> None:
        raise TypeError("clear() would have to wait for the database: use `await aclear()`")

    async def _read(self, name: str, **values: Any) -> list[StoredMessage]:
        cursor = await self._db.execute(SQL[name], {"user_id": self._user_id, "session_id": self._session_id, **values})
        return [_stored(*row) for row in reversed(await cursor.fetchall())]


def _stored(place: int, message_id: UUID, turn_id: UUID | None, created_at: datetime, row: Any) -> StoredMessage:
    try:
        message = from_langchain(messages_from_dict([row])[0])
    except (ValueError, KeyError, TypeError):
        # The table is open to other writers. What we cannot read is shown as it stands, never dropped.
        logger.warning("message %s is not in LangChain's format", message_id)
        message = Message(role="system", content=json.dumps(row, ensure_ascii=False))
    message.message_id = str(message_id)
    return StoredMessage(id=place, turn_id=turn_id, created_at=created_at, message=message)


def _uuid_of(message_id: str) -> UUID:
    try:
        return UUID(message_id)
    except ValueError:
        return new_id()  # providers' ids ("run-...", "msg_...") stay inside the message


def _words(message: Message) -> str:
    if message.role not in ("user", "assistant"):
        return ""
    return " ".join({word[:WORD_LENGTH] for word in searchable(text_of(message)).split()})


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
