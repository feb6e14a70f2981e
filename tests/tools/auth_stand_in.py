"""What the tests of Supabase Auth need of it, for machines that do not have it: it reads the same variables, keeps
users in the same database, and answers eight requests in the shapes of its API (sign up, also anonymously; sign in by
password, by refresh token, by a link and, with PKCE, by the code that it brings; who am I; sign out; keys), also under
/auth/v1, where a page asks for them. It says nothing about how the real one behaves: passwords lie open, nothing is
limited, a refresh token is good once, and mails are not sent: `GET /mail?email=` has the last link."""

import base64
import hashlib
import json
import os
import secrets
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import psycopg

ISSUER = os.environ["GOTRUE_JWT_ISSUER"]
AUDIENCE = os.environ["GOTRUE_JWT_AUD"]
ROLE = os.environ["GOTRUE_JWT_DEFAULT_GROUP_NAME"]
LIFE_S = int(os.environ["GOTRUE_JWT_EXP"])
PRIVATE = json.loads(os.environ.get("GOTRUE_JWT_KEYS", "[]"))
KEYS = [jwt.PyJWK.from_dict(key) for key in PRIVATE]
PUBLIC = ("kty", "kid", "alg", "crv", "x", "y")
ERRORS_WITH_CODES = "2024-01-01"  # the version of its API that supabase-js asks for
# Not under the names of the real one, which finds the same database after us.
TABLES = """
    create table if not exists auth.stand_in_users (
        id uuid primary key default gen_random_uuid(), email text unique, password text);
    create table if not exists auth.stand_in_sessions (
        id uuid primary key default gen_random_uuid(), user_id uuid not null, refresh_token text not null unique);
    create table if not exists auth.stand_in_mails (
        email text primary key, token text not null, redirect_to text not null, challenge text);
    create table if not exists auth.stand_in_codes (
        code text primary key, challenge text not null, user_id uuid not null, email text)
"""


class Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


@dataclass(frozen=True, slots=True)
class Asked:
    connection: psycopg.Connection
    given: dict
    query: dict[str, str]
    bearer: str


