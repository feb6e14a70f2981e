"""What happens to a user's things is heard by all his tabs and devices, once and in order, and by nobody else."""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator

import httpx
import psycopg
import pytest

from chatServer import errors
from chatServer.api.event_stream import EventStream
from chatServer.conversation import feed
from chatServer.store import notes, user_events
from tests.conftest import ADA, EVE, bearer, cut_off, owner_connection
from tests.tools.hearing import Tab, hearing
from tests.tools.listening import servers
from tests.tools.talking import with_script
from tests.tools.turns import eventually
from tests.tools.waiting import waiting_for_locks

HANGS = {"match": "^hang", "reply": "one two", "hang": True}
FAILS = {"match": "^fail", "reply": "a b", "fail_after_words": 1}


def told(tab: Tab) -> list[tuple[str, str]]:
    return [(frame.event, frame.data.get("change") or frame.data.get("state") or "") for frame in tab.events]


async def test_a_tab_hears_what_another_does(settings, as_ada):
    async with servers(with_script(settings, FAILS)) as [client], hearing(client, as_ada) as tab:
        session = (await client.post("/api/sessions", json={"session_id": "mine"}, headers=as_ada)).json()
        turn = (await client.post("/api/chat", json={"message": "hi", "session_id": "mine"}, headers=as_ada)).json()
        await client.post("/api/chat", json={"message": "fail", "session_id": "mine"}, headers=as_ada)
        await client.post("/api/sessions/resolve", json={"hint": "mine"}, headers=as_ada)
        await client.patch("/api/sessions/mine", json={"title": "Volcanoes", "archived": True}, headers=as_ada)
        page = {"headers": as_ada | {"If-Match": '"0"'}, "json": {"notes": "tea"}}
        await client.put("/api/agents/assistant/notes", **page)
        await tab.until(lambda heard: len(heard.events) >= 8)  # a deleted session leaves its title nowhere
        await client.delete("/api/sessions/mine", headers=as_ada)
        await tab.until(lambda heard: len(heard.events) >= 9)
    assert told(tab) == [
        ("session", "created"),
        ("turn", "running"),
        ("turn", "done"),
        ("turn", "running"),
        ("turn", "failed"),
        ("session", "entered"),
        ("session", "changed"),
        ("memory", ""),
        ("session", "deleted"),
    ]
    session_id = session["session_id"]
    state = {"agent_name": "assistant", "external_id": "mine", "title": None, "archived": False, "memory": "on"}
    assert tab.events[0].data == {"session_id": session_id, "change": "created", **state}
    about = {"session_id": session_id, "turn_id": turn["turn_id"], "agent_name": "assistant"}
    assert tab.events[2].data == about | {"state": "done", "reply_message_id": turn["message"]["id"]}
    assert tab.events[6].data == {**tab.events[0].data, "change": "changed", "title": "Volcanoes", "archived": True}
    assert tab.events[7].data == {"what": "notes", "agent_name": "assistant", "version": 1, "actor": "user"}
    numbers = [int(frame.id) for frame in tab.frames]
    assert numbers == list(range(numbers[0], numbers[0] + 10)), "the greeting tells the cursor before the first"


async def test_what_happens_without_a_request_is_heard_too(settings, as_ada):
    note = {"operation": "append", "content": "{1}"}
    tool = [{"name": "manage_long_term_memory", "args": note}]
    rules = [{"match": "^remember (.+)$", "tool_calls": tool, "then": "Noted."}, HANGS]
    async with hearing_of_two(with_script(settings, *rules, worker="inprocess"), as_ada) as (client, there, tab):
        await client.post("/api/chat", json={"message": "remember tea", "session_id": "s"}, headers=as_ada)
        await tab.until(lambda heard: ("title", "") in told(heard))
        waiting = asyncio.create_task(client.post("/api/chat", json={"message": "hang"}, headers=as_ada))
        await tab.until(lambda heard: told(heard).count(("turn", "running")) == 2)
        await there.post(f"/api/chat/{tab.events[0].data['session_id']}/stop", headers=as_ada)
        await tab.until(lambda heard: ("turn", "stopped") in told(heard))
        await waiting
    kinds = told(tab)
    assert [kind for kind in kinds if kind[0] == "turn"] == [
        ("turn", "running"),
        ("turn", "done"),
        ("turn", "running"),
        ("turn", "stopped"),
    ]
    assert kinds.index(("memory", "")) < kinds.index(("turn", "done")) < kinds.index(("title", ""))
    memory = next(frame.data for frame in tab.events if frame.event == "memory")
    assert memory == {"what": "notes", "agent_name": "assistant", "version": 1, "actor": "agent"}


@contextlib.asynccontextmanager
async def hearing_of_two(settings, headers) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient, Tab]]:
    """Two servers, and a tab that listens at the second."""
    async with servers(settings, 2) as [here, there], hearing(there, headers) as tab:
        yield here, there, tab


