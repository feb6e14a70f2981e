"""Who has said much, among many who have said little, is asked about: what is told is read, and not a whole life."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from chatServer.store import queries
from chatServer.store.queries import NEWEST
from tests.conftest import ADA, Urls, owner_connection

LIFE = 12_000  # messages of one user; half as many turns, and changes to a third as many memories
FEW = 1_500  # rows: of what is asked here, nothing tells more
OTHERS = 1_500
READ = """
select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer from pg_stat_xact_user_tables
where schemaname in ('chat', 'public')
"""
FILL = """
create temp table said as
select user_id, number, md5(user_id || 's' || number %% 50)::uuid::text as session_id,
    md5(user_id || 't' || number / 2)::uuid as turn_id, md5(user_id || 'm' || number)::uuid as message_id
from (select %(ada)s::uuid, generate_series(1, %(life)s)
      union all
      select gen_random_uuid(), 2 from generate_series(1, %(others)s)) as lives (user_id, number);
insert into chat.sessions (user_id, session_id, agent_name) select distinct user_id, session_id, 'assistant' from said;
insert into chat.turns (user_id, turn_id, session_id, agent_name, state, finished_at, reply_message_id)
select distinct on (user_id, turn_id) user_id, turn_id, session_id, 'assistant', 'done', now(), message_id from said;
insert into public.chat_message_history (user_id, session_id, message_id, turn_id, message, created_at)
select user_id, session_id, message_id, turn_id, '{"type": "human", "data": {"content": "hi"}}', now() - interval '1 h'
from said order by number;
insert into chat.message_index (user_id, message_id, session_id, tsv, place, role, said_at, chars, terms)
select user_id, message_id, session_id, 'hi', id, 'user', created_at, 2, '' from public.chat_message_history;
insert into chat.message_images (user_id, image_id, session_id, message_id, media_type, bytes)
select user_id, message_id, session_id, message_id, 'image/png', '' from said;
insert into chat.turn_events (user_id, turn_id, seq_from, seq_to, events)
select distinct user_id, turn_id, 1, 1, '[]'::jsonb from said where number > %(life)s - 20;
insert into chat.memory_heads (user_id, seq) select user_id, max(number) from said group by user_id;
insert into chat.memories (user_id, memory_id, seq, shelf, agent_name, kind, category, text, digest, importance, origin,
    trust, tsv, terms)
select user_id, message_id, number, '*', 'assistant', 'fact', 'knowledge', 'hi', int4send(number), 0.5, 'rules', 'user',
    'hi', ''
