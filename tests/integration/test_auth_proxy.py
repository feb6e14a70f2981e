"""/auth/v1/*: one origin for the browser; only the configured issuer is ever asked."""

import json

import pytest

from tests.conftest import serving


async def test_requests_are_passed_on_and_answers_back(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.post(
            "/auth/v1/token?grant_type=password&x=%2F", json={"email": "a@b.c"}, headers={"apikey": "k", "Host": "us"}
        )
        told = answer.json()
        assert (told["method"], told["path"]) == ("POST", "/token?grant_type=password&x=%2F")
        assert json.loads(told["body"]) == {"email": "a@b.c"}
        headers = {name.lower(): value for name, value in told["headers"].items()}
        assert headers["apikey"] == "k"
        assert headers["host"] == echo.removeprefix("http://")
        assert headers["x-forwarded-for"] == "127.0.0.1"
        assert answer.headers.get_list("set-cookie") == ["a=b", "c=d"]


async def test_what_supabase_js_sends_arrives_and_what_it_reads_comes_back(settings, echo):
    sent = {
        "apikey": "k", "authorization": "Bearer k", "content-type": "application/json;charset=UTF-8",
        "x-client-info": "supabase-js-node/2.109.0", "x-supabase-api-version": "2024-01-01",
    }  # fmt: skip
    named = {"auth_internal_url": echo, "cors_origins": ("https://app.example",)}
    async with serving(settings.model_copy(update=named)) as client:
        for method, path in (("PUT", "/user"), ("DELETE", "/factors/1"), ("GET", "/.well-known/jwks.json")):
            page = {**sent, "Origin": "https://app.example"}
            answer = await client.request(method, f"/auth/v1{path}?redirect_to=https%3A%2F%2Fapp.example", headers=page)
            told = answer.json()
            assert (told["method"], told["path"]) == (method, f"{path}?redirect_to=https%3A%2F%2Fapp.example")
            headers = {name.lower(): value for name, value in told["headers"].items()}
            assert headers.items() >= sent.items()
            assert answer.headers["x-supabase-api-version"] == "2024-01-01"
            assert "X-Supabase-Api-Version" in answer.headers["access-control-expose-headers"].split(", ")


async def test_an_answer_without_a_body_stays_without(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.post("/auth/v1/logout?scope=global")
        assert (answer.status_code, answer.content) == (204, b"")
        assert not {"content-type", "content-length"} & answer.headers.keys()


async def test_a_cookie_of_one_user_is_never_sent_for_another(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        await client.get("/auth/v1/user", headers={"Cookie": "own=ada"})
        client.cookies.clear()
        told = (await client.get("/auth/v1/user")).json()
        assert "cookie" not in {name.lower() for name in told["headers"]}


async def test_only_what_the_issuer_needs_is_passed_on(settings, echo):
    odd = {"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Host": "evil.example", "Connection": "X-Secret", "X-Secret": "s"}
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.get("/auth/v1/user", headers={**odd, "Authorization": b"\xff\xe9"})
        assert answer.status_code == 200
        headers = {name.lower(): value for name, value in answer.json()["headers"].items()}
        assert headers["x-forwarded-for"] == "127.0.0.1"
        assert not {"x-forwarded-host", "x-secret"} & headers.keys()
        assert answer.headers["x-frame-options"] == "DENY", "the issuer's own does not replace ours"


async def test_blanks_around_a_header_are_no_reason_to_call_the_issuer_unavailable(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.get("/auth/v1/user", headers={"User-Agent": "a\tpage \t", "apikey": " "})
        assert answer.status_code == 200
        headers = {name.lower(): value for name, value in answer.json()["headers"].items()}
        assert (headers["user-agent"], headers["apikey"]) == ("a\tpage", "")


async def test_an_answer_without_end_is_cut(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.get("/auth/v1/big")
        assert answer.status_code == 503
        assert answer.json()["code"] == "issuer_unavailable"


async def test_which_pages_may_ask_is_ours_to_say_and_not_the_issuers(settings, echo):
    named = {"auth_internal_url": echo, "cors_origins": ("https://app.example",)}
    async with serving(settings.model_copy(update=named)) as client:
        for origin, allowed in (("https://app.example", "https://app.example"), ("https://evil.example", None)):
            answer = await client.get("/auth/v1/settings", headers={"Origin": origin})
            assert answer.headers.get("access-control-allow-origin") == allowed


async def test_a_redirect_is_the_browsers_to_follow(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.get("/auth/v1/verify?token=x")
        assert answer.status_code == 303
        assert answer.headers["location"] == "https://app.example/welcome"


@pytest.mark.parametrize("path", ["..", "../admin", "a/../../b", "%2e%2e/x", "@evil.example/", "a%00b", "x%0d%0ay"])
async def test_odd_paths_reach_nobody(settings, echo, path):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        answer = await client.get(f"/auth/v1/{path}")
        assert answer.status_code in (404, 405)
        assert answer.headers["content-type"] == "application/problem+json"


async def test_without_the_setting_there_is_nothing(client):
    assert (await client.get("/auth/v1/health")).status_code == 404


async def test_an_issuer_that_is_down_is_a_503(settings):
    async with serving(settings.model_copy(update={"auth_internal_url": "http://127.0.0.1:1"})) as client:
        answer = await client.get("/auth/v1/health")
        assert answer.status_code == 503
        assert answer.json()["code"] == "issuer_unavailable"
