"""What tests beside a real Postgres are given, beside what all are."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.tools.issuer import Issuer


class Echo(BaseHTTPRequestHandler):
    """Says what it was asked."""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = {"method": self.command, "path": self.path, "body": body.decode(), "headers": dict(self.headers)}
        raw = json.dumps(told).encode() if self.path != "/big" else b"x" * 2_000_000
        if self.path.startswith("/logout"):
            self.send_response(204)
            self.end_headers()
            return
        self.send_response(303 if self.path.startswith("/verify") else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("Location", "https://app.example/welcome")
        self.send_header("Set-Cookie", "a=b")
        self.send_header("Set-Cookie", "c=d")
        self.send_header("X-Frame-Options", "ALLOWALL")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("X-Supabase-Api-Version", "2024-01-01")
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815  as http.server calls them

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def echo() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    found = Issuer()
    yield found
    found.close()


@pytest.fixture
def no_request_goes_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine says of models and proxies counts for nothing."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