from said where number %% 3 = 2;
insert into chat.memory_changes (user_id, seq, memory_id, operation, actor, created_at)
select user_id, number, message_id, 'edited', 'user', now() - interval '1 h' from said;
insert into chat.articles (user_id, article_id, name, title, media_type, size_bytes, content_hash, chunks)
select user_id, message_id, number, number, 'text/plain', 1, '', 10 from said where number %% 20 = 2;
insert into chat.article_chunks (user_id, article_id, position, text, tokens, tsv)
select user_id, article_id, place, 'hi', 1, 'hi' from chat.articles, generate_series(1, 10) place;
"""


def made(kind: str, number: int) -> UUID:
    """As the database makes them."""
    with_md5 = hashlib.md5(f"{ADA.user_id}{kind}{number}".encode(), usedforsecurity=False)
    return UUID(with_md5.hexdigest())


SESSION = {"session_id": str(made("s", 3))}
MESSAGES = [made("m", number) for number in range(3, LIFE, LIFE // 10)]
TURNS = [made("t", number) for number in range(1, LIFE // 2, LIFE // 20)]
MEMORIES = [made("m", number) for number in range(2, LIFE, LIFE // 10)]
ARTICLES = [made("m", number) for number in range(2, LIFE, LIFE // 10)]
NEW = {
    "after": LIFE * 2,
    "after_seq": LIFE,
    "asking": SESSION["session_id"],
    "known": [],
    "lacking_messages": MESSAGES,
    "lacking_memories": MEMORIES,
    "waiting": [],
    "model": "x",
    "limit": 100,
}
LIVE = NEW | {
    "ids": MEMORIES,
    "shelves": ["*", "assistant"],
    "tools": ["clock"],
    "marks": ["clock"],
    "fresh_for": timedelta(days=30),
    "among": 100,
}
ASKED = {
    "messages.read_newest": {**SESSION, "before": NEWEST, "limit": 20},
    "messages.read_stretch": {**SESSION, "before": NEWEST, "limit": 20, "bytes": 1_000_000},
    "messages.read_images": {**SESSION, "message_ids": MESSAGES, "bytes": 1_000_000},
    "messages.measure_images": {**SESSION, "message_ids": MESSAGES},
    "messages.count_put": {},
    "messages.read_before": {**SESSION, "question_id": MESSAGES[5], "limit": 12},
    "summaries.read_after": {**SESSION, "after": 0, "limit": 20},
    "summaries.measure": {**SESSION, "limit": 100},
    "left.find_left": {"turn_id": TURNS[3]},
    "turns.read_turns": {"turn_ids": TURNS},
    "turns.measure_partial_texts": {"turn_ids": TURNS},
    "revisions.mark_read": {"turn_ids": TURNS},
    "events.delete_old_events": {"age_s": 900},
    "embedding.find_lacking_messages": {"model": "x", "before": NEWEST, "look": 16, "limit": 16},
    "embedding.find_lacking_memories": {"model": "x", "before": LIFE // 2, "limit": 16},
    "memories.read_memories": {"memory_ids": MEMORIES},
    "memory_changes.count_created": {},
    "recall.glance": {"after": LIFE // 2, "limit": 50},
    "recall.load_news": NEW,
    "recall.read_live_memories": LIVE,
    "retrieval.read_chunks": {"ids": ARTICLES, "positions": [3] * len(ARTICLES)},
    "articles.write_chunk_vectors": {
        "article_ids": ARTICLES,
        "positions": [3] * len(ARTICLES),
        "texts": ["hi"] * len(ARTICLES),
        "vectors": ["[1]"] * len(ARTICLES),
        "model": "x",
    },
    "bring_in.answer": {"turn_ids": TURNS, "message_ids": MESSAGES},
    "bring_in.count_chunks": {"article_ids": ARTICLES},
    "bring_in.call_read": {"article_ids": ARTICLES, "whole": [1] * len(ARTICLES)},
    "export.messages": {"after_1": LIFE // 2, "limit": 100, "bytes": 1_000_000},
}


@pytest.fixture(scope="module")
def lived(postgres, template) -> Iterator[Urls]:
    """One database for all of this file, which only reads: what is written is taken back."""
    name = "long_lives"
    with owner_connection(postgres.owner_url) as owner:
        owner.execute(f"create database {name} template {template}")
    urls = Urls(postgres.url("postgres", name), postgres.url("chat_app", name), name)
    with owner_connection(urls.owner) as owner:
        cursor = psycopg.ClientCursor(owner)
        cursor.execute(FILL, {"ada": ADA.user_id, "life": LIFE, "others": OTHERS})
        owner.execute("analyze")
    yield urls
    with owner_connection(postgres.owner_url) as owner:
        owner.execute(f"drop database {name} with (force)")


@pytest.fixture(params=["force_generic_plan", "force_custom_plan"])
def user(request, lived) -> Iterator[psycopg.Connection]:
    """Ada, by the plan for everybody, or by one for her alone."""
    with psycopg.connect(lived.app, options=f"-c role=chat_user -c plan_cache_mode={request.param}") as connection:
        connection.execute(f"""set request.jwt.claims = '{{"sub": "{ADA.user_id}"}}'""")
        connection.commit()
        yield connection


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_of_a_long_life_reads_little_of_it(user, name):
    file_name, _, statement = name.partition(".")
    sql = queries.load(f"{file_name}.sql")
    if file_name == "recall":
        for setting in ("walk_the_index", "fetch_one_by_one"):
            user.execute(sql[setting])
    user.execute(sql[statement], {"user_id": ADA.user_id, **ASKED[name]}, prepare=True)
    (read,) = user.execute(READ).fetchone()
    user.rollback()
    finds_nothing = name == "bring_in.answer"  # by the index of unfinished turns, of which there are none
    assert read > 0 or finds_nothing
    assert read < FEW


def test_to_show_messages_again_reads_what_was_forgotten_once(user):
    sql = queries.load("memories.sql")
    user.execute(sql["show_messages"], {"user_id": ADA.user_id, "message_ids": MESSAGES}, prepare=True)
    (read,) = user.execute(READ).fetchone()
    user.rollback()
    assert read < 1.5 * (LIFE + OTHERS), "and not once for each of them"
