"""A turn while it runs: it keeps its lease, ends when it must, and sends its model what it was given."""

import asyncio
import base64
import time
from dataclasses import replace

from pydantic import SecretStr

from chatServer.agent.tools import ToolResult
from chatServer.agent.tools.manage_long_term_memory import manage_long_term_memory
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.store import turns
from chatServer.turn import attempt, gate
from tests.conftest import owner_connection, serving
from tests.tools.counted import counted
from tests.tools.talking import talking
from tests.tools.turns import eventually

PICTURE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 32).decode()
SLOW = {"match": "^slowly", "reply": " ".join(f"word{i}" for i in range(60)), "delay_ms": 50}
CALLS = {
    "match": "^note",
    "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "read"}}],
    "then": "Noted.",
}


async def test_a_turn_longer_than_its_lease_stays_its_own(settings, as_ada, urls, monkeypatch):
    monkeypatch.setattr(turns, "LEASE_S", 1.5)
    monkeypatch.setattr(turns, "RENEW_AFTER_S", 0.4)
    ask = {"json": {"message": "slowly", "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    async with talking(settings, as_ada, SLOW) as one, talking(settings, as_ada, SLOW) as two:
        running = asyncio.create_task(one.post("/api/chat", **ask))
        await asyncio.sleep(2)
        joined = await two.post("/api/chat", **ask)
        assert joined.json() == (await running).json()
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select state, attempt from chat.turns").fetchall() == [("done", 1)]


async def test_a_tool_that_does_not_let_go_holds_up_nobody(settings, as_ada, urls, monkeypatch):
    released = asyncio.Event()

    async def stubborn(*_) -> ToolResult:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        return ToolResult("too late")

    monkeypatch.setitem(TOOLS, "manage_long_term_memory", replace(manage_long_term_memory, run=stubborn))
    monkeypatch.setattr(attempt, "LET_GO_S", 0.3)
    async with talking(settings, as_ada, CALLS) as client:
        asked = asyncio.create_task(client.post("/api/chat", json={"message": "note", "session_id": "s"}))

        async def is_stopped() -> bool:
            return (await client.post("/api/chat/s/stop")).status_code == 202

        try:
            await eventually(is_stopped)
            stopped_at = time.monotonic()
            assert (await asked).json()["state"] == "stopped"
            assert time.monotonic() - stopped_at < 5
            again = await client.post("/api/chat", json={"message": "hello", "session_id": "s"})
            assert again.json()["response"] == "You said: hello"
        finally:
            released.set()
    with owner_connection(urls.owner) as connection:
        late = connection.execute("select count(*) from chat_message_history where message::text like '%too late%'")
        assert late.fetchone() == (0,), "and what it says in the end is no longer heard"


async def test_a_picture_goes_to_the_provider_now_and_again_with_the_next_question(settings, as_ada, provider):
    key = SecretStr("key")
    there = {"model": "openai:says", "model_base_url": provider.base_url, "model_api_key": key}
    async with serving(settings.model_copy(update=there)) as client:
        client.headers.update(as_ada)
        for ask in ({"message": "What is this?", "images": [PICTURE]}, {"message": "Are you sure?"}):
            answer = await client.post("/api/chat", json=ask | {"session_id": "s"})
            assert answer.json()["response"] == "Hello, wire!"
    asked = [request for request in provider.requests if request.get("stream")]
    seen = [[m["content"] for m in request["messages"] if m["role"] == "user"] for request in asked]
    shown = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    assert seen == [[shown], [shown, "Are you sure?"]]


async def test_a_burst_is_answered_or_turned_away_and_never_finds_the_pool_empty(settings, as_ada, urls, monkeypatch):
    monkeypatch.setattr(gate, "MAX_WAIT_S", 0.2)
    before = counted("chat_turns_turned_away_total")
    async with talking(settings, as_ada, database_pool_size=2) as client:
        posts = (client.post("/api/chat", json={"message": f"m{i}", "session_id": f"s{i}"}) for i in range(60))
        answers = await asyncio.gather(*posts)
        assert {(answer.status_code, answer.json().get("code")) for answer in answers} == {
            (200, None),
            (503, "overloaded"),
        }
        assert {answer.headers["Retry-After"] for answer in answers if answer.status_code == 503} == {"2"}
    answered = sum(answer.status_code == 200 for answer in answers)
    assert counted("chat_turns_turned_away_total") - before == len(answers) - answered
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat.turns where state = 'done'").fetchone() == (answered,)
        assert connection.execute("select count(*) from chat.sessions").fetchone() == (answered,), "nothing is left"


async def test_a_crowd_is_met_at_the_door_and_keeps_nobody_from_reading(settings, as_ada, monkeypatch):
    async with talking(settings, as_ada) as client:
        monkeypatch.setattr(gate, "MAX_WAIT_S", -1.0)
        refused = await client.post("/api/chat", json={"message": "hello", "session_id": "s"})
        assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
        assert refused.json()["request_id"] == refused.headers["X-Request-Id"]
        assert (await client.get("/api/sessions")).json()["sessions"] == []
        monkeypatch.setattr(gate, "MAX_WAIT_S", 1.0)
        assert (await client.post("/api/chat", json={"message": "hello", "session_id": "s"})).status_code == 200
