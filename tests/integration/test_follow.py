"""A turn is heard from anywhere, at any speed, and needs nobody to hear it."""

import asyncio
import contextlib
import json
import random
import socket
import time
from uuid import UUID

import httpx
import pytest

from chatServer.api import event_stream
from chatServer.main import create_app
from chatServer.records import TurnEvent
from chatServer.store import events as log
from chatServer.store import turns
from chatServer.turn.events import EventLog
from chatServer.turn.follow import follow
from tests.conftest import ADA, cut_off, owner_connection, rows, serving
from tests.tools.listening import listening
from tests.tools.talking import chunks, ids, spoken, talking, user_message, with_script
from tests.tools.turns import begin_turn, eventually, queued

WORDS = [f"word{i}" for i in range(30)]
SLOW = {"match": "^slowly", "reply": " ".join(WORDS), "delay_ms": 40}
LONG = {"match": "^at length", "reply": " ".join(f"{i:07}" for i in range(100_000))}
HANGS = {"match": "^hang", "reply": "one two", "hang": True}


async def test_the_rest_of_a_turn_is_heard_after_any_number(settings, as_ada):
    async with talking(settings, as_ada) as client:
        whole = (await client.post("/api/chat", json={"id": "s", "message": user_message("a b c d")})).text
        *places, last = ids(whole)
        for place, seen in enumerate(places, 1):
            rest = await client.get("/api/chat/s/stream", headers={"Last-Event-ID": seen})
            assert rest.status_code == 200
            assert chunks(rest.text) == chunks(whole)[place:]
        assert (await client.get("/api/chat/s/stream", headers={"Last-Event-ID": last})).status_code == 204


async def test_who_has_heard_some_of_a_turn_whose_log_is_gone_hears_none_of_it_twice(settings, as_ada, urls, database):
    async with talking(settings, as_ada) as client:
        turn_id = UUID((await client.post("/api/chat", json={"message": "a b c d"})).json()["turn_id"])
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.turn_events")
    async with database.transaction(ADA) as connection:
        turn = (await turns.read_turns(connection, ADA.user_id, [turn_id]))[turn_id]
    heard = [[event async for batch in follow(database, ADA, turn, seen) for event in batch] for seen in (0, 3)]
    assert "".join(event.text for _, event in heard[0]) == "You said: a b c d"
    assert heard[1] == []
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set state = 'interrupted'")
    assert [batch async for batch in follow(database, ADA, turn, 0)] == [], "another attempt may say it all"


async def test_words_that_are_written_as_one_are_read_one_by_one_after_any_number(database, urls):
    turn_id = await begin_turn(database, ADA)
    words = [TurnEvent("text-delta", id="t", text=text) for text in ("one ", "", "three")]
    said = [
        TurnEvent("start", id="m"),
        *(word._replace(kind="reasoning-delta") for word in words),
        TurnEvent("text-start", id="t"),
        *words,
        TurnEvent("text-delta", id="u", text="of another"),
        TurnEvent("data", id="d", name="recall", value={"texts": ["kept", "apart"]}),
        words[0]._replace(value={"odd": 1}),
        *words[:1],
        TurnEvent("finish", value={"state": "done"}),
    ]
    async with database.transaction(ADA) as connection:
        await log.append_events(connection, ADA.user_id, turn_id, said[:6], attempt=1, seq_from=1)
        await log.append_events(connection, ADA.user_id, turn_id, said[6:], attempt=1, seq_from=7)
    numbered = list(enumerate(said, 1))
    async with database.transaction(ADA) as connection:
        for seen in range(len(said) + 1):
            assert await log.read_events(connection, ADA.user_id, turn_id, seen) == numbered[seen:]
    with owner_connection(urls.owner) as connection:
        written = connection.execute("select sum(jsonb_array_length(events)) from chat.turn_events").fetchone()
    assert written == (len(said) - 3,)


@pytest.mark.parametrize("seen", ["", "nonsense", "a:b", ":", "01a1ddbe-cda3-7459-b97d-30a358f58af3:5", "1" * 5000])
async def test_what_is_no_place_of_ours_is_nothing_to_resume(settings, as_ada, seen):
    async with talking(settings, as_ada) as client:
        await client.post("/api/chat", json={"id": "s", "message": user_message("hello")})
        assert (await client.get("/api/chat/s/stream", headers={"Last-Event-ID": seen})).status_code == 204


