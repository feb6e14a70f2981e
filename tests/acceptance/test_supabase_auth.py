"""The real Supabase Auth server signs users up and in, and its tokens are good here.

Honestly: the case `real` was never run. The server was not to be had where this was written, so it may need a variable
more. What runs everywhere is the same way through with a stand-in, and everything around it: Postgres over TCP, the
init file, the variables of docker-compose.yml, our server in both modes.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import jwt
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from tests.acceptance.test_serve import server
from tests.tools.auth_server import STAND_IN, TcpPostgres, auth_server, free_port, prepare_for_auth, settings_of
from tests.tools.auth_server import tcp_postgres as running_postgres

ABSENT = (
    "no Supabase Auth here: build github.com/supabase/auth (drop the replace from its go.mod, `go build -o auth .`), "
    "or take the file out of its image, and name it in SUPABASE_AUTH_BINARY; its folder migrations lies beside it, or "
    "where GOTRUE_DB_MIGRATIONS_PATH says"
)
ADA = {"email": "ada@example.org", "password": "not-a-real-one-7"}


@pytest.fixture(params=["stand-in", "real"])
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


def signing_key() -> dict[str, object]:
    """As GOTRUE_JWT_KEYS wants it: private, and marked as the one that signs."""
    private = ec.generate_private_key(ec.SECP256R1())
    made = jwt.get_algorithm_by_name("ES256").to_jwk(private, as_dict=True)
    return {**made, "kid": "first", "alg": "ES256", "use": "sig", "key_ops": ["sign", "verify"]}


@pytest.mark.parametrize("mode", ["secret", "supabase"])
def test_who_signs_up_and_in_there_is_a_user_here(tmp_path, postgres, executable, mode):
    port, secret = free_port(), secrets.token_hex(32)
    issuer = f"http://127.0.0.1:{port}"
    keys = {"GOTRUE_JWT_KEYS": json.dumps([signing_key()])} if mode == "supabase" else {}
    migrations = Path(executable[0]).with_name("migrations")
    environment = settings_of(
        GOTRUE_API_HOST="127.0.0.1",
        GOTRUE_API_PORT=str(port),
        GOTRUE_DB_DATABASE_URL=postgres.url("supabase_auth_admin", "auths-own"),
        GOTRUE_DB_MIGRATIONS_PATH=os.environ.get("GOTRUE_DB_MIGRATIONS_PATH", str(migrations)),
        API_EXTERNAL_URL=issuer,
        GOTRUE_SITE_URL=issuer,
        GOTRUE_JWT_ISSUER=issuer,
        GOTRUE_JWT_SECRET=secret,
        GOTRUE_DISABLE_SIGNUP="false",
        GOTRUE_MAILER_AUTOCONFIRM="true",
        **keys,
    )
    ours = {"AUTH_MODE": mode, "AUTH_ISSUER": issuer, "AUTH_INTERNAL_URL": issuer}
    ours |= {"AUTH_JWT_SECRET": secret} if mode == "secret" else {}
    user = {**ADA, "email": f"{secrets.token_hex(4)}@example.org"}
    with auth_server(executable, environment, tmp_path / "auth.log"), server(tmp_path, **ours) as running:
        assert httpx.post(f"{running.address}/auth/v1/signup", json=user, timeout=20).status_code == 200
        sessions = set()
        for _ in range(2):  # each time another token, and the same user
            signed_in = httpx.post(f"{running.address}/auth/v1/token?grant_type=password", json=user, timeout=20)
            bearer = {"Authorization": f"Bearer {signed_in.json()['access_token']}"}
            answer = httpx.post(f"{running.address}/api/sessions/resolve", json={}, headers=bearer, timeout=20)
            assert answer.status_code == 200, answer.text
            sessions.add(answer.json()["session_id"])
        assert len(sessions) == 1
        wrong = httpx.post(f"{issuer}/token?grant_type=password", json=user | {"password": "wrong"}, timeout=20)
        assert wrong.status_code == 400
        forged = jwt.encode(jwt.decode(signed_in.json()["access_token"], options={"verify_signature": False}), "x" * 32)
        refused = httpx.get(f"{running.address}/api/sessions", headers={"Authorization": f"Bearer {forged}"})
        assert refused.status_code == 401
