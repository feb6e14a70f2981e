"""A turn that runs; a finished one as the reply's transaction leaves it, its after-work in the queue."""

import asyncio
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

from psycopg.types.json import Jsonb

from chatServer.messages import Message
from chatServer.records import Principal
from chatServer.store import jobs, sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from tests.conftest import Urls, owner_connection

WITHIN_S = 30

T = TypeVar("T")


async def begin_turn(database: Database, user: Principal, *, attempt: int = 1) -> UUID:
    """A turn that runs, in a session of its own."""
    turn_id, session_id = uuid.uuid4(), str(uuid.uuid4())
    async with database.transaction(user) as connection:
        await sessions.insert_session(connection, user.user_id, session_id, "assistant")
        await connection.execute(
            "insert into chat.turns (turn_id, session_id, agent_name, state, attempt) "
            "values (%s, %s, 'assistant', 'running', %s)",
            (turn_id, session_id, attempt),
        )
    return turn_id


async def finish_turn(
    connection: Connection,
    user: Principal,
    session_id: str,
    question: str,
    answer: str = "Gladly.",
    *,
    between: Sequence[Message] = (),
) -> UUID:
    """The exchange, the turn and its job, in the caller's transaction."""
    turn_id, question_id, answer_id = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    await sessions.insert_session(connection, user.user_id, session_id, "assistant")
    await connection.execute(
        "insert into chat.turns (turn_id, session_id, agent_name, state, user_message_id, reply_message_id, "
        "revision_state, finished_at) values (%s, %s, 'assistant', 'done', %s, %s, 'queued', now())",
        (turn_id, session_id, question_id, answer_id),
    )
    said = ChatMessageHistory(connection, user.user_id, session_id, agent_name="assistant", turn_id=turn_id)
    asked = Message(role="user", content=question, message_id=str(question_id))
    answered = Message(role="assistant", content=answer, message_id=str(answer_id))
    await said.append([asked, *between, answered])
    await jobs.enqueue_after_turn(connection, session_id, turn_id)
    return turn_id


async def given_to_a_turn(connection: Connection, *memory_ids: UUID, minutes_ago: float = 0) -> UUID:
    """A turn that is over, and was given these memories."""
    turn_id, session_id = uuid.uuid4(), str(uuid.uuid4())
    await connection.execute(
        "insert into chat.sessions (session_id, agent_name) values (%s, 'assistant')", (session_id,)
    )
    items = [{"id": str(memory_id), "what": "memory"} for memory_id in memory_ids]
    items.append({"id": str(uuid.uuid4()), "what": "message"})
    await connection.execute(
        "insert into chat.turns (turn_id, session_id, agent_name, state, recalled, finished_at) "
        "values (%s, %s, 'assistant', 'done', %s, now() - make_interval(mins => %s))",
        (turn_id, session_id, Jsonb({"items": items}), minutes_ago),
    )
    return turn_id


async def finished_turn(database: Database, user: Principal, question: str, **options: str) -> tuple[str, UUID]:
    """A new session with one exchange."""
    session_id = str(uuid.uuid4())
    async with database.transaction(user) as connection:
        return session_id, await finish_turn(connection, user, session_id, question, **options)


async def title_of(database: Database, user: Principal, session_id: str) -> str | None:
    async with database.transaction(user) as connection:
        session = await sessions.find_session(connection, user.user_id, session_id)
    assert session is not None
    return session.title


async def eventually(found: Callable[[], Awaitable[T] | T], within_s: float = WITHIN_S) -> T:
    """What is found, once there is something."""
    deadline = time.monotonic() + within_s
    while True:
        value = found()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.02)


def queued(urls: Urls) -> list[tuple[str, int]]:
    """Every job of a turn that is there, as the owner sees it: status and attempts; periodic ones do not count."""
    with owner_connection(urls.owner) as connection:
        query = (
            "select status::text, attempts from procrastinate.procrastinate_jobs"
            " where task_name not in ('sweep', 'forget_failed') order by id"
        )
        return connection.execute(query).fetchall()


def title_events(urls: Urls) -> list[dict[str, str]]:
    with owner_connection(urls.owner) as connection:
        rows = connection.execute("select data from chat.user_events where kind = 'title' order by seq").fetchall()
    return [row[0] for row in rows]
