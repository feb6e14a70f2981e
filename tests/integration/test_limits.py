"""Limits of users: exact, whichever server is asked; a refusal leaves nothing, and says how long to wait."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator

import httpx
import jwt
import pytest

from chatServer.api.auth import ROLE
from chatServer.api.dev_key import DEV_ISSUER, DevKey
from chatServer.turn import gate
from tests.conftest import ADA, owner_connection, rows, serving
from tests.tools.counted import counted
from tests.tools.talking import calls, spoken, talking, user_message, with_script
from tests.tools.turns import eventually

AGENTS = 20  # the turns of one agent already wait for each other
POSTS = 100
ALLOWED = 10
HANGS = {"match": "^wait", "reply": "I am", "hang": True}
FAILS = {"match": "^fail", "reply": "a b", "fail_after_words": 1}


@pytest.fixture(autouse=True)
def _the_gate_stands_open(monkeypatch):
    """As far as it goes: with ten connections five turns begin at once, at each of two servers, though they are of one
    user; and on a slow machine nobody is turned away before the limit has seen him."""
    monkeypatch.setattr(gate, "OWN_PLACES", POSTS)
    monkeypatch.setattr(gate, "MAX_WAIT_S", 60.0)


@contextlib.asynccontextmanager
async def two_servers(settings, headers, **changes) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    folder = settings.chat_data_dir / "agents"
    folder.mkdir(exist_ok=True)
    for name in ["assistant", *(f"agent{i}" for i in range(AGENTS))]:
        agent = {"name": name, "description": name, "prompt": "Be kind.", "limits": {"output_tokens": 500}}
        (folder / f"{name}.yaml").write_text(json.dumps(agent))
    changes = {"agents_dir": folder, "database_pool_wait_ms": 30_000, **changes}
    settings = with_script(settings, HANGS, FAILS, log=True, **changes)
    async with serving(settings) as one, serving(settings) as two:
        for client in (one, two):
            client.headers.update(headers)
        yield one, two


def say(message: str = "hello", session: str = "s", **more) -> dict:
    return {"json": {"message": message, "session_id": session, **more}}


async def post_many(pair, message: str) -> list[asyncio.Task[httpx.Response]]:
    """All at once, to sessions and agents of their own, so that ten at a time meet at the limit and nowhere before."""
    await asyncio.gather(*(client.get("/api/sessions") for client in pair for _ in range(POSTS)))  # connects
    asks = [say(message, f"s{i}", agent_id=f"agent{i % AGENTS}") for i in range(POSTS)]
    return [asyncio.create_task(pair[i % 2].post("/api/chat", **ask)) for i, ask in enumerate(asks)]


def started(settings) -> int:
    return len([call for call in calls(settings) if call["state"] == "started"])


def everything(urls) -> list[tuple]:
    """Every row of every table of ours."""
    tables = rows(urls, "select schemaname || '.' || tablename from pg_tables where schemaname in ('chat', 'public')")
    return [row for (table,) in tables for row in rows(urls, f"select '{table}', t::text from {table} t order by 2")]


def refusal(answer: httpx.Response) -> tuple[int, str, str]:
    return answer.status_code, answer.json().get("code"), answer.json().get("limit")


async def needed_tokens(client, headers) -> int:
    """What one of our messages reserves."""
    answer = await client.post("/api/chat", **say(), headers=headers)
    told = answer.headers
    return int(told["x-ratelimit-limit-tokens"]) - int(told["x-ratelimit-remaining-tokens"])


# Exact, over two servers ----------------------------------------------------------------------------------


async def test_a_hundred_posts_at_a_limit_of_ten_a_minute_are_ten_model_calls(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_turns_per_minute=ALLOWED) as pair:
        answers = await asyncio.gather(*await post_many(pair, "hello"))
    answered = [answer for answer in answers if answer.status_code == 200]
    refused = [answer for answer in answers if answer.status_code != 200]
    assert (len(answered), started(settings)) == (ALLOWED, ALLOWED)
    assert {refusal(answer) for answer in refused} == {(429, "rate_limited", "turns_per_minute")}
    assert all(1 <= int(answer.headers["retry-after"]) <= 60 for answer in refused)
    left = sorted(int(answer.headers["x-ratelimit-remaining-requests"]) for answer in answered)
    assert left == list(range(ALLOWED)), "each was told another number"
    for table in ("chat.turns", "chat.sessions"):
        assert rows(urls, f"select count(*) from {table}") == [(ALLOWED,)]
    assert rows(urls, "select count(*) from chat_message_history") == [(2 * ALLOWED,)]
    print(f"{POSTS} posts over two servers: {len(answered)} answers, {started(settings)} model calls")


@pytest.mark.parametrize("limit", ["parallel_turns", "tokens_per_day"])
async def test_a_hundred_posts_with_room_for_ten_at_once_are_ten_model_calls(settings, as_ada, as_eve, limit):
    allowed = ALLOWED
    if limit == "tokens_per_day":
        async with two_servers(settings, as_eve, limit_tokens_per_day=100_000) as (client, _):
            allowed = ALLOWED * await needed_tokens(client, as_eve) + 400
    before = started(settings)
    async with two_servers(settings, as_ada, **{f"limit_{limit}": allowed}) as pair:
        posts = await post_many(pair, "wait")
        await eventually(lambda: len([post for post in posts if post.done()]) + started(settings) - before == POSTS)
        for i in range(POSTS):  # those that run; of the others there is not even a session
            await pair[i % 2].post(f"/api/chat/s{i}/stop")
        answers = [await post for post in posts]
        assert started(settings) - before == ALLOWED
        assert sorted(answer.status_code for answer in answers) == [200] * ALLOWED + [429] * (POSTS - ALLOWED)
        code = "rate_limited" if limit == "parallel_turns" else "quota_exhausted"
        refused = [answer for answer in answers if answer.status_code == 429]
        assert {refusal(answer) for answer in refused} == {(429, code, limit)}
        assert {answer.headers["retry-after"] for answer in refused} == {"1"}, "soon, when one of them ends"
        assert (await pair[0].post("/api/chat", **say())).status_code == 200, "as it does now"


# What costs nothing ---------------------------------------------------------------------------------------


async def test_who_asks_again_by_the_same_key_joins_or_hears_again_for_nothing(settings, as_ada, urls):
    limits = {"limit_turns_per_minute": 1, "limit_parallel_turns": 1}
    ask = say("wait") | {"headers": {"Idempotency-Key": "k"}}
    async with two_servers(settings, as_ada, **limits) as pair:
        first = asyncio.create_task(pair[0].post("/api/chat", **ask))
        await eventually(lambda: started(settings) == 1)
        joined = [asyncio.create_task(client.post("/api/chat", **ask)) for client in pair]
        await pair[0].post("/api/chat/s/stop")
        again = await pair[1].post("/api/chat", **ask)
        heard = [await first, *[await each for each in joined], again]
        assert {answer.status_code for answer in heard} == {200}
        assert len({answer.json()["turn_id"] for answer in heard}) == 1
        assert [("x-ratelimit-limit-requests" in answer.headers) for answer in heard] == [True, False, False, False]
        assert refusal(await pair[1].post("/api/chat", **say("hello"))) == (429, "rate_limited", "turns_per_minute")


async def test_a_refusal_leaves_nothing_and_is_not_charged(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_turns_per_minute=1) as pair:
        await pair[0].post("/api/chat", **say())
        before, count = everything(urls), counted("chat_turns_refused_total", limit="turns_per_minute")
        for session in ("s", "another"):
            for client in pair:
                assert (await client.post("/api/chat", **say(session=session))).status_code == 429
        assert everything(urls) == before
        assert counted("chat_turns_refused_total", limit="turns_per_minute") == count + 4
        assert (await pair[0].get("/api/sessions/another")).status_code == 404


async def test_other_refusals_are_not_charged_either(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_turns_per_minute=3) as (client, _):
        running = asyncio.create_task(client.post("/api/chat", **say("wait")))
        await eventually(lambda: started(settings) == 1)
        for _ in range(3):
            assert (await client.post("/api/chat", **say())).status_code == 409
            assert (await client.post("/api/chat", **say("word " * 190_000, "t"))).status_code == 422
        await client.post("/api/chat/s/stop")
        await running
        assert rows(urls, "select cardinality(turns_at) from chat.user_limits") == [(1,)]


# How long to wait -----------------------------------------------------------------------------------------


async def test_who_waits_as_long_as_told_is_answered(settings, as_ada, urls):
    async with talking(settings, as_ada, limit_turns_per_minute=2) as client:
        for _ in range(2):
            await client.post("/api/chat", **say())
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.user_limits set turns_at = array_fill(now() - interval '56 s', array[2])")
        refused = await client.post("/api/chat", **say())
        assert refusal(refused) == (429, "rate_limited", "turns_per_minute")
        assert refused.headers["x-ratelimit-remaining-requests"] == "0"
        wait_s = int(refused.headers["retry-after"])
        assert 1 <= wait_s <= 4
        await asyncio.sleep(wait_s)
        assert (await client.post("/api/chat", **say())).status_code == 200


async def test_the_tokens_of_a_day_are_back_with_the_next(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_tokens_per_day=1_500) as pair:
        assert (await pair[0].post("/api/chat", **say())).status_code == 200
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.usage_daily set output_tokens = 1200")
        refused = await pair[1].post("/api/chat", **say())
        assert refusal(refused) == (429, "quota_exhausted", "tokens_per_day")
        [(midnight_s,)] = rows(
            urls, "select extract(epoch from date_trunc('day', now(), 'utc') + interval '1 day' - now())::int"
        )
        assert abs(int(refused.headers["retry-after"]) - midnight_s) <= 2
        assert int(refused.headers["x-ratelimit-remaining-tokens"]) < 300
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.usage_daily set day = day - 1")
        assert (await pair[1].post("/api/chat", **say())).status_code == 200


async def test_of_several_reasons_the_one_is_told_that_holds_the_longest(settings, as_ada):
    async with two_servers(settings, as_ada, limit_turns_per_minute=1, limit_parallel_turns=1) as pair:
        running = asyncio.create_task(pair[0].post("/api/chat", **say("wait")))
        await eventually(lambda: started(settings) == 1)
        assert refusal(await pair[1].post("/api/chat", **say(session="t")))[2] == "turns_per_minute"
        await pair[0].post("/api/chat/s/stop")
        await running


@pytest.mark.parametrize("recent", [0, 1])
async def test_times_that_no_longer_count_are_forgotten(settings, as_ada, urls, recent):
    async with talking(settings, as_ada, limit_turns_per_minute=5) as client:
        await client.post("/api/chat", **say())
        with owner_connection(urls.owner) as connection:
            old, later = "array_fill(now() - interval '61 s', array[2])", "array_fill(now(), array[%s])"
            connection.execute(f"update chat.user_limits set turns_at = {old} || {later}", [recent])
        await client.post("/api/chat", **say())
    assert rows(urls, "select cardinality(turns_at) from chat.user_limits") == [(recent + 1,)]


async def test_a_message_that_no_day_has_room_for_is_refused_for_good(settings, as_ada, urls):
    message = "word " * 600
    async with two_servers(settings, as_ada, limit_tokens_per_day=100_000) as (client, _):
        await client.post("/api/chat", **say(message))
    [(needed,)] = rows(urls, "delete from chat.turns returning reserved_tokens")
    for day, status in ((needed - 1, 422), (needed, 200)):
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.usage_daily")
        async with two_servers(settings, as_ada, limit_tokens_per_day=day) as (client, _):
            answer = await client.post("/api/chat", **say(message, "another"))
        assert answer.status_code == status
        if status == 422:
            assert answer.json()["code"] == "context_too_large"
            assert "retry-after" not in answer.headers


@pytest.mark.parametrize("lease_s", [-1, 86_400], ids=["over", "ahead since the clock was set back"])
async def test_a_turn_that_died_gives_its_place_and_its_tokens_back_with_its_lease(settings, as_ada, urls, lease_s):
    limits = {"limit_parallel_turns": 1, "limit_tokens_per_day": 1_000}
    async with two_servers(settings, as_ada, **limits) as pair:
        doomed = asyncio.create_task(pair[0].post("/api/chat", **say("wait", "dies")))
        await eventually(lambda: started(settings) == 1)
        assert (await pair[1].post("/api/chat", **say())).status_code == 429
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.turns set lease_until = now() + make_interval(secs => %s)", [lease_s])
        assert (await pair[1].post("/api/chat", **say())).status_code == 200
        await pair[0].delete("/api/sessions/dies")
        await doomed


# What counts ----------------------------------------------------------------------------------------------


async def test_another_attempt_at_an_interrupted_turn_counts_as_a_turn(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_turns_per_minute=2, limit_tokens_per_day=100_000) as pair:
        ask = say() | {"headers": {"Idempotency-Key": "k"}}
        await pair[0].post("/api/chat", **ask)
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.turns set state = 'interrupted', reserved_tokens = 0")
            gone = "delete from chat_message_history where message->>'type' <> 'human' returning message_id"
            [(reply_id,)] = connection.execute(gone).fetchall()
            connection.execute("delete from chat.message_index where message_id = %s", (reply_id,))
        assert (await pair[1].post("/api/chat", **ask)).status_code == 200
        assert rows(urls, "select attempt, reserved_tokens > 500 from chat.turns") == [(2, True)]
        assert (await pair[1].post("/api/chat", **say())).status_code == 429


async def test_whoever_deletes_a_session_while_it_is_answered_pays_for_the_answer(settings, as_ada, urls):
    async with two_servers(settings, as_ada, limit_tokens_per_day=100_000) as pair:
        running = asyncio.create_task(pair[0].post("/api/chat", **say("wait")))
        await eventually(lambda: started(settings) == 1)
        assert (await pair[1].delete("/api/sessions/s")).status_code == 204
        assert (await running).status_code == 404
        assert rows(urls, "select turns, input_tokens > 0 from chat.usage_daily") == [(1, True)]


@pytest.mark.parametrize(
    ("limit", "most", "code"),
    [("turns_per_minute", 1, "rate_limited"), ("tokens_per_day", 1_500, "quota_exhausted")],
)
async def test_nobody_gets_another_day_by_an_erasure(settings, as_ada, urls, limit, most, code):
    async with two_servers(settings, as_ada, **{f"limit_{limit}": most}) as (client, _):
        assert (await client.post("/api/chat", **say())).status_code == 200
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.usage_daily set output_tokens = 1200")
        document = (await client.get("/api/account/export")).json()
        for usage in (document["usage"], []):
            assert (await client.delete("/api/account/data")).status_code == 200
            brought = await client.post("/api/account/import", json=document | {"usage": usage})
            assert brought.status_code == 200, brought.text
            assert refusal(await client.post("/api/chat", **say())) == (429, code, limit)


async def test_limits_are_of_each_user(settings, as_ada, as_eve):
    async with two_servers(settings, as_ada, limit_turns_per_minute=1) as pair:
        statuses = [(await pair[i].post("/api/chat", **say(), headers=as_eve)).status_code for i in (0, 1)]
        statuses += [(await pair[i].post("/api/chat", **say())).status_code for i in (0, 1)]
    assert statuses == [200, 429, 200, 429]


async def test_anonymous_users_have_limits_of_their_own(settings, as_ada, urls):
    now = int(time.time())
    claims = {"sub": str(ADA.user_id), "role": ROLE, "aud": DEV_ISSUER.audience, "iss": DEV_ISSUER.name}
    claims |= {"iat": now, "exp": now + 600, "is_anonymous": True}
    token = jwt.encode(claims, DevKey.of(settings.chat_data_dir).secret, "HS256")
    nobody_yet = {"Authorization": f"Bearer {token}"}
    limits = {"limit_turns_per_minute": 3, "limit_anonymous_turns_per_minute": 1}
    async with two_servers(settings, nobody_yet, **limits) as pair:
        first = await pair[0].post("/api/chat", **say())
        assert (first.status_code, first.headers["x-ratelimit-limit-requests"]) == (200, "1")
        assert (await pair[1].post("/api/chat", **say())).status_code == 429
        signed_in = await pair[1].post("/api/chat", **say(), headers=as_ada)
        assert (signed_in.status_code, signed_in.headers["x-ratelimit-remaining-requests"]) == (200, "1")
    told = rows(urls, "select revision ? 'is_anonymous' from chat.turns order by started_at")
    assert told == [(True,), (None,)], "as whoever revises reads it"


# What is told ---------------------------------------------------------------------------------------------


async def test_what_is_left_is_told_with_every_answer_that_began_a_turn(settings, as_ada):
    limits = {"limit_turns_per_minute": 5, "limit_tokens_per_day": 100_000}
    async with two_servers(settings, as_ada, **limits) as (client, _):
        whole = await client.post("/api/chat", **say())
        stream = await client.post("/api/chat", json={"id": "s", "message": user_message("hello")})
        failed = await client.post("/api/chat", **say("fail"))
    assert spoken(stream.text) == "You said: hello"
    assert [answer.status_code for answer in (whole, stream, failed)] == [200, 200, 502]
    for answer, left in ((whole, 4), (stream, 3), (failed, 2)):
        assert answer.headers["x-ratelimit-limit-requests"] == "5"
        assert answer.headers["x-ratelimit-remaining-requests"] == str(left)
        assert answer.headers["x-ratelimit-reset-requests"] == "60"
        assert answer.headers["x-ratelimit-limit-tokens"] == "100000"
        assert 0 < int(answer.headers["x-ratelimit-remaining-tokens"]) < 99_500
        assert 0 < int(answer.headers["x-ratelimit-reset-tokens"]) <= 86_400
    left_first, left_then = (int(answer.headers["x-ratelimit-remaining-tokens"]) for answer in (whole, stream))
    assert left_first - 100 < left_then, "what the first had reserved and did not take is back"


async def test_without_limits_nothing_is_told_and_nothing_kept(settings, as_ada, urls):
    async with talking(settings, as_ada) as client:
        answer = await client.post("/api/chat", **say())
    assert [name for name in answer.headers if name.startswith("x-ratelimit")] == []
    assert rows(urls, "select count(*) from chat.user_limits") == [(0,)]
    assert rows(urls, "select reserved_tokens from chat.turns") == [(0,)]
