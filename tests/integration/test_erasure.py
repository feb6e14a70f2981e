"""Erasure: nothing of the user stays but a receipt, and nothing that began before comes back."""

import asyncio
import base64
import contextlib
import json
import sys
import time
import uuid
from collections.abc import Awaitable, Callable

import httpx
import psycopg
import pytest

from chatServer import cli, errors
from chatServer.account.erase import erase
from chatServer.account.export import FORMAT, VERSION
from chatServer.agent.catalog import load_agents
from chatServer.api.sign_ins import delete_sign_in
from chatServer.config import ROOT
from chatServer.conversation import put
from chatServer.memory.notes import notebook
from chatServer.messages import rows as rows_in_mind
from chatServer.messages import terms
from chatServer.protocols.mcp.catalog import TOOLS
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Caller
from chatServer.store import sessions, turns, user_events
from chatServer.store.pool import asked_at
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, owner_connection, rows, serving
from tests.tools.canary import CANARY
from tests.tools.dumping import tables_of_users, traces_of
from tests.tools.filling import fill, fingerprint
from tests.tools.mcp_client import PLAIN, connected
from tests.tools.talking import with_script
from tests.tools.turns import begin_turn, eventually, finished_turn
from tests.tools.waiting import waiting_for_locks

NOT_ERASED = {"chat.embedding": "one row, and it is nobody's", "chat.erasures": "the receipts"}


def rows_of(urls, user) -> dict[str, int]:
    with owner_connection(urls.owner) as connection:
        found = {}
        for table in tables_of_users(connection):
            row = connection.execute(f"select count(*) from {table} where user_id = %s", (user.user_id,)).fetchone()
            found[table] = row[0] if row else 0
        queue = "select count(*) from procrastinate.procrastinate_jobs where args ->> 'user_id' = %s"
        [(found["jobs"],)] = connection.execute(queue, (str(user.user_id),)).fetchall()
    return found


async def enqueue(database, user) -> None:
    async with database.transaction(user) as connection:
        await connection.execute("select chat.enqueue_after_turn(gen_random_uuid(), gen_random_uuid())")


async def test_no_table_of_the_catalogue_keeps_a_row_but_the_receipt(client, as_ada, database, urls):
    await fill(database, ADA, CANARY, "adas")
    await fill(database, EVE, "hers", "eves")
    for user in (ADA, EVE):
        await enqueue(database, user)
    before, eves, jobs = rows_of(urls, ADA), fingerprint(urls, EVE), rows_of(urls, EVE)["jobs"]
    empty = [table for table, count in before.items() if not count and table not in NOT_ERASED]
    assert empty == [], "the test fills every table that there is; a new one has to be added to `fill`"
    answer = await client.delete("/api/account/data", headers=as_ada)
    assert answer.status_code == 200, answer.text
    receipt = answer.json()
    after = rows_of(urls, ADA)
    left = {"chat.erasures": 2, "chat.user_limits": 1, "jobs": 1}  # one receipt is of `fill`; the rest goes tomorrow
    assert {table: count for table, count in after.items() if count} == left
    assert receipt["counts"] == {
        table.rpartition(".")[2]: 0 if table == "chat.user_limits" else count
        for table, count in before.items()
        if table not in NOT_ERASED and table != "chat.user_event_heads"
    }
    assert traces_of(CANARY, urls) == []
    assert (fingerprint(urls, EVE), rows_of(urls, EVE)["jobs"]) == (eves, jobs)
    listed = (await client.get("/api/account/erasures", headers=as_ada)).json()["erasures"]
    assert listed[0] == receipt
    assert len(listed) == 2


