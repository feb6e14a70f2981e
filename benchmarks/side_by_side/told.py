"""What is said in every stack: the same made-up texts, with words as frequent as words are."""

import itertools
from collections.abc import Sequence
from functools import cache

import numpy as np
import psycopg

from benchmarks.many_memories import SYLLABLES
from chatServer.memory.embed import WordLlamaEmbedder, packed
from chatServer.messages.terms import packed_terms

CHARS = 190
KINDS = 500  # different texts, that come round again and again
VOCABULARY = 4_000
DROP = "drop table if exists told"
KEPT = "create temp table told (place int, content text, tsv tsvector, terms bytea, vec4 bytea)"
KEEP = "insert into told values (%s, %s, array_to_tsvector(%s), %s, %s)"
SESSIONS = """
insert into chat.sessions (user_id, session_id, agent_name, title, memory)
select user_id, session_id, 'assistant', 'bench', %(memory)s
from unnest(%(user_ids)s::uuid[], %(session_ids)s::text[]) as s (user_id, session_id)
"""
TURNS = """
insert into chat.turns (user_id, turn_id, session_id, agent_name, state)
select user_id, md5(session_id || n)::uuid, session_id, 'assistant', 'done'
from unnest(%(user_ids)s::uuid[], %(session_ids)s::text[]) as s (user_id, session_id),
    generate_series(1, %(messages)s / 2) as n
"""
# Yesterday: what was said a moment ago recall asks for again, which is little, unless all of it was.
MESSAGES = """
with said as (
    insert into public.chat_message_history (user_id, session_id, turn_id, message, tokens, created_at)
    select user_id, session_id, md5(session_id || (n + 1) / 2)::uuid,
        jsonb_build_object('type', kind, 'data', jsonb_build_object('content', content)), 60, now() - interval '1 day'
    from unnest(%(user_ids)s::uuid[], %(session_ids)s::text[]) as s (user_id, session_id),
        generate_series(1, %(messages)s) as n
        join told on place = n %% %(kinds)s,
        lateral (select case n %% 2 when 1 then 'human' else 'ai' end) as k (kind)
    order by n
    returning user_id, session_id, message_id, id, created_at, message)
insert into chat.message_index (user_id, message_id, session_id, agent_name, tsv, embed_model, vec4, place, role,
    said_at, chars, terms)
select user_id, message_id, session_id, 'assistant', tsv, %(model)s, vec4, id,
    case message ->> 'type' when 'human' then 'user' else 'assistant' end,
    created_at, length(content), terms
from said join told on content = message #>> '{data,content}'
"""


@cache
def texts(chars: int = CHARS, seed: int = 0) -> tuple[str, ...]:
    """Different ones for each seed: what is asked is not what was said."""
    random = np.random.default_rng(100 * chars + seed)
    spelt = ("".join(random.choice(SYLLABLES, size)) for size in itertools.cycle((2, 3, 3, 4)))
    words = list(itertools.islice(spelt, VOCABULARY))
    ends = np.cumsum(1 / np.arange(1, len(words) + 1))
    made = []
    for _ in range(KINDS):
        drawn = np.searchsorted(ends, random.random(chars // 4) * ends[-1]).clip(max=len(words) - 1)
        made.append(" ".join(words[place] for place in drawn)[:chars].ljust(chars, "."))
    return tuple(made)


async def embedded() -> list[bytes]:
    return packed(await WordLlamaEmbedder().embed(list(texts())))


def fill_ours(
    url: str, vectors: Sequence[bytes], users: Sequence[str], sessions: Sequence[str], messages: int, *, memory: str
) -> None:
    """Sessions of so many messages, one for each user, with all that recall finds messages by."""
    values = {
        "user_ids": list(users), "session_ids": list(sessions), "messages": messages, "kinds": KINDS,
        "memory": memory, "model": WordLlamaEmbedder.name,
    }  # fmt: skip
    with psycopg.connect(url) as connection:
        connection.execute(DROP)
        connection.execute(KEPT)
        rows = [
            (place, text, sorted(set(text.strip(".").split())), packed_terms(text), vector)
            for place, (text, vector) in enumerate(zip(texts(), vectors, strict=True))
        ]
        with connection.cursor() as cursor:
            cursor.executemany(KEEP, rows)
        connection.execute("analyze told")
        for statement in (SESSIONS, TURNS, MESSAGES):
            connection.execute(statement.encode(), values)
