"""A stream ends when its token does, cleanly, and goes on with a fresh one; what it told of goes on meanwhile."""

import asyncio
import time

import pytest

from tests.conftest import ADA, bearer, brief_bearer
from tests.integration.test_events import servers
from tests.integration.test_follow import ids
from tests.tools.hearing import hearing
from tests.tools.talking import chunks, spoken, user_message, with_script

WORDS = " ".join(f"word{number}" for number in range(50))
SLOW = {"match": "^slowly", "reply": WORDS, "delay_ms": 45}
EXPIRED = ": token expired\n\n"


@pytest.mark.parametrize("resumed_at", [0, 1], ids=["the same server", "another server"])
async def test_a_turn_is_heard_to_its_end_with_two_tokens(settings, resumed_at):
    fresh = bearer(settings, ADA.user_id)
    async with servers(with_script(settings, SLOW), 2) as clients:
        body = {"id": "s", "message": user_message("slowly")}
        began = time.monotonic()
        first = await clients[0].post("/api/chat", json=body, headers=brief_bearer(settings, ADA.user_id, 2))
        assert time.monotonic() - began < 2.5
        assert first.text.endswith(EXPIRED)
        assert "[DONE]" not in first.text
        assert "finish" not in first.text
        rest = await clients[resumed_at].get(
            "/api/chat/s/stream", headers=fresh | {"Last-Event-ID": ids(first.text)[-1]}
        )
        assert rest.text.endswith("data: [DONE]\n\n")
        assert spoken(first.text) + spoken(rest.text) == WORDS
        assert spoken(first.text), "it was cut in the middle"
        numbers = [int(each.rpartition(":")[2]) for each in ids(first.text) + ids(rest.text)]
        assert numbers == list(range(1, len(numbers) + 1))
        again = await clients[1].post("/api/chat", json=body, headers=fresh)
        assert chunks(again.text) == chunks(first.text) + chunks(rest.text)


async def test_a_stream_that_was_resumed_ends_with_its_token_too(settings):
    async with servers(with_script(settings, SLOW), 2) as [here, there]:
        body = {"id": "s", "message": user_message("slowly")}
        asked = asyncio.create_task(here.post("/api/chat", json=body, headers=bearer(settings, ADA.user_id)))
        async with asyncio.timeout(10):
            while not (await here.get("/api/sessions", headers=bearer(settings, ADA.user_id))).json()["sessions"]:
                await asyncio.sleep(0.02)
        heard = [
            client.get("/api/chat/s/stream", headers=brief_bearer(settings, ADA.user_id, 2)) for client in (here, there)
        ]
        for stream in await asyncio.gather(*heard):
            assert stream.text.endswith(EXPIRED)
            assert "[DONE]" not in stream.text
        assert spoken((await asked).text) == WORDS


async def test_events_go_on_with_a_fresh_token(settings):
    fresh = bearer(settings, ADA.user_id)
    async with servers(settings) as [client]:
        async with hearing(client, brief_bearer(settings, ADA.user_id, 2)) as tab:
            await client.post("/api/sessions", headers=fresh)
            await tab.until(lambda heard: heard.has_ended, 3)
        assert [frame.event for frame in tab.frames] == ["hello", "session"]
        assert tab.comments == [": token expired"]
        for _ in range(2):
            await client.post("/api/sessions", headers=fresh)
        async with hearing(client, fresh, tab.cursor) as rest:
            await rest.until(lambda heard: len(heard.events) == 2)
        numbers = [int(frame.id) for frame in [*tab.frames, *rest.events]]
        assert numbers == list(range(numbers[0], numbers[0] + 4))


async def test_json_is_not_cut_and_an_expired_token_opens_nothing(settings):
    brief = brief_bearer(settings, ADA.user_id, 2)
    async with servers(with_script(settings, SLOW)) as [client]:
        answer = await client.post("/api/chat", json={"message": "slowly", "session_id": "s"}, headers=brief)
        assert (answer.status_code, answer.json()["response"]) == (200, WORDS)
        for method, path in (("GET", "/api/events"), ("GET", "/api/chat/s/stream"), ("POST", "/api/chat")):
            refused = await client.request(
                method, path, headers=brief, json={"message": "x"} if method == "POST" else None
            )
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
