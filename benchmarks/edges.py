"""What strangers at the door cost the others: half-open sockets and bodies of 50 MB, against a real server.

python -m benchmarks.edges exits with 1 when the server's memory grows by 20 MB or more, or when the p95 of healthy
requests reaches twice that of the idle slices measured in between. --without-limits serves an app without the limit
on bodies: it must fail.
"""

import contextlib
import multiprocessing
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

import httpx

from benchmarks.command import parser
from benchmarks.server import Server, running_server

HALF_OPEN = 500
BODY_BYTES = 50_000_000
PIECE = b"x" * 65_536
ROUNDS = 7
REQUESTS_PER_SLICE = 200
PAUSE_S = 0.05  # between two attacks of one stranger, who is not meant to saturate the network card
MAX_GROWTH_MB = 20.0
MAX_RATIO = 2.0
SERVE = """
from chatServer.api import body
from chatServer.cli import main
if {without_limits}:
    body.LIMIT_BYTES = 10**12
main(["serve"])
"""


@dataclass(frozen=True, slots=True)
class Slice:
    """What one slice of healthy requests saw."""

    p95_ms: float
    peak_mb: float


def main() -> None:
    asked = parser(__doc__, "--without-limits").parse_args()
    with running_server({}, code=SERVE.format(without_limits=asked.without_limits)) as server:
        missed = [name for name in ATTACKS if not measure(server, name)]
    sys.exit(1 if missed else 0)


def measure(server: Server, name: str) -> bool:
    """Idle and attacked slices in turn; prints one line and says whether both bounds hold."""
    host, port = server.address.removeprefix("http://").split(":")
    with httpx.Client(base_url=server.address, headers=server.headers("ada"), timeout=30) as client:
        healthy_slice(client, server)  # fills caches and the pool
        before_mb = server.memory_mb
        pairs, attacks = [], 0
        for _ in range(ROUNDS):
            idle = healthy_slice(client, server)
            with ATTACKS[name](host, int(port)) as done:
                pairs.append((idle, healthy_slice(client, server)))
            attacks += len(done)
    growth_mb = max(attacked.peak_mb for _, attacked in pairs) - before_mb
    ratio = statistics.median(attacked.p95_ms / idle.p95_ms for idle, attacked in pairs)
    idle_ms = statistics.median(idle.p95_ms for idle, _ in pairs)
    is_good = growth_mb < MAX_GROWTH_MB and ratio < MAX_RATIO
    print(
        f"{name:<20} N={ROUNDS} x {REQUESTS_PER_SLICE} requests, {attacks} attacks: "
        f"memory +{growth_mb:.1f} MB (bound {MAX_GROWTH_MB:g}), idle p95 {idle_ms:.2f} ms, "
        f"attacked {ratio:.2f}x (bound {MAX_RATIO:g}x): {'good' if is_good else 'MISSED'}",
        flush=True,
    )
    return is_good


def healthy_slice(client: httpx.Client, server: Server) -> Slice:
    times_ms, peak_mb = [], 0.0
    for _ in range(REQUESTS_PER_SLICE):
        began = time.perf_counter()
        client.get("/api/sessions").raise_for_status()
        times_ms.append((time.perf_counter() - began) * 1000)
        peak_mb = max(peak_mb, server.memory_mb)
    return Slice(statistics.quantiles(times_ms, n=20)[-1], peak_mb)


@contextlib.contextmanager
def half_open(host: str, port: int) -> Iterator[list[int]]:
    """Connections that begin a request and never end its headers."""
    with contextlib.ExitStack() as stack:
        for number in range(HALF_OPEN):
            connection = stack.enter_context(socket.create_connection((host, port)))
            connection.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Number: %d" % number)
        yield list(range(HALF_OPEN))


@contextlib.contextmanager
def bodies(host: str, port: int, headers: bytes, *, chunked: bool) -> Iterator[list[int]]:
    """One stranger, in a process of its own, that sends a body of 50 MB after the other until the block ends."""
    spawn = multiprocessing.get_context("spawn")
    told, tell = spawn.Pipe()
    stranger = spawn.Process(target=send_bodies, args=(host, port, headers, chunked, tell))
    stranger.start()
    told.recv()  # it has begun
    done: list[int] = []
    try:
        yield done
    finally:
        told.send("enough")
        done.extend(told.recv())
        stranger.join()


def send_bodies(host: str, port: int, headers: bytes, chunked: bool, tell: Connection) -> None:
    done = [send_body(host, port, headers, chunked=chunked)]
    tell.send("begun")
    while not tell.poll(PAUSE_S):
        done.append(send_body(host, port, headers, chunked=chunked))
    tell.send(done)


def send_body(host: str, port: int, headers: bytes, *, chunked: bool) -> int:
    """The bytes that went out before the server closed the connection."""
    framing = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % BODY_BYTES
    sent = 0
    with socket.create_connection((host, port), timeout=10) as connection, contextlib.suppress(OSError):
        connection.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + framing + b"\r\n\r\n")
        while sent < BODY_BYTES:
            piece = PIECE[: BODY_BYTES - sent]
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            sent += len(piece)
        if chunked:
            connection.sendall(b"0\r\n\r\n")
        connection.recv(1_000)
    return sent


ATTACKS: dict[str, Callable[[str, int], contextlib.AbstractContextManager[list[int]]]] = {
    "500 half-open": half_open,
    "50 MB plain": lambda host, port: bodies(host, port, b"", chunked=False),
    "50 MB chunked": lambda host, port: bodies(host, port, b"", chunked=True),
    "50 MB gzip": lambda host, port: bodies(host, port, b"Content-Encoding: gzip\r\n", chunked=True),
}


if __name__ == "__main__":
    main()
