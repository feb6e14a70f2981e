"""A conversation that goes on and on, in a small window: nothing ever overflows, no call stands alone, the summary
stays as short as it shall be, and the last turn costs what an early one does."""

import random
import statistics
import time
import uuid

import psutil
import pytest

from tests.conftest import ADA, EVE, bearer
from tests.tools.contexts import agent_in, complaints, given, summary_of, tokens_of_tools
from tests.tools.talking import log_of, talking

TOOL = "manage_long_term_memory"
WINDOW, RESERVE, TARGET = 3_000, 300, 200
TURNS = 5_000
READ = {"name": TOOL, "args": {"operation": "read"}}
PAGE = "- likes tea and rye bread\n" * 60
READS = {"match": "^read", "steps": [{"tool_calls": [READ, READ]}, {"tool_calls": [READ]}, {"reply": "Well, {0}."}]}
BREAKS = {"match": "^break", "reply": "I begin and", "fail_after_words": 2}
WORDS = ("tea bread garden Lisbon 42 кошка 漢字 🦊 </summary> and or not ???" * 4).split()


def agent(settings, **more):
    return agent_in(
        settings,
        tools=[TOOL],
        memory={"scope": "session"},
        window={"messages": 20, "tokens": WINDOW, "summary_tokens": TARGET},
        limits={"output_tokens": RESERVE},
        **more,
    )


def remark(dice: random.Random, turn: int) -> str:
    """What somebody says: mostly little, now and then much, or something for tools, or something that fails."""
    begins = {0: "read ", 1: "break "}.get(turn % 17, "")
    return begins + " ".join(dice.choices(WORDS, k=dice.choice((1, 5, 5, 20, 20, 60))))


async def converse(client, session_id: str, turns: range) -> None:
    for turn in turns:
        message = remark(random.Random(turn), turn)
        answer = await client.post("/api/chat", json={"session_id": session_id, "message": message})
        assert answer.status_code == (502 if message.startswith("break") else 200), answer.text


def look_at_prompts(settings) -> tuple[int, int]:
    """How many there were since the last look, and the tokens of the largest; each as it may be."""
    most = WINDOW - RESERVE - tokens_of_tools(TOOL)
    seen = given(settings)
    log_of(settings).unlink()
    wrong = [(place, found) for place, each in enumerate(seen) if (found := complaints(each, most))]
    assert wrong == []
    return len(seen), max(sum(each["tokens"] for each in one) for one in seen)


@pytest.mark.parametrize("middleware", [[], ["pii"]], ids=["lean", "create_agent"])
async def test_a_conversation_of_100_turns_fits_in_every_step(settings, as_ada, urls, middleware):
    async with talking(settings, as_ada, READS, BREAKS, log=True, **agent(settings, middleware=middleware)) as client:
        await client.put("/api/agents/assistant/notes", json={"notes": PAGE}, headers={"If-Match": '"0"'})
        await converse(client, str(uuid.uuid4()), range(100 if not middleware else 40))
        calls, _ = look_at_prompts(settings)
    assert calls >= (110 if not middleware else 44), "the tools were used"
    text, messages, tokens, _ = summary_of(urls)
    assert tokens <= TARGET
    assert messages >= (150 if not middleware else 50)
    assert text


@pytest.mark.long
@pytest.mark.timeout(7_200)
async def test_a_conversation_of_5_000_turns_costs_at_its_end_what_it_did_at_turn_50(settings, urls, postgres, capsys):
    """N = 5,000 turns; then 9 interleaved slices of 25 turns: from turn 38 of a session on, and at the end of this."""
    ada, eve = bearer(settings, ADA.user_id), bearer(settings, EVE.user_id)
    session_id = str(uuid.uuid4())
    calls = largest = 0
    async with talking(settings, ada, READS, BREAKS, log=True, **agent(settings)) as client:
        for who in (eve, ada):
            client.headers.update(who)
            await client.put("/api/agents/assistant/notes", json={"notes": PAGE}, headers={"If-Match": '"0"'})
        for first in range(0, TURNS, 500):
            await converse(client, session_id, range(first, first + 500))
            seen, most = look_at_prompts(settings)
            calls, largest = calls + seen, max(largest, most)
            assert summary_of(urls)[2] <= TARGET
        early, late = [], []
        for _ in range(10):
            client.headers.update(eve)
            other = str(uuid.uuid4())
            await converse(client, other, range(38))
            early.append(await cost_ms(client, other, postgres))
            client.headers.update(ada)
            late.append(await cost_ms(client, session_id, postgres))
        look_at_prompts(settings)
    ratios = [late[i] / early[i] for i in range(1, 10)]  # the first fills the caches
    with capsys.disabled():
        print(f"\n{TURNS:,} turns, {calls:,} calls of the model, the largest of {largest:,} tokens of {WINDOW:,}")
        print(
            f"CPU of a turn at 50: {statistics.median(early[1:]):.2f} ms, at the end {statistics.median(late[1:]):.2f}"
        )
        print(f"ratio {statistics.median(ratios):.3f}, of {len(ratios)} from {min(ratios):.2f} to {max(ratios):.2f}")
    assert statistics.median(ratios) <= 1.2


async def cost_ms(client, session_id: str, postgres) -> float:
    """CPU of a turn, of the next 25."""
    began = cpu_s(postgres.pid)
    await converse(client, session_id, range(38, 63))
    return (cpu_s(postgres.pid) - began) * 40


def cpu_s(postmaster: int) -> float:
    """Of this process, client and server in one, and of Postgres."""
    found = time.process_time()
    parent = psutil.Process(postmaster)
    for process in (parent, *parent.children()):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        found += times.user + times.system
    return found
