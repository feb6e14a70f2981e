"""The issuer's keys over real HTTP: rotation, revocation, outages, floods; and how long a token is remembered."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from uuid import uuid4

import httpx
import pytest

from chatServer import errors, metrics
from chatServer.api import auth
from chatServer.api.auth import Authenticator
from chatServer.api.keys import BETWEEN_FETCHES_S, FRESH_S, STALE_S, IssuerKeys, parse_key_set
from tests.tools.issuer import PATH, Issuer, SigningKey


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def keys(issuer: Issuer, clock: Clock) -> AsyncIterator[IssuerKeys]:
    async with httpx.AsyncClient() as client:
        yield IssuerKeys(issuer.address + PATH, client, clock=clock)


def published(issuer: Issuer, *keys: SigningKey) -> None:
    issuer.keys = [key.published() for key in keys]


async def test_keys_are_fetched_once_and_kept_for_ten_minutes(issuer, keys, clock):
    key = SigningKey()
    published(issuer, key)
    for _ in range(50):
        assert await keys.find(key.kid)
    assert issuer.fetches == 1
    clock.now += 601
    assert await keys.find(key.kid)
    assert issuer.fetches == 2


async def test_fifty_requests_at_once_make_one_fetch(issuer, keys):
    key = SigningKey()
    published(issuer, key)
    assert all(await asyncio.gather(*(keys.find(key.kid) for _ in range(50))))
    assert issuer.fetches == 1


async def test_a_new_key_is_found_as_soon_as_a_token_names_it(issuer, keys, clock):
    old, new = SigningKey(), SigningKey("RS256")
    published(issuer, old)
    assert await keys.find(old.kid)
    published(issuer, old, new)
    clock.now += 31
    found = await keys.find(new.kid)
    assert found is not None
    assert found.algorithm == "RS256"


async def test_a_revoked_key_is_gone_after_ten_minutes(issuer, keys, clock):
    old, new = SigningKey(), SigningKey()
    published(issuer, old)
    assert await keys.find(old.kid)
    published(issuer, new)
    clock.now += 601
    assert await keys.find(old.kid) is None


async def test_ten_thousand_unknown_kids_make_one_fetch_in_thirty_seconds(issuer, keys, clock):
    key = SigningKey()
    published(issuer, key)
    assert await keys.find(key.kid)
    clock.now += 31
    for number in range(10_000):
        assert await keys.find(f"unknown-{number}") is None
    print(f"N=10000 unknown kids, {issuer.fetches} fetches")
    assert issuer.fetches == 2
    assert await keys.find(key.kid)


@pytest.mark.parametrize("mode", ["error", "garbage", "huge", "redirect", "drip", "hang"])
async def test_stale_keys_serve_through_an_outage_for_a_day(issuer, keys, clock, mode):
    key = SigningKey()
    published(issuer, key)
    assert await keys.find(key.kid)
    issuer.mode = mode
    stale_before = metrics.stale_keys._value.get()
    clock.now += 23 * 3600
    started = time.monotonic()
    assert await keys.find(key.kid)
    assert time.monotonic() - started < 5, "an issuer that hangs does not hold us"
    assert await keys.find(key.kid)
    assert issuer.fetches == 2, "the second request did not ask again"
    assert metrics.stale_keys._value.get() == stale_before + 2
    clock.now += 3601
    with pytest.raises(errors.IssuerUnavailable):
        await keys.find(key.kid)
    issuer.mode = "up"
    clock.now += 31
    assert await keys.find(key.kid), "and it heals"


async def test_without_any_keys_yet_an_outage_is_503_and_not_401(issuer, keys):
    issuer.mode = "error"
    with pytest.raises(errors.IssuerUnavailable) as caught:
        await keys.find("any")
    assert caught.value.status == 503
    assert caught.value.retry_after_s


async def test_a_dead_address_is_an_outage_too(clock):
    async with httpx.AsyncClient() as client:
        dead = IssuerKeys("http://127.0.0.1:1/jwks.json", client, clock=clock)
        with pytest.raises(errors.IssuerUnavailable):
            await dead.find("any")


def test_keys_that_must_not_verify_are_left_out(issuer):
    good = SigningKey()
    mixed = [
        good.published(),
        SigningKey().published(use="enc"),
        {"kty": "oct", "kid": "symmetric", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0", "alg": "HS256"},
        {"kty": "OKP", "kid": "edwards", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
        {"kty": "EC", "kid": "off the curve", "crv": "P-256", "x": "AAAA", "y": "AAAA"},
        {"kty": "nonsense", "kid": "n"},
        SigningKey().published(alg="none", kid=["a", "list"]),
        "no key at all",
        good.published(kid=None),
    ]
    found = parse_key_set(json.dumps({"keys": mixed}).encode())
    assert set(found) == {good.kid}


def test_a_key_is_used_by_what_it_is_and_not_by_what_it_says():
    odd = SigningKey()
    assert parse_key_set(json.dumps({"keys": [odd.published(alg="none")]}).encode())[odd.kid].algorithm == "ES256"


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'{"keys": {}}', b'{"keys": [7]}', b'{"keys": []}', b"\xff"])
def test_a_key_set_that_is_none_is_an_error_and_not_an_empty_set(body):
    with pytest.raises(ValueError, match="not a usable key set"):
        parse_key_set(body)


async def test_a_token_is_remembered_for_a_minute_and_not_beyond_its_end(issuer, keys, monkeypatch):
    key = SigningKey()
    published(issuer, key)
    authenticator = Authenticator(auth.Issuer(issuer.name, "authenticated"), keys)
    user_id = str(uuid4())
    token = key.sign(issuer.claims(sub=user_id, is_anonymous=True))
    principal = await authenticator.principal_of(token)
    assert (str(principal.user_id), principal.is_anonymous) == (user_id, True)
    [(_, until)] = authenticator._remembered.values()
    assert until <= time.monotonic() + 60
    short = key.sign(issuer.claims(exp=int(time.time()) + 2))
    await authenticator.principal_of(short)
    assert min(until for _, until in authenticator._remembered.values()) <= time.monotonic() + 2
    monkeypatch.setattr(keys, "find", None)
    assert await authenticator.principal_of(token) == principal, "no key was needed"


@pytest.mark.parametrize("shown_s", [61, -3_600], ids=["a clock that goes", "a clock that was set back"])
async def test_a_token_is_looked_at_anew_after_a_minute(issuer, keys, clock, monkeypatch, shown_s):
    key = SigningKey()
    published(issuer, key)
    authenticator = Authenticator(auth.Issuer(issuer.name, "authenticated"), keys)
    token = key.sign(issuer.claims())
    await authenticator.principal_of(token)
    published(issuer, SigningKey())
    clock.now += FRESH_S
    await authenticator.principal_of(token)
    shown, passed = time.time() + shown_s, time.monotonic() + 61
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: shown, monotonic=lambda: passed))
    with pytest.raises(errors.Unauthenticated):
        await authenticator.principal_of(token)


async def test_a_token_that_was_good_is_refused_once_it_is_over(issuer, keys):
    key = SigningKey()
    published(issuer, key)
    authenticator = Authenticator(auth.Issuer(issuer.name, "authenticated"), keys)
    exp = int(time.time()) + 3 - auth.LEEWAY_S
    token = key.sign(issuer.claims(iat=exp - 60, exp=exp))
    await authenticator.principal_of(token)
    await asyncio.sleep(exp + auth.LEEWAY_S + 0.1 - time.time())
    with pytest.raises(errors.Unauthenticated):
        await authenticator.principal_of(token)


async def test_what_is_remembered_is_bounded_and_of_the_last_to_come(issuer, keys, monkeypatch):
    monkeypatch.setattr(auth, "REMEMBERED_TOKENS", 3)
    key = SigningKey()
    published(issuer, key)
    authenticator = Authenticator(auth.Issuer(issuer.name, "authenticated"), keys)
    for _ in range(10):
        token = key.sign(issuer.claims())
        await authenticator.principal_of(token)
    assert len(authenticator._remembered) == 3
    monkeypatch.setattr(keys, "find", None)
    await authenticator.principal_of(token)


def test_the_documented_patience():
    assert (FRESH_S, BETWEEN_FETCHES_S, STALE_S) == (600, 30, 86_400)
