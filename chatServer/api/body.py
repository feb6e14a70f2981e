"""Bodies at the door: counted, timed and read whole before a route runs, so that no route has to."""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatServer import errors
from chatServer.api.auth import NEEDS_SIGN_IN
from chatServer.api.edge import Edge
from chatServer.api.problems import problem

LIMIT_BYTES = 1_000_000
LARGER_BYTES = {  # these routes want a token
    ("POST", "/api/chat"): 8_000_000,  # a message may bring images
    ("POST", "/api/account/import"): 50_000_000,  # what is larger is for `chatserver import`
}
TIMEOUT_S = 30.0
# What this process holds of bodies that still arrive. The first part of each is not counted, so that whoever fills
# the rest with halves of large bodies does not keep ordinary messages out.
ARRIVING_BYTES = 64_000_000
UNCOUNTED_BYTES = 65_536
# A refused sender gets this much more patience, so that it reads our answer instead of a broken connection.
LINGER_S = 1.0
LINGER_BYTES = 2_000_000


class ClientGone(Exception):
    """The client left before its body was there."""


class WholeBody(Edge):
    """Passes a body on as one message; a body that is too large, too slow or encoded never reaches the app."""

    def __init__(self, app: ASGIApp, timeout_s: float = TIMEOUT_S, arriving_bytes: int = ARRIVING_BYTES) -> None:
        super().__init__(app)
        self.timeout_s = timeout_s
        self.free_bytes = arriving_bytes

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._read(scope, receive)
        except ClientGone:
            return
        except errors.ChatError as error:
            await _refuse(scope, receive, send, error)
            return
        await self.app(scope, _first(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        headers, limit = Headers(scope=scope), limit_bytes(scope["method"], scope["path"])
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:20]) > limit:
            raise errors.BodyTooLarge(limit)
        if has_body(headers) and headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise errors.InvalidRequest("Send the body as it is: a Content-Encoding is not accepted.")
        try:
            async with asyncio.timeout(self.timeout_s):
                if limit > LIMIT_BYTES:
                    await _refuse_strangers(scope, headers)
                return await self._collect(receive, limit)
        except TimeoutError as error:
            raise errors.RequestTimeout(self.timeout_s) from error

    async def _collect(self, receive: Receive, limit: int) -> bytes:
        body = bytearray()
        counted = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                body += message.get("body", b"")
                if len(body) > limit:
                    raise errors.BodyTooLarge(limit)
                more = max(0, len(body) - UNCOUNTED_BYTES) - counted
                if more > self.free_bytes:
                    raise errors.Overloaded
                self.free_bytes -= more
                counted += more
                if not message.get("more_body", False):
                    return bytes(body)
        finally:
            self.free_bytes += counted


async def _refuse_strangers(scope: Scope, headers: Headers) -> None:
    """Whose body it is, before any of it is held. The route asks again; the answer is remembered."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise errors.Unauthenticated(NEEDS_SIGN_IN)
    await scope["state"]["chat"].authenticator.principal_of(token.strip())


def limit_bytes(method: str, path: str) -> int:
    """How large a body may be at an address."""
    return LARGER_BYTES.get((method, path), LIMIT_BYTES)


def has_body(headers: Headers) -> bool:
    """Whether HTTP/1.1 would see one."""
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _first(body: bytes, receive: Receive) -> Receive:
    """The body once; after it, whatever else comes (that is: the client leaving)."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


async def _refuse(scope: Scope, receive: Receive, send: Send, error: errors.ChatError) -> None:
    """Answer, read on for a moment, close.

    Closing at once would reset the connection under a client that is still sending, and its answer would be lost.
    """
    answer = problem(Request(scope), error)
    answer.headers["Connection"] = "close"
    await send({"type": "http.response.start", "status": answer.status_code, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    if not isinstance(error, errors.RequestTimeout):
        await _linger(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _linger(receive: Receive) -> None:
    size = 0
    try:
        async with asyncio.timeout(LINGER_S):
            while size < LINGER_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
