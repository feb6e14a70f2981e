"""Every stack that answers turns, running, with sessions of every length: where `turns` asks."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, uuid5

import httpx

from benchmarks.side_by_side import told
from benchmarks.side_by_side.load import Client
from benchmarks.side_by_side.world import Stack, World
from chatServer.api.dev_users import dev_user_id

OURS, STREAM, AGAIN = "ours", "ours, stream", "ours again"
OFF, OFF_STREAM = "ours, memory off", "ours, memory off, stream"
FLOOR, SEED, SAVER = "floor", "langchain-postgres", "langgraph saver"
BY_DEFAULT = "langgraph saver, as it comes"
PEERS = {FLOOR: "floor", SEED: "seed", SAVER: "saver", BY_DEFAULT: "saver"}
SETTINGS = {BY_DEFAULT: {"PEER_DURABILITY": "async"}}
FILL_S = 600
PIECE = 100_000  # messages that are filled at once
# Each row of the right side must have appeared: statement, how many of them in a turn at least.
ROWS = {
    OURS: [
        ("messages", "select count(*) from public.chat_message_history", 2),
        ("turns done", "select count(*) from chat.turns where state = 'done'", 1),
        ("turns in the event log", "select count(distinct turn_id) from chat.turn_events", 1),
        ("messages to be found by", "select count(*) from chat.message_index where terms is not null", 2),
        ("events of users", "select count(*) from chat.user_events", 1),
    ],
    FLOOR: [("messages", "select count(*) from message", 2)],
    SEED: [("messages", "select count(*) from chat_history", 2)],
    SAVER: [("checkpoints", "select count(*) from checkpoints", 1)],
    BY_DEFAULT: [("checkpoints", "select count(*) from checkpoints", 3)],
}
REVISED = "select count(*) from chat.turns where revision_state = 'done'"


@dataclass(slots=True)
class Scene:
    stacks: dict[str, Stack]
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)  # turns, by whose sessions and how long

    def of(self, name: str) -> Stack:
        return self.stacks[name if name in self.stacks else OURS]

    def clients(self, name: str, messages: int, count: int) -> list[Client]:
        """The next of so many: a slice begins where the one before has ended, so that all grow alike."""
        stack, kind = self.of(name), OFF if name in (OFF, OFF_STREAM) else OURS
        first = self.answered[_whose(name), messages] % count
        sessions = session_ids(kind, messages, count)
        sessions = [*sessions[first:], *sessions[:first]]
        if name in PEERS:
            return [Client(stack.address, "/chat", session, {}) for session in sessions]
        wants = {"Accept": "text/event-stream"} if name in (STREAM, OFF_STREAM) else {}
        return [
            Client(stack.address, "/api/chat", session, stack.headers(f"{kind} {session}") | wants)
            for session in sessions
        ]

    def count_in(self, name: str, messages: int, turns: int) -> None:
        self.answered[_whose(name), messages] += turns

    def tidy(self, world: World) -> None:
        """What autovacuum would have done by now. Without it dead rows of the queue were read again and again: after
        3,000 turns the work after one cost Postgres twice as much (2026-11-16)."""
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda each: world.run(each.database, "vacuum analyze"), self.stacks.values()))


def _whose(name: str) -> str:
    """Several ways to ask share their sessions."""
    return name if name in PEERS else OFF if name in (OFF, OFF_STREAM) else OURS


def session_ids(kind: str, messages: int, count: int) -> list[str]:
    return [str(uuid5(NAMESPACE_URL, f"{kind} {messages} {number}")) for number in range(count)]


@contextlib.contextmanager
def open_scene(
    world: World, sessions: dict[int, int], sessions_off: dict[int, int], longest: dict[str, int]
) -> Iterator[Scene]:
    """So many sessions of each length; of the others up to the `longest` of each."""
    with contextlib.ExitStack() as stack:
        ours = world.database("turns_ours", is_ours=True)
        starting = {
            name: stack.enter_context(
                world.starting_peer(PEERS[name], world.database(f"turns_{number}"), **SETTINGS.get(name, {}))
            )
            for number, name in enumerate(longest)
        }
        fill_ours(world, ours, sessions, sessions_off)
        world.say("ours is filled")
        # Room for all of them: else each length would drive out what the one before had loaded. And time: where 16 ask
        # at once, many a recall came too late, and its turn was cheaper for it (2026-11-16).
        settings = {"RECALL_CACHE_MB": "1024", "RECALL_DEADLINE_MS": "5000"}
        stacks = {OURS: stack.enter_context(world.ours(ours, **settings))}
        stacks |= {name: started() for name, started in starting.items()}
        with world.without_fsync(), ThreadPoolExecutor(2) as pool:
            wanted = [
                (stacks[name], messages, count)
                for messages, count in sorted(sessions.items(), reverse=True)
                for name in longest
                if messages <= longest[name]
            ]
            list(pool.map(lambda each: fill_peer(*each), wanted))
        yield Scene(stacks)


def fill_ours(
    world: World, database: str, sessions: dict[int, int], sessions_off: dict[int, int] | None = None
) -> None:
    """Two pieces at a time; what is half written when the machine dies is nobody's loss."""
    vectors = asyncio.run(told.embedded())

    def fill(kind: str, memory: str, messages: int, ids: list[str]) -> None:
        users = [str(dev_user_id(f"{kind} {each}")) for each in ids]
        told.fill_ours(world.url(database), vectors, users, ids, messages, memory=memory)

    wanted = []
    without = sessions if sessions_off is None else sessions_off
    for kind, memory, those in ((OURS, "on", sessions), (OFF, "off", without)):
        for messages, count in those.items():
            ids, each = session_ids(kind, messages, count), max(1, PIECE // messages)
            wanted += [(kind, memory, messages, ids[start : start + each]) for start in range(0, count, each)]
    wanted.sort(key=lambda each: each[2] * len(each[3]), reverse=True)
    with world.without_fsync(), ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda each: fill(*each), wanted))


def fill_peer(stack: Stack, messages: int, count: int) -> None:
    body = {"session_ids": session_ids(OURS, messages, count), "texts": told.texts(), "messages": messages}
    httpx.post(f"{stack.address}/fill", json=body, timeout=FILL_S).raise_for_status()


def counted(world: World, scene: Scene) -> dict[str, dict[str, int]]:
    """The rows of every stack, by what they are."""
    found = {
        name: {what: int(world.run(stack.database, statement)[0][0]) for what, statement, _ in ROWS[name]}
        for name, stack in scene.stacks.items()
    }
    found[OURS]["revised"] = int(world.run(scene.stacks[OURS].database, REVISED)[0][0])
    return found


def missing(
    before: dict[str, dict[str, int]], after: dict[str, dict[str, int]], turns: dict[str, int], revised: int
) -> Sequence[str]:
    """What did not appear though it was paid for, or rather was not."""
    wanted = {(name, what): turns[name] * each for name in after for what, _, each in ROWS[name]}
    wanted[OURS, "revised"] = revised
    return [
        f"{name}: {after[name][what] - before[name][what]} {what} instead of {least}"
        for (name, what), least in wanted.items()
        if after[name][what] - before[name][what] < least
    ]
