"""A stream ends when its token does, cleanly, and goes on with a fresh one; what it told of goes on meanwhile."""

import asyncio

from tests.conftest import ADA, bearer, brief_bearer
from tests.tools.hearing import hearing
from tests.tools.listening import servers
from tests.tools.talking import chunks, ids, spoken, user_message, with_script

LIFE_S = 3  # or one less
WORDS = " ".join(f"word{number}" for number in range(65))
SLOW = {"match": "^slowly", "reply": WORDS, "delay_ms": 50}
EXPIRED = ": token expired\n\n"


async def test_a_turn_is_heard_to_its_end_with_two_tokens(settings):
    fresh = bearer(settings, ADA.user_id)
    async with servers(with_script(settings, SLOW), 2) as [here, there]:
        body = {"id": "s", "message": user_message("slowly")}
        brief = brief_bearer(settings, ADA.user_id, LIFE_S)
        asked = asyncio.create_task(here.post("/api/chat", json=body, headers=brief))
        async with asyncio.timeout(10):
            while not (await there.get("/api/sessions", headers=fresh)).json()["sessions"]:
                await asyncio.sleep(0.02)
        followed = asyncio.create_task(there.get("/api/chat/s/stream", headers=brief))
        begun, elsewhere = (await asked).text, (await followed).text
        for first in (begun, elsewhere):
            assert first.endswith(EXPIRED)
            assert "[DONE]" not in first
            assert spoken(first) not in ("", WORDS), "it was cut in the middle"
        for first, client in ((begun, here), (begun, there), (elsewhere, here)):
            seen = {"Last-Event-ID": ids(first)[-1]}
            rest = (await client.get("/api/chat/s/stream", headers=fresh | seen)).text
            assert rest.endswith("data: [DONE]\n\n")
            assert spoken(first) + spoken(rest) == WORDS
            numbers = [int(each.rpartition(":")[2]) for each in ids(first) + ids(rest)]
            assert numbers == list(range(1, len(numbers) + 1))
        again = await there.post("/api/chat", json=body, headers=fresh)
        assert chunks(again.text) == chunks(first) + chunks(rest)


async def test_events_go_on_with_a_fresh_token(settings):
    fresh = bearer(settings, ADA.user_id)
    async with servers(settings) as [client]:
        async with hearing(client, brief_bearer(settings, ADA.user_id, LIFE_S)) as tab:
            await client.post("/api/sessions", headers=fresh)
            await tab.until(lambda heard: heard.has_ended, LIFE_S + 1)
        assert [frame.event for frame in tab.frames] == ["hello", "session"]
        assert tab.comments == [": token expired"]
        for _ in range(2):
            await client.post("/api/sessions", headers=fresh)
        async with hearing(client, fresh, tab.cursor) as rest:
            await rest.until(lambda heard: len(heard.events) == 2)
        numbers = [int(frame.id) for frame in [*tab.frames, *rest.events]]
        assert numbers == list(range(numbers[0], numbers[0] + 4))


async def test_json_is_not_cut_and_an_expired_token_opens_nothing(settings):
    brief = brief_bearer(settings, ADA.user_id, LIFE_S)
    async with servers(with_script(settings, SLOW)) as [client]:
        answer = await client.post("/api/chat", json={"message": "slowly", "session_id": "s"}, headers=brief)
        assert (answer.status_code, answer.json()["response"]) == (200, WORDS)
        for method, path in (("GET", "/api/events"), ("GET", "/api/chat/s/stream"), ("POST", "/api/chat")):
            body = {"message": "x"} if method == "POST" else None
            refused = await client.request(method, path, headers=brief, json=body)
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
