"""A: turns a second, how long each takes, and what it costs, by the length of its session and how many ask at once."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.pool import Pool

from benchmarks.side_by_side import told
from benchmarks.side_by_side.load import client_process, drive
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_plan import (
    ALIKE,
    BESIDE,
    FULL,
    LANGCHAIN,
    MANY,
    ORDER,
    QUICK,
    SLOW_FROM,
    Cell,
    Plan,
    cells,
    is_alike,
    is_slow,
    neighbourhood,
    rounds_of,
    seconds_of,
)
from benchmarks.side_by_side.turn_scene import (
    AGAIN,
    BY_DEFAULT,
    FLOOR,
    OFF,
    OFF_STREAM,
    OURS,
    PEERS,
    STREAM,
    Scene,
    counted,
    missing,
    open_scene,
)
from benchmarks.side_by_side.turn_slices import Slice, drain, measure
from benchmarks.side_by_side.world import REPLY, World

WARM_S = 0.3
TRIES, STOLEN_CORES = 2, 0.2  # a slice of a second in which a tenth of two cores is gone says little
COUNTS = ("turns", "refused", "late")

Slices = dict[Cell, list[Slice]]


def run(world: World) -> Outcome:
    plan = (QUICK if world.is_quick else FULL).for_those(world)
    with open_scene(world, plan.sessions, plan.sessions_off, plan.longest) as scene, client_process() as pool:
        world.say("filled")
        scene.tidy(world)
        warm(world, pool, scene, plan)
        world.say("warm")
        before = counted(world, scene)
        slices: Slices = defaultdict(list)
        tries: Slices = defaultdict(list)
        rounds = max(plan.rounds, plan.alike)
        for number in range(rounds):
            measured = (each for each in cells(plan) if number < rounds_of(each, plan))
            for _, place in itertools.groupby(measured, key=lambda each: neighbourhood(each, plan)):
                neighbours = list(place)
                scene.tidy(world)
                settle(world, pool, scene, plan, neighbours)
                for cell in neighbours:
                    some = list(tried(world, pool, scene, plan, cell))
                    tries[cell] += some
                    slices[cell].append(min(some, key=lambda each: each.stolen_cores))
            world.say(f"round {number + 1} of {rounds}")
        if lacking := missing(before, counted(world, scene), *totals(tries)):
            raise RuntimeError(f"rows are missing: {lacking}")
    outcome = told_of(slices, plan)
    return replace(outcome, tables=[*outcome.tables, quiet(slices, tries)])


def settle(world: World, pool: Pool, scene: Scene, plan: Plan, neighbours: Sequence[Cell]) -> None:
    """Statements are planned anew after `tidy`: whoever came first paid for it, a tenth of a turn in three rounds of
    three (2026-11-17). So each database is asked for a moment before any slice counts."""
    firsts = {scene.of(cell.stack).database: cell for cell in reversed(neighbours) if not is_slow(cell)}
    for cell in firsts.values():
        clients = scene.clients(cell.stack, cell.messages, plan.sessions_of(cell.stack)[cell.messages])
        heard = drive(pool, clients, told.texts(seed=1), REPLY, WARM_S, at_once=cell.clients)
        scene.count_in(cell.stack, cell.messages, len(heard.took_ms))
    drain(world, scene.of(OURS))


def tried(world: World, pool: Pool, scene: Scene, plan: Plan, cell: Cell) -> Iterator[Slice]:
    """A machine that is one of several on its host is measured again where much of it was given to others: a turn costs
    more then, whoever answers it. Of all tries the one that had most of the machine counts, whatever it says. What no
    limit takes the median of is measured but once, and so is what is slow, and thus long."""
    for _ in range(TRIES if rounds_of(cell, plan) > 1 else 1):
        clients = scene.clients(cell.stack, cell.messages, plan.sessions_of(cell.stack)[cell.messages])
        if is_alike(cell, plan):
            clients = clients[: max(ALIKE, cell.clients)]
            drive(pool, clients, told.texts(seed=1), REPLY, 0.0)  # once each: else those that are new were not warm
        stack, seconds, is_beside = scene.of(cell.stack), seconds_of(cell, plan), cell.stack == BESIDE
        taken = measure(world, pool, stack, clients, seconds, at_once=cell.clients, beside=is_beside)
        scene.count_in(cell.stack, cell.messages, taken.turns)
        yield taken
        if taken.stolen_cores <= STOLEN_CORES:
            return


def warm(world: World, pool: Pool, scene: Scene, plan: Plan) -> None:
    """Until caches are filled, statements prepared and users loaded; LangChain keeps nothing of its users."""
    for messages in plan.sessions:
        for name in (each for each in (OURS, OFF, *PEERS) if each in plan.stacks):
            if messages > plan.longest.get(name, messages):
                continue
            is_too_slow = name in LANGCHAIN and messages > SLOW_FROM
            count = 1 if is_too_slow else plan.sessions_of(name)[messages]
            clients, most = scene.clients(name, messages, count), max(plan.clients)
            for first in range(0, count, most):
                drive(pool, clients[first : first + most], told.texts(seed=1), REPLY, WARM_S)
    drain(world, scene.of(OURS))


def totals(slices: Slices) -> tuple[dict[str, int], int]:
    """The turns of each database, and those of which memories are made."""
    turns = dict.fromkeys((OURS, *PEERS), 0)
    revised = 0
    for cell, some in slices.items():
        count = sum(each.turns for each in some)
        turns[cell.stack if cell.stack in PEERS else OURS] += count
        revised += 0 if cell.stack in (*PEERS, OFF, OFF_STREAM) else count
    return turns, revised


def ratio(slices: Slices, above: Cell, below: Cell, name: str) -> float:
    """The median over the rounds: each is a ratio of two slices that were measured one after the other."""
    return median(ratios(slices, above, below, name))


def ratios(slices: Slices, above: Cell, below: Cell, name: str) -> Iterator[float]:
    pairs = zip(slices.get(above, []), slices.get(below, []), strict=False)
    return (getattr(one, name) / getattr(other, name) for one, other in pairs)


def told_of(slices: Slices, plan: Plan) -> Outcome:
    figures: dict[str, float] = {}
    first, fewest = min(plan.sessions), min(plan.clients)
    for messages in plan.sessions:
        if messages <= plan.longest_peer:
            here = {name: Cell(name, messages, MANY) for name in (OURS, FLOOR, *LANGCHAIN)}
            better = max(LANGCHAIN, key=lambda name: median(each.per_s for each in slices.get(here[name], [])))
            figures[f"times_langchain_{messages}"] = ratio(slices, here[OURS], here[better], "per_s")
            figures[f"times_floor_{messages}"] = ratio(slices, here[OURS], here[FLOOR], "per_s")
            figures[f"cpu_times_floor_{messages}"] = ratio(slices, here[OURS], here[FLOOR], "cpu_ms")
        for name in (OURS, OFF):
            grown = ratio(slices, Cell(name, messages, fewest), Cell(name, first, fewest), "cpu_ms")
            figures[f"grown_{'off_' if name == OFF else ''}{messages}"] = grown
    for name, stack in (("json", OURS), ("stream", STREAM), ("off", OFF), ("off_stream", OFF_STREAM)):
        figures[f"cpu_ms_{name}"] = median(each.cpu_ms for each in slices.get(Cell(stack, first, MANY), []))
    figures["overhead_p50_ms"] = median(each.p50_ms for each in slices.get(Cell(OURS, first, 1), []))
    figures["times_langgraph_as_it_comes"] = ratio(
        slices, Cell(OURS, first, MANY), Cell(BY_DEFAULT, first, MANY), "per_s"
    )
    for name in ("cpu_ms", "per_s"):
        figures[f"control_{name}"] = ratio(slices, Cell(AGAIN, first, MANY), Cell(OURS, first, MANY), name)
    points = {
        name: [
            (float(messages), median(each.per_s for each in slices[Cell(name, messages, clients)]))
            for messages, sessions in plan.sessions.items()
            if Cell(name, messages, clients := min(sessions, MANY)) in slices and clients == MANY
        ]
        for name in (OURS, *PEERS)
        if name != BY_DEFAULT  # it has one point
    }
    return Outcome([*tables(slices, plan)], figures, points)


def tables(slices: Slices, plan: Plan) -> Iterator[Table]:
    columns = (
        "stack", "N turns", "turns/s", "p50 ms", "p95 ms", "p99 ms", "CPU ms: server", "Postgres", "after-work",
        "refused", "recalls late", "turns/s against ours",
    )  # fmt: skip
    names = ("per_s", "p50_ms", "p95_ms", "p99_ms", "server_ms", "postgres_ms", "after_ms")
    for messages in plan.sessions:
        for clients in plan.clients:
            rows = []
            for cell in (Cell(stack, messages, clients) for stack in ORDER):
                if some := slices.get(cell):
                    middle = [short(median(getattr(each, name) for each in some)) for name in names]
                    against = ratio(slices, cell, Cell(OURS, messages, clients), "per_s")
                    turns, refused, late = (sum(getattr(each, name) for each in some) for name in COUNTS)
                    rows.append([cell.stack, turns, *middle, refused, late, short(against)])
            if rows:
                yield Table(f"{messages:,} messages, {clients} at once", columns, rows)
    yield by_length(slices, plan)


def by_length(slices: Slices, plan: Plan) -> Table:
    """What the limits on growth are about: one length after the other in every round, as many sessions of each."""
    first, fewest = min(plan.sessions), min(plan.clients)
    columns = (
        "messages", "N rounds", "N turns", "CPU ms: server", "Postgres", f"CPU against {first}", "least", "most",
    )  # fmt: skip
    rows = []
    for messages in plan.sessions:
        some = slices.get(Cell(OFF, messages, fewest), [])
        times = [*ratios(slices, Cell(OFF, messages, fewest), Cell(OFF, first, fewest), "cpu_ms")]
        parts = [short(median(getattr(each, name) for each in some)) for name in ("server_ms", "postgres_ms")]
        ends = [short(of(times)) for of in (median, min, max)] if times else ["-"] * 3
        rows.append([f"{messages:,}", len(some), sum(each.turns for each in some), *parts, *ends])
    title = f"Memory off, by the length of the session: {fewest} at once, {max(ALIKE, fewest)} sessions of each"
    return Table(title, columns, rows)


def quiet(slices: Slices, tries: Slices) -> Table:
    """What others took of the machine, in all that was measured and in what counts."""
    columns = ("slices", "N", "cores others took: median", "most", "its host took: median", "most")
    rows = []
    for name, those in (("measured", tries), ("that count", slices)):
        some = [each for cell in those.values() for each in cell]
        taken = ([each.elsewhere_cores for each in some], [each.stolen_cores for each in some])
        rows.append([name, len(some), *(short(of(each)) for each in taken for of in (median, max))])
    return Table("How quiet the machine was", columns, rows)


MEASURE = Measure("A", "turns", __doc__.split(": ", 1)[1], run)
