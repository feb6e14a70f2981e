"""What reading the last 20 messages costs in a session of 100,000 messages, against a session of 20.

python -m benchmarks.history_window exits with 1 when CPU or buffers grow by more than a fifth; with
--without-index it must.
"""

import asyncio
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import psutil
import psycopg

from benchmarks.command import parser
from chatServer.config import Settings
from chatServer.records import Principal
from chatServer.store.embedded import embedded_postgres
from chatServer.store.history import SQL, ChatMessageHistory
from chatServer.store.migrate import migrate
from chatServer.store.pool import Database

WINDOW = 20
LONG = 100_000
BETWEEN = 20_000
SLICES = 11
READS_PER_SLICE = 400
SLOW_READS_PER_SLICE = 5  # without the index
GATE = 1.2
USER = Principal(uuid4())

# Two messages a turn, in LangChain's row format, with texts of 190 characters.
FILL_TURNS = """
insert into chat.turns (user_id, turn_id, session_id, agent_name, state)
select %(user_id)s, md5(%(session_id)s || n)::uuid, %(session_id)s, 'assistant', 'done'
from generate_series(1, %(messages)s / 2) as n
"""
FILL_MESSAGES = """
insert into public.chat_message_history (user_id, session_id, turn_id, message)
select %(user_id)s, %(session_id)s, md5(%(session_id)s || (n + 1) / 2)::uuid,
    jsonb_build_object('type', kind, 'data', jsonb_build_object(
        'id', null, 'name', null, 'type', kind, 'content', rpad('message ' || n || ' ', 190, 'lorem ipsum '),
        'additional_kwargs', jsonb_build_object(), 'response_metadata', jsonb_build_object()))
from generate_series(1, %(messages)s) as n, lateral (select case n %% 2 when 1 then 'human' else 'ai' end) as k (kind)
order by n
"""


@dataclass(frozen=True, slots=True)
class Slice:
    """The cost of one read, as measured over many."""

    client_cpu_ms: float
    server_cpu_ms: float
    wall_p50_ms: float

    @property
    def cpu_ms(self) -> float:
        return self.client_cpu_ms + self.server_cpu_ms


def main() -> None:
    has_index = not parser(__doc__, "--without-index").parse_args().without_index
    reads = READS_PER_SLICE if has_index else SLOW_READS_PER_SLICE
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        Path(directory).chmod(0o755)  # the embedded server may run as another user
        with embedded_postgres(Path(directory)) as server:
            migrate(server.owner_url)
            short, long = fill(server.owner_url, has_index=has_index)
            settings = Settings(database_pool_size=1, chat_data_dir=Path(directory), _env_file=None)
            is_good = asyncio.run(compare(server.app_url, settings, (short, long), reads))
    sys.exit(0 if is_good else 1)


def fill(owner_url: str, *, has_index: bool) -> tuple[str, str]:
    """A long session that its user has left, others since, and a short one now; returns the short and the long.

    The order matters: (user_id, id) read backwards finds the newest session at once, and an older one late.
    """
    short, long = str(uuid4()), str(uuid4())
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")
        for session_id, messages in ((long, LONG), (str(uuid4()), BETWEEN), (short, WINDOW)):
            values = {"user_id": USER.user_id, "session_id": session_id, "messages": messages}
            connection.execute(
                "insert into chat.sessions (user_id, session_id, agent_name) "
                "values (%(user_id)s, %(session_id)s, 'assistant')",
                values,
            )
            connection.execute(FILL_TURNS, values)
            connection.execute(FILL_MESSAGES, values)
        if not has_index:
            connection.execute("drop index public.chat_message_history_by_session")
        connection.execute("vacuum analyze")  # else autovacuum does it amid the measurement
    return short, long


async def compare(url: str, settings: Settings, sessions: tuple[str, str], reads: int) -> bool:
    short, long = sessions
    async with Database(url, settings) as database:
        backend = await find_backend(database)
        for session_id in (short, long):
            await measure(database, backend, session_id, reads)  # fills the caches
        rounds = [
            [await measure(database, backend, session_id, reads) for session_id in (short, long, short)]
            for _ in range(SLICES)
        ]
        buffers_short = await buffers(database, short)
        buffers_long = await buffers(database, long)
        postgres = await server_version(database)
    shorts, longs, controls = (list(column) for column in zip(*rounds, strict=True))
    print(f"Python {platform.python_version()}, Postgres {postgres}, psycopg {psycopg.__version__}")
    print(f"N = {SLICES} interleaved slices of {reads} reads of the last {WINDOW} messages, each")
    report("session of 20", shorts)
    report(f"session of {LONG:,}", longs)
    print(f"A/A control, CPU: {ratio(controls, shorts):.3f}")
    cpu, pages = ratio(longs, shorts), buffers_long / buffers_short
    print(f"CPU (client + server), long / short: {cpu:.3f}, gate {GATE}")
    print(f"shared buffers, long / short: {buffers_long} / {buffers_short} = {pages:.3f}, gate {GATE}")
    return cpu <= GATE and pages <= GATE


async def find_backend(database: Database) -> psutil.Process:
    """The one server process behind the pool of one."""
    async with database.transaction(USER) as connection:
        row = await (await connection.execute("select pg_backend_pid()")).fetchone()
        assert row is not None
        return psutil.Process(row[0])


async def server_version(database: Database) -> str:
    async with database.transaction(USER) as connection:
        row = await (await connection.execute("show server_version")).fetchone()
        assert row is not None
        return str(row[0])


async def measure(database: Database, backend: psutil.Process, session_id: str, reads: int) -> Slice:
    walls = []
    client_before, server_before = time.process_time(), cpu_seconds(backend)
    for _ in range(reads):
        started = time.perf_counter()
        messages = await read(database, USER.user_id, session_id)
        walls.append(time.perf_counter() - started)
        assert messages == WINDOW
    client, server = time.process_time() - client_before, cpu_seconds(backend) - server_before
    per_read_ms = 1_000 / reads
    return Slice(client * per_read_ms, server * per_read_ms, statistics.median(walls) * 1_000)


async def read(database: Database, user_id: UUID, session_id: str) -> int:
    async with database.transaction(USER) as connection:
        return len(await ChatMessageHistory(connection, user_id, session_id).window(WINDOW))


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


async def buffers(database: Database, session_id: str) -> int:
    """The pages that the same statement touches, under the same role."""
    statement = b"explain (analyze, buffers, format json) " + SQL["read_window"]
    values = {"user_id": USER.user_id, "session_id": session_id, "limit": WINDOW}
    async with database.transaction(USER) as connection:
        row = await (await connection.execute(statement, values)).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def ratio(numerators: Sequence[Slice], denominators: Sequence[Slice]) -> float:
    return statistics.median(a.cpu_ms / b.cpu_ms for a, b in zip(numerators, denominators, strict=True))


def report(name: str, slices: Sequence[Slice]) -> None:
    client, server, wall = (
        statistics.median(getattr(piece, field) for piece in slices)
        for field in ("client_cpu_ms", "server_cpu_ms", "wall_p50_ms")
    )
    print(f"{name}: CPU per read {client:.3f} ms client + {server:.3f} ms server, wall p50 {wall:.3f} ms")


if __name__ == "__main__":
    main()
