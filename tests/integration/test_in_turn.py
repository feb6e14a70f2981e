"""Of what costs much, one user has little at once: his others wait in turn, and everybody else for none of them."""

import asyncio
from collections import Counter

import pytest

from chatServer.api.in_turn import AT_ONCE, COSTLY, SEARCH, WAITING, InTurn
from chatServer.main import create_app
from tests.conftest import serving_app
from tests.tools.problems import assert_problem
from tests.tools.routes import layers_of, routes_of
from tests.tools.turns import eventually

REQUESTS = [*COSTLY, (SEARCH[0], f"{SEARCH[1]}?q=lisbon")]
CHEAP = [SEARCH, ("GET", "/api/usage"), ("GET", "/api/agents")]


class Held:
    """The app behind the limit; requests of Ada stay in it until they are let go."""

    def __init__(self, app, as_ada):
        self.app, self.token = app, as_ada["Authorization"].encode()
        self.let_go = asyncio.Event()
        self.inside = Counter()

    async def __call__(self, scope, receive, send):
        if dict(scope["headers"])[b"authorization"] == self.token:
            self.inside[scope["path"]] += 1
            await self.let_go.wait()
        await self.app(scope, receive, send)


@pytest.fixture
async def layer(settings):
    app = create_app(settings)
    async with serving_app(app) as client:
        await client.get("/healthz")
        found = next(each for each in layers_of(app) if isinstance(each, InTurn))
        found.rows = InTurn(app, wait_s=60).rows  # a busy machine takes its time for all of them
        yield client, found


@pytest.fixture
def held(layer, as_ada):
    layer[1].app = Held(layer[1].app, as_ada)
    return layer[1].app


def asked(client, request, headers, times=1):
    return [asyncio.create_task(client.request(*request, headers=headers)) for _ in range(times)]


async def first_answer(tasks):
    return (await eventually(lambda: [each for each in tasks if each.done()]))[0].result()


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
async def test_what_costs_much_of_one_user_waits_and_others_do_not(request_, layer, held, as_ada, as_eve):
    client, _ = layer
    path = request_[1].partition("?")[0]
    own = asked(client, request_, as_ada, AT_ONCE + WAITING + 1)
    one_more = await first_answer(own)
    assert_problem(one_more, 429, "rate_limited")
    assert one_more.json()["limit"] == COSTLY.get(request_, "parallel_reads")
    assert one_more.headers["Retry-After"] == "2"
    assert held.inside[path] == AT_ONCE
    [other] = await asyncio.gather(*asked(client, request_, as_eve))
    held.let_go.set()
    assert Counter(each.status_code for each in await asyncio.gather(*own)) == {
        other.status_code: AT_ONCE + WAITING,
        429: 1,
    }


async def test_who_waits_too_long_is_told_to_come_back(layer, held, as_ada):
    client, found = layer
    found.rows = InTurn(found.app, wait_s=0).rows
    request = ("GET", "/api/memories")
    own = asked(client, request, as_ada, AT_ONCE + 1)
    assert_problem(await first_answer(own), 429, "rate_limited")
    held.let_go.set()
    assert Counter(each.status_code for each in await asyncio.gather(*own)) == {200: AT_ONCE, 429: 1}
    assert (await client.request(*request, headers=as_ada)).status_code == 200
    assert not any(row._rows for row in found.rows.values()), "nothing is kept of who has left"


async def test_downloads_and_searches_do_not_wait_for_each_other_and_what_is_cheap_for_nothing(layer, held, as_ada):
    client, _ = layer
    own = asked(client, ("GET", "/api/account/export"), as_ada, AT_ONCE + 1)
    await eventually(lambda: held.inside["/api/account/export"] == AT_ONCE)
    for method, path in [("GET", "/api/memories"), *CHEAP]:
        own += asked(client, (method, path), as_ada, AT_ONCE + 1)
    await eventually(lambda: all(held.inside[path] == AT_ONCE + 1 for _, path in CHEAP))
    await eventually(lambda: held.inside["/api/memories"] == AT_ONCE)
    held.let_go.set()
    assert {each.status_code for each in await asyncio.gather(*own)} == {200}


async def test_a_stranger_is_told_to_sign_in(layer):
    client, _ = layer
    for request in REQUESTS:
        assert_problem(await client.request(*request), 401, "unauthenticated")
        refused = await client.request(*request, headers={"Authorization": "Bearer nonsense"})
        assert_problem(refused, 401, "unauthenticated")


def test_what_is_named_is_there(settings):
    assert {*COSTLY, SEARCH} <= {*routes_of(create_app(settings))}
