"""Things said and remembered, and a recaller; how long it may take is the business of one test file."""

import contextlib
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

from chatServer.conversation.tokens import count_text
from chatServer.memory.embed import Embedder, WordLlamaEmbedder
from chatServer.memory.recall import recall
from chatServer.memory.recall.recall import Recaller, recalling
from chatServer.messages import Message
from chatServer.messages.terms import packed_terms
from chatServer.records import Agent, MemoryScope, Principal, RecallResult
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database

AGENT = Agent("assistant", "", "")
HURRIED = {name: getattr(recall, name) for name in ("DEADLINE_S", "EMBED_S", "STATEMENT_MS", "POOL_WAIT_MS")}
PATIENT = {"DEADLINE_S": 5, "EMBED_S": 4, "STATEMENT_MS": 4_000, "POOL_WAIT_MS": 1_000}
INSERT = """
with head as (
    insert into chat.memory_heads as heads (user_id, seq) values (chat.uid(), 1)
    on conflict (user_id) do update set seq = heads.seq + 1 returning seq
), changed as (
    insert into chat.memory_changes (seq, memory_id, operation, actor) select seq, %(id)s, 'created', 'rules' from head
)
insert into chat.memories (memory_id, seq, shelf, agent_name, session_id, kind, category, text, digest, importance,
    subject, predicate, object, origin, trust, source_ids, tsv, terms)
select %(id)s, seq, %(shelf)s, 'assistant', %(session_id)s, 'fact', 'knowledge', %(text)s, %(digest)s, 0.7,
    %(subject)s, %(predicate)s, %(object)s, 'rules', 'user', %(sources)s, ''::tsvector, %(terms)s
from head
"""
CHANGE = """
with head as (update chat.memory_heads set seq = seq + 1 where user_id = chat.uid() returning seq), changed as (
    insert into chat.memory_changes (seq, memory_id, operation, actor)
    select seq, %(id)s, %(operation)s, 'user' from head
)
"""
REPLACE = f"""{CHANGE}
update chat.memories set valid_to = now(), superseded_by = %(by)s, seq = head.seq from head where memory_id = %(id)s"""
DELETE = CHANGE + "delete from chat.memories where memory_id = %(id)s"


def be_patient() -> None:
    """Tests share a machine, on which a search may take longer than a person should wait for."""
    for name, value in PATIENT.items():
        setattr(recall, name, value)


def recaller_of(
    database: Database, embedder: Embedder | None = None, cache_mb: int = 64
) -> contextlib.AbstractAsyncContextManager[Recaller]:
    return recalling(database, embedder or WordLlamaEmbedder(), count_text, cache_mb=cache_mb)


async def said(
    database: Database,
    user: Principal,
    *texts: str,
    session_id: str | None = None,
    agent_name: str = "assistant",
    role: str = "user",
    memory: str = "on",
) -> tuple[str, list[UUID]]:
    """Messages in a session, a new one where none is named: its id, and theirs."""
    session_id = session_id or str(uuid.uuid4())
    messages = [Message(role=role, content=text, message_id=str(uuid.uuid4())) for text in texts]
    async with database.transaction(user) as connection:
        await sessions.insert_session(connection, user.user_id, session_id, agent_name, memory=memory)
        history = ChatMessageHistory(connection, user.user_id, session_id, agent_name=agent_name)
        await history.append(messages)
    return session_id, [UUID(message.message_id) for message in messages]


async def remembered(
    database: Database,
    user: Principal,
    text: str,
    *,
    shelf: str = "assistant",
    triple: tuple[str, str, str] | None = None,
    sources: list[UUID] | None = None,
    session_id: str | None = None,
) -> UUID:
    memory_id = uuid.uuid4()
    values = {"id": memory_id, "shelf": shelf, "text": text, "digest": memory_id.bytes, "session_id": session_id}
    values |= dict(zip(("subject", "predicate", "object"), triple or (None, None, None), strict=True))
    async with database.transaction(user) as connection:
        values |= {"sources": sources or [], "terms": packed_terms(text)}
        await connection.execute(INSERT, values)
    return memory_id


async def replaced(database: Database, user: Principal, memory_id: UUID, by: UUID) -> None:
    async with database.transaction(user) as connection:
        await connection.execute(REPLACE, {"id": memory_id, "by": by, "operation": "superseded"})


async def deleted(database: Database, user: Principal, memory_id: UUID) -> None:
    async with database.transaction(user) as connection:
        await connection.execute(DELETE, {"id": memory_id, "operation": "deleted"})


async def asked(
    recaller: Recaller,
    user: Principal,
    question: str,
    *,
    scope: MemoryScope = "user",
    agent_name: str = "assistant",
    session_id: str | None = None,
    **options,
) -> RecallResult:
    agent = replace(AGENT, name=agent_name, memory_scope=scope)
    options.setdefault("budget_tokens", 1_500)
    return await recaller.recall(user, agent, session_id or str(uuid.uuid4()), question, **options)


def texts(found: RecallResult) -> list[str]:
    return [item.text for item in found.items]


@contextlib.asynccontextmanager
async def two_processes(database: Database) -> AsyncIterator[tuple[Recaller, Recaller]]:
    async with recaller_of(database) as one, recaller_of(database) as other:
        yield one, other
