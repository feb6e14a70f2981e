"""One slice of turns, for `turns` and others: how many a second, how long each took, and the CPU of everybody in it."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.pool import Pool

import psutil

from benchmarks.server import cpu_s
from benchmarks.side_by_side import told
from benchmarks.side_by_side.load import Client, drive
from benchmarks.side_by_side.world import PATIENCE_S, REPLY, Stack, World

WAITING = """
select 1 from procrastinate.procrastinate_jobs
where status in ('todo', 'doing') and (scheduled_at is null or scheduled_at <= now()) limit 1
"""
LATE = "select count(*) from chat.turns where recalled ->> 'degraded' is not null"


@dataclass(frozen=True, slots=True)
class Slice:
    """Milliseconds of one turn, as measured over many; `after_ms` is the worker's and Postgres' after the answers."""

    turns: int
    refused: int
    per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    server_ms: float
    postgres_ms: float
    after_ms: float
    elsewhere_cores: float  # what this machine did beside it
    stolen_cores: float = 0.0  # what its host gave to others meanwhile
    late: int = 0  # turns whose recall was not there in time

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.postgres_ms


def measure(
    world: World,
    pool: Pool,
    stack: Stack,
    clients: Sequence[Client],
    seconds: float,
    *,
    at_once: int | None = None,
    beside: bool = False,
) -> Slice:
    """The worker stands still meanwhile, and does its work afterwards, so that it can be counted; `beside`: it does
    not stand still."""
    world.wait_until_idle()
    with contextlib.nullcontext() if beside else standing_still(stack):
        worker, server, postgres, machine = _worker_s(stack), stack.cpu_s, world.postgres_cpu_s, _machine_s()
        stolen_s, client, late = _stolen_s(), _client_s(pool), _late(world, stack)
        began = time.monotonic()
        heard = drive(pool, clients, told.texts(seed=1), REPLY, seconds, at_once=at_once)
        took_s = time.monotonic() - began
        server_s, during_s = stack.cpu_s - server, world.postgres_cpu_s - postgres
        ours_s = server_s + during_s + _client_s(pool) - client + (_worker_s(stack) - worker if beside else 0.0)
        elsewhere = max(0.0, _machine_s() - machine - ours_s) / took_s
        stolen = (_stolen_s() - stolen_s) / took_s
    if stack.worker:
        drain(world, stack)
    after_s = _worker_s(stack) - worker + world.postgres_cpu_s - postgres - during_s if stack.worker else 0.0
    each_ms = 1_000 / max(len(heard.took_ms), 1)
    return Slice(
        len(heard.took_ms), heard.refused, heard.per_s, heard.p(50), heard.p(95), heard.p(99),
        server_s * each_ms, during_s * each_ms, after_s * each_ms, elsewhere, stolen, _late(world, stack) - late,
    )  # fmt: skip


@contextlib.contextmanager
def standing_still(stack: Stack) -> Iterator[None]:
    """Without its worker, which goes on afterwards."""
    if stack.worker:
        stack.worker.suspend()
    try:
        yield
    finally:
        if stack.worker:
            stack.worker.resume()


def drain(world: World, stack: Stack) -> None:
    """Until the worker has nothing left to do."""
    deadline = time.monotonic() + PATIENCE_S
    while world.run(stack.database, WAITING):
        if time.monotonic() > deadline:
            raise TimeoutError("the worker does not catch up")
        time.sleep(0.1)


def _late(world: World, stack: Stack) -> int:
    """Of ours; nobody else recalls."""
    return int(world.run(stack.database, LATE)[0][0]) if stack.key else 0


def _worker_s(stack: Stack) -> float:
    return cpu_s(stack.worker) if stack.worker else 0.0


def _client_s(pool: Pool) -> float:
    return sum(cpu_s(psutil.Process(process.pid)) for process in pool._pool)  # type: ignore[attr-defined]


def _machine_s() -> float:
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


def _stolen_s() -> float:
    return float(getattr(psutil.cpu_times(), "steal", 0.0))  # known to Linux alone
