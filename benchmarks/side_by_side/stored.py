"""C: the rows and bytes that a conversation leaves behind, and whether a longer one leaves more in each turn."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import httpx

from benchmarks.side_by_side import told
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, short
from benchmarks.side_by_side.turn_scene import OURS, PEERS, SETTINGS, session_ids
from benchmarks.side_by_side.turn_slices import drain
from benchmarks.side_by_side.world import Stack, World

LENGTHS = (190, 4_000)  # characters of a question, and of its answer
# Turns. Ours has many tables, of which each ends with a page that is half empty; LangGraph's rows grow with every turn.
FULL_OURS, FULL = 300, 150
PARTS = 3  # of a conversation, each as long as the others
# What is swept: the log of a turn after a quarter of an hour, users' events after a day, jobs when they are done.
SWEPT = ("chat.turn_events", "chat.user_events", "procrastinate.")
SIZES = """
select n.nspname || '.' || c.relname, pg_total_relation_size(c.oid)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
"""

BUSY = """
select 1 from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and state in ('active', 'idle in transaction')
"""


@dataclass(frozen=True, slots=True)
class Left:
    """By table."""

    sizes: dict[str, int]
    rows: dict[str, int]

    def bytes(self, *, with_swept: bool = True) -> int:
        return sum(size for name, size in self.sizes.items() if with_swept or not name.startswith(SWEPT))


def run(world: World) -> Outcome:
    tables, figures = [], {}
    names = (OURS, *(name for name, module in PEERS.items() if world.has(module)))
    places = [(chars, name) for name in names for chars in LENGTHS]
    # Two at a time: nothing is timed here.
    with world.beside(partial(looked_at, world, *place) for place in places) as done:
        pass
    found = dict(zip(places, (each.result() for each in done), strict=True))
    for chars in LENGTHS:
        rows = []
        for name in names:
            turns, looks = turns_of(world, name), found[chars, name]
            text = 2 * chars
            thirds = [after.bytes() - before.bytes() for before, after in itertools.pairwise(looks)]
            kept = (looks[-1].bytes(with_swept=False) - looks[0].bytes(with_swept=False)) / turns / text
            count = sum(looks[-1].rows.values()) - sum(looks[0].rows.values())
            linear = thirds[-1] / max(thirds[0], 1)
            all_of_it = sum(thirds) / turns
            sizes = (count / turns, all_of_it, all_of_it / text, kept, linear)
            rows.append([name, turns, *(short(each) for each in sizes)])
            if name == OURS:
                figures |= {f"times_text_{chars}": kept, "linear": max(linear, figures.get("linear", 0.0))}
                tables.append(by_table(looks, turns, chars))
        columns = ("stack", "N turns", "rows/turn", "bytes/turn", "x the text", "x the text, kept", "last third/first")
        tables.insert(LENGTHS.index(chars), Table(f"Texts of {chars:,} characters, question and answer", columns, rows))
    return Outcome(tables, figures)


def turns_of(world: World, name: str) -> int:
    return 60 if world.is_quick else FULL_OURS if name == OURS else FULL


def looked_at(world: World, chars: int, name: str) -> list[Left]:
    with running(world, name, chars) as stack:
        looks = talk(world, stack, turns_of(world, name), chars)
    world.say(f"{chars:,} characters: {name}")
    return looks


@contextlib.contextmanager
def running(world: World, name: str, chars: int) -> Iterator[Stack]:
    reply, database = told.texts(chars, 2)[0], f"stored_{[OURS, *PEERS].index(name)}_{chars}"
    if name == OURS:
        script = {"rules": [], "default": reply}
        # What is found too late is not stored, and a turn would be smaller for it.
        options = {"script": script, "RECALL_DEADLINE_MS": "5000"}
        with world.ours(world.database(database, is_ours=True), **options) as stack:
            yield stack
    else:
        module, settings = PEERS[name], SETTINGS.get(name, {})
        world.database(database)
        with world.peer(module, database, PEER_REPLY=reply, **settings) as stack:
            yield stack


def talk(world: World, stack: Stack, turns: int, chars: int) -> list[Left]:
    """One conversation, looked at before it and after each third."""
    path = "/api/chat" if stack.key else "/chat"
    [session] = session_ids(stack.name, chars, 1)
    said = told.texts(chars, 1)
    with httpx.Client(base_url=stack.address, headers=stack.headers("stored"), timeout=60) as client:

        def ask(number: int) -> None:
            body = {"message": said[number % len(said)], "session_id": session}
            client.post(path, json=body).raise_for_status()

        ask(0)  # what comes but once in a session is not a turn's
        looks = [look(world, stack)]
        for part in range(PARTS):
            for number in range(turns // PARTS):
                ask(1 + part * turns // PARTS + number)
            looks.append(look(world, stack))
    return looks


def look(world: World, stack: Stack) -> Left:
    """When all after-work is done."""
    if stack.worker:
        drain(world, stack)
    world.wait_until_idle(stack)
    while world.run(stack.database, BUSY):
        time.sleep(0.05)
    world.run(stack.database, "vacuum")
    sizes = dict(world.run(stack.database, SIZES))
    rows = {name: int(world.run(stack.database, f"select count(*) from {name}")[0][0]) for name in sizes}
    return Left(sizes, rows)


def by_table(looks: list[Left], turns: int, chars: int) -> Table:
    grown = {name: looks[-1].sizes[name] - looks[0].sizes.get(name, 0) for name in looks[-1].sizes}
    largest = sorted((name for name in grown if grown[name]), key=lambda name: -grown[name])
    rows = [
        [name, short((looks[-1].rows[name] - looks[0].rows[name]) / turns), short(grown[name] / turns),
         "swept" if name.startswith(SWEPT) else "kept"]
        for name in largest
    ]  # fmt: skip
    return Table(f"Ours by table, {chars:,} characters", ("table", "rows/turn", "bytes/turn", ""), rows)


MEASURE = Measure("C", "stored", __doc__.split(": ", 1)[1], run)
