"""One key is one turn: at most one stored reply and one running model call, whoever asks, however often, wherever."""

import asyncio
import itertools
import time
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest

from chatServer.memory.notes import notebook
from chatServer.records import Author, TurnEvent
from chatServer.store import events as log
from chatServer.store import turns
from chatServer.turn.begun import MAX_ATTEMPTS
from tests.conftest import ADA, owner_connection, rows, serving
from tests.tools.remembering import tell, texts
from tests.tools.talking import calls, chunks, spoken, talking, user_message, with_script
from tests.tools.turns import begin_turn, eventually

SLOW = {"match": "^slowly", "reply": " ".join(f"word{i}" for i in range(20)), "delay_ms": 40}
MANY = 50
DEAD = [pytest.param(-1, id="past its lease"), pytest.param(86_400, id="begun before the clock was set back")]


@pytest.fixture
async def pair(settings, as_ada):
    """Two servers on one database."""
    settings = with_script(settings, SLOW, log=True)
    async with serving(settings) as one, serving(settings) as two:
        for client in (one, two):
            client.headers.update(as_ada)
        yield one, two


def count(urls, table: str) -> int:
    return rows(urls, f"select count(*) from {table}")[0][0]


async def test_the_same_key_ten_times_at_once_is_one_turn_one_reply_and_one_model_call(pair, urls, settings):
    for number in range(MANY):
        ask = {"json": {"message": f"hello {number}", "session_id": "s"}, "headers": {"Idempotency-Key": f"k{number}"}}
        answers = await asyncio.gather(*(pair[i % 2].post("/api/chat", **ask) for i in range(10)))
        assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
        assert len({answer.json()["turn_id"] for answer in answers}) == 1
        assert {answer.json()["response"] for answer in answers} == {f"You said: hello {number}"}
    assert count(urls, "chat.turns") == MANY
    assert count(urls, "chat_message_history") == 2 * MANY
    started = [call for call in calls(settings) if call["state"] == "started"]
    assert len(started) == MANY
    print(f"{MANY} x 10 posts with one key: {MANY} turns, {MANY} replies, {len(started)} model calls")


TRY_AGAIN = ((409, "turn_in_progress"), (503, "overloaded"))  # the second where the machine has too much to do


@pytest.mark.parametrize("rounds", [5, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(1_200)])])
async def test_twenty_posts_at_once_to_one_session_leave_whole_turns_in_a_row(pair, urls, rounds):
    async def insist(client, number: int) -> None:
        for attempt in itertools.count():
            answer = await client.post("/api/chat", json={"message": f"m{number}", "session_id": "s"})
            if answer.status_code == 200:
                return
            assert (answer.status_code, answer.json()["code"]) in TRY_AGAIN, answer.text
            assert attempt < 500
            await asyncio.sleep(0.005 * (1 + number % 5))

    for _ in range(rounds):
        await asyncio.gather(*(insist(pair[number % 2], number) for number in range(20)))
    stored = rows(urls, "select message->'data'->>'content', turn_id from chat_message_history order by id")
    assert len(stored) == 2 * 20 * rounds
    for (question, asked_in), (reply, answered_in) in zip(stored[::2], stored[1::2], strict=True):
        assert reply == f"You said: {question}"
        assert asked_in == answered_in
    assert rows(urls, "select distinct state from chat.turns") == [("done",)]


