"""Bodies at the door: counted, timed and read whole before a route runs, so that no route has to. Those that are larger
than anybody's memory should be lie in a file meanwhile, which has no name."""

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, TypeVar
from uuid import UUID

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatServer import errors
from chatServer.api.at_once import at_once
from chatServer.api.auth import sender
from chatServer.api.edge import Edge, raw_headers
from chatServer.api.problems import problem

LIMIT_BYTES = 1_000_000
LARGER_BYTES = {  # these routes want a token
    ("POST", "/api/chat"): 8_000_000,  # a message may bring images
    ("POST", "/api/account/import"): 50_000_000,  # what is larger is for `chatserver import`
}
IN_A_FILE = {("POST", "/api/knowledge"): 25_100_000}  # these too: a file of 25 MB, and what stands around it
TIMEOUT_S = 30.0
FILE_TIMEOUT_S = 120.0
# What this process holds of bodies that still arrive. The first part of each is not counted, so that whoever fills
# the rest with halves of large bodies does not keep ordinary messages out.
ARRIVING_BYTES = 64_000_000
UNCOUNTED_BYTES = 65_536
PIECE_BYTES = 65_536  # of a file, at a time
OPEN_UPLOADS = 3  # of one user, that arrive or are being worked on
FILES_BYTES = 256_000_000  # what lies in files of bodies that arrive or are being worked on
# A refused sender gets this much more patience, so that it reads our answer instead of a broken connection.
LINGER_S = 1.0
LINGER_BYTES = 2_000_000

logger = logging.getLogger(__name__)

Body = TypeVar("Body")


class ClientGone(Exception):
    """The client left before its body was there."""


class WholeBody(Edge):
    """Passes a body on as one message; a body that is too large, too slow or encoded never reaches the app."""

    def __init__(self, app: ASGIApp, timeout_s: float = TIMEOUT_S, arriving_bytes: int = ARRIVING_BYTES) -> None:
        super().__init__(app)
        self.timeout_s = timeout_s
        self.free_bytes = arriving_bytes
        self.free_file_bytes = FILES_BYTES
        told = f"{OPEN_UPLOADS} uploads of yours are on their way. Send this one when one of them is here."
        self.uploads = at_once(OPEN_UPLOADS, limit="open_uploads", detail=told)

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (scope["method"], scope["path"]) in IN_A_FILE:
            await self._request_with_file(scope, receive, send)
            return
        try:
            body = await self._read(scope, lambda limit, _: self._collect(receive, limit), self.timeout_s)
        except ClientGone:
            return
        except errors.ChatError as error:
            await _refuse(scope, receive, send, error)
            return
        await self.app(scope, _first(body, receive), send)

    async def _request_with_file(self, scope: Scope, receive: Receive, send: Send) -> None:
        held = Held()
        async with contextlib.AsyncExitStack() as stack:

            async def filled(limit: int, user_id: UUID | None) -> IO[bytes]:
                if user_id is not None:
                    await stack.enter_async_context(self.uploads.one_of(user_id))
                with on_a_disk():
                    file = stack.enter_context(_nameless())
                await self._fill(file, held, receive, limit)
                return file

            try:
                file = await self._read(scope, filled, FILE_TIMEOUT_S)
            except ClientGone:
                return
            except errors.ChatError as error:
                await _refuse(scope, receive, send, error)
                return
            else:
                await self.app(scope, _from_file(file, receive), send)
            finally:
                self.free_file_bytes += held.bytes

    async def _read(self, scope: Scope, taken: Callable[[int, UUID | None], Awaitable[Body]], timeout_s: float) -> Body:
        """What `taken` makes of a body that may come, of so many bytes and, where it is large, by whom; raises what is
        wrong with it."""
        headers, limit = raw_headers(scope), limit_bytes(scope["method"], scope["path"])
        announced = headers.get(b"content-length", b"")
        if announced.isdigit() and int(announced[:20]) > limit:
            raise errors.BodyTooLarge(limit)
        if has_body(headers) and headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
            raise errors.InvalidRequest("Send the body as it is: a Content-Encoding is not accepted.")
        try:
            async with asyncio.timeout(timeout_s):
                user_id = (await sender(scope)).user_id if limit > LIMIT_BYTES else None
                return await taken(limit, user_id)
        except TimeoutError as error:
            raise errors.RequestTimeout(timeout_s) from error

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

    async def _fill(self, file: IO[bytes], held: "Held", receive: Receive, limit: int) -> None:
        """The body into a file, a piece at a time: beside everybody else's work, since a disk may take its time."""
        piece, has_more = bytearray(), True
        while has_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            piece += message.get("body", b"")
            has_more = message.get("more_body", False)
            if held.bytes + len(piece) > limit:
                raise errors.BodyTooLarge(limit)
            if len(piece) >= PIECE_BYTES or not has_more:
                if len(piece) > self.free_file_bytes:
                    raise errors.Overloaded
                self.free_file_bytes -= len(piece)
                held.bytes += len(piece)
                with on_a_disk():
                    await asyncio.to_thread(file.write, bytes(piece))
                piece.clear()
        with on_a_disk():
            file.seek(0)  # which writes what waits


@dataclass(slots=True)
class Held:
    """How much of a body lies in its file."""

    bytes: int = 0


@contextlib.contextmanager
def _nameless() -> Iterator[IO[bytes]]:
    """A file that goes with us. To close it writes what waits, which a full disk refuses once more: nobody reads it."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  to close it may fail
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):
            file.close()


@contextlib.contextmanager
def on_a_disk() -> Iterator[None]:
    """Overloaded where the disk has no room for a file, or the process for one more: that is no bug, and may pass."""
    try:
        yield
    except OSError as error:
        logger.warning("what is uploaded cannot be put on the disk: %s", error.strerror)
        raise errors.Overloaded("There is no room for what you upload just now. Try again in a moment.") from error


def limit_bytes(method: str, path: str) -> int:
    """How large a body may be at an address."""
    asked = (method, path)
    return LARGER_BYTES.get(asked) or IN_A_FILE.get(asked, LIMIT_BYTES)


def has_body(headers: Mapping[bytes, bytes]) -> bool:
    """Whether HTTP/1.1 would see one."""
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def _first(body: bytes, receive: Receive) -> Receive:
    """The body once; after it, whatever else comes (that is: the client leaving)."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


def _from_file(file: IO[bytes], receive: Receive) -> Receive:
    """The body in pieces; after the last, whatever else comes."""
    is_over = False

    async def received() -> Message:
        nonlocal is_over
        if is_over:
            return await receive()
        piece = await asyncio.to_thread(file.read, PIECE_BYTES)
        is_over = len(piece) < PIECE_BYTES
        return {"type": "http.request", "body": piece, "more_body": not is_over}

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
