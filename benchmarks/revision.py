"""What revising turns costs those who answer them: the server's CPU per turn while a worker beside it revises every
turn, against the same server while that worker stands still.

python -m benchmarks.revision exits with 1 when the server's CPU per turn with revision is above 1.1 times that without.
The worker is a process of its own, and its CPU is printed apart.
"""

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from uuid import uuid4

import httpx
import psutil
import psycopg

from benchmarks.command import parser
from benchmarks.server import END_S, Server, cpu_s, running_server

SLICES = 9
TURNS = 60
SESSIONS = 12
GATE = 1.1
DRAIN_S = 120
WORK = "from chatServer.cli import main; main(['worker'])"
SCRIPT = {
    "rules": [
        {
            "for": "revise",
            "match": r"number (\d+)",
            "tool_calls": [{"name": "store_fact", "args": {"content": "The user asked question number {1}."}}],
            "then": "Kept one fact.",
        },
        {"for": "summary", "match": ".", "reply": "The user asks one question after the other."},
    ],
    "default": " ".join(["word"] * 20),
}


def main() -> None:
    parser(__doc__).parse_args()
    with running_server(SCRIPT, WORKER="off", REVISE_MODEL="every_turn") as server, working(server) as worker:
        bench = Bench(server, worker)
        for is_revised in (True, False):
            bench.measure(is_revised=is_revised)  # fills the caches
        rounds = [
            (bench.measure(is_revised=True), bench.measure(is_revised=False), bench.measure(is_revised=False))
            for _ in range(SLICES)
        ]
        is_good = report(rounds, bench)
    sys.exit(0 if is_good else 1)


@contextlib.contextmanager
def working(server: Server) -> Iterator[psutil.Process]:
    """`chatserver worker` on the same database."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORK],
        env=server.process.environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "Working off the queue.\n"
        yield psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(END_S)


class Bench:
    """A client that asks one question after the other, in a few sessions."""

    def __init__(self, server: Server, worker: psutil.Process) -> None:
        self.server = server
        self.worker = worker
        self.worker_ms: list[float] = []
        self.sessions = [str(uuid4()) for _ in range(SESSIONS)]
        self.client = httpx.Client(base_url=server.address, headers=server.headers("bench"), timeout=60)
        self.asked = 0

    def measure(self, *, is_revised: bool) -> float:
        """The server's CPU of one turn, in milliseconds."""
        os.kill(self.worker.pid, signal.SIGCONT if is_revised else signal.SIGSTOP)
        server, worker = self.server.cpu_s, cpu_s(self.worker)
        for _ in range(TURNS):
            body = {"message": f"question number {self.asked}", "session_id": self.sessions[self.asked % SESSIONS]}
            answer = self.client.post("/api/chat", json=body)
            assert answer.status_code == 200, answer.text
            self.asked += 1
        server_ms = (self.server.cpu_s - server) * 1_000 / TURNS
        os.kill(self.worker.pid, signal.SIGCONT)
        self.drain()
        if is_revised:
            self.worker_ms.append((cpu_s(self.worker) - worker) * 1_000 / TURNS)
        return server_ms

    def drain(self) -> None:
        """Until every turn is revised, so that each slice begins with an idle worker."""
        deadline = time.monotonic() + DRAIN_S
        with psycopg.connect(self.server.postgres.owner_url, autocommit=True) as connection:
            while connection.execute("select 1 from chat.turns where revision_state <> 'done' limit 1").fetchone():
                assert time.monotonic() < deadline, "the worker does not catch up"
                time.sleep(0.1)


def report(rounds: list[tuple[float, float, float]], bench: Bench) -> bool:
    ratio = statistics.median(revised / plain for revised, plain, _ in rounds)
    control = statistics.median(other / plain for _, plain, other in rounds)
    revised, plain, _ = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"N = {SLICES} interleaved slices of {TURNS} turns in {SESSIONS} sessions, one after the other")
    print(f"server, CPU per turn: {revised:.2f} ms while turns are revised, {plain:.2f} ms while they are not")
    print(f"ratio: {ratio:.3f}; gate: {GATE}; A/A control: {control:.3f}")
    print(f"worker, CPU per turn: {statistics.median(bench.worker_ms):.2f} ms")
    return ratio <= GATE


if __name__ == "__main__":
    main()
