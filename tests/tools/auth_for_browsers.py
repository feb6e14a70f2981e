"""The stand-in for Supabase Auth with a database of its own, for the browser tests.

`python -m tests.tools.auth_for_browsers FOLDER` tells its address in one JSON line, and runs until its input ends.
"""

import json
import sys
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

from tests.tools.auth_server import (
    STAND_IN,
    auth_server,
    free_port,
    prepare_for_auth,
    settings_of,
    tcp_postgres,
)


def signing_key() -> dict[str, object]:
    """As GOTRUE_JWT_KEYS wants it: private, and marked as the one that signs."""
    private = ec.generate_private_key(ec.SECP256R1())
    made = jwt.get_algorithm_by_name("ES256").to_jwk(private, as_dict=True)
    return {**made, "kid": "first", "alg": "ES256", "use": "sig", "key_ops": ["sign", "verify"]}


def main(folder: Path) -> None:
    with tcp_postgres(folder) as postgres:
        prepare_for_auth(postgres, "auths-own")
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        environment = settings_of(
            GOTRUE_API_HOST="127.0.0.1",
            GOTRUE_API_PORT=str(port),
            GOTRUE_DB_DATABASE_URL=postgres.url("supabase_auth_admin", "auths-own"),
            API_EXTERNAL_URL=f"{address}/auth/v1",
            GOTRUE_SITE_URL=address,
            GOTRUE_JWT_ISSUER=f"{address}/auth/v1",
            GOTRUE_JWT_SECRET="unused: it signs with a key",
            GOTRUE_JWT_KEYS=json.dumps([signing_key()]),
            GOTRUE_DISABLE_SIGNUP="false",
            GOTRUE_MAILER_AUTOCONFIRM="true",
            GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED="true",
        )
        with auth_server(STAND_IN, environment, folder / "auth.log"):
            print(json.dumps({"address": address}), flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
