"""Telling the server something, letting it learn, and looking at what it keeps."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Sequence
from typing import Any
from uuid import UUID

from chatServer.memory import guard
from chatServer.memory.remember.drafts import Draft, KnownTools
from chatServer.memory.remember.remember import Learned, ask_material, gather, remember, sheet_of
from chatServer.memory.shelve import shelve
from chatServer.messages import Message
from chatServer.records import Memory, MemoryFilter, MemoryScope, Principal
from chatServer.store import memories as store
from chatServer.store.left import ask_left
from chatServer.store.pool import Database
from tests.conftest import ADA, Urls, owner_connection
from tests.tools.memory_rows import RULES
from tests.tools.turns import finish_turn


async def learn(database: Database, turn_id: UUID, user: Principal = ADA, *, scope: MemoryScope = "agent") -> Learned:
    tools = KnownTools(trusted=frozenset({"clock", "notes"}), keepers=frozenset({"notes"}))
    async with database.transaction(user) as connection:
        turn = await (await ask_left(connection, user.user_id, turn_id)).fetchone()
        sheet = turn and sheet_of(turn, turn_id, scopes=lambda _: scope)
        if not sheet:
            return Learned()
        asked = await ask_material(connection, user.user_id, sheet)
    material = await gather(database, user, sheet, asked)
    return await remember(database, user, material, tools=tools)


_meanwhile: list[Callable[[], object]] = []


def meanwhile(text: str) -> str:
    while _meanwhile:
        _meanwhile.pop()()
    return text


async def learn_while(database: Database, turn_id: UUID, happens: Coroutine[Any, Any, object]) -> None:
    """Learn from a turn, and let something happen after it was read and before anything is written: where the guard of
    a deployment is asked."""
    loop = asyncio.get_running_loop()
    _meanwhile.append(lambda: asyncio.run_coroutine_threadsafe(happens, loop).result(10))
    guard.install(f"{__name__}:meanwhile")
    try:
        await learn(database, turn_id)
    finally:
        guard.install(None)
    assert not _meanwhile


async def say(
    database: Database,
    text: str,
    user: Principal = ADA,
    *,
    session_id: str | None = None,
    between: Sequence[Message] = (),
    answer: str = "Noted.",
) -> UUID:
    """A finished turn, from which nobody has learned yet."""
    async with database.transaction(user) as connection:
        where = session_id or str(uuid.uuid4())
        return await finish_turn(connection, user, where, text, answer, between=between)


async def tell(database: Database, *texts: str, user: Principal = ADA, scope: MemoryScope = "agent", **options) -> UUID:
    """Turns, each learned from; the last one's id."""
    for text in texts:
        turn_id = await say(database, text, user, **options)
        await learn(database, turn_id, user, scope=scope)
    return turn_id


async def kept(database: Database, user: Principal = ADA, **wanted) -> list[Memory]:
    """The memories that hold, or those that are wanted; the last changed first."""
    async with database.transaction(user) as connection:
        return await store.list_memories(connection, user.user_id, MemoryFilter(**wanted), limit=1_000)


async def texts(database: Database, user: Principal = ADA, **wanted) -> list[str]:
    return [each.text for each in await kept(database, user, **wanted)]


def hidden_texts(urls: Urls) -> list[str]:
    """What recall shows no longer, as it was said."""
    query = (
        "select h.message -> 'data' ->> 'content' from chat.message_index i "
        "join public.chat_message_history h on h.message_id = i.message_id where i.is_hidden order by h.id"
    )
    with owner_connection(urls.owner) as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


def memory_events(urls: Urls) -> list[dict]:
    """What was told of memories, but for how revisions went."""
    return [event for event in _memory_events(urls) if event["what"] not in ("revision", "compaction")]


def revision_events(urls: Urls) -> list[dict]:
    """How revisions went."""
    return [event for event in _memory_events(urls) if event["what"] == "revision"]


def _memory_events(urls: Urls) -> list[dict]:
    with owner_connection(urls.owner) as connection:
        rows = connection.execute("select data from chat.user_events where kind = 'memory' order by seq").fetchall()
    return [row[0] for row in rows]


async def told_to_store(database, drafts: list[Draft], user=ADA) -> None:
    """The way of the verb, without a turn for each."""
    async with database.transaction(user, timeout_ms=30_000) as connection:
        await store.advance_head(connection, user.user_id)
        for draft in drafts:
            await shelve(connection, user.user_id, draft.memory, RULES, is_negation=draft.is_negation)
