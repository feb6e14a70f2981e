"""A: turns a second, how long each takes, and what it costs, by the length of its session and how many ask at once."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.pool import Pool

from benchmarks.side_by_side.load import client_process
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, median, short
from benchmarks.side_by_side.turn_scene import (
    AGAIN,
    FLOOR,
    OFF,
    OFF_STREAM,
    OURS,
    PEERS,
    SAVER,
    SEED,
    STREAM,
    Scene,
    counted,
    missing,
    open_scene,
)
from benchmarks.side_by_side.turn_slices import Slice, measure
from benchmarks.side_by_side.world import World

BESIDE = "ours, worker beside"
ORDER = (OURS, STREAM, OFF, OFF_STREAM, SEED, SAVER, FLOOR, AGAIN, BESIDE)
LANGCHAIN = (SEED, SAVER)


@dataclass(frozen=True, slots=True)
class Plan:
    """`sessions`: how many of each length, which is how many may ask at once. Of 100,000 messages more would not fit
    into the time that a run may take, and LangChain's stacks take seconds for each turn there."""

    sessions: dict[int, int]
    clients: tuple[int, ...]
    longest_peer: int
    rounds: int
    seconds: float
    stacks: tuple[str, ...] = ORDER

    def for_those(self, world: World) -> "Plan":
        """Who is there."""
        present = (each for each in self.stacks if each not in PEERS or world.has(PEERS[each]))
        return replace(self, stacks=tuple(present))


FULL = Plan({10: 64, 1_000: 64, 20_000: 16, 100_000: 2}, (1, 16, 64), 20_000, 3, 1.0)
QUICK = Plan({10: 16, 1_000: 16}, (16,), 1_000, 2, 0.4, (OURS, OFF, SEED, SAVER, FLOOR, AGAIN))


@dataclass(frozen=True, slots=True)
class Cell:
    stack: str
    messages: int
    clients: int


Slices = dict[Cell, list[Slice]]


def run(world: World) -> Outcome:
    plan = (QUICK if world.is_quick else FULL).for_those(world)
    with open_scene(world, plan.sessions, plan.longest_peer) as scene, client_process() as pool:
        warm(world, pool, scene, plan)
        before = counted(world, scene)
        slices: Slices = defaultdict(list)
        for number in range(plan.rounds):
            for cell in cells(plan):
                clients = scene.clients(cell.stack, cell.messages, cell.clients)
                beside = cell.stack == BESIDE
                stack = scene.of(cell.stack)
                slices[cell].append(measure(world, pool, stack, clients, plan.seconds, beside=beside))
            print(f"turns: round {number + 1} of {plan.rounds}", flush=True)
        if lacking := missing(before, counted(world, scene), *totals(slices)):
            raise RuntimeError(f"rows are missing: {lacking}")
    return told_of(slices, plan)


def cells(plan: Plan) -> Iterator[Cell]:
    """In the order in which they are measured: all stacks beside each other in every place."""
    for messages, sessions in plan.sessions.items():
        for clients in plan.clients:
            if clients > sessions:
                continue
            for stack in plan.stacks:
                is_first = messages == min(plan.sessions)
                is_too_long = stack in LANGCHAIN and messages > plan.longest_peer
                is_once = stack in (AGAIN, BESIDE, OFF_STREAM) and not is_first
                if not is_too_long and not is_once and (stack != BESIDE or clients > 1):
                    yield Cell(stack, messages, clients)


def warm(world: World, pool: Pool, scene: Scene, plan: Plan) -> None:
    """Until caches are filled, statements prepared and users loaded; LangChain keeps nothing of its users."""
    for messages, sessions in plan.sessions.items():
        for name in (each for each in (OURS, OFF, *PEERS) if each in plan.stacks):
            is_langchain = name in LANGCHAIN
            if is_langchain and messages > plan.longest_peer:
                continue
            clients = scene.clients(name, messages, 1 if is_langchain else min(sessions, max(plan.clients)))
            measure(world, pool, scene.of(name), clients, plan.seconds)


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
    pairs = zip(slices.get(above, []), slices.get(below, []), strict=False)
    return median(getattr(one, name) / getattr(other, name) for one, other in pairs)


def told_of(slices: Slices, plan: Plan) -> Outcome:
    figures: dict[str, float] = {}
    most = 16
    first, fewest = min(plan.sessions), min(plan.clients)
    for messages in plan.sessions:
        if messages <= plan.longest_peer:
            here = {name: Cell(name, messages, most) for name in (OURS, FLOOR, *LANGCHAIN)}
            better = max(LANGCHAIN, key=lambda name: median(each.per_s for each in slices.get(here[name], [])))
            figures[f"times_langchain_{messages}"] = ratio(slices, here[OURS], here[better], "per_s")
            figures[f"times_floor_{messages}"] = ratio(slices, here[OURS], here[FLOOR], "per_s")
        for name in (OURS, OFF):
            grown = ratio(slices, Cell(name, messages, fewest), Cell(name, first, fewest), "cpu_ms")
            figures[f"grown_{'off_' if name == OFF else ''}{messages}"] = grown
    for name, stack in (("json", OURS), ("stream", STREAM), ("off", OFF), ("off_stream", OFF_STREAM)):
        figures[f"cpu_ms_{name}"] = median(each.cpu_ms for each in slices.get(Cell(stack, first, most), []))
    figures["overhead_p50_ms"] = median(each.p50_ms for each in slices.get(Cell(OURS, first, 1), []))
    for name in ("cpu_ms", "per_s"):
        figures[f"control_{name}"] = ratio(slices, Cell(AGAIN, first, most), Cell(OURS, first, most), name)
    points = {
        name: [
            (float(messages), median(each.per_s for each in slices[Cell(name, messages, clients)]))
            for messages, sessions in plan.sessions.items()
            if Cell(name, messages, clients := min(sessions, most)) in slices and clients == most
        ]
        for name in (OURS, *PEERS)
    }
    return Outcome([*tables(slices, plan)], figures, points)


def tables(slices: Slices, plan: Plan) -> Iterator[Table]:
    columns = (
        "stack", "N turns", "turns/s", "p50 ms", "p95 ms", "p99 ms", "CPU ms: server", "Postgres", "after-work",
        "refused", "turns/s against ours",
    )  # fmt: skip
    names = ("per_s", "p50_ms", "p95_ms", "p99_ms", "server_ms", "postgres_ms", "after_ms")
    for messages in plan.sessions:
        for clients in plan.clients:
            rows = []
            for cell in (Cell(stack, messages, clients) for stack in ORDER):
                if some := slices.get(cell):
                    middle = [short(median(getattr(each, name) for each in some)) for name in names]
                    against = ratio(slices, cell, Cell(OURS, messages, clients), "per_s")
                    refused = sum(each.refused for each in some)
                    rows.append([cell.stack, sum(each.turns for each in some), *middle, refused, short(against)])
            if rows:
                yield Table(f"{messages:,} messages, {clients} at once", columns, rows)
    elsewhere = [each.elsewhere_cores for some in slices.values() for each in some]
    yield Table(
        "How quiet the machine was",
        ("slices", "rounds", "seconds each", "cores that others took: median", "most"),
        [[len(elsewhere), plan.rounds, plan.seconds, short(median(elsewhere)), short(max(elsewhere))]],
    )


MEASURE = Measure("A", "turns", __doc__.split(": ", 1)[1], run)
