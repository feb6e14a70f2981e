"""A small TCP proxy that freezes, cuts and resets, and two that know when: after a COMMIT, or in an answer's middle."""

import asyncio
import contextlib
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
CHUNK = 65_536


class Cut(Exception):
    """This conversation ends here, with a reset to the client; what was still to pass first goes on."""

    def __init__(self, last: bytes = b"") -> None:
        self.last = last


class Wire:
    """One conversation. What is returned goes on, what is not is held back; Cut ends it."""

    async def to_server(self, data: bytes) -> bytes:
        return data

    async def to_client(self, data: bytes) -> bytes:
        return data


class Proxy:
    """Listens on a port of its own; `wire` makes the rules for each conversation."""

    def __init__(self, upstream: Callable[[], Awaitable[Streams]], wire: Callable[[], Wire] = Wire) -> None:
        self._upstream = upstream
        self._wire = wire
        self._flows = asyncio.Event()
        self._flows.set()
        self._talking: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut_all()
        if self._talking:
            await asyncio.wait(self._talking, timeout=5)

    def freeze(self) -> None:
        """Nothing passes in either direction; whoever connects hangs too."""
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    def cut_all(self) -> None:
        for task in self._talking:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talking.add(task)
        try:
            await self._flows.wait()
            await self._talk(reader, writer)
            writer.close()
            await writer.wait_closed()
        except (asyncio.CancelledError, OSError, Cut):
            reset(writer)
        finally:
            self._talking.discard(task)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await self._upstream()
        wire = self._wire()
        pumps = [
            asyncio.ensure_future(self._pump(reader, server_writer, wire.to_server)),
            asyncio.ensure_future(self._pump(server_reader, writer, wire.to_client)),
        ]
        try:
            done, _ = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in done:
                pump.result()
        finally:
            reset(server_writer)
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, rule: Callable[[bytes], Awaitable[bytes]]
    ) -> None:
        while data := await source.read(CHUNK):
            await self._flows.wait()
            try:
                passed = await rule(data)
            except Cut as cut:
                sink.write(cut.last)
                await sink.drain()
                await asyncio.sleep(0.005)  # a reset overtakes what is still on its way
                raise
            sink.write(passed)
            await sink.drain()


def reset(writer: asyncio.StreamWriter) -> None:
    """No goodbye: the other side reads a connection reset."""
    raw = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def to_postgres(socket_dir: Path) -> Callable[[], Awaitable[Streams]]:
    return lambda: asyncio.open_unix_connection(str(socket_dir / ".s.PGSQL.5432"))


def to_port(port: int) -> Callable[[], Awaitable[Streams]]:
    return lambda: asyncio.open_connection("127.0.0.1", port)


COMMIT = b"\x00commit\x00"  # the text of a Parse message
COMMITTED = b"COMMIT\x00"  # of a CommandComplete: it is done, whoever hears of it
READY = re.compile(rb"Z\x00\x00\x00\x05[ITE]\Z")
KINDS = {  # by a statement that only this transaction has
    "begin": b"insert into chat.turns",
    "end": b"enqueue_after_turn",
    "note": b"insert into chat.notes_versions",
    "log": b"insert into chat.turn_events",
}


class CommitWire(Wire):
    """Lets a COMMIT reach Postgres, waits until it is done, and resets before the answer comes back."""

    def __init__(self, shall_cut: Callable[[str], bool], cuts: Counter[str]) -> None:
        self._shall_cut = shall_cut
        self._cuts = cuts
        self._said = b""  # by the client, since its last transaction
        self._kind = ""  # of the COMMIT whose answer is being held back
        self._held = b""

    async def to_server(self, data: bytes) -> bytes:
        self._said += data
        if COMMIT in self._said:
            kind = next((kind for kind, mark in KINDS.items() if mark in self._said), "read")
            self._kind = kind if self._shall_cut(kind) else ""
            self._said = b""
        return data

    async def to_client(self, data: bytes) -> bytes:
        if not self._kind:
            return data
        self._held += data
        if COMMITTED in self._held:
            self._cuts[self._kind] += 1
            raise Cut
        if READY.search(self._held):  # it came to no COMMIT
            passed, self._held, self._kind = self._held, b"", ""
            return passed
        return b""


class AnswerWire(Wire):
    """Lets requests through, and cuts the answers to some of them after so many bytes; the first of them shows that
    the server has the request, so that none at all is a reset after it was received."""

    def __init__(self, choose: Callable[[bytes], int | None], cuts: Counter[str]) -> None:
        self._choose = choose  # how much of the answer to this request passes; None: all of it
        self._cuts = cuts
        self._left: int | None = None
        self._kind = ""

    async def to_server(self, data: bytes) -> bytes:
        if b" HTTP/1.1\r\n" in data:
            self._left = self._choose(data)
            asked = "in a resumed stream" if data.startswith(b"GET") else "in an answer"
            self._kind = asked if self._left else "once the request was received"
        return data

    async def to_client(self, data: bytes) -> bytes:
        if self._left is None:
            return data
        if len(data) > self._left:
            self._cuts[self._kind] += 1
            raise Cut(data[: self._left])
        self._left -= len(data)
        return data