async def test_what_the_day_took_stays_as_numbers_until_it_is_over(client, as_ada, database, urls):
    today, columns = "(now() at time zone 'utc')::date", "day, agent_name, model, turns, input_tokens, output_tokens"
    numbers = f"select day - {today}, agent_name, model, turns, input_tokens, output_tokens from chat.usage_daily"

    def used() -> list[tuple]:
        return rows(urls, f"{numbers} order by day, agent_name")

    async with database.transaction(ADA) as connection:
        for days_ago, agent, taken in ((0, "assistant", 100), (0, CANARY, 10), (1, "assistant", 1_000)):
            row = f"insert into chat.usage_daily ({columns}) values ({today} - %s, %s, %s, 1, %s, 5)"
            await connection.execute(row, (days_ago, agent, CANARY, taken))
        await connection.execute("insert into chat.user_limits (turns_at) values (array[now()])")
    document = (await client.get("/api/account/export", headers=as_ada)).json()
    for erased in (3, 0):  # the second finds only what the first one left
        receipt = (await client.delete("/api/account/data", headers=as_ada)).json()
        assert (receipt["counts"]["usage_daily"], receipt["counts"]["user_limits"]) == (erased, 0)
        assert used() == [(0, "*", "", 2, 110, 10)]
        assert traces_of(CANARY, urls) == []
        assert count(urls, "chat.user_limits") == 1
        assert (await client.get("/api/account/export", headers=as_ada)).json()["usage"] == []
    brought = (await client.post("/api/account/import", json=document, headers=as_ada)).json()
    assert (brought["added"]["usage"], brought["kept"]["usage"]) == (1, 2), "today is counted here alone"
    assert used() == [(-1, "assistant", CANARY, 1, 1_000, 5), (0, "*", "", 2, 110, 10)]
    queued = "select scheduled_at at time zone 'utc', args ->> 'turn_id' from procrastinate.procrastinate_jobs"
    [(at, turn_id)] = rows(urls, queued)
    assert (at.hour, at.minute) == (0, 1)
    workshop = Workshop(database, no_model)
    await workshop.after_turn(str(ADA.user_id), turn_id)
    assert (len(used()), count(urls, "chat.user_limits")) == (2, 1), "not before its time"
    with owner_connection(urls.owner) as owner:
        owner.execute("update chat.usage_daily set day = day - 1")
        owner.execute("update chat.user_limits set turns_at = array[now() - interval '61 s']")
    await workshop.after_turn(str(ADA.user_id), turn_id)
    assert used() == [(-2, "assistant", CANARY, 1, 1_000, 5)]
    assert count(urls, "chat.user_limits") == 0


async def no_model(_: str) -> None:
    return None


async def test_the_look_at_a_dump_finds_a_text_in_every_form(database, urls):
    for form in (CANARY, f"x{base64.b64encode(CANARY.encode()).decode()}", base64.b64encode(b"a" + CANARY.encode())):
        text = form if isinstance(form, str) else form.decode()
        async with database.transaction(ADA) as connection:
            await sessions.insert_session(connection, ADA.user_id, str(uuid.uuid4()), "assistant", title=text)
    async with database.transaction(ADA) as connection:
        picture = "insert into chat.message_images (image_id, session_id, message_id, media_type, bytes) "
        values = "values (gen_random_uuid(), 'x', gen_random_uuid(), 'image/png', %s)"
        await connection.execute(picture + values, (CANARY.encode(),))
    assert len(traces_of(CANARY, urls)) == 4


# Late writers --------------------------------------------------------------------------------------------


async def test_what_was_not_committed_when_the_erasure_came_is_refused(database, urls):
    with pytest.raises(errors.Erased):
        async with database.transaction(ADA) as connection:
            created = await sessions.insert_session(
                connection, ADA.user_id, str(uuid.uuid4()), "assistant", title=CANARY
            )
            assert created
            await user_events.tell_session(connection, ADA.user_id, created, "created")
            await erase(database, ADA)
    assert traces_of(CANARY, urls) == []


