"""Conversations stored by our store in an embedded Postgres, asked through recall, and through its own full text."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid5

from benchmarks.conversations import NAMESPACE, Conversation
from chatServer.config import Settings
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.ranking.weights import Weights
from chatServer.memory.recall.recall import Recaller
from chatServer.messages import Message
from chatServer.records import Agent, Principal
from chatServer.store.history import ChatMessageHistory
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database

AGENT = Agent("assistant", "", "")
NEW_SESSION = str(uuid5(NAMESPACE, "new"))
PATIENCE = 300  # tenths of a second until all of a conversation is loaded
CREATE_SESSION = """
insert into chat.sessions (user_id, session_id, agent_name) values (%(user_id)s, %(session_id)s, 'assistant')
"""
# Any of the question's words, English stems, ranked by how near to each other they stand.
SEARCH = """
with asked as (select replace(plainto_tsquery('english', %(question)s)::text, ' & ', ' | ')::tsquery as query)
select h.message_id
from public.chat_message_history h, asked,
    lateral (select to_tsvector('english', h.message #>> '{data,content}') as words offset 0) as w -- once for each
where h.user_id = %(user_id)s and w.words @@ asked.query
order by ts_rank_cd(w.words, asked.query) desc, h.id
limit %(limit)s
"""


@contextlib.asynccontextmanager
async def own_database() -> AsyncIterator[Database]:
    """An embedded Postgres for this run."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        os.chmod(directory, 0o755)  # noqa: PTH101  the embedded server may run as another user
        settings = Settings(chat_data_dir=Path(directory), _env_file=None)
        async with opened_database(settings) as database:
            yield database


def user_of(conversation: Conversation) -> Principal:
    return Principal(uuid5(NAMESPACE, conversation.name))


async def store(database: Database, conversation: Conversation) -> None:
    """Each message through the store, session by session, under its speaker's name."""
    user = user_of(conversation)
    for session in dict.fromkeys(each.session for each in conversation.messages):
        spoken = [each for each in conversation.messages if each.session == session]
        said = [
            Message(role=each.role, content=each.text, name=each.speaker, message_id=str(each.message_id))
            for each in spoken
        ]
        async with database.transaction(user) as connection:
            await connection.execute(CREATE_SESSION, {"user_id": user.user_id, "session_id": session})
            history = ChatMessageHistory(connection, user.user_id, session, agent_name="assistant")
            times = [
                datetime.fromtimestamp(each.time, UTC) for each in conversation.messages if each.session == session
            ]
            await history.append(said, said_at=times)


@contextlib.asynccontextmanager
async def recaller(database: Database, weights: Weights) -> AsyncIterator[Recaller]:
    """The product's own, which here may take its time: what it finds must not depend on the machine."""
    async with database.beside(pool_size=2, wait_ms=10_000) as own:
        options = {"cache_bytes": 256 * 1024**2, "overlap_s": 0.0}
        made = Recaller(own, WordLlamaEmbedder(), len, **options, weights=weights, pace=1_000)
        yield made
        await made.close()


async def recall(found_by: Recaller, conversation: Conversation, question: str, limit: int) -> list[UUID]:
    """The messages that recall shows, best first, in a session that has just begun."""
    options = {"budget_tokens": 10**9, "limit": limit}
    for _ in range(PATIENCE):
        found = await found_by.recall(user_of(conversation), AGENT, NEW_SESSION, question, **options)
        if found.degraded != "loading":
            break
        await asyncio.sleep(0.1)
    if found.degraded:
        raise RuntimeError(f"recall was degraded: {found.degraded}")
    return [item.item_id for item in found.items]


async def search(database: Database, conversation: Conversation, question: str, limit: int) -> list[UUID]:
    """The messages that full text finds, best first."""
    user = user_of(conversation)
    values = {"user_id": user.user_id, "question": question, "limit": limit}
    async with database.transaction(user) as connection:
        rows = await (await connection.execute(SEARCH, values)).fetchall()
    return [row[0] for row in rows]
