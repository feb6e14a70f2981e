"""Where everything is measured: one Postgres, and on it our server, its worker and the peers, each in processes of its
own and on a database of its own."""

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg

from benchmarks.server import cpu_s
from benchmarks.side_by_side.launched import Launched
from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.store.embedded import DATABASE, EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate

Done = TypeVar("Done")
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
ADDRESS = r"is at (http://\S+)"
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
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    began: float = field(default_factory=time.monotonic)

    def say(self, what: str) -> None:
        """How far the measure is, and since when."""
        print(f"{time.monotonic() - self.began:5.0f} s  {what}", flush=True)

    def database(self, name: str, *, is_ours: bool = False) -> str:
        """A fresh one; ours with our schema. What it had before is gone."""
        self.run("postgres", f"drop database if exists {name} with (force)")
        # That of `open_world` has our schema, and nobody is in it.
        self.run("postgres", f"create database {name} template {DATABASE if is_ours else 'template1'}")
        if not is_ours:
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
        key = DevKey.of(own)  # before two of them would make one
        with contextlib.ExitStack() as stack:
            started = [stack.enter_context(self.launched(SERVE, environment)) for _ in range(servers)]
            works = stack.enter_context(self.launched(WORK, environment)) if with_worker else None
            address = ",".join(each.says(ADDRESS) for each in started)
            if works:
                works.says("(Working off)")
            worker = works.process if works else None
            yield Stack("ours", address, database, [each.process for each in started], worker, key)

    def has(self, module: str) -> bool:
        """Where the peers are not installed there is but the floor, which needs nothing that ours does not have."""
        return not self.is_alone or module == "floor"

    @property
    def peers_python(self) -> str:
        return sys.executable if self.is_alone else str(PEERS_PYTHON)

    @contextlib.contextmanager
    def peer(self, name: str, database: str, **settings: str) -> Iterator[Stack]:
        with self.starting_peer(name, database, **settings) as started:
            yield started()

    @contextlib.contextmanager
    def starting_peer(self, name: str, database: str, **settings: str) -> Iterator[Callable[[], Stack]]:
        """Something else may be done until it is asked for."""
        environment = {
            **os.environ, **ONE_THREAD, **SILENT, "HOME": str(self.directory), "PYTHONPATH": str(ROOT),
            "PEER_DATABASE_URL": self.url(database), "PEER_REPLY": REPLY, **settings,
        }  # fmt: skip
        command = [self.peers_python, "-m", "benchmarks.peers.serve", name]
        with self.launched(command, environment) as launched:
            yield lambda: Stack(name, launched.says(ADDRESS), database, [launched.process])

    @contextlib.contextmanager
    def launched(
        self, command: Sequence[str], environment: dict[str, str], *, gently: bool = False
    ) -> Iterator[Launched]:
        """A process, whose complaints are in a file. Killed in the end, since nothing of it is kept; `gently`: it has
        something to do before."""
        log = self.directory / f"process{next(self.numbers)}.log"
        with log.open("w") as complaints:
            process = subprocess.Popen(
                command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        self.started.append(process)
        launched = Launched(process, psutil.Process(process.pid), log)
        try:
            self.alive.append(launched.process)
            yield launched
        finally:
            with contextlib.suppress(ValueError):  # it may be interrupted before it was noted
                self.alive.remove(launched.process)
            if gently:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
            process.kill()
            process.wait()

    @contextlib.contextmanager
    def beside(self, tasks: Iterable[Callable[[], Done]], *, at_once: int = 2) -> Iterator[list[Future[Done]]]:
        """What is not timed, in threads of its own until the end of the block. What fails or is interrupted takes all
        of them along: who waits for a server or for Postgres waits no longer."""
        with ThreadPoolExecutor(at_once) as pool:
            futures = [pool.submit(each) for each in tasks]
            try:
                yield futures
                for each in as_completed(futures):
                    each.result()
            except BaseException:
                for each in futures:
                    each.cancel()
                for process in self.started:
                    process.kill()
                with contextlib.suppress(psutil.NoSuchProcess):
                    psutil.Process(self.postgres.pid).send_signal(signal.SIGQUIT)
                raise

    @property
    def postgres_cpu_s(self) -> float:
        """Of all its processes, also of those that are gone."""
        postmaster = psutil.Process(self.postgres.pid)
        times = postmaster.cpu_times()
        children = sum(cpu_s(child) for child in postmaster.children())
        return float(times.user + times.system + times.children_user + times.children_system) + children

    def wait_until_idle(self, stack: Stack | None = None) -> None:
        """Some go on working after their clients have left: the next slice would pay for it. One alone, or all and
        Postgres."""
        deadline, before, began = time.monotonic() + PATIENCE_S, self._busy_s(stack), time.monotonic()
        while time.monotonic() < deadline:
            time.sleep(LOOK_S)
            busy, now = self._busy_s(stack), time.monotonic()
            if (busy - before) / (now - began) < IDLE_SHARE:
                return
            before, began = busy, now
        raise TimeoutError("something does not come to rest")

    def _busy_s(self, stack: Stack | None) -> float:
        if stack:
            return stack.cpu_s + (cpu_s(stack.worker) if stack.worker else 0.0)
        return self.postgres_cpu_s + sum(cpu_s(process) for process in self.alive)


@contextlib.contextmanager
def open_world(*, is_quick: bool, is_alone: bool = False, conversations: Sequence[str] = ()) -> Iterator[World]:
    if not is_alone and not PEERS_PYTHON.exists():
        sys.exit("The peers are not installed: make bench does it.")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)  # the embedded server may run as another user
        with ending_postgres(directory), embedded_postgres(directory) as postgres:
            migrate(postgres.owner_url)
            world = World(directory, postgres, is_quick, is_alone, conversations)
            # Tables are vacuumed when they are filled; else it happens amid a slice, and whose it is nobody knows.
            world.set(autovacuum="off", max_wal_size="8GB")
            try:
                yield world
            finally:
                for each in world.started:  # an interruption may have come amid the end of one
                    each.kill()
            world.set(fsync="off")  # nothing of it is kept, and so it ends sooner


@contextlib.contextmanager
def ending_postgres(directory: Path) -> Iterator[None]:
    """Whatever runs on these files: also one that was interrupted while it was being started or stopped, which has no
    pid file yet or no longer, and one whose server was killed."""
    try:
        yield
    finally:
        for signal_ in (signal.SIGQUIT, signal.SIGKILL):
            while left := _on(directory):  # again: one of them may have started another since
                for each in left:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        each.send_signal(signal_)
                if psutil.wait_procs(left, END_S)[1]:
                    break


def _on(directory: Path) -> list[psutil.Process]:
    """Those that name it, or were told of it: what initdb starts knows it by PGDATA only, and outlives it."""
    return [
        each
        for each in psutil.process_iter(["cmdline", "environ"])
        if str(directory) in " ".join([*(each.info["cmdline"] or ()), *(each.info["environ"] or {}).values()])
    ]
