"""What one whole turn costs in CPU, server and Postgres together, in sessions of 10 to 100,000 messages.

python -m benchmarks.turn exits with 1 when a turn in a longer session costs more than 1.15 times one in a session
of 10; --without-index takes away what keeps it so. --profile writes where the server's time goes.
"""

import pstats
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg

from benchmarks.command import parser
from benchmarks.history_window import FILL_MESSAGES, FILL_TURNS
from benchmarks.server import Server, running_server
from chatServer.api.dev_users import dev_user_id
from chatServer.store.embedded import EmbeddedPostgres

SIZES = (10, 1_000, 20_000, 100_000)
SLICES = 9
TURNS_PER_SLICE = 60
GATE = 1.15
REPLY = " ".join(["word"] * 20)
USER = dev_user_id("bench")
SERVE = """
import atexit, cProfile, os
from chatServer.cli import main
if path := os.environ.get("BENCH_PROFILE"):
    profile = cProfile.Profile()
    profile.enable()
    atexit.register(lambda: (profile.disable(), profile.dump_stats(path)))
main(["serve"])
"""


@dataclass(frozen=True, slots=True)
class Slice:
    """The cost of one turn, as measured over many."""

    server_ms: float
    postgres_ms: float
    wall_ms: float

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.postgres_ms


def main() -> None:
    asked = parser(__doc__, "--without-index", "--profile").parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        profile = Path(folder) / "profile"
        settings = {"WORKER": "off", "BENCH_PROFILE": str(profile) if asked.profile else ""}
        with running_server({"rules": [], "default": REPLY}, code=SERVE, **settings) as server:
            sessions = {size: fill(server.postgres, size) for size in SIZES}
            with psycopg.connect(server.postgres.owner_url, autocommit=True) as connection:
                if asked.without_index:
                    connection.execute("drop index public.chat_message_history_by_session")
                connection.execute("vacuum analyze")  # else autovacuum does it amid the measurement
            is_good = compare(Bench(server), sessions)
        if asked.profile:
            pstats.Stats(str(profile)).sort_stats("tottime").print_stats(45)
    sys.exit(0 if is_good else 1)


def fill(postgres: EmbeddedPostgres, messages: int) -> str:
    """A session of so many messages."""
    session_id = str(uuid4())
    values = {"user_id": USER, "session_id": session_id, "messages": messages}
    with psycopg.connect(postgres.owner_url, autocommit=True) as connection:
        connection.execute("alter system set autovacuum = off")
        connection.execute("select pg_reload_conf()")
        connection.execute(
            "insert into chat.sessions (user_id, session_id, agent_name, title) "
            "values (%(user_id)s, %(session_id)s, 'assistant', 'bench')",
            values,
        )
        connection.execute(FILL_TURNS, values)
        connection.execute(FILL_MESSAGES, values)
        connection.execute(
            "update public.chat_message_history set tokens = 60 where session_id = %(session_id)s", values
        )
    return session_id


class Bench:
    """A client, and the processes whose time it counts."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = httpx.Client(base_url=server.address, headers=server.headers("bench"), timeout=60)

    def measure(self, session_id: str) -> Slice:
        server, postgres, began = self.server.cpu_s, self.server.postgres_cpu_s, time.perf_counter()
        for number in range(TURNS_PER_SLICE):
            answer = self.client.post("/api/chat", json={"message": f"question {number}", "session_id": session_id})
            assert answer.status_code == 200, answer.text
            assert answer.json()["response"] == REPLY
        per_turn_ms = 1_000 / TURNS_PER_SLICE
        return Slice(
            (self.server.cpu_s - server) * per_turn_ms,
            (self.server.postgres_cpu_s - postgres) * per_turn_ms,
            (time.perf_counter() - began) * per_turn_ms,
        )


def compare(bench: Bench, sessions: dict[int, str]) -> bool:
    for session_id in sessions.values():
        bench.measure(session_id)  # fills the caches
    rounds = []
    for _ in range(SLICES):
        rounds.append({size: bench.measure(session_id) for size, session_id in sessions.items()})
        rounds[-1][0] = bench.measure(sessions[SIZES[0]])
    print(f"N = {SLICES} interleaved slices of {TURNS_PER_SLICE} turns, one after the other; the reply has 20 words")
    print("messages in the session | server ms | Postgres ms | wall ms | CPU against a session of 10")
    is_good = True
    for size in SIZES:
        slices = [each[size] for each in rounds]
        ratio = statistics.median(each[size].cpu_ms / each[SIZES[0]].cpu_ms for each in rounds)
        is_good = is_good and ratio <= GATE
        columns = [
            statistics.median(getattr(s, name) for s in slices) for name in ("server_ms", "postgres_ms", "wall_ms")
        ]
        print(f"{size:>23,} | " + " | ".join(f"{value:.2f}" for value in columns) + f" | {ratio:.3f}")
    control = statistics.median(each[0].cpu_ms / each[SIZES[0]].cpu_ms for each in rounds)
    print(f"A/A control: {control:.3f}; gate: {GATE}")
    return is_good


if __name__ == "__main__":
    main()