async def test_what_the_process_keeps_in_mind_goes_with_an_erasure(database):
    row = json.dumps({"type": "human", "data": {"content": CANARY}})
    rows_in_mind.read_row(row, uuid.uuid4())
    terms.hashed([CANARY])
    assert rows_in_mind._kept_in_mind.cache_info().currsize
    assert CANARY in terms._known
    await erase(database, ADA)
    assert not rows_in_mind._kept_in_mind.cache_info().currsize
    assert not terms._known


async def test_what_was_told_when_the_erasure_came_goes_with_it(database, urls):
    erasing = None
    async with database.transaction(ADA) as connection:
        created = await sessions.insert_session(connection, ADA.user_id, str(uuid.uuid4()), "assistant", title=CANARY)
        assert created
        told = {"user_id": ADA.user_id, "kind": "title", "data": "{}", "waited_s": 0}
        await connection.execute(user_events.SQL["tell"], told)
        await connection.flush()  # the head is ours
        erasing = asyncio.create_task(erase(database, ADA))
        await eventually(lambda: waiting_for_locks(urls))
    receipt = await erasing
    assert receipt.counts["sessions"] == 1
    assert traces_of(CANARY, urls) == []


async def test_an_erasure_that_waits_for_somebody_who_waits_for_it_begins_anew(database, urls):
    await finished_turn(database, ADA, CANARY)
    await notebook.overwrite(database, ADA, "assistant", CANARY, if_version=0)
    # Postgres ends whoever waits for a second: the erasure, which has taken the sessions; on a slow machine perhaps us.
    with owner_connection(urls.owner) as other, contextlib.suppress(psycopg.errors.DeadlockDetected):
        with other.transaction():
            other.execute("select 1 from public.agent_long_term_memory for update")
            erasing = asyncio.create_task(erase(database, ADA))
            await eventually(lambda: waiting_for_locks(urls))
            await asyncio.to_thread(other.execute, "select 1 from chat.sessions for update")
    receipt = await erasing
    assert receipt.counts["sessions"] == 1
    assert traces_of(CANARY, urls) == []


async def test_work_that_waited_through_the_erasure_is_refused_and_new_work_is_not(database, urls):
    await erase(database, ADA)

    async def add(waited_s: float) -> None:
        async with database.transaction(ADA) as connection:
            session_id = str(uuid.uuid4())
            created = await sessions.insert_session(connection, ADA.user_id, session_id, "assistant", title=CANARY)
            assert created
            await user_events.tell(connection, ADA.user_id, "session", {}, waited_s=waited_s)

    with pytest.raises(errors.Erased):
        await add(waited_s=10)
    assert traces_of(CANARY, urls) == []
    await add(waited_s=0)
    assert traces_of(CANARY, urls) != []


async def test_who_began_before_the_head_of_the_events_looks_for_an_erasure_and_nobody_else(database, urls):
    async def tell(waited_s: float) -> None:
        async with database.transaction(ADA) as connection:
            await user_events.tell(connection, ADA.user_id, "session", {}, waited_s=waited_s)

    await erase(database, ADA)
    await tell(0)  # a head that is younger than the erasure
    with pytest.raises(errors.Erased):
        await tell(10)
    with owner_connection(urls.owner) as owner:
        owner.execute("update chat.user_event_heads set begun_at = now() - interval '1 minute'")
        looks = "begin return 1 / 0 > 0; end"
        owner.execute(
            f"create or replace function chat.in_time(waited_s float8) returns bool language plpgsql as '{looks}'"
        )
    await tell(50)
    with pytest.raises(psycopg.errors.DivisionByZero):
        await tell(70)


