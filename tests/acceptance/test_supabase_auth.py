"""The real Supabase Auth server signs users up and in, over HTTP and with supabase-js, and its tokens are good here.

Honestly: the case `real` was never run. The server was not to be had where this was written, so it may need a variable
more. What runs everywhere is the same way through with a stand-in, and everything around it: Postgres over TCP, the
init file, the variables of docker-compose.yml, our server in both modes, the official supabase-js.
"""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import jwt
import psycopg
import pytest

from chatServer.config import ROOT
from tests.tools.auth_for_browsers import signing_key
from tests.tools.auth_server import STAND_IN, TcpPostgres, auth_server, free_port, prepare_for_auth, settings_of
from tests.tools.auth_server import tcp_postgres as running_postgres
from tests.tools.node import node_with, told_by
from tests.tools.running import server

ABSENT = (
    "no Supabase Auth here: build github.com/supabase/auth (drop the replace from its go.mod, `go build -o auth .`), "
    "or take the file out of its image, and name it in SUPABASE_AUTH_BINARY; its folder migrations lies beside it, or "
    "where GOTRUE_DB_MIGRATIONS_PATH says"
)
# supabase-js wants a WebSocket before it signs anybody in; Node 20 has one behind this flag, later ones know it too.
WITH_SOCKETS = "--experimental-websocket"


@pytest.fixture(scope="module", params=["stand-in", "real"])
def executable(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "stand-in":
        return STAND_IN
    found = os.environ.get("SUPABASE_AUTH_BINARY") or shutil.which("auth") or shutil.which("gotrue")
    if not found:
        pytest.skip(ABSENT)
    return [found]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TcpPostgres]:
    with running_postgres(tmp_path_factory.mktemp("tcp")) as found:
        prepare_for_auth(found, "auths-own")
        yield found


def test_the_auth_server_gets_its_schema_and_nothing_else(postgres):
    with psycopg.connect(postgres.url("supabase_auth_admin", "auths-own"), autocommit=True) as connection:
        connection.execute("create table planted (x int)")
        assert connection.execute("select to_regclass('auth.planted') is not null").fetchone() == (True,)
        connection.execute("drop table planted")
        assert connection.execute("select has_schema_privilege('public', 'create')").fetchone() == (False,)
    for user, password in (("supabase_auth_admin", "wrong"), ("postgres", "wrong")):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(postgres.url(user, password))


@dataclass(frozen=True, slots=True)
class Origin:
    """Our server, which passes /auth/v1/* on: all that a page has to know."""

    mode: str
    address: str

    def post(self, path: str, body: dict, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.post(f"{self.address}{path}", json=body, headers=headers, timeout=20)


@pytest.fixture(scope="module", params=["secret", "supabase"])
def origin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres: TcpPostgres, executable
) -> Iterator[Origin]:
    """As docker-compose.yml has them: the issuer is called by our address, and answers at one of its own."""
    mode, folder, secret = request.param, tmp_path_factory.mktemp("origin"), secrets.token_hex(32)
    our_port, port = free_port(), free_port()
    public, internal = f"http://127.0.0.1:{our_port}", f"http://127.0.0.1:{port}"
    issuer = f"{public}/auth/v1"
    keys = {"GOTRUE_JWT_KEYS": json.dumps([signing_key()])} if mode == "supabase" else {}
    migrations = Path(executable[0]).with_name("migrations")
    environment = settings_of(
        GOTRUE_API_HOST="127.0.0.1",
        GOTRUE_API_PORT=str(port),
        GOTRUE_DB_DATABASE_URL=postgres.url("supabase_auth_admin", "auths-own"),
        GOTRUE_DB_MIGRATIONS_PATH=os.environ.get("GOTRUE_DB_MIGRATIONS_PATH", str(migrations)),
        API_EXTERNAL_URL=issuer,
        GOTRUE_SITE_URL=public,
        GOTRUE_JWT_ISSUER=issuer,
        GOTRUE_JWT_SECRET=secret,
        GOTRUE_DISABLE_SIGNUP="false",
        GOTRUE_MAILER_AUTOCONFIRM="true",
        GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
        **keys,
    )
    ours = {"PORT": str(our_port), "AUTH_MODE": mode, "AUTH_ISSUER": issuer, "AUTH_INTERNAL_URL": internal}
    if mode == "secret":
        ours["AUTH_JWT_SECRET"] = secret
    else:
        ours["AUTH_JWKS_URL"] = f"{internal}/.well-known/jwks.json"
    with auth_server(executable, environment, folder / "auth.log"), server(folder, **ours) as running:
        yield Origin(mode, running.address)


