"""Which cells `turns` measures: stacks, lengths of sessions and how many ask at once; and how often each."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.side_by_side.turn_scene import (
    AGAIN,
    BY_DEFAULT,
    FLOOR,
    OFF,
    OFF_STREAM,
    OURS,
    PEERS,
    SAVER,
    SEED,
    STREAM,
)
from benchmarks.side_by_side.world import World

BESIDE = "ours, worker beside"
ORDER = (OURS, STREAM, OFF, OFF_STREAM, SEED, SAVER, BY_DEFAULT, FLOOR, AGAIN, BESIDE)
LANGCHAIN = (SEED, SAVER)  # by their best known settings
JUDGED = (OURS, OFF, OFF_STREAM, SEED, SAVER, BY_DEFAULT, FLOOR, AGAIN)
MANY = 16  # at once: what most limits are about
SLOW_FROM = 10_000  # messages, for LangChain's stacks: a second and more for each turn
SLOW_TURNS = 3
STEADY = 2
ALIKE = 4  # sessions of every length, where lengths are compared


@dataclass(frozen=True, slots=True)
class Plan:
    """`sessions`: how many of each length; whoever asks goes from one to the next. There are many of ten messages, so
    that these are about ten also in the end: when it was always the same few, they had hundreds (2026-11-16), and when
    there were 256, most outgrew the window amid a slice, where no worker sums them up: each turn did it, at a fifth
    more CPU (2026-11-17). So did 512 in the last round, when turns had become quicker (2026-11-19). Of 100,000 messages
    more would not fit into the time that a run may take, and LangChain's stacks take seconds for each turn there.
    `rounds` are for the cells that limits are about, `alike` for those that compare lengths; the others are measured in
    the first of them."""

    sessions: dict[int, int]
    sessions_off: dict[int, int]  # without memory
    clients: tuple[int, ...]
    longest_peer: int
    rounds: int
    alike: int
    seconds: float
    stacks: tuple[str, ...] = ORDER

    def sessions_of(self, stack: str) -> dict[int, int]:
        return self.sessions_off if stack in (OFF, OFF_STREAM) else self.sessions

    @property
    def longest(self) -> dict[str, int]:
        """Of the sessions of those who are not ours. As it comes LangGraph is measured where most people meet it."""
        longest = dict.fromkeys(LANGCHAIN, self.longest_peer) | {BY_DEFAULT: min(self.sessions)}
        return {name: longest.get(name, max(self.sessions)) for name in self.stacks if name in PEERS}

    def for_those(self, world: World) -> "Plan":
        """Who is there."""
        present = (each for each in self.stacks if each not in PEERS or world.has(PEERS[each]))
        return replace(self, stacks=tuple(present))


FULL = Plan(
    {10: 1_024, 1_000: 64, 20_000: 16, 100_000: 1},
    {10: 1_024, 1_000: 16, 20_000: ALIKE, 100_000: ALIKE},
    (1, 16, 64),
    20_000,
    3,
    5,
    1.0,
)
QUICK = Plan(
    {10: 64, 1_000: 16}, {10: 64, 1_000: 16}, (16,), 1_000, 2, 2, 0.4, (OURS, OFF, SEED, SAVER, FLOOR, AGAIN)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    stack: str
    messages: int
    clients: int


def cells(plan: Plan) -> Iterator[Cell]:
    """In the order in which they are measured: all stacks beside each other in every place, then all lengths that are
    compared with each other."""
    some = list(_places(plan))
    yield from (each for each in some if not is_alike(each, plan))
    yield from (each for each in some if is_alike(each, plan))


def _places(plan: Plan) -> Iterator[Cell]:
    for messages in plan.sessions:
        for clients in plan.clients:
            for stack in plan.stacks:
                is_first = messages == min(plan.sessions)
                are_enough = clients <= plan.sessions_of(stack)[messages]
                is_too_long = messages > plan.longest.get(stack, messages)
                is_once = stack in (AGAIN, BESIDE, OFF_STREAM) and not is_first
                is_elsewhere = stack in (AGAIN, BESIDE, BY_DEFAULT) and clients != MANY
                if are_enough and not is_too_long and not is_once and not is_elsewhere:
                    yield Cell(stack, messages, clients)


def rounds_of(cell: Cell, plan: Plan) -> int:
    """All of them where a limit asks for the median of several, unless it is slow."""
    if is_alike(cell, plan):
        return plan.alike
    is_first = cell.messages == min(plan.sessions)
    judged: set[str] = set()
    if cell.clients == MANY:
        judged |= {*JUDGED} if is_first else {OURS, FLOOR, *LANGCHAIN}
    if cell.clients == min(plan.clients):
        judged |= {OURS} if is_first else set()
    return plan.rounds if cell.stack in judged and not is_slow(cell) else 1


def seconds_of(cell: Cell, plan: Plan) -> float:
    """One that is slow and alone has time for a few turns; of many each is answered once, which takes long enough. What
    is judged beside the control has more: in one second it moved by a quarter (2026-11-16)."""
    if is_alike(cell, plan):
        return plan.seconds
    if is_slow(cell) and cell.clients == 1:
        return plan.seconds * SLOW_TURNS
    is_steady = cell.clients == MANY and cell.messages == min(plan.sessions) and cell.stack in JUDGED
    return plan.seconds * STEADY if is_steady else plan.seconds


def is_alike(cell: Cell, plan: Plan) -> bool:
    """Whether it is compared with other lengths: asked for as long, by as many, in as many sessions as they."""
    return cell.stack == OFF and cell.clients == min(plan.clients)


def neighbourhood(cell: Cell, plan: Plan) -> tuple[int, int] | None:
    """Those that are compared with each other, between which nothing is done."""
    return None if is_alike(cell, plan) else (cell.messages, cell.clients)


def is_slow(cell: Cell) -> bool:
    return cell.stack in LANGCHAIN and cell.messages > SLOW_FROM
