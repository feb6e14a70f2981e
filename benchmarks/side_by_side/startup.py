"""G: how long a start takes to the first answer, what importing is of it, and how much memory is resident."""

import os
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import httpx

from benchmarks.side_by_side import told
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_scene import FLOOR, OURS, SAVER, SEED, session_ids
from benchmarks.side_by_side.world import ADDRESS, ROOT, SERVE, Stack, World

MODULES = {OURS: "chatServer.__main__", FLOOR: "benchmarks.peers.floor", SEED: "benchmarks.peers.seed",
           SAVER: "benchmarks.peers.saver"}  # fmt: skip
TURNS = 50
HEALTH_S = 60


def run(world: World) -> Outcome:
    modules = {name: module for name, module in MODULES.items() if name == OURS or world.has(last(module))}
    databases = {name: world.database(f"start_{last(each)}", is_ours=name == OURS) for name, each in modules.items()}
    rows, figures = [], {}
    for name, module in modules.items():
        took, idle_mb, used_mb = [], [], []
        starts = starts_of(world, name)
        for _ in range(starts + 1):
            began = time.perf_counter()
            with opened(world, name, databases[name]) as stack:
                wait_for(f"{stack.address}/{'healthz' if name == OURS else 'openapi.json'}")
                took.append(time.perf_counter() - began)
                world.wait_until_idle()
                idle_mb.append(stack.memory_mb)
                talk(stack)
                used_mb.append(stack.memory_mb)
        imports = [import_s(world, name, module, databases[name]) for _ in range(starts)]
        world.say(name)
        warm = median(took[1:])
        rows.append([name, starts, *(short(each) for each in (warm, median(imports))),
                     *(short(median(each[1:])) for each in (idle_mb, used_mb))])  # fmt: skip
        if name == OURS:
            figures["warm_s"] = warm
    starts = starts_of(world, f"{OURS}, with its own Postgres")
    embedded = [with_its_own_postgres(world) for _ in range(starts + 1)]
    figures["embedded_s"] = median(embedded[1:])
    rows.append([f"{OURS}, with its own Postgres", starts, short(figures["embedded_s"]), "-", "-", "-"])
    columns = ("stack", "N", "start to /healthz s", "import s", "MB when idle", f"MB after {TURNS} turns")
    return Outcome([Table("A warm start: the database exists, code is compiled", columns, rows)], figures)


def starts_of(world: World, name: str) -> int:
    """One more goes before; the limit is on ours."""
    return 1 if world.is_quick else 3 if name == OURS else 2


def opened(world: World, name: str, database: str) -> AbstractContextManager[Stack]:
    if name == OURS:
        return world.ours(database, with_worker=False)
    return world.peer(last(MODULES[name]), database)


def last(module: str) -> str:
    return module.rsplit(".", maxsplit=1)[1]


def wait_for(address: str) -> None:
    deadline = time.monotonic() + HEALTH_S
    while True:
        try:
            if httpx.get(address, timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"{address} does not answer")
        time.sleep(0.01)


def talk(stack: Stack) -> None:
    path = "/api/chat" if stack.key else "/chat"
    [session] = session_ids("start", 0, 1)
    with httpx.Client(base_url=stack.address, headers=stack.headers("start"), timeout=60) as client:
        for text in told.texts()[:TURNS]:
            client.post(path, json={"message": text, "session_id": session}).raise_for_status()


def import_s(world: World, name: str, module: str, database: str) -> float:
    """Of a process that does nothing else."""
    python = sys.executable if name == OURS else world.peers_python
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PEER_DATABASE_URL": world.url(database)}
    began = time.perf_counter()
    subprocess.run([python, "-c", f"import {module}"], check=True, cwd=ROOT, env=environment, capture_output=True)
    return time.perf_counter() - began


def with_its_own_postgres(world: World) -> float:
    """As `make run` starts it: Postgres beside it, too."""
    folder = Path(world.directory) / "own"
    folder.mkdir(mode=0o755, exist_ok=True)
    environment = {**os.environ, "CHAT_DATA_DIR": str(folder), "PORT": "0", "LOG_LEVEL": "WARNING"}
    began = time.perf_counter()
    with world.launched(SERVE, environment, gently=True) as launched:
        wait_for(f"{launched.says(ADDRESS)}/healthz")
        return time.perf_counter() - began


MEASURE = Measure("G", "startup", __doc__.split(": ", 1)[1], run)
