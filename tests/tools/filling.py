"""Users with rows in every table, and whether these are still the same."""

import base64
import hashlib
import json
import re
import uuid

from chatServer.memory.edit import Edit, create
from chatServer.messages import Message
from chatServer.records import Triple
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from tests.conftest import Urls, owner_connection

SECRET = "the-secret-of-ada"
PICTURE = "data:image/png;base64," + base64.b64encode(b"\x89PNG" + SECRET.encode()).decode()
TABLES = [
    "public.user_agent_active_sessions",
    "public.chat_message_history",
    "public.agent_long_term_memory",
    "chat.sessions",
    "chat.message_superseded",
    "chat.message_index",
    "chat.message_images",
    "chat.turns",
    "chat.turn_events",
    "chat.user_events",
    "chat.user_event_heads",
    "chat.notes_versions",
    "chat.summaries",
    "chat.usage_daily",
    "chat.user_limits",
    "chat.memory_heads",
    "chat.memories",
    "chat.memory_changes",
    "chat.personal_tokens",
    "chat.erasures",
    "chat.articles",
    "chat.article_files",
    "chat.article_chunks",
]
OWN_FILTER = re.compile(rb"\b(\w+\.)?user_id = (%\(user_id\)s|\w+\.user_id)")


async def fill(database: Database, user, secret: str, external_id: str) -> str:
    """One row at least in every table, each with the secret in it where there is room."""
    session_id, turn_id, message_id = str(uuid.uuid4()), uuid.uuid4(), uuid.uuid4()
    async with database.transaction(user) as connection:
        await sessions.insert_session(
            connection, user.user_id, session_id, "assistant", external_id=external_id, title=secret
        )
        await sessions.set_active(connection, user.user_id, "assistant", session_id)
        await connection.execute(
            "insert into chat.turns (turn_id, session_id, agent_name, state, partial_text) "
            "values (%s, %s, 'assistant', 'failed', %s)",
            (turn_id, session_id, secret),
        )
        said = ChatMessageHistory(connection, user.user_id, session_id, agent_name="assistant", turn_id=turn_id)
        await said.append([Message(role="user", content=secret, message_id=str(message_id), images=[PICTURE])])
        for statement, values in [
            (
                "insert into chat.message_superseded (id, session_id, message, created_at, message_id, importance) "
                "values (1, %s, %s, now(), %s, 0.7)",
                (session_id, json.dumps({"said": secret}), uuid.uuid4()),
            ),
            (
                "insert into chat.turn_events (turn_id, seq_from, seq_to, events) values (%s, 1, 1, %s)",
                (turn_id, json.dumps([secret])),
            ),
            ("insert into chat.user_event_heads (seq) values (1)", ()),
            ("insert into chat.user_events (seq, kind, data) values (1, 'session', %s)", (json.dumps(secret),)),
            ("insert into public.agent_long_term_memory (agent_name, notes) values ('assistant', %s)", (secret,)),
            (
                "insert into chat.notes_versions (agent_name, version, notes, operation, actor) "
                "values ('assistant', 1, %s, 'overwrite', 'user')",
                (secret,),
            ),
            (
                "insert into chat.summaries (session_id, summary, covers_to, tokens) values (%s, %s, 1, 1)",
                (session_id, secret),
            ),
            (
                "insert into chat.usage_daily (day, agent_name, model) "
                "values ((now() at time zone 'utc')::date - 1, 'assistant', %s)",
                (secret,),
            ),
            ("insert into chat.user_limits (turns_at) values (array[now()])", ()),
            (
                "insert into chat.personal_tokens (token_id, name, digest, scopes, expires_at) "
                "values (%s, %s, 'x', '{chat}', now() + interval '1 day')",
                (uuid.uuid4(), secret),
            ),
            (
                "insert into chat.articles (article_id, name, title, media_type, size_bytes, content_hash) "
                "values (%s, %s, %s, 'text/plain', 1, '')",
                (turn_id, secret, secret),
            ),
            ("insert into chat.article_files (article_id, part, bytes) values (%s, 0, %s)", (turn_id, secret.encode())),
            (
                "insert into chat.article_chunks (article_id, position, heading, text, tokens, tsv) "
                "values (%s, 0, %s, %s, 1, '')",
                (turn_id, secret, secret),
            ),
            ("insert into chat.erasures (erased_at, counts) values ('2026-01-01', '{\"sessions\": 1}')", ()),
        ]:
            await connection.execute(statement, values)
    fact = Edit(text=secret, tags=[secret], triple=Triple(secret, "knows", secret))
    await create(database, user, fact, shelf="*", agent_name="assistant", session_id=session_id)
    return session_id


def fingerprint(urls: Urls, user) -> str:
    """A hash over every row of a user in every table."""
    with owner_connection(urls.owner) as connection:
        rows = [
            connection.execute(
                f"select coalesce(string_agg(t::text, '|' order by t::text), '') from {table} t where user_id = %s",
                (user.user_id,),
            ).fetchone()
            for table in TABLES
        ]
    assert all(row and row[0] for row in rows), "the victim has rows in every table"
    return hashlib.sha256(repr(rows).encode()).hexdigest()