async def test_a_clock_that_is_set_back_after_an_erasure_refuses_nobody_for_longer_than_a_second(client, as_ada, urls):
    await client.delete("/api/account/data", headers=as_ada)
    with owner_connection(urls.owner) as owner:
        owner.execute("update chat.erasures set erased_at = erased_at + interval '1 hour'")
        answer = await client.post("/api/chat", json={"message": "Hello."}, headers=as_ada)
        assert answer.status_code == 200, answer.text
        owner.execute("update chat.erasures set erased_at = clock_timestamp() + interval '0.5 s'")
        with pytest.raises(psycopg.errors.DatabaseError) as refused, owner.transaction():  # a step that nobody notices
            owner.execute("select set_config('request.jwt.claims', %s, true)", (f'{{"sub": "{ADA.user_id}"}}',))
            owner.execute("select chat.in_time(60)")
        assert refused.value.sqlstate == "CH410"


async def test_a_request_that_came_before_is_refused_wherever_it_waited(settings, as_ada, urls, monkeypatch):
    """A tool of /mcp, whose words are still being counted when the erasure comes and goes."""
    counting, counted = asyncio.Event(), asyncio.Event()

    async def slowly(*_):
        counting.set()
        await counted.wait()
        return 7

    monkeypatch.setattr(put, "count_apart", slowly)
    async with serving(settings) as client, connected(as_ada, app=client) as mcp:
        said = {"session_id": "s", "role": "user", "content": CANARY}
        late = asyncio.create_task(mcp.call_tool("store_session_message", said))
        await counting.wait()
        assert (await client.delete("/api/account/data", headers=as_ada)).status_code == 200
        counted.set()
        assert (await late).is_error
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat.sessions").fetchone() == (0,)


async def test_a_tool_that_was_called_before_the_erasure_is_refused_and_one_after_is_not(database, urls):
    came, caller = asked_at.set(time.monotonic()), Caller(ADA)
    await erase(database, ADA)
    desk, where = Desk(database, load_agents(ROOT / "agents", "assistant")), str(uuid.uuid4())
    calls = {
        "store_fact": {"content": f"The user knows {CANARY}."},
        "store_session_message": {"session_id": where, "role": "user", "content": CANARY},
        "manage_long_term_memory": {"operation": "append", "content": CANARY},
    }
    for name, arguments in calls.items():
        tool = TOOLS[name]
        given = tool.arguments.model_validate(arguments)
        with pytest.raises(errors.Erased):
            await tool.run(desk, caller, given)
        assert traces_of(CANARY, urls) == [], name
    asked_at.reset(came)
    for name, arguments in calls.items():
        tool = TOOLS[name]
        await tool.run(desk, caller, tool.arguments.model_validate(arguments))
    assert len(traces_of(CANARY, urls)) >= len(calls)


async def test_a_turn_that_does_not_stop_leaves_nothing_but_what_it_took(settings, as_ada, urls, monkeypatch):
    monkeypatch.setattr("chatServer.account.erase.STOP_S", 0.1)
    monkeypatch.setattr("chatServer.store.turns.request_all_stops", nobody_hears)
    monkeypatch.setattr("chatServer.turn.turns.Turns.stop_here", lambda *_: None)
    slow = {"match": "slow", "reply": f"{CANARY} " * 200, "delay_ms": 80}
    async with serving(with_script(settings, slow)) as client:
        client.headers.update(as_ada)
        asked = asyncio.create_task(client.post("/api/chat", json={"message": f"slow {CANARY}"}))
        await until(lambda: count(urls, "chat.turn_events"))
        assert (await client.delete("/api/account/data")).status_code == 200
        assert (await asked).status_code != 200
    assert traces_of(CANARY, urls) == []
    left = {table for table, rows in rows_of(urls, ADA).items() if rows}
    assert left == {"chat.erasures", "chat.usage_daily", "jobs"}
    taken = "select agent_name, model, turns, input_tokens > 0 from chat.usage_daily"
    assert rows(urls, taken) == [("*", "", 1, True)]
    queued = "select count(*) from procrastinate.procrastinate_jobs where extract(minute from scheduled_at) = 1"
    assert rows(urls, queued) == [(2,)], "the erasure's, and one for what was charged after it"


