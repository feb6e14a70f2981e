"""A turn in a session of 20,000 messages reads as few rows as in one of 100, whichever statements it says, and whether
Postgres has counted the rows or not."""

from uuid import uuid4

import pytest

from benchmarks.history_window import FILL_MESSAGES, FILL_TURNS
from chatServer.store import summaries
from tests.conftest import ADA, owner_connection, rows
from tests.tools.talking import talking
from tests.tools.turns import eventually

SHORT, LONG = 100, 20_000
TIMES = 1.5
TURNS = 24  # some of which sum up what the window has lost
SESSION = """
insert into chat.sessions (user_id, session_id, agent_name, title, memory)
values (%(user_id)s, %(session_id)s, 'assistant', 'long', 'off')
"""
WITH_TOKENS = "update public.chat_message_history set tokens = 60"
READ = """
select sum(t.seq_tup_read)::integer
    + (select sum(idx_tup_read)::integer from pg_stat_user_indexes where schemaname in ('chat', 'public'))
from pg_stat_user_tables t where t.schemaname in ('chat', 'public')
"""
CONNECTED = "select pid from pg_stat_activity where usename = 'chat_app' and datname = current_database()"
LOOKED_UP = b"""coalesce((select covers_to from chat.summaries
    where user_id = %(user_id)s and session_id = %(session_id)s), 0)"""


def filled(urls, messages: int) -> str:
    """A session of so many messages."""
    values = {"user_id": ADA.user_id, "session_id": str(uuid4()), "messages": messages}
    with owner_connection(urls.owner) as owner:
        for statement in (SESSION, FILL_TURNS, FILL_MESSAGES, WITH_TOKENS):
            owner.execute(statement, values)
    return values["session_id"]


async def read_by_turns(settings, urls, headers, session_id: str) -> int:
    """Rows, and entries of indexes; connections tell how many these were when they end."""
    ((before,),) = rows(urls, READ)
    async with talking(settings, headers) as client:
        for turn in range(TURNS):
            answer = await client.post("/api/chat", json={"session_id": session_id, "message": f"question {turn}"})
            assert answer.status_code == 200, answer.text
    await eventually(lambda: rows(urls, CONNECTED) == [])
    ((after,),) = rows(urls, READ)
    return after - before


async def fewer_and_more(settings, urls, headers, *, is_counted: bool) -> tuple[int, int]:
    """What turns in a short session read, and as many in a long one."""
    short, long = filled(urls, SHORT), filled(urls, LONG)
    if is_counted:
        with owner_connection(urls.owner) as owner:
            owner.execute("vacuum analyze")
    for session_id in (short, long):  # what is done once: at a start, and for the first summary of a session
        await read_by_turns(settings, urls, headers, session_id)
    fewer, more = [await read_by_turns(settings, urls, headers, session_id) for session_id in (short, long)]
    print(f"{fewer / TURNS:.0f} rows for a turn in a session of {SHORT}, {more / TURNS:.0f} in one of {LONG:,}")
    return fewer, more


@pytest.mark.parametrize("is_counted", [True, False], ids=["counted", "as it is"])
async def test_a_long_session_reads_no_more_rows_than_a_short_one(settings, as_ada, urls, is_counted):
    fewer, more = await fewer_and_more(settings, urls, as_ada, is_counted=is_counted)
    assert more < TIMES * fewer


async def test_a_planted_bound_that_is_looked_up_is_found(settings, as_ada, urls, monkeypatch):
    planted = summaries.SQL["read_after"].replace(b"> %(after)s", b"> " + LOOKED_UP)
    assert LOOKED_UP in planted
    monkeypatch.setitem(summaries.SQL, "read_after", planted)
    fewer, more = await fewer_and_more(settings, urls, as_ada, is_counted=True)
    assert more > TIMES * fewer
