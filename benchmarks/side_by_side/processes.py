"""H: turns a second with one server process and with two, on one database."""

import dataclasses

import psutil

from benchmarks.side_by_side.load import Client, client_process
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_scene import session_ids
from benchmarks.side_by_side.turn_slices import Slice, measure
from benchmarks.side_by_side.world import World

CLIENTS = 16
COUNTS = (1, 2)


def run(world: World) -> Outcome:
    rounds, seconds = 2, 0.6 if world.is_quick else 1.5
    slices: dict[int, list[Slice]] = {count: [] for count in COUNTS}
    database = world.database("processes", is_ours=True)
    with world.ours(database, servers=max(COUNTS), RECALL_DEADLINE_MS="5000") as stack, client_process() as pool:
        addresses = stack.address.split(",")
        sessions = session_ids("processes", 0, CLIENTS)
        for number in range(rounds + 1):
            for count in COUNTS:
                clients = [
                    Client(addresses[place % count], "/api/chat", session, stack.headers(session))
                    for place, session in enumerate(sessions)
                ]
                some = dataclasses.replace(stack, processes=stack.processes[:count])
                took = measure(world, pool, some, clients, seconds)
                if number:  # the first fills the caches
                    slices[count].append(took)
    rows = [
        [count, sum(each.turns for each in some), *(short(median(getattr(each, name) for each in some)) for name in
         ("per_s", "p50_ms", "p95_ms", "server_ms", "postgres_ms"))]
        for count, some in slices.items()
    ]  # fmt: skip
    columns = ("server processes", "N turns", "turns/s", "p50 ms", "p95 ms", "CPU ms: servers", "Postgres")
    gained = median(two.per_s / one.per_s for one, two in zip(slices[1], slices[2], strict=True))
    note = (
        f"{CLIENTS} at once; two gave {short(gained)} times the turns of one, on {psutil.cpu_count()} cores which they"
        " share with Postgres and the clients. The worker stands still meanwhile."
    )
    return Outcome([Table("One process and two", columns, rows, note)], {"gained": gained})


MEASURE = Measure("H", "processes", __doc__.split(": ", 1)[1], run)