async def test_a_place_in_another_session_or_of_another_user_is_nothing_to_resume(settings, as_ada, as_eve):
    async with talking(settings, as_ada) as client:
        seen = {
            "Last-Event-ID": ids((await client.post("/api/chat", json={"id": "s", "message": user_message("x")})).text)[
                0
            ]
        }
        await client.post("/api/chat", json={"id": "t", "message": user_message("y")})
        await client.post("/api/chat", json={"id": "s", "message": user_message("z")}, headers=as_eve)
        assert (await client.get("/api/chat/t/stream", headers=seen)).status_code == 204
        assert (await client.get("/api/chat/s/stream", headers=as_eve | seen)).status_code == 204
        assert (await client.get("/api/chat/never/stream")).status_code == 204


async def test_a_running_turn_is_heard_from_its_start_here_and_elsewhere(settings, as_ada):
    settings = with_script(settings, SLOW)
    async with serving(settings) as here, serving(settings) as elsewhere:
        for client in (here, elsewhere):
            client.headers.update(as_ada)
        asked = asyncio.create_task(here.post("/api/chat", json={"id": "s", "message": user_message("slowly")}))

        async def runs() -> bool:
            return bool((await elsewhere.get("/api/sessions")).json()["sessions"])

        await eventually(runs)
        heard = await asyncio.gather(*(client.get("/api/chat/s/stream") for client in (here, elsewhere, here)))
        first = await asked
    for stream in heard:
        assert chunks(stream.text) == chunks(first.text)
        assert stream.text.endswith("data: [DONE]\n\n")


async def test_a_turn_is_finished_when_its_client_leaves(settings, as_ada, urls):
    with listening(create_app(with_script(settings, SLOW))) as address:
        async with httpx.AsyncClient(base_url=address, headers=as_ada) as client:
            body = {"id": "s", "message": user_message("slowly")}
            async with client.stream("POST", "/api/chat", json=body) as stream:
                async for _ in stream.aiter_bytes():
                    break

            async def is_done() -> list:
                shown = (await client.get("/api/sessions/s/messages")).json()["messages"]
                return [message for message in shown if message["metadata"].get("state") == "done"]

            [answer] = await eventually(is_done)
            assert [part["text"] for part in answer["parts"] if part["type"] == "text"] == [" ".join(WORDS)]


