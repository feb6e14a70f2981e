"""GET /api/usage: one's own days, limits, and what is left of today; asking counts nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from chatServer.records import Usage
from chatServer.store import usage
from tests.conftest import ADA, EVE
from tests.tools.dumping import rows_of
from tests.tools.talking import talking

TODAY = datetime.now(UTC).date()
NOTHING = {"turns": 0, "input_tokens": 0, "output_tokens": 0, "total_tokens": 0, "revision_tokens": 0}


def days_ago(days: int):
    return TODAY - timedelta(days=days)


async def add(database, principal, *, day=None, agent="assistant", model="m", given=10, said=3):
    async with database.transaction(principal) as connection:
        told = {"agent_name": agent, "model": model, "usage": Usage(given, said), "day": day}
        await usage.add_usage(connection, principal.user_id, **told)


async def test_a_stranger_is_told_nothing(client):
    assert (await client.get("/api/usage")).status_code == 401


async def test_somebody_else_sees_his_own_which_is_nothing(client, database, as_eve):
    await add(database, ADA)
    told = (await client.get("/api/usage", headers=as_eve)).json()
    assert (told["rows"], told["totals"]) == ([], NOTHING)
    assert told["today"]["used_tokens"] == 0


async def test_days_agents_and_models_are_told_apart_and_add_up(client, database, as_ada):
    await add(database, ADA, day=days_ago(1), given=100, said=10)
    await add(database, ADA, day=days_ago(1), agent="coder")
    await add(database, ADA, day=days_ago(40), given=1_000)
    async with database.transaction(ADA) as connection:
        await usage.add_revision(connection, ADA.user_id, agent_name="assistant", model="m", usage=Usage(5, 2))
    await add(database, EVE, given=77)
    told = (await client.get("/api/usage", headers=as_ada)).json()
    rows = [(each["day"], each["agent_name"], each["turns"], each["total_tokens"]) for each in told["rows"]]
    yesterday, today = (str(days_ago(ago)) for ago in (1, 0))
    assert rows == [(yesterday, "assistant", 1, 110), (yesterday, "coder", 1, 13), (today, "assistant", 0, 7)]
    counts = {"turns": 2, "input_tokens": 115, "output_tokens": 15, "total_tokens": 130, "revision_tokens": 7}
    assert told["totals"] == counts
    assert told["since"] == str(days_ago(29))
    longer = (await client.get("/api/usage", params={"since": str(days_ago(40))}, headers=as_ada)).json()
    assert longer["totals"]["input_tokens"] == 1_115
    assert (await client.get("/api/usage", params={"since": str(TODAY)}, headers=as_ada)).json()["totals"]["turns"] == 0


async def test_what_a_turn_took_is_gone_from_what_is_left_of_today(settings, as_ada, urls):
    limits = {"limit_tokens_per_day": 50_000, "limit_parallel_turns": 3, "limit_revision_tokens_per_day": 700}
    async with talking(settings, as_ada, **limits) as client:
        took = (await client.post("/api/chat", json={"message": "hello"})).json()["usage"]["total_tokens"]
        before = rows_of(urls)
        told = (await client.get("/api/usage")).json()
        assert rows_of(urls) == before
    assert told["limits"] == {
        "turns_per_minute": None,
        "parallel_turns": 3,
        "tokens_per_day": 50_000,
        "revision_tokens_per_day": 700,
    }
    midnight = told["today"].pop("resets_at")
    assert told["today"] == {
        "used_tokens": took,
        "revision_tokens": 0,
        "reserved_tokens": 0,
        "left_tokens": 50_000 - took,
        "running_turns": 0,
    }
    assert datetime.fromisoformat(midnight) - datetime.now(UTC) <= timedelta(days=1)
    assert [(each["turns"], each["total_tokens"]) for each in told["rows"]] == [(1, took)]


async def test_without_a_limit_nothing_is_left_to_tell(client, as_ada):
    told = (await client.get("/api/usage", headers=as_ada)).json()
    assert set(told["limits"].values()) == {None}
    assert told["today"]["left_tokens"] is None


async def test_days_may_have_an_end(client, database, as_ada):
    for ago, given in ((0, 1), (1, 10), (2, 100), (400, 1_000), (430, 10_000)):
        await add(database, ADA, day=days_ago(ago), given=given, said=0)

    async def taken(**days: int) -> int:
        params = {name: str(days_ago(ago)) for name, ago in days.items()}
        told = (await client.get("/api/usage", params=params, headers=as_ada)).json()
        assert told["until"] == params.get("until")
        return told["totals"]["input_tokens"]

    assert await taken(until=1) == 110
    assert await taken(since=1, until=1) == 10
    assert await taken(since=410, until=300) == 1_000
    assert await taken(until=300) == 0
    assert await taken(until=410) == 10_000
    assert await taken() == 111


@pytest.mark.parametrize(
    "params",
    [
        {"until": "tomorrow"},
        {"until": ""},
        {"since": "2026-11-02", "until": "2026-11-01"},
        {"since": "2024-11-01", "until": "2025-11-02"},
        {"since": "0001-01-01", "until": "9999-12-31"},
    ],
)
async def test_an_end_that_is_none_is_refused(client, as_ada, params):
    answer = await client.get("/api/usage", params=params, headers=as_ada)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    first = await client.get("/api/usage", params={"until": "0001-01-01"}, headers=as_ada)
    assert (first.status_code, first.json()["since"]) == (200, "0001-01-01")


@pytest.mark.parametrize("since", ["yesterday", "2026-13-01", "", "-1", "1" * 5_000, str(days_ago(366)), "0001-01-01"])
async def test_what_is_no_day_of_the_last_year_is_refused(client, as_ada, since):
    answer = await client.get("/api/usage", params={"since": since}, headers=as_ada)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


async def test_a_year_is_the_most_and_tomorrow_is_empty(client, database, as_ada):
    await add(database, ADA)
    for since, turns in ((days_ago(365), 1), (days_ago(-1), 0)):
        answer = await client.get("/api/usage", params={"since": str(since)}, headers=as_ada)
        assert answer.json()["totals"]["turns"] == turns
