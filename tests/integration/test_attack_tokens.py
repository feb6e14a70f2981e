"""The attack matrix: forged, confused, expired and absurd tokens in all three modes: 401 and always the same body."""

import base64
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from pydantic import SecretStr

from chatServer.api.dev_key import DEV_ISSUER, DevKey
from chatServer.config import Settings
from tests.conftest import serving
from tests.tools.issuer import Issuer, SigningKey

SECRET = "an-hs256-secret-of-the-test-suite-0123456789"
MODES = ["supabase", "secret", "dev"]


class Mode:
    """One way to run the server, with the means to sign for it."""

    def __init__(self, name: str, settings: Settings, issuer: Issuer) -> None:
        self.name = name
        self.issuer = issuer
        self.key = SigningKey("ES256")
        self.rsa_key = SigningKey("RS256")
        issuer.keys = [self.key.published(), self.rsa_key.published()]
        changes = {"auth_mode": name, "auth_issuer": issuer.name}
        if name == "secret":
            changes["auth_jwt_secret"] = SecretStr(SECRET)
        self.settings = settings.model_copy(update=changes)
        self.secret = DevKey.of(settings.chat_data_dir).secret if name == "dev" else SECRET.encode()

    def claims(self, **changes):
        if self.name == "dev":
            changes = {"iss": DEV_ISSUER.name, **changes}
        return self.issuer.claims(**changes)

    def sign(self, **changes) -> str:
        return self.sign_claims(self.claims(**changes))

    def sign_claims(self, claims, **header) -> str:
        if self.name == "supabase":
            return self.key.sign(claims, **header)
        return jwt.encode(claims, self.secret, "HS256", headers=header)


@pytest.fixture(params=MODES)
def mode(request, settings: Settings, issuer: Issuer) -> Mode:
    return Mode(request.param, settings, issuer)


@pytest.fixture
async def server(mode: Mode) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(mode.settings) as opened:
        yield opened


async def status_of(server: httpx.AsyncClient, token: str | bytes) -> httpx.Response:
    raw = token if isinstance(token, bytes) else token.encode()
    return await server.get("/api/agents", headers={"Authorization": b"Bearer " + raw, "X-Request-Id": "same"})


