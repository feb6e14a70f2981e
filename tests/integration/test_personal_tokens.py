"""Personal tokens: shown once, kept as a hash, good for their scopes, and over when they are deleted."""

import asyncio
import re
import time
import uuid
from base64 import urlsafe_b64encode
from types import SimpleNamespace

import pytest

from chatServer import errors
from chatServer.api import personal_tokens
from chatServer.api.personal_tokens import MAX_TOKENS, PREFIX, Parts, PersonalTokens, parsed
from chatServer.api.scopes import scopes_of
from chatServer.records import Principal
from tests.conftest import ADA, EVE, owner_connection, serving
from tests.tools.canary import CANARY
from tests.tools.mcp_client import connected, told
from tests.tools.routes import ENDLESS, PUBLIC, all_routes

TOKENS = "/api/account/tokens"
OPEN = {  # to which scopes a route is; all others want the user himself
    "chat": {"/api/chat", "/api/chat/{session_id}/stream", "/api/chat/{session_id}/stop", "/api/events", "/api/agents"},
    "memory": {"/mcp", "/api/knowledge", "/api/knowledge/{article_id}"},
}


async def make(client, headers, *scopes: str, name: str = "laptop", **more) -> dict:
    answer = await client.post(TOKENS, json={"name": name, "scopes": scopes, **more}, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def with_token(made: dict) -> dict[str, str]:
    return {"Authorization": f"Bearer {made['token']}"}


async def test_a_token_is_shown_once_and_kept_as_a_hash(client, as_ada, urls):
    made = await make(client, as_ada, "memory", "chat", name=f"my {CANARY}", expires_in_days=30)
    assert re.fullmatch(r"cst_[A-Za-z0-9_-]{86}", made["token"])
    assert made["scopes"] == ["chat", "memory"]
    [listed] = (await client.get(TOKENS, headers=as_ada)).json()["tokens"]
    assert listed == {name: value for name, value in made.items() if name != "token"}
    with owner_connection(urls.owner) as connection:
        [(row, days)] = connection.execute(
            "select t::text, extract(day from expires_at - created_at) from chat.personal_tokens t"
        ).fetchall()
    parts = parsed(made["token"])
    assert (parts.user_id, str(parts.token_id), days) == (ADA.user_id, made["id"], 30)
    assert parts.secret.hex() not in row
    assert parts.digest.hex() in row
    assert made["token"][30:] not in repr(parts)


async def test_it_serves_its_user_at_the_routes_of_its_scopes_and_nowhere_else(client, as_ada):
    """Every route there is: a new one is closed to tokens until somebody opens it."""
    chat, memory = await make(client, as_ada, "chat"), await make(client, as_ada, "memory")
    for method, path in all_routes():
        if path in PUBLIC | ENDLESS:
            continue
        expected = set(scopes_of(path))
        for scope, made in (("chat", chat), ("memory", memory)):
            assert path not in OPEN[scope] or scope in expected
            url = re.sub(r"\{[^}]+\}", str(uuid.uuid4()), path)
            answer = await client.request(method, url, json={}, headers=with_token(made))
            is_open = answer.status_code != 403
            assert is_open is (scope in expected), (method, path, scope, answer.status_code)
            if not is_open:
                assert answer.json()["code"] == "forbidden"
    assert scopes_of("/api/account/tokens") == scopes_of("/api/account/data") == scopes_of("/api/chatter") == ()
    assert scopes_of("/api/agents/{name}/notes/versions/{version}") == ("chat", "memory")


async def test_no_token_makes_lists_or_ends_tokens(client, as_ada):
    made = await make(client, as_ada, "chat", "memory")
    headers = with_token(made)
    answers = [
        await client.post(TOKENS, json={"name": "more", "scopes": ["chat"]}, headers=headers),
        await client.get(TOKENS, headers=headers),
        await client.delete(f"{TOKENS}/{made['id']}", headers=headers),
    ]
    assert {(answer.status_code, answer.json()["detail"]) for answer in answers} == {
        (403, "A personal token cannot do this. Sign in.")
    }
    assert len((await client.get(TOKENS, headers=as_ada)).json()["tokens"]) == 1


async def test_with_it_a_client_of_mcp_and_one_of_the_chat_stay_signed_in(client, as_ada):
    made = await make(client, as_ada, "chat", "memory")
    asked = await client.post("/api/chat", json={"message": "Hello you"}, headers=with_token(made))
    assert asked.status_code == 200
    mine = (await client.get("/api/sessions", headers=as_ada)).json()["sessions"]
    assert [each["session_id"] for each in mine] == [asked.json()["session_id"]]
    async with connected(with_token(made), app=client) as mcp:
        assert (await told(mcp, "read_notes"))["version"] == 0


@pytest.mark.parametrize("shown_s", [61, -3_600], ids=["a clock that goes", "a clock that was set back"])
async def test_deleting_it_ends_it_here_at_once_and_elsewhere_within_a_minute(
    client, settings, as_ada, monkeypatch, shown_s
):
    made = await make(client, as_ada, "chat")
    async with serving(settings) as elsewhere:
        for each in (client, elsewhere):
            assert (await each.get("/api/agents", headers=with_token(made))).status_code == 200
        assert (await client.delete(f"{TOKENS}/{made['id']}", headers=as_ada)).status_code == 204
        assert (await client.get("/api/agents", headers=with_token(made))).status_code == 401
        shown, passed = time.time() + shown_s, time.monotonic() + 61
        clocks = SimpleNamespace(time=lambda: shown, monotonic=lambda: passed)
        monkeypatch.setattr(personal_tokens, "time", clocks)
        assert (await elsewhere.get("/api/agents", headers=with_token(made))).status_code == 401
    assert (await client.delete(f"{TOKENS}/{made['id']}", headers=as_ada)).json()["code"] == "not_found"


async def test_it_ends_by_itself(client, as_ada, urls):
    made = await make(client, as_ada, "chat", expires_in_days=1)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.personal_tokens set expires_at = now()")
    assert (await client.get("/api/agents", headers=with_token(made))).status_code == 401


WRONG = [
    {"scopes": ["chat"]},
    {"name": "", "scopes": ["chat"]},
    {"name": " \n", "scopes": ["chat"]},
    {"name": "x" * 101, "scopes": ["chat"]},
    {"name": "x", "scopes": []},
    {"name": "x", "scopes": ["everything"]},
    {"name": "x", "scopes": ["chat"], "expires_in_days": 0},
    {"name": "x", "scopes": ["chat"], "expires_in_days": 367},
]


async def test_what_is_wrong_with_a_wish_is_said(client, as_ada):
    answers = [await client.post(TOKENS, json=body, headers=as_ada) for body in WRONG]
    assert [answer.json().get("code") for answer in answers] == ["invalid_request"] * len(WRONG)


async def test_a_user_has_twenty_at_most_also_when_he_asks_at_once(client, as_ada):
    body = {"name": "one more", "scopes": ["chat"]}
    answers = await asyncio.gather(*(client.post(TOKENS, json=body, headers=as_ada) for _ in range(MAX_TOKENS + 4)))
    assert sorted(answer.status_code for answer in answers) == [201] * MAX_TOKENS + [422] * 4


async def test_another_users_token_is_not_there(client, as_ada, as_eve):
    made = await make(client, as_ada, "chat")
    assert (await client.get(TOKENS, headers=as_eve)).json() == {"tokens": []}
    assert (await client.delete(f"{TOKENS}/{made['id']}", headers=as_eve)).status_code == 404
    assert (await client.get("/api/agents", headers=with_token(made))).status_code == 200


async def test_whatever_is_wrong_with_it_the_answer_is_that_of_every_token(client, as_ada):
    made = await make(client, as_ada, "chat")
    token, parts = made["token"], parsed(made["token"])
    wrong = {
        "another secret": str(Parts(parts.user_id, parts.token_id, b"x" * 32)),
        "another user": str(Parts(EVE.user_id, parts.token_id, parts.secret)),
        "another id": str(Parts(parts.user_id, uuid.uuid4(), parts.secret)),
        "nobody": str(Parts(uuid.UUID(int=0), parts.token_id, parts.secret)),
        "another spelling": token[:-1] + ("B" if token[-1] == "A" else chr(ord(token[-1]) + 1)),
        "padding": token + "==",
        "short": token[:-3],
        "long": str(Parts(parts.user_id, parts.token_id, parts.secret + b"x")),
        "nothing": PREFIX,
        "junk": PREFIX + "_" * 8_000,
        "plain base64": PREFIX + urlsafe_b64encode(b"\xff" * 64).decode(),
    }
    bodies = set()
    assert (await client.get("/api/agents", headers=with_token(made))).status_code == 200  # so it is remembered
    for name, text in wrong.items():
        headers = {"Authorization": f"Bearer {text}", "X-Request-Id": "same"}
        answer = await client.get("/api/agents", headers=headers)
        assert answer.status_code == 401, name
        bodies.add(answer.content)
    assert len(bodies) == 1


async def test_that_it_was_used_is_written_once_an_hour(client, as_ada, urls, monkeypatch):
    made = await make(client, as_ada, "chat")
    monkeypatch.setattr(personal_tokens, "REMEMBERED_S", 0)

    def last_used(change: str = "") -> object:
        with owner_connection(urls.owner) as connection:
            if change:
                connection.execute(f"update chat.personal_tokens set last_used_at = last_used_at - interval '{change}'")
            return connection.execute("select last_used_at from chat.personal_tokens").fetchone()[0]

    assert last_used() is None
    await client.get("/api/agents", headers=with_token(made))
    first = last_used("59 minutes")
    await client.get("/api/agents", headers=with_token(made))
    assert last_used() == first
    older = last_used("2 minutes")
    await client.get("/api/agents", headers=with_token(made))
    assert last_used() > older


async def test_the_token_of_an_anonymous_user_has_an_anonymous_users_limits(database):
    tokens = PersonalTokens(database)
    anonymous = Principal(ADA.user_id, is_anonymous=True)
    _, secret = await tokens.make(anonymous, "laptop", ["chat"], personal_tokens.timedelta(days=1))
    found = await tokens.principal_of(secret)
    assert (found.user_id, found.is_anonymous, found.scopes) == (ADA.user_id, True, {"chat"})
    tokens.forget(ADA.user_id)
    assert await tokens.principal_of(secret) == anonymous


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_one_that_ends_while_it_is_looked_up_is_not_remembered(database, urls, monkeypatch, how):
    tokens = PersonalTokens(database)
    made, secret = await tokens.make(ADA, "laptop", ["chat"], personal_tokens.timedelta(days=1))

    async def ends(*_) -> None:
        if how == "deleted":
            await tokens.delete(ADA, made.token_id)
            return
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.personal_tokens")
        tokens.forget(ADA.user_id)

    monkeypatch.setattr(personal_tokens.store, "mark_used", ends)
    assert (await tokens.principal_of(secret)).user_id == ADA.user_id, "it was there when it was looked for"
    assert await tokens.principal_of(secret) is None


async def test_whoever_waits_too_long_to_be_looked_up_is_told(client, as_ada, database, monkeypatch):
    made = await make(client, as_ada, "chat")
    tokens = PersonalTokens(database)
    monkeypatch.setattr(personal_tokens, "LOOKUP_WAIT_S", 0.05)
    for _ in range(personal_tokens.LOOKUPS):
        await tokens._looking.acquire()
    with pytest.raises(errors.Overloaded):
        async with asyncio.timeout(5):
            await tokens.principal_of(made["token"])
    for _ in range(personal_tokens.LOOKUPS):
        tokens._looking.release()
    assert (await tokens.principal_of(made["token"])).user_id == ADA.user_id


async def test_what_was_refused_is_not_looked_up_again_and_shuts_out_nobody_else(client, as_ada, database, monkeypatch):
    made = await make(client, as_ada, "chat")
    parts, tokens = parsed(made["token"]), PersonalTokens(database)
    monkeypatch.setattr(personal_tokens, "REFUSED_TOKENS", 2)
    wrong = [str(Parts(parts.user_id, parts.token_id, bytes([number]) * 32)) for number in range(3)]
    assert [await tokens.principal_of(each) for each in wrong] == [None] * 3
    assert len(tokens._refused) == 2
    assert (await tokens.principal_of(made["token"])).user_id == ADA.user_id
    tokens.forget(ADA.user_id)
    monkeypatch.setattr(personal_tokens, "LOOKUP_WAIT_S", 0.05)
    tokens._looking = asyncio.Semaphore(0)  # nothing more can be looked up
    assert await tokens.principal_of(wrong[2]) is None
    with pytest.raises(errors.Overloaded):
        await tokens.principal_of(wrong[0])
