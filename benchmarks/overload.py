"""What becomes of the server when three times as many turns arrive as it can answer.

python -m benchmarks.overload first looks for the capacity with 16 clients that wait for their answers, then sends
turns at a steady rate, whether or not answers come. It exits with 1 when fewer than 80 % of the capacity are answered
under 3x the load, when refusals take 50 ms or more (p95), or when anything else than an answer or a refusal comes.
"""

import asyncio
import collections
import multiprocessing
import statistics
import sys
import time
from dataclasses import dataclass, field

from benchmarks.command import parser
from benchmarks.server import Server, running_server
from benchmarks.wire import Answer, Wire

CLIENTS = 16
PEAK_FOR_S = 15
OVERLOAD_FOR_S = 20
LOAD = 3
USERS = 500
MIN_GOODPUT = 0.8
MAX_REFUSAL_MS = 50.0
REPLY = " ".join(["word"] * 20)


@dataclass(slots=True)
class Heard:
    """What came back, as the client saw it."""

    answered_ms: list[float] = field(default_factory=list)
    refused_ms: list[float] = field(default_factory=list)
    other: collections.Counter[str] = field(default_factory=collections.Counter)
    took_s: float = 0.0

    def take(self, answer: Answer, took_ms: float) -> None:
        if answer.status == 200 and answer.json()["response"] == REPLY:
            self.answered_ms.append(took_ms)
        elif answer.status == 503 and answer.json()["code"] == "overloaded":
            self.refused_ms.append(took_ms)
        else:
            self.other[f"{answer.status} {answer.body[:80]!r}"] += 1

    @property
    def per_s(self) -> float:
        return len(self.answered_ms) / self.took_s


def main() -> None:
    parser(__doc__).parse_args()
    with running_server({"rules": [], "default": REPLY}, WORKER="off") as server:
        in_process(server, closed_loop, 3.0)  # fills the caches
        peak = in_process(server, closed_loop, PEAK_FOR_S)
        over = in_process(server, open_loop, LOAD * peak.per_s)
    refusal_ms = _p95(over.refused_ms)
    goodput = over.per_s / peak.per_s
    is_good = goodput >= MIN_GOODPUT and refusal_ms < MAX_REFUSAL_MS and not over.other
    print(f"peak: {peak.per_s:.0f} turns/s, p95 {_p95(peak.answered_ms):.0f} ms (N={len(peak.answered_ms)})")
    print(
        f"{LOAD}x that for {OVERLOAD_FOR_S} s: {len(over.answered_ms)} answered, p95 {_p95(over.answered_ms):.0f} ms; "
        f"{len(over.refused_ms)} refused, p50 {statistics.median(over.refused_ms or [0]):.0f}, p95 {refusal_ms:.0f} ms "
        f"(bound {MAX_REFUSAL_MS:g}); other: {dict(over.other) or 'none'}"
    )
    print(f"goodput: {goodput:.2f} of the peak (bound {MIN_GOODPUT}): {'good' if is_good else 'MISSED'}")
    sys.exit(0 if is_good else 1)


def in_process(server: Server, load: object, value: float) -> Heard:
    """The client's work is not the server's: it has a process of its own."""
    headers = [server.headers(f"user{number}") for number in range(USERS)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        heard: Heard = pool.apply(run, (load, server.address, headers, value))
    return heard


def run(load: object, address: str, headers: list[dict[str, str]], value: float) -> Heard:
    return asyncio.run(load(address, headers, value))  # type: ignore[operator]


async def closed_loop(address: str, headers: list[dict[str, str]], seconds: float) -> Heard:
    """Clients that ask again when they have their answer."""
    heard = Heard()
    began = time.perf_counter()
    async with Wire(address) as client:

        async def ask(number: int) -> None:
            while time.perf_counter() - began < seconds:
                await _ask(client, headers, number, heard)

        await asyncio.gather(*(ask(number) for number in range(CLIENTS)))
    heard.took_s = time.perf_counter() - began
    return heard


async def open_loop(address: str, headers: list[dict[str, str]], per_s: float) -> Heard:
    """Whoever has something to ask asks, whatever became of the others."""
    heard = Heard()
    async with Wire(address) as client, asyncio.TaskGroup() as group:
        began = time.perf_counter()
        for number in range(int(per_s * OVERLOAD_FOR_S)):
            await asyncio.sleep(max(0.0, began + number / per_s - time.perf_counter()))
            group.create_task(_ask(client, headers, number, heard))
    heard.took_s = time.perf_counter() - began
    return heard


async def _ask(client: Wire, headers: list[dict[str, str]], number: int, heard: Heard) -> None:
    began = time.perf_counter()
    try:
        body = {"message": "question", "session_id": f"s{number}"}
        answer = await client.post("/api/chat", body, headers[number % USERS])
    except (OSError, EOFError, TimeoutError) as error:
        heard.other[type(error).__name__] += 1
    else:
        heard.take(answer, (time.perf_counter() - began) * 1000)


def _p95(times_ms: list[float]) -> float:
    return statistics.quantiles(times_ms, n=20)[-1] if len(times_ms) > 1 else 0.0


if __name__ == "__main__":
    main()