async def test_a_key_with_another_body_is_refused(pair):
    headers = {"Idempotency-Key": "k"}
    first = await pair[0].post("/api/chat", json={"message": "one", "session_id": "s"}, headers=headers)
    other = await pair[1].post("/api/chat", json={"message": "two", "session_id": "s"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    again = await pair[1].post("/api/chat", json={"message": "one", "session_id": "s"}, headers=headers)
    assert again.json() == first.json()
    elsewhere = await pair[1].post("/api/chat", json={"message": "two", "session_id": "t"}, headers=headers)
    assert elsewhere.json()["response"] == "You said: two"


async def test_a_key_of_the_clients_is_never_one_that_we_derive(pair, urls):
    own = {"Idempotency-Key": "submit:msg-1"}
    await pair[0].post("/api/chat", json={"message": "first", "session_id": "s"}, headers=own)
    other = await pair[1].post("/api/chat", json={"id": "s", "messages": [user_message("second", "msg-1")]})
    assert spoken(other.text) == "You said: second"
    assert count(urls, "chat.turns") == 2


async def test_a_message_of_usechat_is_its_own_key(pair, urls):
    body = {"id": "s", "messages": [user_message("hello", "msg-1")]}
    first = await pair[0].post("/api/chat", json=body)
    again = await pair[1].post("/api/chat", json=body)
    assert chunks(again.text) == chunks(first.text)
    assert again.text.endswith("data: [DONE]\n\n")
    assert count(urls, "chat.turns") == 1


async def test_a_plain_message_without_a_key_is_new_each_time(pair, urls):
    for _ in range(2):
        await pair[0].post("/api/chat", json={"message": "hello", "session_id": "s"})
    assert count(urls, "chat.turns") == 2


async def test_a_message_id_that_is_used_again_elsewhere_is_another_message(pair, urls):
    mine = "0b0f5c5e-0f86-4d43-9d4f-0c1b1c6f8a11"
    bodies = [
        {"id": f"s{i}", "message": user_message("hello", mine), "agent_id": ("assistant", "coder")[i % 2]}
        for i in range(10)
    ]
    answers = await asyncio.gather(*(pair[i % 2].post("/api/chat", json=body) for i, body in enumerate(bodies)))
    assert {answer.status_code for answer in answers} == {200}
    assert rows(urls, "select count(distinct message_id) from chat_message_history") == [(20,)]


async def test_the_same_key_joins_a_running_turn_in_another_process(pair, settings):
    ask = {"json": {"message": "slowly", "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    running = asyncio.create_task(pair[0].post("/api/chat", **ask))
    await until_running(pair[1], "s")
    joined = await pair[1].post("/api/chat", **ask)
    assert joined.json() == (await running).json()
    assert len([call for call in calls(settings) if call["state"] == "started"]) == 1


async def test_a_stream_that_joins_tells_everything_from_the_start(pair):
    body = {"id": "s", "message": user_message("slowly")}
    running = asyncio.create_task(pair[0].post("/api/chat", json=body))
    await until_running(pair[1], "s")
    joined = await asyncio.gather(*(client.post("/api/chat", json=body) for client in pair))
    first = await running
    for stream in joined:
        assert chunks(stream.text) == chunks(first.text)


async def test_another_message_while_one_is_answered_is_a_conflict_that_names_it(pair):
    running = asyncio.create_task(pair[0].post("/api/chat", json={"message": "slowly", "session_id": "s"}))
    await until_running(pair[1], "s")
    for client in pair:
        refused = await client.post("/api/chat", json={"message": "me too", "session_id": "s"})
        assert (refused.status_code, refused.json()["code"]) == (409, "turn_in_progress")
    assert refused.json()["turn_id"] == (await running).json()["turn_id"]


async def test_a_replay_is_the_same_stream_and_survives_its_log(pair, database, urls):
    body = {"id": "s", "message": user_message("hello")}
    first = await pair[0].post("/api/chat", json=body)
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.turn_events")
    later = await pair[1].post("/api/chat", json=body)
    assert spoken(later.text) == spoken(first.text)
    assert chunks(later.text)[0] == chunks(first.text)[0]
    assert chunks(later.text)[-1] == chunks(first.text)[-1]


async def test_a_failed_turn_is_replayed_as_failed(settings, as_ada):
    rule = {"match": "fail", "reply": "a b", "fail_after_words": 1}
    async with talking(settings, as_ada, rule, log=True) as client:
        ask = {"json": {"message": "fail"}, "headers": {"Idempotency-Key": "k"}}
        answers = [await client.post("/api/chat", **ask) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [502, 502]
    assert answers[0].json()["turn_id"] == answers[1].json()["turn_id"]
    assert len([call for call in calls(settings) if call["state"] == "started"]) == 1


async def test_a_failed_turn_is_told_after_its_log_is_gone(settings, as_ada, urls):
    rule = {"match": "fail", "reply": "a b", "fail_after_words": 1}
    async with talking(settings, as_ada, rule) as client:
        body = {"id": "s", "message": user_message("fail")}
        first = await client.post("/api/chat", json=body)
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.turn_events")
        later = await client.post("/api/chat", json=body)
    assert (spoken(later.text), later.text.endswith("data: [DONE]\n\n")) == (spoken(first.text), True)
    assert chunks(later.text)[-1] == chunks(first.text)[-1]


# Attempts -----------------------------------------------------------------------------------------------


async def interrupted(pair, urls, message: str = "hello", *, lease_s: int = -1) -> dict:
    """A turn whose process is gone: it still says running, and its lease is over, or of a time that the clock was set
    back from."""
    ask = {"json": {"message": message, "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    answer = (await pair[0].post("/api/chat", **ask)).json()
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update chat.turns set state = 'running', lease_until = now() + make_interval(secs => %s),"
            " finished_at = null where turn_id = %s",
            (lease_s, answer["turn_id"]),
        )
        connection.execute(
            "delete from chat_message_history where turn_id = %s and message->>'type' <> 'human'", (answer["turn_id"],)
        )
        connection.execute(
            "delete from chat.message_index where message_id not in (select message_id from chat_message_history)"
        )
    return {**answer, "ask": ask}


async def test_a_turn_past_its_lease_reads_as_interrupted_and_is_taken_over_by_its_key(pair, urls, database):
    dead = await interrupted(pair, urls)
    async with database.transaction(ADA) as connection:
        await log.delete_events(connection, ADA.user_id, dead["turn_id"])
        said = [TurnEvent("start", id="x")] * 6 + [TurnEvent("text-delta", id="t", text="You sa")]
        await log.append_events(connection, ADA.user_id, dead["turn_id"], said, attempt=1, seq_from=1)
    shown = (await pair[1].get("/api/sessions/s/messages")).json()["messages"]
    assert [(each["role"], each["metadata"].get("state")) for each in shown] == [
        ("user", None),
        ("assistant", "interrupted"),
    ]
    assert [part.get("text") for part in shown[1]["parts"]] == ["You sa"]
    assert (await pair[1].get("/api/chat/s/stream")).status_code == 204
    stream = await pair[1].post(
        "/api/chat", **dead["ask"] | {"headers": {"Idempotency-Key": "k", "Accept": "text/event-stream"}}
    )
    ids = [line.rpartition(":")[2] for line in stream.text.splitlines() if line.startswith("id: ")]
    assert ids[0] == "1000001", "beyond whatever anybody may have heard of the dead attempt"
    assert spoken(stream.text) == "You said: hello"
    assert rows(urls, "select state, attempt from chat.turns") == [("done", 2)]
    assert count(urls, "chat_message_history") == 2
    assert rows(urls, "select min(seq_from) from chat.turn_events") == [(1_000_001,)]
    heard_more_than_was_logged = {"Last-Event-ID": f"{dead['turn_id']}:40"}
    rest = await pair[0].get("/api/chat/s/stream", headers=heard_more_than_was_logged)
    assert chunks(rest.text) == chunks(stream.text)


async def test_the_prompt_of_a_later_attempt_holds_no_notes_of_the_dead_one(settings, as_ada, urls, database):
    async with talking(settings, as_ada, {"match": "^hello", "reply": "{system}"}) as client:
        dead = await interrupted([client], urls)
        author = Author("agent", UUID(dead["turn_id"]), attempt=1)
        await notebook.change(database, ADA, "assistant", "append", content="from the grave", author=author)
        assert "from the grave" in (await client.get("/api/agents/assistant/notes")).text
        again = (await client.post("/api/chat", **dead["ask"])).json()
        assert again["turn_id"] == dead["turn_id"]
        assert again["response"] == dead["response"]
        assert "from the grave" not in again["response"]


@pytest.mark.parametrize("lease_s", DEAD)
async def test_ten_who_take_over_at_once_are_one(pair, urls, lease_s):
    dead = await interrupted(pair, urls, lease_s=lease_s)
    answers = await asyncio.gather(*(pair[i % 2].post("/api/chat", **dead["ask"]) for i in range(10)))
    assert {answer.status_code for answer in answers} == {200}
    assert rows(urls, "select state, attempt from chat.turns") == [("done", 2)]
    assert count(urls, "chat_message_history") == 2


async def test_a_turn_that_has_given_a_sign_of_life_is_its_own_again(database, urls):
    """Who wants to take it over, or to pass it, has read that its lease was over."""
    turn_id = await begin_turn(database, ADA)
    lease = "update chat.turns set lease_until = now() + make_interval(secs => %s), stop_requested_at = now()"
    for attempt, lease_s, taken in ((1, 30, None), (2, -1, None), (1, -1, 2)):
        with owner_connection(urls.owner) as connection:
            connection.execute(lease, [lease_s])
        async with database.transaction(ADA) as connection:
            turn = replace((await turns.read_turns(connection, ADA.user_id, [turn_id]))[turn_id], attempt=attempt)
            assert await turns.take_over(connection, ADA.user_id, turn, model="m") == taken
    assert rows(urls, "select stop_requested_at from chat.turns") == [(None,)], "it was the dead one's"
    async with database.transaction(ADA) as connection:
        assert not await turns.mark_interrupted(connection, ADA.user_id, turn_id)


async def test_a_turn_is_begun_anew_until_its_events_have_no_numbers_left(pair, urls):
    dead = await interrupted(pair, urls)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set attempt = %s", [MAX_ATTEMPTS])
    refused = await pair[1].post("/api/chat", **dead["ask"])
    assert (refused.status_code, refused.json()["code"]) == (502, "model_failed"), refused.text
    assert refused.json()["turn_id"] == dead["turn_id"]
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set attempt = attempt - 1")
    assert (await pair[1].post("/api/chat", **dead["ask"])).json()["response"] == "You said: hello"
    assert rows(urls, "select state, attempt from chat.turns") == [("done", MAX_ATTEMPTS)]
    assert rows(urls, "select min(seq_from) / 1000000 from chat.turn_events") == [(MAX_ATTEMPTS - 1,)]


@pytest.mark.parametrize("lease_s", DEAD)
async def test_a_new_message_passes_an_interrupted_turn_for_good(pair, urls, lease_s):
    dead = await interrupted(pair, urls, lease_s=lease_s)
    answer = await pair[1].post("/api/chat", json={"message": "next", "session_id": "s"})
    assert answer.status_code == 200
    assert sorted(rows(urls, "select state from chat.turns")) == [("done",), ("interrupted",)]
    running = asyncio.create_task(pair[1].post("/api/chat", json={"message": "slowly", "session_id": "s"}))
    await eventually(lambda: rows(urls, "select 1 from chat.turns where state = 'running'"))
    assert (await pair[0].post("/api/chat", **dead["ask"])).status_code == 409
    await running
    late = await pair[0].post("/api/chat", **dead["ask"])
    assert (late.status_code, late.json()["code"]) == (502, "model_failed")
    assert "has gone on" in late.json()["detail"]
    assert count(urls, "chat_message_history") == 5, "an answer would stand behind a later question"


async def test_taking_over_reverts_what_the_dead_attempt_wrote_into_the_notes(settings, as_ada, urls):
    rule = {
        "match": "^remember (.+)",
        "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "{1}"}}],
        "then": "Noted.",
    }
    async with talking(settings, as_ada, rule) as client:
        await client.post("/api/chat", json={"message": "remember tea", "session_id": "s"})
        dead = await interrupted((client, client), urls, message="remember coffee")
        assert (await client.get("/api/agents/assistant/notes")).json()["notes"] == "tea\n\ncoffee"
        again = await client.post("/api/chat", **dead["ask"])
        assert again.json()["response"] == "Noted."
        assert (await client.get("/api/agents/assistant/notes")).json()["notes"] == "tea\n\ncoffee"
        versions = (await client.get("/api/agents/assistant/notes/versions")).json()["versions"]
    assert [version["operation"] for version in versions][:3] == ["append", "revert", "append"]


async def test_what_the_dead_attempt_forgot_is_there_to_be_forgotten_again(settings, as_ada, urls, database):
    rule = {
        "match": "^forget (.+)",
        "tool_calls": [{"name": "forget_memories", "args": {"what": "{1}"}}],
        "then": "Gone.",
    }
    await tell(database, "I live in Berlin.")
    async with talking(settings, as_ada, rule) as client:
        dead = await interrupted((client, client), urls, message="forget that I live in Berlin")
        assert await texts(database) == []
        again = (await client.post("/api/chat", **dead["ask"])).json()
    first, second = ([part.get("output") for part in each["message"]["parts"]] for each in (dead, again))
    assert second == first
    assert await texts(database) == []


async def test_an_attempt_that_was_taken_over_stores_nothing(pair, urls, settings):
    ask = {"json": {"message": "slowly", "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    first = asyncio.create_task(pair[0].post("/api/chat", **ask))
    await until_running(pair[1], "s")
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set lease_until = now() - interval '1 s'")
    second = await pair[1].post("/api/chat", **ask)
    assert second.json()["response"] == SLOW["reply"]
    assert (await first).json()["response"] == SLOW["reply"], "who asked first hears the attempt that counts"
    assert rows(urls, "select state, attempt from chat.turns") == [("done", 2)]
    assert count(urls, "chat_message_history") == 2


async def test_an_attempt_that_was_taken_over_as_it_ended_falls_silent_and_aborts_nothing(settings, as_ada, urls):
    """Its last write waits for the session while the turn goes to somebody else."""
    async with talking(settings, as_ada, {"match": "^briefly", "reply": "a b c", "delay_ms": 50}) as client:
        body = {"id": "s", "message": user_message("briefly")}
        first = asyncio.create_task(client.post("/api/chat", json=body))
        await until_running(client, "s")
        with psycopg.connect(urls.owner) as connection:
            connection.execute("select from chat.sessions for update")
            await until_somebody_waits(urls)
            connection.execute("update chat.turns set attempt = attempt + 1")
        kinds = [chunk["type"] for chunk in chunks((await first).text)]
    assert kinds[-1] == "finish-step", "no ending: the client may resume, and hear the attempt that counts"
    assert rows(urls, "select state, attempt from chat.turns") == [("running", 2)]


async def until_somebody_waits(urls) -> None:
    deadline = time.monotonic() + 5
    while rows(urls, "select count(*) from pg_locks where not granted") == [(0,)]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def test_a_session_deleted_under_a_running_turn_stays_deleted(pair, urls):
    running = asyncio.create_task(pair[0].post("/api/chat", json={"message": "slowly", "session_id": "s"}))
    await until_running(pair[1], "s")
    assert (await pair[1].delete("/api/sessions/s")).status_code == 204
    answer = await running
    assert (answer.status_code, answer.json()["code"]) == (404, "session_not_found")
    for table in ("chat.sessions", "chat.turns", "chat.turn_events", "chat_message_history"):
        assert count(urls, table) == 0, table


async def until_running(client, session: str) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        shown = await client.get(f"/api/sessions/{session}/messages")
        if shown.status_code == 200 and shown.json()["messages"]:
            return
        await asyncio.sleep(0.02)
    pytest.fail("the turn never began")
