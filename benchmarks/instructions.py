"""How many instructions the server's process takes for one turn, and how many Postgres does, counted by valgrind: the
same to a thousandth on a busy machine, where CPU times differ by a third. To compare two versions of the code with; of
Postgres it is what its backends do themselves, not what the kernel does for them, such as writing to the disk.

python -m benchmarks.instructions [--stream] [--kept FILE] takes six minutes and wants valgrind (apt-get install
valgrind). --kept leaves what callgrind has counted with memory on, by function of C, for callgrind_annotate.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import psycopg

from benchmarks.callgrind import callgrind, instructions, newest, tell
from benchmarks.command import parser
from benchmarks.instructions_of_postgres import Backends, put_under_callgrind
from benchmarks.server import SERVE, Server, cpu_s, running_server
from benchmarks.side_by_side import told
from benchmarks.side_by_side.world import ADDRESS, REPLY
from chatServer.store.embedded import DATABASE, EmbeddedPostgres

USERS = 40
WARM_TURNS = 3  # of each: caches are filled then, and statements prepared
TURNS = 120
LOOK_S, IDLE_SHARE, PATIENCE_S = 2.0, 0.05, 180.0
# A turn takes a third of a second here: what is done now and then while one runs is never done in one of milliseconds.
UNDISTURBED = f"from chatServer.turn.pace import Pace; Pace.pause_s = property(lambda _: 300.0); {SERVE}"
PATIENT = {
    "DATABASE_POOL_WAIT_MS": "60000",
    "DATABASE_STATEMENT_TIMEOUT_MS": "60000",
    "RECALL_DEADLINE_MS": "5000",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "WORKER": "off",
}


def main() -> None:
    command = parser(__doc__, "--stream")
    command.add_argument("--kept", metavar="FILE")
    asked = command.parse_args()
    if shutil.which("callgrind_control") is None:
        sys.exit("There is no valgrind here. On Debian: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        Path(folder).chmod(0o755)
        ours, postgres = Path(folder) / "ours", Path(folder) / "postgres"
        with running_server(
            {"rules": [], "default": REPLY},
            code=UNDISTURBED,
            under=callgrind(ours),
            once_migrated=lambda server: put_under_callgrind(server, postgres),
            **PATIENT,
        ) as server:
            print("the server has started", flush=True)
            meter = Meter(server.process, ours, server.postgres, DATABASE, postgres)
            counts = {
                f"ours, memory {memory}": counted(meter, turns_of(server, memory, streams=asked.stream))
                for memory in ("off", "on")
            }
            counts |= {"the floor": floor(meter, Path(folder) / "floor", streams=asked.stream)}
            server.process.kill()  # else callgrind writes it all once more
        if asked.kept:
            shutil.copy(newest(ours), asked.kept)
    told_as = "streamed" if asked.stream else "in JSON"
    print(f"N = {TURNS} turns of {USERS} users, {told_as}, one after the other; the reply has 20 words")
    print("a turn of | million instructions | times the floor's | Postgres: million instructions | times the floor's")
    least = counts["the floor"]
    for name, (server, postgres) in counts.items():
        of_server = f"{server / 1e6:.3f} | {server / least.server:.2f}"
        print(f"{name:>16} | {of_server} | {postgres / 1e6:.3f} | {postgres / least.postgres:.2f}")


Ask = tuple[str, dict[str, str], str]  # where, with which headers, in which session


@dataclass(frozen=True, slots=True)
class Meter:
    """Of a server, and of the backends that its database has for it."""

    process: psutil.Process
    out: Path
    postgres: EmbeddedPostgres
    database: str
    out_of_postgres: Path

    def backends(self) -> Backends:
        return Backends(self.postgres.owner_url, self.database, self.out_of_postgres)


class Counts(NamedTuple):
    """Instructions of one turn."""

    server: float
    postgres: float


def counted(meter: Meter, asks: Sequence[Ask]) -> Counts:
    """Once everything is loaded and warm."""
    process = meter.process
    wait_until_idle(process)
    texts = told.texts(seed=1)
    # A connection for each: under valgrind one that was kept may be closed when the next is asked for.
    with httpx.Client(timeout=600, limits=httpx.Limits(max_keepalive_connections=0)) as client:

        def ask(turns: range) -> None:
            for number in turns:
                url, headers, session_id = asks[number % len(asks)]
                body = {"message": texts[number % len(texts)], "session_id": session_id}
                client.post(url, json=body, headers=headers).raise_for_status()

        warm = WARM_TURNS * len(asks)
        ask(range(warm))
        wait_until_idle(process)
        backends = meter.backends()
        backends.tell("-i", "on")
        tell(process, "-i", "on")
        ask(range(warm, warm + TURNS))
        tell(process, "-i", "off")
        backends.tell("-i", "off")
    tell(process, "-d")
    backends.tell("-d")
    return Counts(instructions(newest(meter.out)) / TURNS, backends.instructions() / TURNS)


def turns_of(server: Server, memory: str, *, streams: bool) -> list[Ask]:
    """A new session for each user."""
    asks = []
    for number in range(USERS):
        headers = server.headers(f"memory {memory} {number}")
        made = httpx.post(f"{server.address}/api/sessions", json={"memory": memory}, headers=headers, timeout=600)
        wanted = {"Accept": "text/event-stream"} if streams else {}
        asks.append((f"{server.address}/api/chat", headers | wanted, str(made.raise_for_status().json()["session_id"])))
    return asks


def floor(ours: Meter, out: Path, *, streams: bool) -> Counts:
    with psycopg.connect(ours.postgres.owner_url, autocommit=True) as connection:
        connection.execute("create database floor")
    address = ours.postgres.url("postgres", "floor")
    environment = {"PEER_DATABASE_URL": address, "PEER_REPLY": REPLY, "PYTHONHASHSEED": "0"}
    command = [*callgrind(out), sys.executable, "-m", "benchmarks.peers.serve", "floor"]
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            served_at = next(found[1] for line in process.stdout if (found := re.search(ADDRESS, line)))
            asks = [
                (f"{served_at}/{'stream' if streams else 'chat'}", {}, f"session {number}") for number in range(USERS)
            ]
            return counted(replace(ours, process=psutil.Process(process.pid), out=out, database="floor"), asks)
        finally:
            process.kill()


def wait_until_idle(process: psutil.Process) -> None:
    """What a start leaves for later takes a while here, and would be counted."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        before = cpu_s(process)
        time.sleep(LOOK_S)
        if cpu_s(process) - before < IDLE_SHARE * LOOK_S:
            return
    raise TimeoutError("the server does not come to rest")


if __name__ == "__main__":
    main()