async def test_a_turn_whose_process_is_gone_is_not_waited_for(database, urls):
    await begin_turn(database, ADA)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set lease_until = now() - interval '1 s'")
    async with database.transaction(ADA) as connection:
        assert await turns.request_all_stops(connection, ADA.user_id) == 0


async def nobody_hears(*_: object) -> int:
    """A wish to stop, as it is to a process that hangs: one turn still runs."""
    return 1


def count(urls, table: str) -> int:
    with owner_connection(urls.owner) as connection:
        row = connection.execute(f"select count(*) from {table}").fetchone()
    return row[0] if row else 0


async def until(is_so: Callable[[], object], timeout_s: float = 60) -> None:  # 20 were too few on a busy machine
    async with asyncio.timeout(timeout_s):
        while not is_so():
            await asyncio.sleep(0.02)


async def test_recall_in_another_process_forgets_too_and_learns_anew(settings, as_ada):
    async with serving(settings) as one, serving(settings) as other:
        for client in (one, other):
            client.headers.update(as_ada)

        async def remember(text: str) -> str:
            made = await one.post("/api/memories", json={"text": text, "agent_name": "*"})
            return made.json()["id"]

        async def found(question: str) -> list[str]:
            answer = await other.get("/api/memories", params={"q": question})
            return [each["id"] for each in answer.json()["memories"]]

        olds = [await remember(f"Ada keeps {animal} on her farm.") for animal in ("cats", "geese", "lamas", "newts")]
        assert set(await found("which animals does Ada keep")) == set(olds)
        assert (await one.delete("/api/account/data")).status_code == 200
        assert await found("which animals does Ada keep") == []
        new = await remember("Ada keeps owls in her barn.")  # whose number was another's before
        assert await found("which animals does Ada keep") == [new]


# Under load ----------------------------------------------------------------------------------------------

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + CANARY.encode()).decode()
RULES = [
    {"for": "title", "match": "(?s).", "reply": f"About {CANARY} and more", "delay_ms": 60},
    {
        "match": "note",
        "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": f"- {CANARY}"}}],
        "then": f"Noted {CANARY}.",
    },
    {"match": "slow", "reply": f"{CANARY} " * 20, "delay_ms": 40},
    {
        "for": "revise",
        "match": "(?s).",
        "tool_calls": [
            {"name": "store_fact", "args": {"content": f"The user was revised as {CANARY}."}},
            {"name": "manage_long_term_memory", "args": {"operation": "append", "content": f"- revised {CANARY}"}},
        ],
        "then": "Kept.",
        "delay_ms": 40,
    },
]
TOOL_CALLS = [
    ("store_fact", {"content": f"A client knows {CANARY}."}),
    ("store_session_message", {"session_id": "a-clients", "role": "user", "content": CANARY}),
    ("manage_long_term_memory", {"operation": "append", "content": f"- a client's {CANARY}"}),
]
MOMENT = "2026-11-15T00:00:00+00:00"
DOCUMENT = {
    "format": FORMAT,
    "version": VERSION,
    "sessions": [
        {
            "session_id": str(uuid.uuid4()),
            "agent_name": "assistant",
            "external_id": None,
            "title": f"Imported {CANARY}",
            "memory": "on",
            "archived_at": None,
            **dict.fromkeys(("created_at", "last_active_at"), MOMENT),
        }
    ],
}


