"""What the tables hold, read by their owner with plain SQL: nothing of the server's own code looks at them here."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

TURNS = """
    select user_id::text, turn_id::text, session_id, replace(turn_key, 'own:', '') as turn_key, state, attempt, usage,
        finished_at, lease_until,
        state = 'running' and lease_until >= now() as is_running,
        user_message_id::text, reply_message_id::text
    from chat.turns"""
MESSAGES = """
    select id, user_id::text, session_id, turn_id::text, message_id::text, message ->> 'type' as kind,
        message -> 'data' ->> 'content' as text
    from public.chat_message_history order by id"""
SESSIONS = "select user_id::text, session_id, external_id, title from chat.sessions"
PAGES = "select user_id::text, agent_name, notes, version from public.agent_long_term_memory"
VERSIONS = """
    select user_id::text, agent_name, version, notes, operation, actor, reason, turn_id::text, attempt
    from chat.notes_versions order by user_id, agent_name, version"""
USAGE = """
    select user_id::text, sum(turns)::int as turns, sum(input_tokens)::int as input_tokens,
        sum(output_tokens)::int as output_tokens
    from chat.usage_daily group by user_id"""
JOBS = """
    select args ->> 'user_id' as user_id, args ->> 'turn_id' as turn_id, status::text
    from procrastinate.procrastinate_jobs where task_name = 'after_turn'"""
ORPHANS = {
    "messages of no turn": """
        select count(*) from public.chat_message_history h
        where not exists (select from chat.turns t where t.user_id = h.user_id and t.turn_id = h.turn_id)""",
    "turns without their question": """
        select count(*) from chat.turns t where not exists (
            select from public.chat_message_history h
            where h.user_id = t.user_id and h.message_id = t.user_message_id)""",
    "done turns without their reply": """
        select count(*) from chat.turns t where state = 'done' and not exists (
            select from public.chat_message_history h
            where h.user_id = t.user_id and h.message_id = t.reply_message_id)""",
    "replies of turns that are not done": """
        select count(*) from chat.turns t join public.chat_message_history h
            on h.user_id = t.user_id and h.message_id = t.reply_message_id
        where t.state not in ('done', 'stopped')""",
    "search entries of nothing": """
        select count(*) from chat.message_index i where not exists (
            select from public.chat_message_history h where h.user_id = i.user_id and h.message_id = i.message_id)
        and not exists (
            select from chat.sessions s where s.user_id = i.user_id and s.session_id = i.message_id::text)""",
    "questions without a search entry": """
        select count(*) from public.chat_message_history h where message ->> 'type' = 'human' and not exists (
            select from chat.message_index i where i.user_id = h.user_id and i.message_id = h.message_id)""",
    "active sessions that are not there": """
        select count(*) from public.user_agent_active_sessions a where not exists (
            select from chat.sessions s where s.user_id = a.user_id and s.session_id = a.active_session_id)""",
    "sessions without a turn": """
        select count(*) from chat.sessions s where not exists (
            select from chat.turns t where t.user_id = s.user_id and t.session_id = s.session_id)""",
    "notes of no turn": """
        select count(*) from chat.notes_versions v where turn_id is not null and not exists (
            select from chat.turns t where t.user_id = v.user_id and t.turn_id = v.turn_id)""",
    "logs that overlap": """
        select count(*) from chat.turn_events a join chat.turn_events b
            on a.user_id = b.user_id and a.turn_id = b.turn_id
        where a.seq_from < b.seq_from and a.seq_to >= b.seq_from""",
    "titles told twice": """
        select count(*) from (select 1 from chat.user_events where kind = 'title'
            group by user_id, data ->> 'session_id' having count(*) > 1) as twice""",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """One look at everything."""

    turns: list[Any]
    messages: list[Any]
    sessions: list[Any]
    pages: list[Any]
    versions: list[Any]
    usage: list[Any]
    jobs: list[Any]
    orphans: dict[str, int]

    def messages_by_turn(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = defaultdict(list)
        for message in self.messages:
            found[message.turn_id].append(message)
        return found


def read_ledger(connection: psycopg.Connection) -> Ledger:
    """In one snapshot."""
    with connection.transaction(), connection.cursor(row_factory=namedtuple_row) as cursor:
        cursor.execute("set transaction isolation level repeatable read, read only")
        read = [cursor.execute(each).fetchall() for each in (TURNS, MESSAGES, SESSIONS, PAGES, VERSIONS, USAGE, JOBS)]
        orphans = {name: cursor.execute(query).fetchone()[0] for name, query in ORPHANS.items()}
    return Ledger(*read, orphans)
