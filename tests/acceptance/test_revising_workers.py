"""Workers that are killed while they revise, under load: every turn that is done is revised, and once. And one that is
summarising while a turn would."""

import asyncio
import json
import os
import random
import signal
import uuid
from pathlib import Path

import pytest

from chatServer.store.queue import Queue
from tests.conftest import ADA, EVE, Urls, rows
from tests.tools.contexts import agent_in, given, said_before
from tests.tools.remembering import revision_events, say
from tests.tools.revising_worker import workers
from tests.tools.talking import talking
from tests.tools.turns import eventually, queued

SESSIONS = 6
MOST_WAITING = 40  # turns: enough that a worker is never idle
STORES = [
    {
        "for": "revise",
        "match": r"stamp number (\d+)",
        "tool_calls": [
            {"name": "store_fact", "args": {"content": "The user owns stamp number {1}."}},
            {"name": "manage_long_term_memory", "args": {"operation": "append", "content": "Stamp {1}"}},
        ],
        "then": "Kept.",
    },
    {"for": "summary", "match": ".", "reply": "The user tells of stamps."},
]


@pytest.fixture
def environment(urls: Urls, tmp_path) -> dict[str, str]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": STORES, "default": "Gladly."}))
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_DIRECT_URL": urls.app,
        "CHAT_DATA_DIR": str(tmp_path),
        "MODEL": f"script:{script}",
        "REVISE_MODEL": "every_turn",
        "EMBEDDER": "off",
        "LOG_LEVEL": "ERROR",
    }


def is_done(urls: Urls) -> bool:
    return queued(urls) == []


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
async def test_workers_that_are_killed_lose_nothing_and_double_nothing(database, urls, environment, kills):
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    sessions = [str(uuid.uuid4()) for _ in range(SESSIONS)]
    is_over, told = asyncio.Event(), []

    async def load() -> None:
        while not is_over.is_set():
            if len(told) - len(revision_events(urls)) > MOST_WAITING:
                await asyncio.sleep(0.1)
                continue
            user, where = chance.choice([ADA, EVE]), chance.choice(sessions)
            text = f"I bought stamp number {len(told)} for my collection."
            told.append(await say(database, text, user, session_id=where))
            await asyncio.sleep(0.06)

    with workers(environment) as start:
        talking = asyncio.create_task(load())
        for _ in range(kills):
            pid = await asyncio.to_thread(start)
            before = len(revision_events(urls))
            await eventually(lambda seen=before: len(revision_events(urls)) > seen)  # it is in the middle of something
            await asyncio.sleep(chance.uniform(0, 0.2))
            os.kill(pid, signal.SIGKILL)
        is_over.set()
        await talking
        await asyncio.to_thread(start)
        await asyncio.to_thread(start)
        async with Queue(database.direct_url) as queue:
            retried = 0

            async def all_are_revised() -> bool:
                nonlocal retried
                retried += await queue.retry_failed()  # a job that was killed five times
                return is_done(urls)

            await eventually(all_are_revised, within_s=120)
    print(f"seed {seed}: {kills} kills, {len(told)} turns, {retried} dead letters")
    assert rows(urls, "select distinct revision_state from chat.turns where state = 'done'") == [("done",)]
    once = [event["turn_id"] for event in revision_events(urls)]
    assert sorted(once) == sorted(map(str, told))
    kept = rows(urls, "select user_id, shelf, text from chat.memories")
    assert len(kept) == len(set(kept)) > 0
    twice = "select memory_id from chat.memory_changes where operation = 'created' group by 1 having count(*) > 1"
    assert rows(urls, twice) == []
    pages = rows(urls, "select user_id, notes from public.agent_long_term_memory")
    notes = [(user_id, note) for user_id, page in pages for note in page.split("\n\n")]
    assert len(notes) == len(set(notes)) > 0
    wrong = """select s.session_id from chat.summaries s where s.messages <> (
        select count(*) from public.chat_message_history h
        where h.user_id = s.user_id and h.session_id = s.session_id and h.id <= s.covers_to)"""
    assert rows(urls, wrong) == []


async def test_a_turn_waits_for_the_summary_that_a_worker_is_making(settings, as_ada, database, urls, environment):
    """Two processes never summarise one session at once."""
    session_id = await said_before(database, ADA, 30, tokens=4_000)
    await say(database, "One more.", session_id=session_id)
    window = {"messages": 1_000, "tokens": 262_144}
    changes = agent_in(settings, window=window, limits={"output_tokens": 1_000}, memory={"scope": "agent"})
    slow = {"for": "summary", "match": ".", "reply": "The worker wrote this. " * 4, "delay_ms": 250}
    script = Path(environment["CHAT_DATA_DIR"]) / "slow.json"
    script.write_text(json.dumps({"rules": [slow], "default": "Gladly."}))
    environment |= {"MODEL": f"script:{script}", "REVISE_MODEL": "off", "AGENTS_DIR": str(changes["agents_dir"])}
    rules = [
        {"for": "summary", "match": ".", "reply": "The turn wrote this."},
        {"match": "^recite$", "reply": "{messages}"},
    ]
    changes |= {"memory_compression_deadline_s": 60, "worker": "off"}
    with workers(environment) as start:
        async with talking(settings, as_ada, *rules, log=True, **changes) as client:
            await asyncio.to_thread(start)
            await eventually(lambda: rows(urls, "select 1 from chat.sessions where summarising_until is not null"))
            answer = await client.post("/api/chat", json={"session_id": session_id, "message": "recite"})
    assert answer.status_code == 200, answer.text
    assert given(settings, "summary") == [], "nobody pays twice"
    assert "The worker wrote this." in answer.json()["response"]
