"""How many instructions the server's process takes for one turn, counted by valgrind: the same to a thousandth on a
busy machine, where CPU times differ by a third. To compare two versions of the code with; Postgres is not counted.

python -m benchmarks.instructions [--stream] [--kept FILE] takes four minutes and wants valgrind (apt-get install
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
from pathlib import Path

import httpx
import psutil
import psycopg

from benchmarks.command import parser
from benchmarks.server import SERVE, Server, cpu_s, running_server
from benchmarks.side_by_side import told
from benchmarks.side_by_side.world import ADDRESS, REPLY
from chatServer.store.embedded import EmbeddedPostgres

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
        ours = Path(folder) / "ours"
        with running_server(
            {"rules": [], "default": REPLY}, code=UNDISTURBED, under=callgrind(ours), **PATIENT
        ) as server:
            print("the server has started", flush=True)
            counts = {
                f"ours, memory {memory}": counted(server.process, ours, turns_of(server, memory, streams=asked.stream))
                for memory in ("off", "on")
            }
            counts |= {"the floor": floor(server.postgres, Path(folder) / "floor", streams=asked.stream)}
            server.process.kill()  # else callgrind writes it all once more
        if asked.kept:
            shutil.copy(newest(ours), asked.kept)
    told_as = "streamed" if asked.stream else "in JSON"
    print(f"N = {TURNS} turns of {USERS} users, {told_as}, one after the other; the reply has 20 words")
    print("a turn of | million instructions | times the floor's")
    for name, each in counts.items():
        print(f"{name:>16} | {each / 1e6:.3f} | {each / counts['the floor']:.2f}")


Ask = tuple[str, dict[str, str], str]  # where, with which headers, in which session


def callgrind(out: Path) -> list[str]:
    """What a process is started with, to be counted when it is told to."""
    return ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]


def counted(process: psutil.Process, out: Path, asks: Sequence[Ask]) -> float:
    """Instructions of one turn, once everything is loaded and warm."""
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
        tell(process, "-i", "on")
        ask(range(warm, warm + TURNS))
        tell(process, "-i", "off")
    tell(process, "-d")
    return instructions(newest(out)) / TURNS


def tell(process: psutil.Process, *words: str) -> None:
    subprocess.run(["callgrind_control", *words, str(process.pid)], check=True, capture_output=True)


def newest(out: Path) -> Path:
    """Of what callgrind has written, a file for each time it was told to."""
    return max(out.parent.glob(f"{out.name}.*"), key=lambda path: int(path.suffix[1:]))


def instructions(written: Path) -> int:
    found = re.search(r"^totals: (\d+)", written.read_text(), re.M)
    if found is None:
        raise ValueError(f"callgrind has not written how many there were: {written}")
    return int(found[1])


def turns_of(server: Server, memory: str, *, streams: bool) -> list[Ask]:
    """A new session for each user."""
    asks = []
    for number in range(USERS):
        headers = server.headers(f"memory {memory} {number}")
        made = httpx.post(f"{server.address}/api/sessions", json={"memory": memory}, headers=headers, timeout=600)
        wanted = {"Accept": "text/event-stream"} if streams else {}
        asks.append((f"{server.address}/api/chat", headers | wanted, str(made.raise_for_status().json()["session_id"])))
    return asks


def floor(postgres: EmbeddedPostgres, out: Path, *, streams: bool) -> float:
    with psycopg.connect(postgres.owner_url, autocommit=True) as connection:
        connection.execute("create database floor")
    environment = {"PEER_DATABASE_URL": postgres.url("postgres", "floor"), "PEER_REPLY": REPLY, "PYTHONHASHSEED": "0"}
    command = [*callgrind(out), sys.executable, "-m", "benchmarks.peers.serve", "floor"]
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(found[1] for line in process.stdout if (found := re.search(ADDRESS, line)))
            asks = [
                (f"{address}/{'stream' if streams else 'chat'}", {}, f"session {number}") for number in range(USERS)
            ]
            return counted(psutil.Process(process.pid), out, asks)
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
