"""I: the server's CPU in a turn by part: the functions that a profiler saw, added up by the room or package of each.

The profiler slows small functions most: read shares, not times."""

import os
import pstats
import re
import signal
import sys
from collections import defaultdict
from pathlib import Path

import httpx

from benchmarks.side_by_side import told
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, short
from benchmarks.side_by_side.turn_scene import session_ids
from benchmarks.side_by_side.world import ADDRESS, REPLY, UNLIMITED, World
from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id

PACKAGE = re.compile(r"site-packages/([A-Za-z0-9_]+)")
ROOM = re.compile(r"/chatServer/([A-Za-z0-9_]+)")
TOGETHER = {
    "starlette": "fastapi", "pydantic": "fastapi", "pydantic_core": "fastapi", "psycopg_pool": "psycopg",
    "psycopg_binary": "psycopg", "langgraph": "langchain", "langchain_core": "langchain", "httptools": "uvicorn",
    "wordllama": "numpy", "uvloop": "asyncio",
}  # fmt: skip
LEAST_SHARE = 0.015
WARM = 50
# Told to begin when it is warm; waits take no time, since only the CPU of the thread is counted.
SERVE = """
import atexit, cProfile, os, signal, time
from chatServer.cli import main
profile = cProfile.Profile(time.thread_time)
signal.signal(signal.SIGUSR1, lambda *_: profile.enable())
atexit.register(lambda: (profile.disable(), profile.dump_stats(os.environ["BENCH_PROFILE"])))
main(["serve"])
"""


def run(world: World) -> Outcome:
    turns = 100 if world.is_quick else 300
    own = world.directory / "profiled"
    own.mkdir(mode=0o755)
    (own / "script.json").write_text(f'{{"rules": [], "default": "{REPLY}"}}')
    url = world.postgres.url("chat_app", world.database("parts", is_ours=True))
    environment = {
        **os.environ, **UNLIMITED, "CHAT_DATA_DIR": str(own), "PORT": "0", "WORKER": "off", "LOG_LEVEL": "WARNING",
        "DATABASE_URL": url, "DATABASE_DIRECT_URL": url, "MODEL": f"script:{own / 'script.json'}",
        "BENCH_PROFILE": str(own / "profile"),
    }  # fmt: skip
    with world.launched([sys.executable, "-c", SERVE], environment, gently=True) as launched:
        address = launched.says(ADDRESS)
        token = DevKey.of(own).sign(dev_user_id("parts"))
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            sessions = session_ids("parts", 0, 10)
            for number in range(WARM + turns):
                if number == WARM:
                    launched.process.send_signal(signal.SIGUSR1)
                body = {"message": told.texts(seed=1)[number % 500], "session_id": sessions[number % 10]}
                client.post("/api/chat", json=body).raise_for_status()
    return told_of(own / "profile", turns)


def told_of(profile: Path, turns: int) -> Outcome:
    parts: dict[str, float] = defaultdict(float)
    functions: dict[tuple[str, str], tuple[float, int]] = {}
    stats = pstats.Stats(str(profile)).stats  # type: ignore[attr-defined]
    for (path, line, name), (calls, _, own_s, _, _) in stats.items():
        parts[part_of(path, name)] += own_s
        functions[f"{Path(path).name}:{line}", name] = (own_s, calls)
    each_ms = 1_000 / turns
    whole = sum(parts.values())
    shown = {name: own for name, own in parts.items() if own >= LEAST_SHARE * whole}
    shown["the rest"] = whole - sum(shown.values())
    rows = [
        [name, short(own * each_ms), f"{own / whole:.0%}"] for name, own in sorted(shown.items(), key=lambda p: -p[1])
    ]
    first = sorted(functions.items(), key=lambda each: -each[1][0])[:25]
    lines = [[where, name, short(calls / turns), short(own * each_ms)] for (where, name), (own, calls) in first]
    points = {name: [(0.0, own * each_ms)] for name, own in shown.items()}
    note = f"N = {turns} turns with recall, one at a time; what other threads do, as recall does in part, is not seen."
    return Outcome(
        [Table("By part", ("part", "ms in a turn", "share"), rows, note),
         Table("The dearest functions", ("where", "function", "calls in a turn", "ms in a turn"), lines)],
        {}, points,
    )  # fmt: skip


def part_of(path: str, name: str) -> str:
    """Our rooms by their own names; C functions, which have no file, by what they say of themselves."""
    if found := ROOM.search(path):
        return f"ours: {found[1].removesuffix('.py')}"
    if found := PACKAGE.search(path) or re.search(r"\b(psycopg_binary|uvloop|pydantic_core|numpy|httptools)\b", name):
        return TOGETHER.get(found[1], found[1])
    if "asyncio" in path or "_asyncio" in name or "contextvars" in name:
        return "asyncio"
    return "json" if "json" in path or "json" in name else "Python itself"


MEASURE = Measure("I", "parts", " ".join(__doc__.split(": ", 1)[1].split()), run)