class Crowd:
    """What one user does at two servers at once, again and again, until told to stop; all of it about the canary."""

    def __init__(self, servers: list[httpx.AsyncClient]) -> None:
        self.servers = servers
        self.goes_on = True
        self.statuses: list[int] = []
        self.threads = [str(uuid.uuid4()) for _ in range(3)]

    def works(self) -> list[Callable[[httpx.AsyncClient], Awaitable[None]]]:
        stream = {"accept": "text/event-stream"}
        picture = [f"data:image/png;base64,{PICTURE}"]
        asks = [
            {"message": f"My name is {CANARY} and I live in {CANARY}town.", "session_id": self.threads[0]},
            {"message": f"slow {CANARY}", "session_id": self.threads[1]},
            {"message": f"note {CANARY}", "session_id": self.threads[2]},
            {"message": f"My boss is {CANARY}.", "images": picture},
        ]

        def posting(
            path: str, body: dict, *, pause_s: float = 0, **headers: str
        ) -> Callable[[httpx.AsyncClient], Awaitable[None]]:
            async def post(client: httpx.AsyncClient) -> None:
                fresh = {"session_id": str(uuid.uuid4())} if path == "/api/chat" and "session_id" not in body else {}
                self.statuses.append((await client.post(path, json=body | fresh, headers=headers)).status_code)
                await asyncio.sleep(pause_s)

            return post

        def calling(tool: str, arguments: dict) -> Callable[[httpx.AsyncClient], Awaitable[None]]:
            asked = {"name": tool, "arguments": arguments}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
            return posting("/mcp", body, pause_s=0.2, **PLAIN)

        async def follow(client: httpx.AsyncClient) -> None:
            await client.get(f"/api/chat/{self.threads[1]}/stream")
            await asyncio.sleep(0.05)

        return [
            *(posting("/api/chat", ask, **headers) for ask in asks for headers in ({}, stream)),
            posting("/api/memories", {"text": f"{CANARY} is remembered", "agent_name": "*"}),
            posting("/api/sessions", {"title": CANARY}),
            posting("/api/account/import", DOCUMENT, pause_s=0.2),
            *(calling(*each) for each in TOOL_CALLS),
            follow,
        ]

    async def again(self, work: Callable[[httpx.AsyncClient], Awaitable[None]], client: httpx.AsyncClient) -> None:
        while self.goes_on:
            await work(client)
            await asyncio.sleep(0.01)  # whoever is refused at the door does not wait for anything

    def tasks(self) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self.again(work, client)) for work in self.works() for client in self.servers]


def has_everything(urls) -> bool:
    """Whether clients of MCP, an import and the memory agent have left something that is to be erased."""
    with owner_connection(urls.owner) as owner:
        [found] = owner.execute(
            """select exists (select from chat.memories where text like 'A client knows%')
                   and exists (select from chat.memories where text like 'The user was revised%')
                   and exists (select from public.agent_long_term_memory where notes like '%a client''s%')
                   and exists (select from chat.sessions where external_id = 'a-clients')
                   and exists (select from chat.sessions where title like 'Imported%')"""
        ).fetchall()
    return found[0]


def all_wait(urls, user) -> bool:
    """Whether of his jobs only those are left that wait for the next day: the erasure's own, and one of each turn that
    was charged after it."""
    jobs = "select scheduled_at > now() from procrastinate.procrastinate_jobs where args ->> 'user_id' = %s"
    with owner_connection(urls.owner) as owner:
        waiting = [is_later for (is_later,) in owner.execute(jobs, (str(user.user_id),))]
    return bool(waiting) and all(waiting)


async def erased_under_load(settings, headers, urls, *, load_s: float, later_s: float) -> dict[str, int]:
    settings = with_script(settings, *RULES, worker="inprocess", revise_model="every_turn")
    async with contextlib.AsyncExitStack() as opened:
        servers = [await opened.enter_async_context(serving(settings)) for _ in range(2)]
        for each in servers:
            each.headers.update(headers)
        crowd = Crowd(servers)
        tasks = crowd.tasks()
        await asyncio.sleep(load_s)
        await until(lambda: has_everything(urls))
        assert traces_of(CANARY, urls), "there is something to erase"
        crowd.goes_on = False
        answer = await servers[0].delete("/api/account/data")
        assert answer.status_code == 200, answer.text
        assert traces_of(CANARY, urls) == [], "at once"
        await asyncio.gather(*tasks)
        assert traces_of(CANARY, urls) == [], "when all that was under way has ended"
        await asyncio.sleep(later_s)
        assert traces_of(CANARY, urls) == [], "later"
        await until(lambda: all_wait(urls, ADA))
    assert crowd.statuses.count(200) > 5
    assert not [each for each in crowd.statuses if each == 500]
    return answer.json()["counts"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("load_s", "later_s"), [(1.5, 2), pytest.param(15, 60, marks=pytest.mark.long)], ids=["seconds", "a minute"]
)
async def test_no_byte_stays_or_comes_back_while_chats_jobs_and_streams_run(settings, as_ada, urls, load_s, later_s):
    counts = await erased_under_load(settings, as_ada, urls, load_s=load_s, later_s=later_s)
    print(counts)
    assert counts["chat_message_history"] > 5
    assert counts["jobs"] + counts["memories"] > 0


