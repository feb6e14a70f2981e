"""The door: how much may come in and how slowly, what every answer tells the browser, and which pages may ask."""

import asyncio
import logging
import re
import select
import socket
import time

import httpx
import pytest

from chatServer import metrics
from chatServer.api import body, headers
from chatServer.api.body import WholeBody
from chatServer.api.patience import LimitedPatience
from chatServer.config import Settings, load_settings
from chatServer.errors import StartupError
from chatServer.main import create_app
from tests.conftest import serving
from tests.tools.listening import listening
from tests.tools.problems import assert_problem
from tests.tools.routes import layers_of
from tests.tools.turns import eventually

JSON = {"Content-Type": "application/json"}
PAGE = "https://app.example"


async def in_pieces(size: int):
    for start in range(0, size, 50_000):
        yield b"x" * min(50_000, size - start)


async def test_a_body_of_the_limit_is_read_and_one_more_byte_is_refused(client, as_ada):
    for size, status in ((body.LIMIT_BYTES, 422), (body.LIMIT_BYTES + 1, 413)):
        answer = await client.post("/api/sessions", content=b"x" * size, headers=as_ada | JSON)
        assert answer.status_code == status
    assert_problem(answer, 413, "body_too_large")
    assert answer.json()["limit_bytes"] == body.LIMIT_BYTES


async def test_a_length_that_no_number_holds_is_too_large(client, as_ada):
    answer = await client.post("/api/sessions", content=b"{}", headers=as_ada | {"Content-Length": "9" * 5_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("path", ["/api/sessions", "/auth/v1/signup", "/nowhere", "/healthz", "/api/chat/x"])
async def test_chunked_bodies_are_counted_too(client, path):
    answer = await client.post(path, content=in_pieces(body.LIMIT_BYTES + 1))
    assert_problem(answer, 413, "body_too_large")
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic YTpi"}])
def test_a_stranger_cannot_make_us_hold_a_large_body(settings, header):
    """Not a byte of it was sent when the answer is there."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in header.items()).encode()
    head = b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000000\r\n" + lines + b"\r\n"
    with listening(create_app(settings)) as address:
        answer = exchange(address, head)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b'"code":"unauthenticated"' in answer
    assert b"www-authenticate: Bearer" in answer


async def test_a_user_may_send_a_large_body_where_it_is_allowed(client, as_ada):
    answer = await client.post("/api/chat", content=in_pieces(8_000_000), headers=as_ada)
    assert answer.json()["code"] != "body_too_large"
    answer = await client.post("/api/chat", content=in_pieces(8_000_001), headers=as_ada)
    assert_problem(answer, 413, "body_too_large")


def half_a_body(address: str, size: int) -> socket.socket:
    """A request that says it has one byte more than it sends."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    head = f"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size + 1}\r\n\r\n"
    connection.sendall(head.encode() + b"x" * size)
    return connection


def test_half_sent_bodies_fill_their_room_and_nothing_else(settings, as_ada):
    """N = 60 halves of 900 kB where ten fit: the rest is told to come back, ordinary requests go on, and the room is
    free again when they leave."""
    app = create_app(settings)
    (door,) = [each for each in app.user_middleware if each.cls is WholeBody]
    each_bytes, room = 900_000, 10
    door.kwargs["arriving_bytes"] = room * (each_bytes - body.UNCOUNTED_BYTES)
    large = {"title": "x" * 200, "session_id": "x" * 900_000}
    with listening(app) as address:
        halves = [half_a_body(address, each_bytes) for _ in range(60)]
        try:
            deadline = time.monotonic() + 20
            while len(answered := select.select(halves, [], [], 1)[0]) < 60 - room:
                assert time.monotonic() < deadline, len(answered)
            assert len(answered) == 60 - room, "those that fit may go on"
            said = answered[0].recv(65_536)
            assert said.startswith(b"HTTP/1.1 503 ")
            assert b'"code":"overloaded"' in said
            assert b"retry-after: 2" in said
            small = httpx.post(f"{address}/api/sessions", json={"title": "small"}, headers=as_ada)
            assert small.status_code == 201, "ordinary messages are not kept out"
            assert httpx.post(f"{address}/api/sessions", json=large, headers=as_ada).status_code == 503
        finally:
            for half in halves:
                half.close()
        deadline = time.monotonic() + 10
        while httpx.post(f"{address}/api/sessions", json=large, headers=as_ada).status_code == 503:
            assert time.monotonic() < deadline, "the room is free again"
        (middleware,) = [layer for layer in layers_of(app) if isinstance(layer, WholeBody)]
        assert middleware.free_bytes == door.kwargs["arriving_bytes"]


def test_a_chat_message_may_bring_images():
    assert body.limit_bytes("POST", "/api/chat") == 8_000_000
    assert body.limit_bytes("PUT", "/api/chat") == body.limit_bytes("POST", "/auth/v1/token") == 1_000_000


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "GZIP", "gzip, identity", "zstd"])
async def test_an_encoded_body_is_refused_with_a_sentence(client, as_ada, encoding):
    sent = as_ada | JSON | {"Content-Encoding": encoding}
    answer = await client.post("/api/sessions", content=b"{}", headers=sent)
    assert_problem(answer, 422, "invalid_request")
    assert "Content-Encoding" in answer.json()["detail"]