def sign_up(asked: Asked) -> dict:
    row = {"email": asked.given.get("email"), "password": asked.given.get("password")}
    if not row["email"] and os.environ.get("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED") != "true":
        raise Refused(422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")
    query = """
        insert into auth.stand_in_users (email, password) values (%(email)s, %(password)s)
        on conflict do nothing returning id, email"""
    found = asked.connection.execute(query, row).fetchone()
    if found is None:
        raise Refused(422, "user_already_exists", "User already registered")
    return begun(asked, *found)


def sign_in(asked: Asked) -> dict:
    if asked.query.get("grant_type") == "refresh_token":
        return refreshed(asked)
    if asked.query.get("grant_type") == "pkce":
        return exchanged(asked)
    query = "select id, email from auth.stand_in_users where email = %(email)s and password = %(password)s"
    found = asked.connection.execute(query, asked.given).fetchone()
    if found is None:
        raise Refused(400, "invalid_credentials", "Invalid login credentials")
    return begun(asked, *found)


def send_link(asked: Asked) -> dict:
    row = {
        "email": asked.given["email"],
        "token": secrets.token_urlsafe(16),
        "redirect_to": asked.query.get("redirect_to", ""),
        "challenge": asked.given.get("code_challenge"),
    }
    asked.connection.execute("insert into auth.stand_in_users (email) values (%(email)s) on conflict do nothing", row)
    query = """
        insert into auth.stand_in_mails (email, token, redirect_to, challenge)
        values (%(email)s, %(token)s, %(redirect_to)s, %(challenge)s)
        on conflict (email) do update
        set token = excluded.token, redirect_to = excluded.redirect_to, challenge = excluded.challenge"""
    asked.connection.execute(query, row)
    return {}


def read_mail(asked: Asked) -> dict:
    query = "select token from auth.stand_in_mails where email = %(email)s"
    found = asked.connection.execute(query, asked.query).fetchone()
    return {"link": f"{ISSUER}/verify?{urlencode({'type': 'magiclink', 'token': found[0]})}" if found else None}


def follow_link(asked: Asked) -> str:
    """Where the browser goes: back to the page, with a code, or without PKCE with the tokens behind the #; a link is
    good once."""
    query = "delete from auth.stand_in_mails where token = %(token)s returning email, redirect_to, challenge"
    found = asked.connection.execute(query, asked.query).fetchone()
    if found is None:
        raise Refused(403, "otp_expired", "Email link is invalid or has expired")
    email, redirect_to, challenge = found
    query = "select id from auth.stand_in_users where email = %(email)s"
    [user_id] = asked.connection.execute(query, {"email": email}).fetchone()
    if challenge:
        row = {"code": secrets.token_urlsafe(16), "challenge": challenge, "user_id": user_id, "email": email}
        query = "insert into auth.stand_in_codes values (%(code)s, %(challenge)s, %(user_id)s, %(email)s)"
        asked.connection.execute(query, row)
        return f"{redirect_to}?{urlencode({'code': row['code']})}"
    made = begun(asked, user_id, email)
    del made["user"]
    return f"{redirect_to}#{urlencode({**made, 'type': 'magiclink'})}"


def exchanged(asked: Asked) -> dict:
    """A session for a code, for whoever knows what its challenge was made of."""
    query = "delete from auth.stand_in_codes where code = %(auth_code)s returning challenge, user_id, email"
    found = asked.connection.execute(query, asked.given).fetchone()
    if found is None:
        raise Refused(404, "flow_state_not_found", "invalid flow state, no valid flow state found")
    challenge, user_id, email = found
    digest = hashlib.sha256(asked.given["code_verifier"].encode()).digest()
    if challenge != base64.urlsafe_b64encode(digest).decode().rstrip("="):
        raise Refused(400, "bad_code_verifier", "code challenge does not match previously saved code verifier")
    return begun(asked, user_id, email)


def begun(asked: Asked, user_id: object, email: str | None) -> dict:
    row = {"user_id": user_id, "next": secrets.token_urlsafe(16)}
    query = """
        insert into auth.stand_in_sessions (user_id, refresh_token) values (%(user_id)s, %(next)s) returning id"""
    [session_id] = asked.connection.execute(query, row).fetchone()
    return signed_in(user(str(user_id), email), str(session_id), row["next"])


def refreshed(asked: Asked) -> dict:
    row = {"old": asked.given["refresh_token"], "next": secrets.token_urlsafe(16)}
    query = """
        update auth.stand_in_sessions as session set refresh_token = %(next)s from auth.stand_in_users as owner
        where session.refresh_token = %(old)s and owner.id = session.user_id returning owner.id, email, session.id"""
    found = asked.connection.execute(query, row).fetchone()
    if found is None:
        raise Refused(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
    user_id, email, session_id = found
    return signed_in(user(str(user_id), email), str(session_id), row["next"])


def who(asked: Asked) -> dict:
    if not asked.bearer:
        raise Refused(401, "no_authorization", "This endpoint requires a Bearer token")
    key, algorithm = (KEYS[0].key.public_key(), "ES256") if KEYS else (os.environ["GOTRUE_JWT_SECRET"], "HS256")
    try:
        claims = jwt.decode(asked.bearer, key, [algorithm], audience=AUDIENCE)
    except jwt.InvalidTokenError as error:
        raise Refused(403, "bad_jwt", "invalid JWT") from error
    query = """
        select owner.id, email from auth.stand_in_sessions as session
        join auth.stand_in_users as owner on owner.id = session.user_id where session.id = %(session_id)s"""
    found = asked.connection.execute(query, claims).fetchone()
    if found is None:
        raise Refused(403, "session_not_found", "Session from session_id claim in JWT does not exist")
    return user(str(found[0]), found[1])


def sign_out(asked: Asked) -> None:
    asked.connection.execute("delete from auth.stand_in_sessions where user_id = %(id)s", who(asked))


def user(user_id: str, email: str | None) -> dict:
    by = {"provider": "email", "providers": ["email"]} if email else {}
    named = {"id": user_id, "aud": AUDIENCE, "role": ROLE, "email": email or "", "phone": ""}
    return {**named, "app_metadata": by, "user_metadata": {}, "identities": [], "is_anonymous": email is None}


def signed_in(owner: dict, session_id: str, refresh_token: str) -> dict:
    now = int(time.time())
    claims = {name: value for name, value in owner.items() if name not in ("id", "identities")}
    claims |= {"sub": owner["id"], "iss": ISSUER, "iat": now, "exp": now + LIFE_S, "session_id": session_id}
    if KEYS:
        token = jwt.encode(claims, KEYS[0].key, "ES256", headers={"kid": KEYS[0].key_id})
    else:
        token = jwt.encode(claims, os.environ["GOTRUE_JWT_SECRET"], "HS256")
    times = {"expires_in": LIFE_S, "expires_at": now + LIFE_S}
    return {"access_token": token, "token_type": "bearer", **times, "refresh_token": refresh_token, "user": owner}


ROUTES = {
    "GET /health": lambda _: {"name": "stand-in"},
    "GET /.well-known/jwks.json": lambda _: {"keys": [{name: key[name] for name in PUBLIC} for key in PRIVATE]},
    "POST /signup": sign_up,
    "POST /token": sign_in,
    "POST /otp": send_link,
    "GET /mail": read_mail,
    "GET /verify": follow_link,
    "GET /user": who,
    "POST /logout": sign_out,
}


class Auth(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked_for = urlsplit(self.path)
        given = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            with psycopg.connect(os.environ["GOTRUE_DB_DATABASE_URL"]) as connection:
                verb = ROUTES[f"{self.command} {asked_for.path.removeprefix('/auth/v1')}"]
                body = verb(Asked(connection, given, dict(parse_qsl(asked_for.query)), bearer))
        except Refused as refused:
            self.refuse(refused)
        else:
            if isinstance(body, str):
                self.answer(303, None, {"Location": body})
            else:
                self.answer(204 if body is None else 200, body)

    def do_OPTIONS(self) -> None:
        self.answer(204, None, {"Access-Control-Allow-Headers": self.headers["Access-Control-Request-Headers"]})

    do_POST = do_GET  # noqa: N815  as http.server calls them

    def refuse(self, refused: Refused) -> None:
        """Old clients read the code in another place than those that name a version."""
        if self.headers.get("X-Supabase-Api-Version"):
            body = {"code": refused.code, "message": str(refused)}
            self.answer(refused.status, body, {"X-Supabase-Api-Version": ERRORS_WITH_CODES})
        else:
            self.answer(refused.status, {"code": refused.status, "error_code": refused.code, "msg": str(refused)})

    def answer(self, status: int, body: dict | None, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        if self.headers.get("Origin"):  # a page of another address asks
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
            self.send_header("Access-Control-Expose-Headers", "X-Supabase-Api-Version")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if body is not None:
            raw = json.dumps(body).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if body is not None:
            self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    with psycopg.connect(os.environ["GOTRUE_DB_DATABASE_URL"]) as made:
        made.execute(TABLES)
    where = (os.environ["GOTRUE_API_HOST"], int(os.environ["GOTRUE_API_PORT"]))
    ThreadingHTTPServer(where, Auth).serve_forever()
