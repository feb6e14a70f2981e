"""The provisional sign-in for development, and that every route asks for it."""

import time
import uuid

import httpx
import jwt
import pytest
from fastapi import APIRouter, FastAPI
from starlette.responses import PlainTextResponse

from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.config import Settings
from chatServer.errors import StartupError
from chatServer.main import create_app
from tests.conftest import serving_app
from tests.tools.routes import PUBLIC, all_routes, open_doors, routes_of


def test_the_walk_over_the_routes_finds_them_and_the_public_list_names_no_other():
    paths = {path for _, path in all_routes()}
    assert ("DELETE", "/api/sessions/{session_id}") in all_routes()
    assert paths >= PUBLIC
    assert paths >= create_app(Settings(_env_file=None)).openapi()["paths"].keys()


async def test_every_route_but_the_public_ones_wants_a_token(client):
    routes = [each for each in all_routes() if each[1] not in PUBLIC]
    assert len(routes) > 7
    assert await open_doors(client, routes) == []


async def test_a_planted_route_without_sign_in_is_found_wherever_it_hides(settings):
    app = create_app(settings)
    known = routes_of(app)

    async def door() -> str:
        return "come in"

    async def anything(scope, receive, send):
        await PlainTextResponse("come in")(scope, receive, send)

    inner, outer, mounted = APIRouter(prefix="/inner"), APIRouter(prefix="/outer"), FastAPI()
    app.get("/hidden", include_in_schema=False)(door)
    inner.post("/{x}/nested")(door)
    outer.include_router(inner)
    app.include_router(outer)
    mounted.delete("/below")(door)
    app.mount("/mounted", mounted)
    app.mount("/opaque", anything)
    app.add_api_websocket_route("/socket", door)
    planted = {
        ("GET", "/hidden"), ("POST", "/outer/inner/{x}/nested"), ("DELETE", "/mounted/below"),
        ("GET", "/opaque/"), ("POST", "/opaque/"), ("WEBSOCKET", "/socket"),
    }  # fmt: skip
    new = set(routes_of(app)) - set(known)
    assert new >= planted
    async with serving_app(app) as client:
        assert set(await open_doors(client, new)) >= planted


async def test_a_name_is_always_the_same_user(client):
    first = (await client.post("/api/dev/token", json={"user": "ada"})).json()
    again = (await client.post("/api/dev/token", json={"user": "ada"})).json()
    other = (await client.post("/api/dev/token", json={"user": "eve"})).json()
    assert first["user_id"] == again["user_id"] == str(dev_user_id("ada")) != other["user_id"]
    headers = {"Authorization": f"Bearer {first['access_token']}"}
    assert (await client.get("/api/agents", headers=headers)).status_code == 200


async def test_a_user_id_is_taken_as_it_is(client):
    user_id = str(uuid.uuid4())
    assert (await client.post("/api/dev/token", json={"user": user_id})).json()["user_id"] == user_id


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": ""},
        {"Host": "["},
        {"Host": "a{b.evil.example:8000"},
        {"Host": "evil.example@127.0.0.1"},
        {"Host": "127.0.0.1 evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "localhost.evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Via": "1.1 proxy"},
        {"X-Forwarded-For": "10.0.0.1"},
        {"Forwarded": "for=10.0.0.1"},
        {"X-Real-Ip": "127.0.0.1"},
        {"X-Forwarded-Host": "localhost"},
    ],
)
async def test_requests_from_elsewhere_get_no_token(client, headers):
    answer = await client.post("/api/dev/token", json={"user": "ada"}, headers=headers)
    assert answer.status_code == 403
    assert "access_token" not in answer.text


async def test_a_client_that_is_not_on_this_machine_gets_no_token(client):
    far = httpx.ASGITransport(app=client._transport.app, client=("192.0.2.7", 5000))
    async with httpx.AsyncClient(transport=far, base_url="http://127.0.0.1:8000") as elsewhere:
        assert (await elsewhere.post("/api/dev/token", json={"user": "ada"})).status_code == 403


def bad_tokens(key: bytes) -> dict[str, str]:
    now = int(time.time())
    good = {"sub": str(uuid.uuid4()), "aud": "authenticated", "iss": "chatserver-dev", "iat": now, "exp": now + 60}
    return {
        "expired": jwt.encode({**good, "exp": now - 5}, key, "HS256"),
        "wrong key": jwt.encode(good, b"x" * 32, "HS256"),
        "wrong audience": jwt.encode({**good, "aud": "anon"}, key, "HS256"),
        "wrong issuer": jwt.encode({**good, "iss": "else"}, key, "HS256"),
        "no algorithm": jwt.encode(good, None, "none"),
        "other algorithm": jwt.encode(good, key * 2, "HS512"),
        "subject is a name": jwt.encode({**good, "sub": "ada"}, key, "HS256"),
        "no subject": jwt.encode({k: v for k, v in good.items() if k != "sub"}, key, "HS256"),
        "no expiry": jwt.encode({k: v for k, v in good.items() if k != "exp"}, key, "HS256"),
        "expiry beyond time": jwt.encode({**good, "exp": 10**18}, key, "HS256"),
        "empty": "",
        "not ascii": "ünïcödé",
        "huge": "a" * 100_000,
    }


async def test_bad_tokens_all_get_the_same_answer(client, settings):
    tokens = bad_tokens(DevKey.of(settings.chat_data_dir).secret)
    bodies = set()
    for name, token in tokens.items():
        headers = {"Authorization": f"Bearer {token}".encode(), "X-Request-Id": "same"}
        answer = await client.get("/api/agents", headers=headers)
        assert answer.status_code == 401, name
        if token:
            bodies.add(answer.content)
    assert len(bodies) == 1


def test_the_key_is_made_once_and_is_private(tmp_path):
    assert DevKey.of(tmp_path / "new") == DevKey.of(tmp_path / "new")
    assert (tmp_path / "new" / "dev-signing-key").stat().st_mode & 0o777 == 0o600


def test_a_damaged_key_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "dev-signing-key").write_bytes(b"")
    with pytest.raises(StartupError, match="Remove it"):
        DevKey.of(tmp_path)