async def test_identity_is_no_encoding_and_without_a_body_nothing_is_encoded(client, as_ada):
    answer = await client.post("/api/sessions", content=b"{}", headers=as_ada | JSON | {"Content-Encoding": "identity"})
    assert answer.status_code == 201
    assert (await client.get("/api/sessions", headers=as_ada | {"Content-Encoding": "gzip"})).status_code == 200


async def test_the_app_gets_the_body_as_one_message_and_then_the_clients_leaving():
    seen = []

    async def app(scope, receive, send):
        seen.extend([await receive(), await receive()])

    waiting = [{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.request", "body": b"b"}]
    waiting.append({"type": "http.disconnect"})

    async def receive():
        return waiting.pop(0)

    await WholeBody(app)({"type": "http", "method": "POST", "path": "/", "headers": []}, receive, None)
    assert seen == [{"type": "http.request", "body": b"ab", "more_body": False}, {"type": "http.disconnect"}]


async def test_a_client_that_leaves_amid_its_body_never_reaches_the_app():
    async def app(scope, receive, send):
        pytest.fail("the app ran")

    async def receive():
        return {"type": "http.disconnect"}

    await WholeBody(app)({"type": "http", "method": "POST", "path": "/", "headers": []}, receive, None)


def exchange(address: str, *pieces_sent: bytes, wait_s: float = 10) -> bytes:
    """Everything that comes back until the server closes."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=wait_s) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for each in pieces_sent:
            connection.sendall(each)
        pieces = []
        while piece := connection.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100\r\n\r\nhello", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"]
)
def test_a_body_that_does_not_arrive_is_a_408_and_the_connection_is_closed(settings, monkeypatch, framing):
    app = create_app(settings)
    quick = [each for each in app.user_middleware if each.cls is WholeBody]
    quick[0].kwargs["timeout_s"] = 0.3
    with listening(app) as address:
        began = time.monotonic()
        answer = exchange(address, b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n" + framing)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"request_timeout"' in answer
    assert b"x-content-type-options: nosniff" in answer
    assert 0.3 <= time.monotonic() - began < 8


def test_the_time_for_a_body_is_a_total_that_single_bytes_do_not_renew():
    async def drip():
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": True}

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    asyncio.run(asyncio.wait_for(WholeBody(send, timeout_s=0.3)(scope, drip, send), 5))
    assert sent[0]["status"] == 408


class LittlePatience(LimitedPatience):
    headers_s = 0.4


@pytest.mark.parametrize("said", [b"", b"GET /hea", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"])
def test_a_connection_that_never_says_what_it_wants_is_closed(settings, said):
    with listening(create_app(settings), LittlePatience) as address:
        began = time.monotonic()
        assert exchange(address, said) == b""
        assert 0.3 <= time.monotonic() - began < 8


def test_the_second_request_of_a_connection_has_to_come_in_time_too(settings):
    whole = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with listening(create_app(settings), LittlePatience) as address:
        answer = exchange(address, whole + b"GET /hea", wait_s=4)
        assert answer.count(b"HTTP/1.1 200 OK") == 1


def test_headers_without_end_are_refused(settings):
    endless = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 100_000
    with listening(create_app(settings)) as address:
        assert exchange(address, endless).startswith(b"HTTP/1.1 431 ")
        assert httpx.get(f"{address}/healthz", headers={"X-Long": "x" * 10_000}).status_code == 200


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["first", "second"])
@pytest.mark.parametrize(
    "large",
    [b"GET /healthz HTTP/1.1\r\nX-Long: %s\r\n%s\r\n", b"POST /healthz?%s HTTP/1.1\r\nContent-Length: 2\r\n%s\r\n{}"],
    ids=["header", "address"],
)
def test_headers_that_come_whole_are_not_larger_either(settings, large, before):
    close = b"Connection: close\r\n"
    with listening(create_app(settings)) as address:
        assert b"HTTP/1.1 431 " in exchange(address, before + large % (b"x" * 65_536, close))
        assert b"HTTP/1.1 431 " not in exchange(address, before + large % (b"x" * 65_000, close))


SLOW = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
REFUSED = {
    "large headers": (b"GET /slow HTTP/1.1\r\nX-Long: %s\r\n\r\n" % (b"x" * 70_000), b"431 "),
    "no request": (b"hello\r\n\r\n", b"400 "),
    "a broken body": (b"POST /slow HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400 "),
}


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("has_begun", [False, True])
@pytest.mark.parametrize("before", [1, 3])
def test_what_is_refused_waits_for_the_answers_before_it(refused, has_begun, before):
    """Written at once, it was taken for the answer to a question that was being answered."""
    said, status = REFUSED[refused]

    async def slow(scope, receive, send) -> None:
        if scope["type"] == "lifespan":
            return
        await asyncio.sleep(0 if has_begun else 0.3)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await asyncio.sleep(0.3)
        await send({"type": "http.response.body", "body": b"slow"})

    with listening(slow) as address:
        told = exchange(address, SLOW * before, said, b"and whatever else\r\n\r\n" * 3)
    first, *others = told.split(b"HTTP/1.1 ")[1:]
    assert [each[:4] for each in (first, *others)] == [b"200 "] * before + [status]
    assert all(each.endswith(b"\r\n\r\nslow") for each in (first, *others[:-1]))


def test_a_body_is_no_part_of_the_headers_that_follow_it(settings):
    body = b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + b"x" * 900_000
    with listening(create_app(settings)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(body + b"GET /healthz HTTP/1.1\r\nHo")
            time.sleep(0.2)
            connection.sendall(b"st: x\r\nConnection: close\r\n\r\n")
            said = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert (said.count(b"HTTP/1.1 405 "), said.count(b"HTTP/1.1 200 ")) == (1, 1)


BEHIND = b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"


@pytest.mark.parametrize("large", [b"X-Short: x\r\n" * 9_000, b"X-Long: " + b"x" * 100_000], ids=["many", "one"])
def test_headers_behind_a_body_are_not_without_end_either(settings, large):
    with listening(create_app(settings)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(BEHIND % b"/healthz")
            time.sleep(0.2)
            connection.sendall(large)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 431 ")
        assert exchange(address, BEHIND % b"/healthz" + b"X-Short: x\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_headers_behind_a_body_say_nothing_about_the_request(settings, as_ada):
    """A proxy that looks at headers has not seen these."""
    token = f"Authorization: {as_ada['Authorization']}\r\n\r\n".encode()
    with listening(create_app(settings)) as address:
        assert exchange(address, BEHIND % b"/api/agents" + token).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    ("said", "status"),
    [(b"hello\r\n\r\n", b"400 "), (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000, b"431 ")],
)
def test_what_is_no_request_is_refused_with_the_security_headers_too(settings, said, status):
    with listening(create_app(settings)) as address:
        head, _, content = exchange(address, said).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status)
    for name, value in headers.ALWAYS.items():
        assert f"\r\n{name}: {value}\r\n".encode() in head
    assert f"Content-Length: {len(content)}".encode() in head
    assert len(content) > 10


@pytest.mark.parametrize("key", [b"dGhlIHNhbXBsZSBub25jZQ==", b"x"])
def test_who_wants_another_protocol_is_answered_like_everybody(settings, caplog, key):
    wanted = b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    with listening(create_app(settings)) as address:
        answer = exchange(address, b"GET /nowhere HTTP/1.1\r\nHost: x\r\n" + wanted + key + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"x-content-type-options: nosniff" in answer.lower()
    assert b'"code":"not_found"' in answer
    assert "upgrade" not in caplog.text.lower()


@pytest.mark.parametrize(
    "framing", ["Content-Length: 15\r\n\r\n{0}", "Transfer-Encoding: chunked\r\n\r\nf\r\n{0}\r\n0\r\n\r\n"]
)
@pytest.mark.parametrize(
    "wanted", ["Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c", "connection:upgrade\r\nUpgrade: websocket"]
)
@pytest.mark.parametrize("size", [1, 40, 10_000])
def test_the_body_of_who_wants_another_protocol_is_read_as_a_body(wanted, framing, size):
    """As Java's client wants it with whatever it sends. What a body says must not be taken for the next request."""
    heard = []

    async def hearing(scope, receive, send):
        method, body, message = scope["method"], b"", {"more_body": True}
        while message["more_body"]:
            message = await receive()
            body += message["body"]
        heard.append((method, scope["path"], body))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    body = "GET /b HTTP/1.1"
    first = f"POST /a HTTP/1.1\r\nHost: x\r\n{wanted}\r\n{framing.format(body)}"
    request = f"{first}GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    with listening(hearing) as address:
        answer = exchange(address, *(request[begin : begin + size] for begin in range(0, len(request), size)))
    assert answer.count(b"HTTP/1.1 204") == 2
    assert heard == [("POST", "/a", body.encode()), ("GET", "/c", b"")]


def test_very_many_who_want_another_protocol_are_all_answered():
    async def known(scope, receive, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    wishes = b"GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" * 1_500
    with listening(known) as address:
        answer = exchange(address, wishes + b"GET / HTTP/1.1\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n")
    assert answer.count(b"HTTP/1.1 204") == 1_501


def test_a_slow_answer_is_waited_for():
    async def slow(scope, receive, send):
        await asyncio.sleep(1)
        await send({"type": "http.response.start", "status": 204, "headers": [(b"connection", b"close")]})
        await send({"type": "http.response.body"})

    with listening(slow, LittlePatience) as address:
        assert exchange(address, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 204")


def test_a_large_body_is_answered_before_it_is_sent_and_never_kept_whole(settings):
    head = b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50000000\r\n\r\n"
    with listening(create_app(settings)) as address:
        began = time.monotonic()
        answer = exchange(address, head)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert time.monotonic() - began < body.LINGER_S + 5
        sent = httpx.post(f"{address}/api/sessions", content=b"x" * 5_000_000)
        assert sent.status_code == 413, "who sends on meanwhile gets the answer too"


async def test_every_answer_has_the_security_headers(client, as_ada):
    asked = [
        await client.get("/healthz"),
        await client.get("/nowhere"),
        await client.get("/docs"),
        await client.get("/openapi.json"),
        await client.get("/api/agents"),
        await client.get("/api/agents", headers=as_ada),
        await client.put("/api/agents", headers=as_ada),
        await client.post("/api/sessions", content=in_pieces(body.LIMIT_BYTES + 1)),
        await client.get("/auth/v1/settings"),
    ]
    assert len({answer.status_code for answer in asked}) == 5
    for answer in asked:
        for name in headers.ALWAYS:
            assert answer.headers[name], (answer.url, name)
        if "json" in answer.headers["content-type"]:
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert "strict-transport-security" not in answer.headers


async def test_only_over_https_browsers_are_told_to_stay_there(client):
    answer = await client.get("https://127.0.0.1:8000/healthz")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


async def test_no_page_elsewhere_may_ask_unless_it_is_named(client, as_ada):
    answer = await client.get("/api/agents", headers=as_ada | {"Origin": PAGE})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_a_named_page_may_ask_and_reads_errors_too(settings, as_ada, monkeypatch):
    allowing = settings.model_copy(update={"cors_origins": (PAGE,)})
    origin = {"Origin": PAGE}
    async with serving(allowing) as client:
        answers = {
            200: await client.get("/api/agents", headers=as_ada | origin),
            401: await client.get("/api/agents", headers=origin),
            404: await client.get("/nowhere", headers=origin),
            413: await client.post("/api/sessions", content=in_pieces(body.LIMIT_BYTES + 1), headers=origin),
        }
        monkeypatch.setattr("chatServer.conversation.sessions.find", None)
        answers[500] = await client.get("/api/sessions", headers=as_ada | origin)
        foreign = await client.get("/api/agents", headers=as_ada | {"Origin": "https://evil.example"})
    for status, answer in answers.items():
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == PAGE
        exposed = answer.headers["access-control-expose-headers"].split(", ")
        assert {"ETag", "Retry-After", "X-Request-Id", "x-ratelimit-remaining-requests"} < set(exposed)
        assert "access-control-allow-credentials" not in answer.headers
    assert "access-control-allow-origin" not in foreign.headers


@pytest.mark.parametrize(
    "wanted",
    [
        "authorization,content-type",
        "idempotency-key",
        "last-event-id",
        "if-match",
        "apikey,authorization,content-type,x-client-info,x-supabase-api-version",
        "authorization,content-type,mcp-protocol-version",
        "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version",
        "authorization,last-event-id,mcp-protocol-version,mcp-session-id",
    ],
)
async def test_a_preflight_allows_the_headers_of_the_api(settings, wanted):
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": wanted}
    async with serving(settings.model_copy(update={"cors_origins": (PAGE,)})) as client:
        answer = await client.options("/api/sessions/x", headers=asked)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PAGE)
        refused = await client.options("/api/sessions/x", headers=asked | {"Origin": "https://evil.example"})
        assert refused.status_code == 400
        refused = await client.options("/api/sessions/x", headers=asked | {"Access-Control-Request-Headers": "cookie2"})
        assert refused.status_code == 400


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("", ()),
        ("https://app.example", ("https://app.example",)),
        (" https://app.example , http://localhost:5173,", ("https://app.example", "http://localhost:5173")),
        ("http://[::1]:3000", ("http://[::1]:3000",)),
    ],
)
def test_origins_are_read_from_a_comma_separated_list(monkeypatch, tmp_path, given, read):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORS_ORIGINS", given)
    assert load_settings().cors_origins == read


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("*", "Name the origins"),
        ("https://app.example,*", "credentials"),
        ("https://app.example/", "without a path"),
        ("app.example", "scheme, host and port"),
        ("https://*.example", "scheme, host and port"),
        ("null", "scheme, host and port"),
        ("https://App.example", "lower case"),
    ],
)
def test_origins_that_would_let_everybody_in_or_nobody_are_refused(monkeypatch, tmp_path, given, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORS_ORIGINS", given)
    with pytest.raises(StartupError, match=re.escape(said)):
        load_settings()


async def test_head_of_health_is_like_get_without_its_body(client, settings):
    assert (await client.head("/healthz")).headers["content-length"] == str(len((await client.get("/healthz")).content))
    with listening(create_app(settings)) as address:
        request = b"HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        answer = await asyncio.to_thread(exchange, address, request)
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"\r\n\r\n")


def test_the_default_lets_no_page_in():
    assert Settings(_env_file=None).cors_origins == ()


async def test_a_stream_ends_when_its_client_leaves_with_more_requests_on_the_line(settings, as_ada, caplog):
    """They wait behind the stream: it is the stream that has to hear of it."""
    line = f"Host: 127.0.0.1\r\nAuthorization: {as_ada['Authorization']}\r\n\r\n"
    asked = "".join(f"GET {path} HTTP/1.1\r\n{line}" for path in ("/api/events", "/api/agents", "/api/agents"))
    listened = metrics.event_streams._value.get()
    with listening(create_app(settings)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(asked.encode())
            heard = b""
            while b"event: hello" not in heard:
                heard += connection.recv(65_536)
            assert metrics.event_streams._value.get() == listened + 1
        await eventually(lambda: metrics.event_streams._value.get() == listened)
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