def segment(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def pem(public_key) -> bytes:
    return public_key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def hmac_with_public_key(claims, key: bytes) -> str:
    """HS256 over the text of a public key: the classic confusion, which PyJWT refuses to help with."""
    head = segment({"alg": "HS256", "typ": "JWT"})
    body = segment(claims)
    signature = jwt.get_algorithm_by_name("HS256").sign(f"{head}.{body}".encode(), key)
    return f"{head}.{body}.{segment(signature)}"


def claim_attacks(mode: Mode) -> dict[str, str]:
    """Well signed, and wrong in what they say."""
    now = int(time.time())
    changes: dict[str, dict] = {
        "expired": {"iat": now - 7200, "exp": now - 3600},
        "expired just now": {"iat": now - 100, "exp": now - 6},
        "not yet valid": {"nbf": now + 600},
        "issued in the future": {"iat": now + 600, "exp": now + 900},
        "no expiry": {"exp": None},
        "no issue time": {"iat": None},
        "no subject": {"sub": None},
        "no audience": {"aud": None},
        "no issuer": {"iss": None},
        "no role": {"role": None},
        "expiry as text": {"exp": str(now + 3600)},
        "issue time as text": {"iat": str(now)},
        "expiry as a fraction": {"exp": now + 3600.5},
        "expiry as true": {"exp": True},
        "expiry beyond time": {"exp": 10**18},
        "expiry beyond floats": {"exp": 10**400},
        "expiry negative": {"exp": -1},
        "expiry a list": {"exp": [now + 3600]},
        "lives a week": {"exp": now + 7 * 86400},
        "lives a second too long": {"iat": now, "exp": now + 86401},
        "ends before it begins": {"iat": now + 4, "exp": now + 3},
        "other audience": {"aud": "anon"},
        "empty audience": {"aud": ""},
        "audience a number": {"aud": 1},
        "audience almost": {"aud": "authenticated2"},
        "audience in another case": {"aud": "Authenticated"},
        "other issuer": {"iss": "https://evil.example/auth/v1"},
        "issuer with a slash": {"iss": f"{mode.claims()['iss']}/"},
        "issuer a list": {"iss": [mode.claims()["iss"]]},
        "anon key": {"role": "anon", "sub": None, "exp": now + 10 * 365 * 86400},
        "anon role": {"role": "anon"},
        "service role": {"role": "service_role"},
        "role a list": {"role": ["authenticated"]},
        "role in another case": {"role": "Authenticated"},
        "subject a name": {"sub": "ada"},
        "subject a number": {"sub": 7},
        "subject empty": {"sub": ""},
        "subject the nil UUID": {"sub": str(UUID(int=0))},
        "subject without hyphens": {"sub": uuid4().hex},
        "subject as a URN": {"sub": uuid4().urn},
        "subject in braces": {"sub": f"{{{uuid4()}}}"},
        "subject with SQL": {"sub": f"{uuid4()}' or '1'='1"},
        "subject with NUL": {"sub": f"{uuid4()}\0"},
        "subject a list": {"sub": [str(uuid4())]},
    }
    found = {}
    for name, change in changes.items():
        claims = mode.claims(**change)
        with contextlib.suppress(TypeError):  # PyJWT does not sign some of them; the raw way does
            found[name] = mode.sign_claims(claims)
    for name in changes.keys() - found.keys():
        found[name] = raw_signed(mode, mode.claims(**changes[name]))
    return found


def raw_signed(mode: Mode, claims: dict) -> str:
    algorithm, key = ("ES256", mode.key.private) if mode.name == "supabase" else ("HS256", mode.secret)
    head, body = segment({"alg": algorithm, "typ": "JWT", "kid": mode.key.kid}), segment(claims)
    signature = jwt.get_algorithm_by_name(algorithm).sign(f"{head}.{body}".encode(), key)
    return f"{head}.{body}.{segment(signature)}"


def key_attacks(mode: Mode) -> dict[str, str]:
    """Right in what they say, and signed by somebody else or by nobody."""
    claims = mode.claims()
    good = mode.sign_claims(claims)
    head, body, signature = good.split(".")
    kid = mode.key.kid
    theirs = SigningKey("ES256", kid=kid)
    their_rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    p384 = ec.generate_private_key(ec.SECP384R1())
    edwards = ed25519.Ed25519PrivateKey.generate()
    embedded = {"jwk": theirs.published(), "kid": kid}
    return {
        "no algorithm": jwt.encode(claims, None, "none"),
        "no algorithm, any case": f"{segment({'alg': 'nOnE'})}.{body}.",
        "no algorithm, our signature": f"{segment({'alg': 'none', 'kid': kid})}.{body}.{signature}",
        "no signature": f"{head}.{body}.",
        "no signature part": f"{head}.{body}",
        "four parts": f"{good}.x",
        "five parts, as encrypted ones have": f"{good}.x.y",
        "HMAC with our public EC key": hmac_with_public_key(claims, pem(mode.key.private.public_key())),
        "HMAC with our public RSA key": hmac_with_public_key(claims, pem(mode.rsa_key.private.public_key())),
        "HMAC with the key set's text": hmac_with_public_key(claims, json.dumps(mode.key.published()).encode()),
        "HMAC with nothing": hmac_with_public_key(claims, b""),
        "HS256 with another secret": jwt.encode(claims, b"x" * 32, "HS256", headers={"kid": kid}),
        "HS384 with our secret": jwt.encode(claims, SECRET * 2, "HS384", headers={"kid": kid}),
        "HS512 with our secret": jwt.encode(claims, SECRET * 2, "HS512", headers={"kid": kid}),
        "their key under our kid": theirs.sign(claims),
        "their key in the header (jwk)": theirs.sign(claims, **embedded),
        "their key set in the header (jku)": theirs.sign(claims, jku="http://127.0.0.1:1/jwks.json"),
        "their certificate in the header (x5u)": theirs.sign(claims, x5u="http://127.0.0.1:1/x.pem"),
        "their chain in the header (x5c)": theirs.sign(claims, x5c=["AAAA"]),
        "their RSA key under our kid": jwt.encode(claims, their_rsa, "RS256", headers={"kid": kid}),
        "our RSA kid, ES256": theirs.sign(claims, kid=mode.rsa_key.kid),
        "PS256 with our RSA key": jwt.encode(claims, mode.rsa_key.private, "PS256", headers={"kid": mode.rsa_key.kid}),
        "RS512 with our RSA key": jwt.encode(claims, mode.rsa_key.private, "RS512", headers={"kid": mode.rsa_key.kid}),
        "another curve": jwt.encode(claims, p384, "ES384", headers={"kid": kid}),
        "Edwards curve": jwt.encode(claims, edwards, "EdDSA", headers={"kid": kid}),
        "unknown kid": SigningKey("ES256").sign(claims),
        "kid a path": theirs.sign(claims, kid="../../../../dev/null"),
        "kid with SQL": theirs.sign(claims, kid="x' union select 'key"),
        "kid empty": theirs.sign(claims, kid=""),
        "kid huge": theirs.sign(claims, kid="k" * 4000),
        "kid a list": f"{segment({'alg': 'ES256', 'kid': [kid]})}.{body}.{signature}",
        "kid null": f"{segment({'alg': 'ES256', 'kid': None})}.{body}.{signature}",
        "algorithm a list": f"{segment({'alg': ['ES256'], 'kid': kid})}.{body}.{signature}",
        "algorithm missing": f"{segment({'kid': kid})}.{body}.{signature}",
        "critical extension": mode.sign_claims(claims, crit=["x"], x=1),
        "body tampered": f"{head}.{segment({**claims, 'sub': str(uuid4())})}.{signature}",
        "signature tampered": f"{head}.{body}.{'A' * len(signature)}",
        "signature cut": f"{head}.{body}.{signature[:-4]}",
        "signature all zero": f"{head}.{body}.{segment(bytes(64))}",
        "header not JSON": f"{segment(b'{alg')}.{body}.{signature}",
        "header a list": f"{segment([])}.{body}.{signature}",
        "header nested without end": f"{segment(b'[' * 5000)}.{body}.{signature}",
        "body a list": raw_signed(mode, [1, 2]),
        "body a text": raw_signed(mode, "x"),
        "body nested without end": f"{head}.{segment(b'[' * 5000)}.{signature}",
        "not base64": "!!!.???.###",
        "dots only": "...",
        "one word": "token",
        "huge": good + "A" * 100_000,
        "a gigantic body": mode.sign_claims({**claims, "x": "y" * 50_000}),
    }


async def test_the_good_tokens_are_accepted(server, mode):
    assert (await status_of(server, mode.sign())).status_code == 200
    assert (await status_of(server, mode.sign(is_anonymous=True))).status_code == 200
    assert (await status_of(server, mode.sign(aud=["authenticated", "other"]))).status_code == 200
    if mode.name == "supabase":
        assert (await status_of(server, mode.rsa_key.sign(mode.claims()))).status_code == 200


async def test_every_attack_gets_401_and_the_same_body(server, mode):
    attacks = claim_attacks(mode) | key_attacks(mode)
    assert len(attacks) >= 60
    wrong = {}
    bodies = set()
    for name, token in attacks.items():
        answer = await status_of(server, token)
        if answer.status_code != 401:
            wrong[name] = answer.status_code
        bodies.add(answer.content)
    print(f"mode {mode.name}: N={len(attacks)} tokens, {len(wrong)} not refused")
    assert not wrong
    assert len(bodies) == 1


@pytest.mark.parametrize("raw", [b"\xff\xfe", "ünïcödé".encode(), b"a b", b"\t", b"", b"null"])
async def test_bytes_that_are_no_token(server, raw):
    assert (await status_of(server, raw)).status_code == 401


async def test_two_tokens_are_none_whichever_comes_first(server, mode):
    """Who stands before the server may have looked at the other."""
    good, bad = (("Authorization", f"Bearer {token}") for token in (mode.sign(), mode.sign(sub=str(uuid4()))))
    for pair in ([good, bad], [bad, good], [good, good], [good, ("Authorization", "")]):
        answer = await server.get("/api/sessions", headers=pair)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert (await server.get("/api/sessions", headers=[good])).status_code == 200


WHY = {
    "expired": "it has expired",
    "no issue time": "one of exp, iat, sub, aud, iss is not in it",
    "issued in the future": "it is from the future: compare the clocks",
    "issuer with a slash": "another issuer than ours is in it",
    "other audience": "another audience than AUTH_AUDIENCE is in it",
    "lives a week": "it is good for more than a day",
    "service role": "its role is not authenticated",
}


@pytest.mark.parametrize(("attack", "why"), WHY.items(), ids=WHY)
async def test_the_log_says_why_and_nothing_of_the_token(server, mode, caplog, attack, why):
    token = claim_attacks(mode)[attack]
    with caplog.at_level(logging.INFO, "chatServer.api.auth"):
        assert (await status_of(server, token)).status_code == 401
    assert [each.getMessage() for each in caplog.records if each.name == "chatServer.api.auth"] == [
        f"a token was refused: {why}"
    ]
    assert not any(part in caplog.text for part in token.split("."))


async def test_a_token_of_one_mode_is_nothing_in_another(settings, issuer):
    modes = {name: Mode(name, settings, issuer) for name in MODES}
    for name, mode in modes.items():
        issuer.keys = [mode.key.published()]
        async with serving(mode.settings) as server:
            for other, stranger in modes.items():
                expected = 200 if other == name else 401
                assert (await status_of(server, stranger.sign())).status_code == expected, (name, other)


async def test_development_sign_in_is_gone_in_the_other_modes(server, mode):
    answer = await server.post("/api/dev/token", json={"user": "ada"})
    assert answer.status_code == (200 if mode.name == "dev" else 404)