async def test_the_check_is_red_when_late_writers_are_let_in(settings, as_ada, urls, monkeypatch):
    with owner_connection(urls.owner) as owner:
        owner.execute("create or replace function chat.in_time(waited_s float8) returns bool language sql return true")
    monkeypatch.setattr("chatServer.account.erase._stop_turns", lambda *_: asyncio.sleep(0))
    with pytest.raises(AssertionError, match=r"at once|has ended|later"):
        for _ in range(5):
            await erased_under_load(settings, as_ada, urls, load_s=1, later_s=0.5)


# The account, and the command ----------------------------------------------------------------------------


async def test_with_the_sign_in_of_development_the_account_is_its_data(client, as_ada, database, urls):
    await fill(database, ADA, "x", "adas")
    answer = (await client.delete("/api/account", headers=as_ada)).json()
    assert answer["counts"]["sessions"] == 1
    assert answer["sign_in"] == "kept"
    assert "AUTH_MODE=dev" in answer["why"]


@pytest.mark.parametrize(
    ("status", "why"), [(200, None), (204, None), (404, None), (403, "status 403"), (None, "does not answer")]
)
async def test_the_sign_in_is_deleted_at_supabase_or_it_is_said_why_not(settings, status, why):
    asked: list[httpx.Request] = []

    def supabase(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if status is None:
            raise httpx.ConnectError("no")
        return httpx.Response(status, json={})

    with_key = {"auth_mode": "supabase", "supabase_url": "https://x.supabase.co", "supabase_secret_key": "sb_secret_1"}
    settings = type(settings).model_validate(settings.model_dump() | with_key)
    async with httpx.AsyncClient(transport=httpx.MockTransport(supabase)) as http:
        said = await delete_sign_in(settings, http, ADA)
    assert (said is None) == (why is None)
    assert why is None or why in (said or "")
    [request] = asked
    assert (request.method, str(request.url)) == (
        "DELETE",
        f"https://x.supabase.co/auth/v1/admin/users/{ADA.user_id}",
    )
    assert (request.headers["apikey"], request.headers["authorization"]) == ("sb_secret_1", "Bearer sb_secret_1")


async def test_without_a_key_nobody_is_asked_to_delete_a_sign_in(settings):
    settings = type(settings).model_validate(
        settings.model_dump() | {"auth_mode": "secret", "auth_jwt_secret": "s" * 40, "auth_issuer": "https://x.example"}
    )
    async with httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(500))) as http:
        assert "SUPABASE_SECRET_KEY" in (await delete_sign_in(settings, http, ADA) or "")


def test_the_command_asks_first(urls, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app, "CHAT_DATA_DIR": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    with pytest.raises(SystemExit, match="--yes"):
        cli.main(["erase", "--user", "ada"])
    assert count(urls, "chat.erasures") == 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    cli.main(["erase", "--user", "ada", "--yes"])
    told = capsys.readouterr()
    assert told.out.startswith("Erased at 20")
    assert told.err == "Stopping what is being answered, then erasing everything of the user ...\n"
    assert count(urls, "chat.erasures") == 1