async def test_a_reader_that_takes_nothing_is_dropped_and_harms_nobody(settings, as_ada, monkeypatch):
    monkeypatch.setattr(event_stream, "SLOW_READER_S", 0.5)
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(listening(create_app(with_script(settings, LONG))))
        host, port = address.removeprefix("http://").split(":")
        body = json.dumps({"id": "s", "message": user_message("at length")}).encode()
        head = (
            f"POST /api/chat HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Authorization: {as_ada['Authorization']}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        slow = stack.enter_context(socket.socket())
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((host, int(port)))
        slow.sendall(head.encode() + body)
        async with httpx.AsyncClient(base_url=address, headers=as_ada, timeout=60) as client:

            async def is_done() -> bool:
                shown = await client.get("/api/sessions/s/messages")
                states = [each["metadata"].get("state") for each in shown.json().get("messages", [])]
                return "done" in states

            await eventually(is_done, 60)
            whole = await client.post("/api/chat", json={"id": "s", "message": user_message("at length")})
            assert spoken(whole.text) == LONG["reply"]
        await asyncio.sleep(1)
        slow.settimeout(10)
        taken = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := await asyncio.to_thread(slow.recv, 1 << 20):
                taken += piece
        assert b"[DONE]" not in taken, "it was cut off, not served from a buffer without end"


async def test_followers_of_a_quiet_turn_hear_that_it_lives():
    log = EventLog()
    log.add(TurnEvent("start"))
    batches = log.follow(0, heartbeat_s=0.01)
    assert [seq for seq, _ in await anext(batches)] == [1]
    assert await anext(batches) == []
    assert await anext(batches) == []
    log.add(TurnEvent("finish"))
    assert [seq for seq, _ in await anext(batches)] == [2]
    log.end()
    assert [batch async for batch in batches] == []


async def test_words_that_come_at_once_are_told_together_and_the_first_of_them_at_once():
    log = EventLog()
    batches = log.follow(0)
    log.add(TurnEvent("start"))
    log.add(TurnEvent("text-delta", text="first"))
    assert [seq for seq, _ in await anext(batches)] == [1, 2]
    following = asyncio.ensure_future(anext(batches))
    for _ in range(20):
        log.add(TurnEvent("text-delta", text="more"))
        await asyncio.sleep(0)
    assert [seq for seq, _ in await following] == list(range(3, 23))


async def test_many_followers_at_their_own_speeds_hear_the_same():
    log = EventLog(first_seq=5)

    async def listen(pause_s: float, after_seq: int) -> list[int]:
        heard: list[int] = []
        async for batch in log.follow(after_seq):
            heard += [seq for seq, _ in batch]
            await asyncio.sleep(pause_s)
        return heard

    listeners = [asyncio.create_task(listen(pause, after)) for pause in (0, 0.003) for after in (0, 4, 9, 200)]
    for i in range(100):
        log.add(TurnEvent("text-delta", text=str(i)))
        if i % 7 == 0:
            await asyncio.sleep(0.001)
    log.end()
    assert [await each for each in listeners] == 2 * [
        list(range(5, 105)),
        list(range(5, 105)),
        list(range(10, 105)),
        [],
    ]


async def test_odd_text_of_a_model_or_a_tool_is_made_fit_to_send_and_to_store():
    log = EventLog()
    log.add(TurnEvent("text-delta", text="a\0b\ud800"))
    log.add(TurnEvent("tool-output", value={"nan": float("nan"), "text": "\ud800"}))
    for event in log.unstored()[1]:
        json.dumps([event.text, event.value], allow_nan=False).encode()
        assert "\0" not in event.text


# Stop, time, and what becomes of a turn whose server ends -----------------------------------------------------


async def test_stopping_keeps_what_was_said_and_the_next_prompt_says_so(settings, as_ada, database, urls):
    sees = {"match": "^what was said", "reply": "{messages}"}
    async with talking(settings, as_ada, HANGS, sees) as client:
        asked = asyncio.create_task(client.post("/api/chat", json={"message": "hang", "session_id": "s"}))

        async def stopped() -> bool:
            return (await client.post("/api/chat/s/stop")).status_code == 202

        await eventually(lambda: has_said(database, "two"))
        assert await stopped()
        answer = (await asked).json()
        assert (answer["state"], answer["response"].strip()) == ("stopped", "one two")
        assert rows(urls, "select revision_state from chat.turns") == [("queued",)], "what was asked is said"
        assert len(queued(urls)) == 1
        assert (await client.post("/api/chat/s/stop")).status_code == 204
        told = (await client.post("/api/chat", json={"message": "what was said", "session_id": "s"})).json()
        assert "[The user stopped this answer here.]" in told["response"]
        shown = (await client.get("/api/sessions/s/messages")).json()["messages"]
        assert shown[1]["metadata"]["state"] == "stopped"
        assert "[The user stopped" not in json.dumps(shown[1]), "people are told by the state"


async def has_said(database, word: str) -> bool:
    """Whether the log of a turn holds a word."""
    async with database.transaction(ADA) as connection:
        row = await (
            await connection.execute("select count(*) from chat.turn_events where events::text like %s", (f"%{word}%",))
        ).fetchone()
    return row is not None and row[0] > 0


async def test_a_model_that_hangs_is_a_504_and_frees_the_session(settings, as_ada):
    async with talking(settings, as_ada, HANGS, turn_timeout_s=0.5) as client:
        answer = await client.post("/api/chat", json={"message": "hang", "session_id": "s"})
        assert (answer.status_code, answer.json()["code"]) == (504, "model_timeout")
        assert (await client.post("/api/chat", json={"message": "hi", "session_id": "s"})).status_code == 200
    async with talking(settings, as_ada, HANGS, model_timeout_s=0.5) as client:
        answer = await client.post("/api/chat", json={"message": "hang", "session_id": "t"})
        assert (answer.status_code, answer.json()["code"]) == (504, "model_timeout")


async def test_a_server_that_ends_leaves_its_turn_interrupted_and_free(settings, as_ada, urls, database):
    async with talking(settings, as_ada, HANGS, SLOW) as client:
        asked = asyncio.create_task(client.post("/api/chat", json={"id": "s", "message": user_message("hang")}))
        await eventually(lambda: has_said(database, "two"))
    stream = await asked
    assert "[DONE]" not in stream.text
    with owner_connection(urls.owner) as connection:
        row = connection.execute("select state, partial_text, lease_until from chat.turns").fetchone()
    assert row is not None
    assert (row[0], row[1].strip(), row[2]) == ("interrupted", "one two", None)


async def test_a_database_that_is_away_at_the_end_is_asked_again(settings, as_ada, urls):
    async with talking(settings, as_ada, SLOW) as client:
        asked = asyncio.create_task(client.post("/api/chat", json={"message": "slowly", "session_id": "s"}))

        async def runs() -> bool:
            return (await client.get("/api/sessions/s")).status_code == 200

        await eventually(runs)
        with owner_connection(urls.owner) as connection:
            for _ in range(15):
                cut_off(connection)
                await asyncio.sleep(0.1)
        answer = await asked
        assert (answer.status_code, answer.json()["response"]) == (200, " ".join(WORDS))
        with owner_connection(urls.owner) as connection:
            assert connection.execute("select count(*) from chat_message_history").fetchone() == (2,)
            batches = connection.execute("select seq_from, seq_to from chat.turn_events order by seq_from").fetchall()
    assert [seq_from for seq_from, _ in batches] == [1, *(seq_to + 1 for _, seq_to in batches[:-1])]


@pytest.mark.parametrize("question", ["slowly", "hang"], ids=["a turn that speaks", "a turn that is silent"])
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
async def test_a_stop_at_another_server_ends_the_stream_within_a_second(settings, as_ada, database, question, times):
    sees = {"match": "^what was said", "reply": "{messages}"}
    slow = {**SLOW, "reply": " ".join(f"word{i}" for i in range(2_000)), "delay_ms": 20}
    settings = with_script(settings, slow, HANGS, sees)
    with listening(create_app(settings)) as one, listening(create_app(settings)) as other:
        async with (
            httpx.AsyncClient(base_url=one, headers=as_ada, timeout=30) as here,
            httpx.AsyncClient(base_url=other, headers=as_ada, timeout=30) as there,
        ):
            took = [await stopped_elsewhere(here, there, database, question, f"s{number}") for number in range(times)]
    median_s = sorted(took)[times // 2]
    print(f"{question}, stopped at another server: N={times}, median {median_s:.2f} s, worst {max(took):.2f} s")
    assert max(took) < 1.0


async def stopped_elsewhere(here, there, database, question: str, name: str) -> float:
    """How long after the wish the stream at the first server ended."""
    body = {"id": name, "message": user_message(question, name)}
    asked = asyncio.create_task(here.post("/api/chat", json=body))

    async def is_running() -> bool:
        return (await there.get(f"/api/sessions/{name}")).status_code == 200

    await eventually(is_running)
    await asyncio.sleep(random.uniform(0.3, 0.8))  # anywhere between two looks at the database
    began = time.monotonic()
    assert (await there.post(f"/api/chat/{name}/stop")).status_code == 202
    stream = (await asked).text
    took = time.monotonic() - began
    assert [chunk["type"] for chunk in chunks(stream)][-2:] == ["message-metadata", "abort"]
    shown = (await there.get(f"/api/sessions/{name}/messages")).json()["messages"]
    said = "".join(part["text"] for part in shown[1]["parts"] if part["type"] == "text")
    assert (shown[1]["metadata"]["state"], said) == ("stopped", spoken(stream))
    assert said
    told = await there.post("/api/chat", json={"message": "what was said", "session_id": name})
    assert f"{said}\n[The user stopped this answer here.]" in told.json()["response"]
    return took
