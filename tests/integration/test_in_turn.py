"""Of what costs much, one user has little at once: his others wait in turn, and everybody else for none of them."""

import asyncio
from collections import Counter

import pytest

from chatServer.api.in_turn import AT_ONCE, COSTLY, SEARCH, WAITING, InTurn, limit_of
from chatServer.main import create_app
from tests.conftest import ADA, serving_app
from tests.tools.problems import assert_problem
from tests.tools.routes import layers_of, routes_of
from tests.tools.turns import eventually

REQUESTS = [*COSTLY, (SEARCH[0], f"{SEARCH[1]}?q=lisbon")]
LISTS = [SEARCH, ("GET", "/api/usage"), ("GET", "/api/agents")]
FREE = {  # what lasts, what strangers see, and what is read once in a while
    *("/api/chat/{session_id}/stream", "/api/events", "/api/client"),
    *("/api/account/tokens", "/api/account/erasures"),
}


class Held:
    """The app behind the limit; requests of Ada stay in it until they are let go."""

    def __init__(self, app, as_ada):
        self.app, self.token = app, as_ada["Authorization"].encode()
        self.let_go = asyncio.Event()
        self.inside = Counter()

    async def __call__(self, scope, receive, send):
        if dict(scope["headers"])[b"authorization"] == self.token:
            self.inside[scope["path"]] += 1
            self.scope = scope
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
    told = one_more.json()
    assert told["limit"] == COSTLY.get(request_, "parallel_reads")
    assert told["title"] == f"Too many {told['limit'].removeprefix('parallel_')} at once"
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


async def test_who_leaves_while_he_waits_is_not_answered_and_makes_room(layer, held, as_ada):
    client, found = layer
    own = asked(client, ("GET", "/api/memories"), as_ada, AT_ONCE)
    await eventually(lambda: held.inside["/api/memories"] == AT_ONCE)
    messages = [asyncio.Queue() for _ in range(WAITING)]
    waiting = [asyncio.create_task(found({**held.scope}, each.get, None)) for each in messages]
    for each in messages:
        each.put_nowait({"type": "http.request", "body": b"", "more_body": False})
    await eventually(lambda: found.rows["parallel_reads"]._rows[ADA.user_id].guests == AT_ONCE + WAITING)
    for each in messages:
        each.put_nowait({"type": "http.disconnect"})
    async with asyncio.timeout(10):
        await asyncio.gather(*waiting)
    own += asked(client, ("GET", "/api/memories"), as_ada, WAITING)
    held.let_go.set()
    assert {each.status_code for each in await asyncio.gather(*own)} == {200}
    assert held.inside["/api/memories"] == AT_ONCE + WAITING
    assert not any(row._rows for row in found.rows.values())


async def test_who_does_not_take_his_answer_is_in_the_way_of_nobody(layer, held, as_ada):
    client, found = layer
    held.let_go.set()
    assert (await client.get("/api/agents", headers=as_ada)).status_code == 200
    stuck = asyncio.Event()

    async def send(message):
        if message["type"] == "http.response.body":
            await stuck.wait()

    scope, receive = {**held.scope}, asyncio.Queue().get
    untaken = [asyncio.create_task(found({**scope}, receive, send)) for _ in range(AT_ONCE)]
    await eventually(lambda: held.inside["/api/agents"] == 1 + AT_ONCE)
    async with asyncio.timeout(10):
        assert (await client.get("/api/agents", headers=as_ada)).status_code == 200
    stuck.set()
    await asyncio.gather(*untaken)
    assert not any(row._rows for row in found.rows.values())


async def test_the_body_of_who_waited_arrives(layer, held, as_ada):
    client, _ = layer
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = as_ada | {"Accept": "application/json, text/event-stream"}
    own = [asyncio.create_task(client.post("/mcp", json=call, headers=headers)) for _ in range(AT_ONCE + 1)]
    await eventually(lambda: held.inside["/mcp"] == AT_ONCE)
    held.let_go.set()
    assert all(each.json()["result"]["tools"] for each in await asyncio.gather(*own))


async def test_downloads_searches_and_lists_do_not_wait_for_each_other(layer, held, as_ada):
    client, _ = layer
    own = []
    for request in [("GET", "/api/account/export"), ("GET", "/api/memories"), LISTS[0]]:
        own += asked(client, request, as_ada, AT_ONCE + 1)
        await eventually(lambda path=request[1]: held.inside[path] == AT_ONCE)
    held.let_go.set()
    assert {each.status_code for each in await asyncio.gather(*own)} == {200}


async def test_lists_of_one_user_wait_for_each_other_however_many_they_are_and_others_do_not(
    layer, held, as_ada, as_eve
):
    client, _ = layer
    own = [each for request in LISTS for each in asked(client, request, as_ada, AT_ONCE + WAITING)]
    await eventually(lambda: held.inside.total() == AT_ONCE)
    assert (await client.request(*LISTS[0], headers=as_eve)).status_code == 200
    assert (await client.post("/api/sessions", json={}, headers=as_eve)).status_code == 201
    assert held.inside.total() == AT_ONCE
    held.let_go.set()
    assert {each.status_code for each in await asyncio.gather(*own)} == {200}


def test_every_read_of_a_user_waits_in_a_row_or_is_named_here(settings):
    reads = {path for method, path in routes_of(create_app(settings)) if method == "GET" and path.startswith("/api/")}
    of_none = {path for path in reads if limit_of({"method": "GET", "path": path, "query_string": b""}) is None}
    assert of_none == FREE


async def test_a_stranger_is_told_to_sign_in(layer):
    client, _ = layer
    for request in REQUESTS:
        assert_problem(await client.request(*request), 401, "unauthenticated")
        refused = await client.request(*request, headers={"Authorization": "Bearer nonsense"})
        assert_problem(refused, 401, "unauthenticated")


def test_what_is_named_is_there(settings):
    assert {*COSTLY, SEARCH} <= {*routes_of(create_app(settings))}
