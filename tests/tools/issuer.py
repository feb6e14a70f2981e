"""A real HTTP issuer with switches: it publishes keys, rotates them, goes down, drips, redirects and counts."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

PATH = "/auth/v1/.well-known/jwks.json"
DISCOVERY = "/auth/v1/.well-known/openid-configuration"


class SigningKey:
    """A private key of the issuer's and how it is published."""

    def __init__(self, algorithm: str = "ES256", *, kid: str | None = None, private: Any = None) -> None:
        self.algorithm = algorithm
        self.kid = kid or str(uuid4())
        self.private = private or (
            ec.generate_private_key(ec.SECP256R1())
            if algorithm == "ES256"
            else rsa.generate_private_key(public_exponent=65537, key_size=2048)
        )

    def published(self, **changes: Any) -> dict[str, Any]:
        maker = jwt.get_algorithm_by_name(self.algorithm)
        public = maker.to_jwk(self.private.public_key(), as_dict=True)
        return {**public, "kid": self.kid, "alg": self.algorithm, "use": "sig", "key_ops": ["verify"], **changes}

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        return jwt.encode(claims, self.private, self.algorithm, headers={"kid": self.kid, **header})


class Issuer:
    """Listens on loopback until it is closed."""

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.fetches = 0
        self.says_its_name: str | None = None
        self.mode = "up"  # up, error, drip, redirect, garbage, huge, hang
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def name(self) -> str:
        return f"{self.address}/auth/v1"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def claims(self, **changes: Any) -> dict[str, Any]:
        """What a token of a signed-in user says; None takes a claim away."""
        now = int(time.time())
        claims = {
            "sub": str(uuid4()),
            "aud": "authenticated",
            "role": "authenticated",
            "iss": self.name,
            "iat": now,
            "exp": now + 3600,
            "session_id": str(uuid4()),
            "is_anonymous": False,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.fetches += 1
                answers = {
                    "up": (200, json.dumps({"keys": issuer.keys}).encode()),
                    "error": (500, b"{}"),
                    "redirect": (302, b""),
                    "garbage": (200, b'{"keys": "none'),
                    "huge": (200, b'{"keys": [' + b" " * 200_000 + b"]}"),
                    "drip": (200, b" " * 60),
                    "hang": (200, b""),
                }
                status, body = answers[issuer.mode] if self.path == PATH else (404, b"")
                if self.path == DISCOVERY and issuer.says_its_name is not None:
                    status, body = 200, json.dumps({"issuer": issuer.says_its_name}).encode()
                if issuer.mode == "hang":
                    issuer.released.wait(20)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()
                self._write(body)

            def _write(self, body: bytes) -> None:
                try:
                    if issuer.mode != "drip":
                        self.wfile.write(body)
                        return
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        if issuer.released.wait(0.2):
                            return
                except OSError:
                    pass  # the client had enough

            def log_message(self, *_: object) -> None:
                pass

        return Handler
