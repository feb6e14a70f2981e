"""What 200 answers that are being streamed cost everybody else, on a pool of four connections.

python -m benchmarks.streams exits with 1 when history reads reach twice their idle p95, when a stream does not arrive
whole, or when a connection was idle in a transaction for more than a second.
"""

import asyncio
import multiprocessing
import statistics
import sys
import threading
import time
from dataclasses import dataclass

import httpx
import psycopg

from benchmarks.command import parser
from benchmarks.server import Server, running_server

STREAMS = 200
USERS = 50
WORDS = 150
WORD_EVERY_MS = 200  # so a stream takes 30 s
ROUNDS = 3
BEGIN_S = 5  # nobody's questions come all in one moment
READ_FOR_S = 20
READS_PER_S = 20
MAX_RATIO = 2.0
MAX_IDLE_IN_TRANSACTION_S = 1.0
REPLY = " ".join(f"word{number}" for number in range(WORDS))


@dataclass(frozen=True, slots=True)
class Slice:
    """Reads of one slice, and what the server took meanwhile."""

    p50_ms: float
    p95_ms: float
    server_cpu: float  # of one core
    postgres_cpu: float


def main() -> None:
    parser(__doc__).parse_args()
    script = {"rules": [{"match": "^at length", "reply": REPLY, "delay_ms": WORD_EVERY_MS}], "default": "Yes."}
    with (
        running_server(script, DATABASE_POOL_SIZE="4") as server,
        Watch(server) as watch,
        httpx.Client(base_url=server.address, headers=server.headers("reader"), timeout=30) as reader,
    ):
        for number in range(20):
            reader.post("/api/chat", json={"message": f"question {number}", "session_id": "s"}).raise_for_status()
        pairs = [measure(server, reader) for _ in range(ROUNDS)]
    ratio = statistics.median(busy.p95_ms / idle.p95_ms for idle, busy, _ in pairs)
    whole = sum(heard for *_, heard in pairs)
    is_good = ratio < MAX_RATIO and whole == ROUNDS * STREAMS and watch.longest_s <= MAX_IDLE_IN_TRANSACTION_S
    print(f"streams arrived whole: {whole} of {ROUNDS * STREAMS}")
    print(f"longest idle in transaction: {watch.longest_s:.2f} s of {watch.looks} looks (bound 1 s)")
    print(f"history reads: {ratio:.2f}x their idle p95 (bound {MAX_RATIO:g}x): {'good' if is_good else 'MISSED'}")
    sys.exit(0 if is_good else 1)


def measure(server: Server, reader: httpx.Client) -> tuple[Slice, Slice, int]:
    """Reads while nothing else happens, reads amid the streams, and how many of these arrived whole."""
    idle = read(server, reader)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        headers = [server.headers(f"user{number}") for number in range(USERS)]
        listening = pool.apply_async(listen_to_all, (server.address, headers))
        time.sleep(BEGIN_S + 2)  # until all have begun, and the process before them
        busy = read(server, reader)
        heard = listening.get(120)
    for name, each in (("idle", idle), (f"{STREAMS} streams", busy)):
        print(
            f"{name:<12} N={READ_FOR_S * READS_PER_S} reads: p50 {each.p50_ms:.1f} ms, p95 {each.p95_ms:.1f} ms; "
            f"CPU server {each.server_cpu:.0%}, Postgres {each.postgres_cpu:.0%} of a core",
            flush=True,
        )
    return idle, busy, heard


def read(server: Server, reader: httpx.Client) -> Slice:
    """At a steady pace, each timed from when it was due."""
    times_ms = []
    began, server_s, postgres_s = time.perf_counter(), server.cpu_s, server.postgres_cpu_s
    for number in range(READ_FOR_S * READS_PER_S):
        due = began + number / READS_PER_S
        time.sleep(max(0.0, due - time.perf_counter()))
        reader.get("/api/sessions/s/messages").raise_for_status()
        times_ms.append((time.perf_counter() - due) * 1000)
    took_s = time.perf_counter() - began
    quantiles = statistics.quantiles(times_ms, n=20)
    return Slice(
        quantiles[9],
        quantiles[-1],
        (server.cpu_s - server_s) / took_s,
        (server.postgres_cpu_s - postgres_s) / took_s,
    )


def listen_to_all(address: str, headers: list[dict[str, str]]) -> int:
    """In a process of its own: how many streams arrived whole."""
    return asyncio.run(_listen_to_all(address, headers))


async def _listen_to_all(address: str, headers: list[dict[str, str]]) -> int:
    limits = httpx.Limits(max_connections=STREAMS)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:

        async def listen(number: int) -> bool:
            await asyncio.sleep(number * BEGIN_S / STREAMS)
            body = {"message": "at length", "session_id": f"s{number}"}
            whose = headers[number % USERS] | {"Accept": "text/event-stream"}
            answer = await client.post("/api/chat", json=body, headers=whose)
            return answer.status_code == 200 and answer.text.count('"text-delta"') >= WORDS and "[DONE]" in answer.text

        return sum(await asyncio.gather(*(listen(number) for number in range(STREAMS))))


class Watch:
    """Looks for connections that sit idle in a transaction, in a thread of its own."""

    def __init__(self, server: Server) -> None:
        self.longest_s = 0.0
        self.looks = 0
        self._url = server.postgres.owner_url
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._is_over.wait(0.1):
                row = connection.execute(
                    "select coalesce(extract(epoch from max(clock_timestamp() - state_change)), 0)"
                    " from pg_stat_activity where state like 'idle in transaction%'"
                ).fetchone()
                assert row is not None
                self.longest_s = max(self.longest_s, float(row[0]))
                self.looks += 1


if __name__ == "__main__":
    main()