def somebody() -> dict[str, str]:
    return {"email": f"{secrets.token_hex(4)}@example.org", "password": "not-a-real-one-7"}


def test_who_signs_up_and_in_there_is_a_user_here(origin):
    user = somebody()
    assert origin.post("/auth/v1/signup", user).status_code == 200
    sessions = set()
    for _ in range(2):  # each time another token, and the same user
        token = origin.post("/auth/v1/token?grant_type=password", user).json()["access_token"]
        answer = origin.post("/api/sessions/resolve", {}, token)
        assert answer.status_code == 200, answer.text
        sessions.add(answer.json()["session_id"])
    assert len(sessions) == 1
    wrong = origin.post("/auth/v1/token?grant_type=password", user | {"password": "wrong"})
    assert wrong.status_code == 400
    forged = jwt.encode(jwt.decode(token, options={"verify_signature": False}), "x" * 32)
    assert origin.post("/api/sessions/resolve", {}, forged).status_code == 401


def test_supabase_js_needs_no_other_origin(origin):
    user = somebody()
    asked = json.dumps({"origin": origin.address, **user})
    told = json.loads(told_by(node_with("@supabase/supabase-js"), WITH_SOCKETS, "supabase.mjs", given=asked))
    ada = told["signUp"]["user"]
    assert told["signUp"] == {"error": None, "user": ada, "email": user["email"]}
    refused = {"name": "AuthApiError", "status": 400, "code": "invalid_credentials"}
    assert told["wrongPassword"] == {"error": refused, "session": None}
    assert told["signIn"] == {"error": None, "user": ada}
    assert told["refresh"] == {"error": None, "rotated": True}
    assert told["firstToken"]["status"] == 200
    assert told["secondToken"] == told["firstToken"], "the same user, so the same session"
    assert told["user"] == {"error": None, "id": ada, "email": user["email"]}
    alg = {"secret": "HS256", "supabase": "ES256"}[origin.mode]
    assert told["claims"] == {"error": None, "sub": ada, "alg": alg}
    assert told["turns"] == {"status": 200, "limit": "60"}
    assert told["anonymous"] == {"error": None, "is_anonymous": True}
    assert told["anonymousTurns"] == {"status": 200, "limit": "10"}, "marked as anonymous here"

    assert told["signOut"] == {"error": None, "session": None}
    assert told["userAfterwards"]["name"] == "AuthSessionMissingError"
    gone = {"name": "AuthApiError", "status": 400, "code": "refresh_token_not_found"}
    assert told["refreshAfterwards"] == gone
    assert told["tokenAfterwards"] == told["firstToken"], "good until it expires, as README.md says"


def test_the_lines_of_the_guide_sign_a_page_in(origin):
    chapter = re.search(r"### From a page\n(.+?)\n###? ", (ROOT / "docs/deploy.md").read_text(), re.DOTALL)
    assert chapter is not None
    [lines] = re.findall(r"```js\n(.+?)```", chapter[1], re.DOTALL)
    known = {"email": "ada@example.org", "password": "not a real one"}  # who signed up by the lines before them
    token = origin.post("/auth/v1/signup", known).json().get("access_token")  # or is there already, from the other mode
    program = lines.replace("http://127.0.0.1:8000", origin.address) + "process.exit(0);\n"
    told = told_by(node_with("@supabase/supabase-js"), WITH_SOCKETS, "--input-type=module", given=program)
    token = token or origin.post("/auth/v1/token?grant_type=password", known).json()["access_token"]
    assert told.strip() == origin.post("/api/sessions/resolve", {}, token).json()["session_id"]


def test_the_page_of_the_frontend_guide_takes_supabases_session(origin):
    user = somebody()
    token = origin.post("/auth/v1/signup", user).json()["access_token"]
    asked = json.dumps({"server": origin.address, **user})
    told = json.loads(told_by(node_with("@ai-sdk/react"), WITH_SOCKETS, "page.mjs", given=asked))
    assert told["session"] == origin.post("/api/sessions/resolve", {}, token).json()["session_id"]
