"""Where everything is measured: one Postgres, and on it our server, its worker and the peers, each in processes of its
own and on a database of its own."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg

from benchmarks.server import cpu_s
from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate

ROOT = Path(__file__).resolve().parents[2]
PEERS_PYTHON = ROOT / "benchmarks" / "peers" / ".venv" / "bin" / "python"
REPLY = " ".join(["word"] * 20)
SERVE = (sys.executable, "-m", "chatServer", "serve")
# The jobs of one session wait for each other, and for the worker's next look: a run would wait a third of a second for
# each turn that it has measured. So it looks every 50 ms, which `after-work` pays for.
WORKER = """
from functools import partial
from chatServer.cli import main
from chatServer.work import worker
worker.Pace = partial(worker.Pace, poll_s=0.05)
main(["worker"])
"""
WORK = (sys.executable, "-c", WORKER)
UNLIMITED = {f"LIMIT_{name}": "0" for name in ("TURNS_PER_MINUTE", "PARALLEL_TURNS", "TOKENS_PER_DAY")}
# numpy's threads would take the cores of those who are measured.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Peers say all they do to their makers, unless told not to.
SILENT = {"MEM0_TELEMETRY": "False", "LANGCHAIN_TRACING_V2": "false", "LANGSMITH_TRACING": "false"}
# The clock of a process has ticks of 10 ms: one of them in such a moment is called idle, two are not.
LOOK_S = 0.15
IDLE_SHARE = 0.1  # of a core
PATIENCE_S = 120
END_S = 15  # to finish what it is doing; nothing of it is kept


@dataclass(frozen=True, slots=True)
class Stack:
    """Something that answers turns, in one process or more; `worker` is counted apart."""

    name: str
    address: str
    database: str
    processes: Sequence[psutil.Process]
    worker: psutil.Process | None = None
    key: DevKey | None = None

    def headers(self, user: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key.sign(dev_user_id(user))}"} if self.key else {}

    @property
    def cpu_s(self) -> float:
        return sum(cpu_s(process) for process in self.processes)

    @property
    def memory_mb(self) -> float:
        return sum(float(process.memory_info().rss) for process in self.processes) / 1_000_000


@dataclass(slots=True)
class World:
    """One run. What is started in it ends with the block that started it."""

    directory: Path
    postgres: EmbeddedPostgres
    is_quick: bool
    is_alone: bool = False
    conversations: Sequence[str] = ()  # files of them, for `recall`
    alive: list[psutil.Process] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    began: float = field(default_factory=time.monotonic)

    def say(self, what: str) -> None:
        """How far the measure is, and since when."""
        print(f"{time.monotonic() - self.began:5.0f} s  {what}", flush=True)

    def database(self, name: str, *, is_ours: bool = False) -> str:
        """A fresh one; ours with our schema. What it had before is gone."""
        with psycopg.connect(self.postgres.owner_url, autocommit=True) as connection:
            connection.execute(f"drop database if exists {name} with (force)".encode())
            connection.execute(f"create database {name}".encode())
        if is_ours:
            migrate(self.url(name))
        else:
            self.run(name, "create extension if not exists vector")
        return name

    def url(self, database: str) -> str:
        return self.postgres.url("postgres", database)

    def run(self, database: str, statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def set(self, **settings: str) -> None:
        """Of Postgres, from now on, for everybody."""
        for name, value in settings.items():
            self.run("postgres", f"alter system set {name} = '{value}'")
        self.run("postgres", "select pg_reload_conf()")

    @contextlib.contextmanager
    def without_fsync(self) -> Iterator[None]:
        """While tables are filled. What is measured is durable."""
        self.set(fsync="off", full_page_writes="off")
        yield
        self.set(fsync="on", full_page_writes="on")
        self.run("postgres", "checkpoint")
        os.sync()  # else it is written while others are measured

    @contextlib.contextmanager
    def ours(
        self, database: str, *, with_worker: bool = True, servers: int = 1, script: Any = None, **settings: str
    ) -> Iterator[Stack]:
        """Our server with everything on; its worker in a process beside it."""
        own = self.directory / f"ours{next(self.numbers)}"
        own.mkdir(mode=0o755)
        (own / "script.json").write_text(json.dumps(script or {"rules": [], "default": REPLY}))
        url = self.postgres.url("chat_app", database)
        environment = {
            **os.environ, **ONE_THREAD, **UNLIMITED,
            "CHAT_DATA_DIR": str(own), "PORT": "0", "DATABASE_URL": url, "DATABASE_DIRECT_URL": url,
            "MODEL": f"script:{own / 'script.json'}", "LOG_LEVEL": "WARNING", "WORKER": "off", **settings,
        }  # fmt: skip
        with contextlib.ExitStack() as stack:
            started = [
                stack.enter_context(self.process(SERVE, environment, r"is at (http://\S+)")) for _ in range(servers)
            ]
            worker = None
            if with_worker:
                works = self.process(WORK, environment, r"(Working off)")
                worker, _ = stack.enter_context(works)
            address = ",".join(address for _, address in started)
            yield Stack("ours", address, database, [each for each, _ in started], worker, DevKey.of(own))

    def has(self, module: str) -> bool:
        """Where the peers are not installed there is but the floor, which needs nothing that ours does not have."""
        return not self.is_alone or module == "floor"

    @property
    def peers_python(self) -> str:
        return sys.executable if self.is_alone else str(PEERS_PYTHON)

    @contextlib.contextmanager
    def peer(self, name: str, database: str, **settings: str) -> Iterator[Stack]:
        environment = {
            **os.environ, **ONE_THREAD, **SILENT, "HOME": str(self.directory), "PYTHONPATH": str(ROOT),
            "PEER_DATABASE_URL": self.url(database), "PEER_REPLY": REPLY, **settings,
        }  # fmt: skip
        command = [self.peers_python, "-m", "benchmarks.peers.serve", name]
        with self.process(command, environment, r"is at (http://\S+)") as (process, address):
            yield Stack(name, address, database, [process])

    @contextlib.contextmanager
    def process(
        self, command: Sequence[str], environment: dict[str, str], says: str
    ) -> Iterator[tuple[psutil.Process, str]]:
        """One that has said that it is ready; its complaints are in a file that is shown when it does not."""
        log = self.directory / f"process{next(self.numbers)}.log"
        with log.open("w") as complaints:
            process = subprocess.Popen(
                command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        started = psutil.Process(process.pid)
        try:
            self.alive.append(started)
            assert process.stdout is not None
            said = next((found[1] for line in process.stdout if (found := re.search(says, line))), None)
            if said is None:
                raise RuntimeError(f"{' '.join(command)} did not start:\n{log.read_text()[-3_000:]}")
            yield started, said
        finally:
            with contextlib.suppress(ValueError):  # it may be interrupted before it was noted
                self.alive.remove(started)
            with contextlib.suppress(psutil.NoSuchProcess):
                started.resume()
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(END_S)

    @property
    def postgres_cpu_s(self) -> float:
        """Of all its processes, also of those that are gone."""
        postmaster = psutil.Process(self.postgres.pid)
        times = postmaster.cpu_times()
        children = sum(cpu_s(child) for child in postmaster.children())
        return float(times.user + times.system + times.children_user + times.children_system) + children

    def wait_until_idle(self) -> None:
        """Some go on working after their clients have left: the next slice would pay for it."""
        deadline, before, began = time.monotonic() + PATIENCE_S, self._busy_s(), time.monotonic()
        while time.monotonic() < deadline:
            time.sleep(LOOK_S)
            busy, now = self._busy_s(), time.monotonic()
            if (busy - before) / (now - began) < IDLE_SHARE:
                return
            before, began = busy, now
        raise TimeoutError("something does not come to rest")

    def _busy_s(self) -> float:
        return self.postgres_cpu_s + sum(cpu_s(process) for process in self.alive)


@contextlib.contextmanager
def open_world(*, is_quick: bool, is_alone: bool = False, conversations: Sequence[str] = ()) -> Iterator[World]:
    if not is_alone and not PEERS_PYTHON.exists():
        sys.exit("The peers are not installed: make bench does it.")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)  # the embedded server may run as another user
        with _ending_postgres(directory), embedded_postgres(directory) as postgres:
            migrate(postgres.owner_url)
            world = World(directory, postgres, is_quick, is_alone, conversations)
            # Tables are vacuumed when they are filled; else it happens amid a slice, and whose it is nobody knows.
            world.set(autovacuum="off", max_wal_size="8GB")
            yield world


@contextlib.contextmanager
def _ending_postgres(directory: Path) -> Iterator[None]:
    """Also one that was interrupted while it was being started."""
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess):
            postmaster = psutil.Process(int((directory / "postgres" / "postmaster.pid").read_text().split()[0]))
            postmaster.send_signal(signal.SIGINT)
            postmaster.wait(END_S)