async def test_nobody_else_hears_anything(settings, as_ada, as_eve):
    async with servers(settings) as [client], hearing(client, as_ada) as ada, hearing(client, as_eve) as eve:
        await client.post("/api/sessions", headers=as_ada)
        await ada.until(lambda heard: heard.events)
        await client.post("/api/sessions", headers=as_eve)
        await eve.until(lambda heard: heard.events)
        async with hearing(client, as_eve, ada.frames[0].id) as nosy:
            await client.post("/api/sessions", headers=as_eve)
            await nosy.until(lambda heard: len(heard.frames) > 1)
        mine = {frame.data["session_id"] for frame in ada.events}
        assert nosy.frames[0].event == "reset", "another user's number is nothing of his"
        assert not mine & {frame.data.get("session_id") for frame in [*eve.events, *nosy.events]}
        for headers in ({}, {"Authorization": "Bearer nonsense"}):
            answer = await client.get("/api/events", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_a_deleted_session_leaves_its_title_in_no_event(settings, as_ada, urls):
    async with servers(settings) as [client]:
        for name in ("gone", "stays"):
            await client.post("/api/sessions", json={"session_id": name, "title": f"About {name}"}, headers=as_ada)
        await client.delete("/api/sessions/gone", headers=as_ada)
    with owner_connection(urls.owner) as connection:
        kept = str(connection.execute("select json_agg(data) from chat.user_events").fetchone())
    assert "About stays" in kept
    assert "About gone" not in kept


# Numbers and places ----------------------------------------------------------------------------------------

BY_SEQUENCE = (
    "insert into chat.user_events (user_id, seq, kind, data)"
    " values (%(user_id)s, nextval('numbers'), %(kind)s, %(data)s)"
)


@pytest.mark.parametrize(
    ("statement", "heard"),
    [(user_events.SQL["tell"].decode(), ["first", "second"]), (BY_SEQUENCE, ["second"])],
    ids=["ours", "a sequence, as planted bug"],
)
async def test_a_reader_misses_nothing_of_two_transactions_that_overlap(urls, statement, heard):
    async def begin() -> psycopg.AsyncConnection:
        connection = await psycopg.AsyncConnection.connect(urls.app)
        await connection.execute("set local role chat_user")
        await connection.execute(f"""set local request.jwt.claims = '{{"sub": "{ADA.user_id}"}}'""")
        return connection

    def event(name: str) -> dict[str, object]:
        return {"user_id": ADA.user_id, "kind": "turn", "data": json.dumps(name), "waited_s": 0}

    async def tell_and_commit(name: str) -> None:
        async with await begin() as connection:
            await connection.execute(statement, event(name))

    found, cursor = [], 0
    with owner_connection(urls.owner) as owner:
        owner.execute("create sequence public.numbers")
        owner.execute("grant usage on sequence public.numbers to chat_user")

        def read() -> None:
            nonlocal cursor
            query = "select seq, data from chat.user_events where seq > %s order by seq"
            for seq, data in owner.execute(query, (cursor,)).fetchall():
                found.append(data)
                cursor = seq

        async with await begin() as first:
            await first.execute(statement, event("first"))
            second = asyncio.create_task(tell_and_commit("second"))
            await eventually(lambda: second.done() or waiting_for_locks(urls))
            read()
        await second
        read()
    assert found == heard


async def test_whoever_tells_first_and_locks_then_is_in_nobodys_way(database, urls):
    holds = asyncio.Event()

    async def tell_then_lock() -> None:
        async with database.transaction(ADA) as connection:
            await user_events.tell(connection, ADA.user_id, "turn", {"number": 1})
            await (await connection.execute("select 1")).fetchone()
            await holds.wait()
            await notes.lock_notes(connection, ADA.user_id, "assistant")

    async def lock_then_tell() -> None:
        async with database.transaction(ADA) as connection:
            await notes.lock_notes(connection, ADA.user_id, "assistant")
            holds.set()
            await eventually(lambda: waiting_for_locks(urls))
            await user_events.tell(connection, ADA.user_id, "turn", {"number": 2})

    await tell(database, ADA)  # there is a head to be held
    await asyncio.wait_for(asyncio.gather(tell_then_lock(), lock_then_tell()), 20)
    async with database.transaction(ADA) as connection:
        head, _ = await user_events.read_user_events(connection, ADA.user_id, None)
        _, said = await user_events.read_user_events(connection, ADA.user_id, head - 2)
    assert said is not None
    assert [json.loads(event.data)["number"] for event in said] == [2, 1], "the order is that of the commits"


async def test_places_are_exact_while_two_servers_are_written_to(settings, as_ada):
    writers, writes = 6, 8
    async with servers(settings, 2) as clients, hearing(clients[0], as_ada) as whole:
        rng = random.Random(5)
        resumed: list[int] = []

        async def write(number: int) -> None:
            for _ in range(writes):
                answer = await clients[number % 2].post("/api/sessions", headers=as_ada)
                assert answer.status_code == 201

        async def come_and_go() -> None:
            cursor, turn = whole.frames[0].id, 0
            while len(resumed) < writers * writes:
                async with hearing(clients[turn % 2], as_ada, cursor) as tab:
                    wanted = min(rng.randint(1, 5), writers * writes - len(resumed))
                    await tab.until(lambda heard, n=wanted: len(heard.events) >= n)
                    assert tab.frames[0].event == "hello"
                    resumed.extend(int(frame.id) for frame in tab.events)
                    cursor, turn = tab.cursor, turn + 1
            print(f"{writers * writes} events over two servers, resumed {turn} times")

        await asyncio.gather(come_and_go(), *(write(number) for number in range(writers)))
        await whole.until(lambda heard: len(heard.events) >= writers * writes)
    first = int(whole.frames[0].id)
    expected = list(range(first + 1, first + 1 + writers * writes))
    assert [int(frame.id) for frame in whole.events] == expected
    assert resumed == expected
    assert len({frame.data["session_id"] for frame in whole.events}) == writers * writes


async def test_a_place_that_is_not_known_any_more_is_a_reset(settings, as_ada, urls):
    async with servers(settings) as [client]:
        async with hearing(client, as_ada) as tab:
            for _ in range(3):
                await client.post("/api/sessions", headers=as_ada)
            await tab.until(lambda heard: len(heard.events) == 3)
        start, *_, last = (frame.id for frame in tab.frames)
        async with hearing(client, as_ada, start) as again:
            await again.until(lambda heard: heard.events == tab.events)
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.user_events where seq = %s", (int(start) + 1,))
        for place in (start, "999999999999999", "0", "nonsense", "", "9" * 40, "-1"):
            async with hearing(client, as_ada, place) as late:
                assert (late.frames[0].event, late.frames[0].id) == ("reset", last), place
                await client.post("/api/sessions", headers=as_ada)
                await late.until(lambda heard: len(heard.frames) > 1)
            last = late.cursor
        async with hearing(client, as_ada, last) as up_to_date:
            assert (up_to_date.frames[0].event, up_to_date.frames[0].id) == ("hello", last)


async def test_whoever_listens_while_everything_is_erased_hears_a_reset(settings, as_ada, urls):
    async with servers(settings) as [client], hearing(client, as_ada) as tab:
        await client.post("/api/sessions", headers=as_ada)
        await tab.until(lambda heard: heard.events)
        before = int(tab.cursor)
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.user_events")
            connection.execute("delete from chat.user_event_heads")
        await tab.until(lambda heard: heard.frames[-1].event == "reset")
        assert int(tab.cursor) > before, "numbers never come back"
        await client.post("/api/sessions", headers=as_ada)
        await tab.until(lambda heard: heard.frames[-1].event == "session")


# What it costs ---------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def feeding(database) -> AsyncIterator[feed.Feeds]:
    stopping = asyncio.Event()
    async with feed.running(database, stopping) as feeds:
        try:
            yield feeds
        finally:  # else a test that fails waits for ever
            stopping.set()


async def tell(database, user, count: int = 1) -> None:
    for number in range(count):
        async with database.transaction(user) as connection:
            await user_events.tell(connection, user.user_id, "turn", {"number": number})


async def test_all_tabs_of_a_user_share_one_reading_and_all_users_one_look(database, monkeypatch):
    looks, reads = [], []
    read_heads, read_events = user_events.read_heads, user_events.read_user_events

    async def count_looks(asked, user_ids):
        if asked is database:  # a server of another test may still be looking for its own
            looks.append(len(user_ids))
        return await read_heads(asked, user_ids)

    async def count_reads(connection, user_id, after_seq):
        reads.append(user_id)
        return await read_events(connection, user_id, after_seq)

    monkeypatch.setattr(feed, "LOOK_EVERY_S", 0.05)
    async with feeding(database) as feeds:
        streams = [await feeds.open(user, None) for user in (ADA, EVE) for _ in range(5)]
        heard = [stream.follow() for stream in streams]
        for each in heard:
            assert [event.kind for event in await anext(each)] == ["hello"]
        monkeypatch.setattr(user_events, "read_heads", count_looks)
        monkeypatch.setattr(user_events, "read_user_events", count_reads)
        await tell(database, ADA)
        batches = await asyncio.gather(*(anext(each) for each in heard[:5]))
        assert len({batch[0].seq for batch in batches}) == 1
        assert reads in ([ADA.user_id], [ADA.user_id] * 2), "one for five tabs; or a look came before the word of it"
        reads.clear()
        looks.clear()
        began = time.monotonic()
        async with asyncio.timeout(20):
            while len(looks) < 5:
                await asyncio.sleep(0.01)
        assert time.monotonic() - began > 3 * 0.05, "one after the other, however many listen"
        assert set(looks) == {2}, "all users in each"
        assert reads in ([], [ADA.user_id]), "nothing came, so nothing is read, but for that word"
        for stream in streams:
            stream.close()
        await asyncio.sleep(0.1)
        looks.clear()
        await asyncio.sleep(0.2)
        assert looks == [], "nobody listens"


async def test_what_this_process_tells_is_heard_without_a_look(database, monkeypatch):
    monkeypatch.setattr(feed, "LOOK_EVERY_S", 60.0)
    async with feeding(database) as feeds:
        stream = await feeds.open(ADA, None)
        batches = stream.follow()
        await anext(batches)
        for _ in range(2):  # the look with which everything begins may have found the first
            await tell(database, ADA)
            assert [event.kind for event in await asyncio.wait_for(anext(batches), 10)] == ["turn"]
        stream.close()


async def test_who_has_missed_too_much_is_told_to_look_anew(database, monkeypatch):
    monkeypatch.setattr(user_events, "MAX_MISSED", 3)
    await tell(database, ADA, 5)
    async with database.transaction(ADA) as connection:
        head = (await user_events.read_user_events(connection, ADA.user_id, None)).head
        missed = [(await user_events.read_user_events(connection, ADA.user_id, head - n)).told for n in (0, 3, 4)]
    assert [each and len(each) for each in missed] == [[], 3, None]


async def test_a_reader_that_is_far_behind_gets_the_rest_all_the_same(database, monkeypatch):
    monkeypatch.setattr(feed, "KEPT", 10)
    async with feeding(database) as feeds:
        stream = await feeds.open(ADA, None)
        batches = stream.follow()
        [hello] = await anext(batches)
        await tell(database, ADA, 40)
        numbers: list[int] = []
        while len(numbers) < 40:
            numbers += [event.seq for event in await asyncio.wait_for(anext(batches), 10)]
        stream.close()
    assert numbers == list(range(hello.seq + 1, hello.seq + 41))


async def test_a_quiet_stream_says_that_it_lives(database):
    async with feeding(database) as feeds:
        stream = await feeds.open(ADA, None)
        batches = stream.follow(heartbeat_s=0.01)
        await anext(batches)
        assert await anext(batches) == []
        stream.close()


async def test_a_user_has_so_many_streams_and_no_more(settings, as_ada, as_eve, monkeypatch):
    monkeypatch.setattr(feed, "MAX_STREAMS", 2)
    async with servers(settings) as [client], contextlib.AsyncExitStack() as tabs:
        for _ in range(2):
            await tabs.enter_async_context(hearing(client, as_ada))
        refused = await client.get("/api/events", headers=as_ada)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 0
        await tabs.enter_async_context(hearing(client, as_eve))
        assert "chat_event_streams 3.0" in (await client.get("/metrics")).text
        await tabs.aclose()
        async with asyncio.timeout(10):
            while "chat_event_streams 0.0" not in (await client.get("/metrics")).text:
                await asyncio.sleep(0.02)
        async with hearing(client, as_ada):
            pass


async def test_streams_outlive_a_database_that_is_away(settings, urls):
    as_ada = bearer(settings, ADA.user_id)
    async with servers(settings, 2) as [here, there], hearing(here, as_ada) as tab:
        with owner_connection(urls.owner) as connection:
            for _ in range(4):
                cut_off(connection)
                await asyncio.sleep(0.1)

        async def is_written() -> bool:
            return (await there.post("/api/sessions", headers=as_ada)).status_code == 201

        await eventually(is_written)
        await tab.until(lambda heard: heard.events)
        assert not tab.has_ended


async def test_a_reader_that_takes_nothing_is_dropped_and_its_place_is_free(monkeypatch):
    monkeypatch.setattr("chatServer.api.event_stream.SLOW_READER_S", 0.1)
    closed = asyncio.Event()
    sent: list[dict] = []

    async def pieces():
        while True:
            yield b": more\n\n"

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    await asyncio.wait_for(EventStream(pieces(), {}, expires_at=None, on_end=closed.set)({}, receive, send), 5)
    assert closed.is_set()
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]


async def test_a_stream_that_the_database_breaks_off_has_no_end_and_is_no_bug():
    closed = asyncio.Event()
    sent: list[dict] = []

    async def pieces():
        yield b"{"
        raise errors.DatabaseUnavailable

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    await asyncio.wait_for(EventStream(pieces(), {}, expires_at=None, on_end=closed.set)({}, receive, send), 5)
    assert closed.is_set()
    assert [message.get("more_body") for message in sent] == [None, True]
