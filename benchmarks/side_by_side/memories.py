"""D: remembering and recalling, by how much is kept: how long it takes, whether what was asked about is among the ten,
how many of the ten come at all, and how many of them are those that the same store shows when it looks at every row."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.pool import Pool
from typing import Any
from uuid import uuid4

import httpx
import numpy as np
import uvloop

from benchmarks import apart
from benchmarks.many_memories import SHARED_FROM, Telling, owner_of, question_about
from benchmarks.many_memories import fill as fill_ours
from benchmarks.recall_scale import Question, Run, opened
from benchmarks.side_by_side import memory_peers
from benchmarks.side_by_side.memory_peers import MODULES
from benchmarks.side_by_side.outcome import Measure, Outcome, Table, short
from benchmarks.side_by_side.world import World
from chatServer.config import Settings
from chatServer.memory.embed import WordLlamaEmbedder

OURS = "ours"
ITERATIVE = ", scanning on"
# pgvector's own remedy for filters: it goes on until it has enough rows.
SCAN_ON = {"PGOPTIONS": "-c hnsw.iterative_scan=relaxed_order"}
EVERY_ROW = {"PGOPTIONS": "-c enable_indexscan=off"}  # which is how an HNSW index is read
FULL = ((10_000, 1), (100_000, 100), (100_000, 1), (1_000_000, 10_000))
QUICK = ((2_000, 1), (2_000, 20))
OURS_ALONE = ((100_000, 1), (1_000_000, 10_000))  # to fill the others takes minutes for each
ASKERS = 50
WARM = 20
COMPARED = 50  # with the true ten
ADDED = 40


@dataclass(slots=True)
class Asked:
    """What one store answered."""

    took_ms: list[float] = field(default_factory=list)
    hits: list[bool] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    degraded: int = 0
    adds_ms: list[float] = field(default_factory=list)
    true_share: float | None = None

    def row(self, name: str) -> list[str]:
        times = [short(float(np.percentile(self.took_ms, percent))) for percent in (50, 95, 99)]
        added = short(float(np.median(self.adds_ms))) if self.adds_ms else "-"
        found = f"{np.mean(self.hits):.2f}"
        true = "-" if self.true_share is None else f"{self.true_share:.2f}"
        return [name, str(len(self.hits)), *times, true, found, f"{np.mean(self.rows):.1f}", str(self.degraded), added]


@dataclass(frozen=True, slots=True)
class About:
    """A question of a user, and the text that it is about."""

    question: Question
    text: str


def run(world: World) -> Outcome:
    cells, asked = (QUICK, 60) if world.is_quick else (FULL, 200)
    logging.getLogger("chatServer").setLevel(logging.ERROR)  # degraded answers are counted here
    telling = asyncio.run(Telling.by(WordLlamaEmbedder()))
    fill_all(world, telling, cells)
    tables, worst = [], 0.0
    points: dict[str, list[tuple[float, float]]] = {}
    for memories, users in cells:
        questions = about(telling, memories, users, asked)
        answered = {OURS: ask_ours(world, database_of(OURS, memories, users), questions)}
        world.say(f"{memories:,} memories of {users:,} users: ours")
        for name in peers_of(world, memories, users):
            answered |= ask_peer(world, name, database_of(name, memories, users), questions)
            world.say(f"{memories:,} memories of {users:,} users: {name}")
        for name, each in answered.items():
            line = points.setdefault(name if users == 1 else f"{name}, many users", [])
            line.append((float(memories), float(np.percentile(each.took_ms, 95))))
        worst = max(worst, float(np.percentile(answered[OURS].took_ms, 95)))
        columns = ("store", "N", "recall p50 ms", "p95", "p99", "of the true ten", "asked about is among the ten",
                   "rows of ten", "degraded", "remember p50 ms")  # fmt: skip
        tables.append(
            Table(f"{memories:,} memories of {users:,} users", columns, [e.row(n) for n, e in answered.items()])
        )
    return Outcome(tables, {"recall_p95_ms": worst}, points)


def peers_of(world: World, memories: int, users: int) -> list[str]:
    alone = (memories, users) in OURS_ALONE
    return [] if alone else [name for name, module in MODULES.items() if world.has(module)]


def database_of(name: str, memories: int, users: int) -> str:
    return f"{MODULES.get(name, OURS)}_{memories}_{users}"


def fill_all(world: World, telling: Telling, cells: Sequence[tuple[int, int]]) -> None:
    """Two at a time, the largest first: some make rows while Postgres builds an index for others."""
    wanted = [(name, *cell) for cell in cells for name in (OURS, *peers_of(world, *cell))]
    wanted.sort(key=lambda each: each[1], reverse=True)
    with (
        apart.processes(2) as pool,
        world.without_fsync(),
        world.beside(partial(fill, world, pool, telling, *each) for each in wanted),
    ):
        pass


def fill(world: World, pool: Pool, telling: Telling, name: str, memories: int, users: int) -> None:
    database = world.database(database_of(name, memories, users), is_ours=name == OURS)
    url = world.url(database)
    if name != OURS:
        with world.peer(MODULES[name], database) as peer:
            memory_peers.make_tables(peer.address, "nobody")
        pool.apply(memory_peers.fill, (url, name, telling, memories, users))
    elif users < SHARED_FROM:
        pool.apply(fill_ours, (url, telling, WordLlamaEmbedder.name, memories, users))
    else:  # has processes of its own, which one of a pool may not have
        fill_ours(url, telling, WordLlamaEmbedder.name, memories, users)
    world.say(f"{memories:,} memories of {users:,} users are in {name}")


def about(telling: Telling, memories: int, users: int, count: int) -> list[About]:
    random = np.random.default_rng(memories + users)
    askers = random.permutation(users)[:ASKERS].tolist()
    told = {number: telling.memories(memories // users, number) for number in askers}
    made = []
    for place in range(count):
        number = askers[place % len(askers)]
        one = told[number][random.integers(len(told[number]))]
        made.append(About(Question(owner_of(number, memories, users), question_about(one, random)), one.text))
    return made


def ask_ours(world: World, database: str, questions: Sequence[About]) -> Asked:
    """Through the product's own recaller with its deadline, when it has loaded its users."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        asked = runner.run(_ask_ours(world, database, questions))
    with (
        world.ours(database, with_worker=False) as stack,
        httpx.Client(base_url=stack.address, headers=stack.headers("somebody"), timeout=60) as client,
    ):
        world.wait_until_idle()  # it answers before it has loaded all that it will need
        for each in questions[:ADDED]:
            body = {"text": f"{each.text} {uuid4()}", "kind": "fact", "category": "knowledge"}
            began = time.perf_counter()
            client.post("/api/memories", json=body).raise_for_status()
            asked.adds_ms.append((time.perf_counter() - began) * 1_000)
    return asked


async def _ask_ours(world: World, database: str, questions: Sequence[About]) -> Asked:
    asked = Asked()
    settings = Settings(chat_data_dir=world.directory, recall_cache_mb=1_024, _env_file=None)
    async with opened(world.postgres, world.postgres.url("chat_app", database), settings) as scene:
        for question in {each.question.user: each.question for each in questions}.values():
            await scene.load(question)
        run = Run(scene)
        for each in questions:
            found = await run.ask(each.question)
            asked.hits.append(any(item.text == each.text for item in found.items[:10]))
            asked.rows.append(min(len(found.items), 10))
            asked.degraded += found.degraded is not None
        asked.took_ms = run.ms
        run.answers = run.answers[:COMPARED]
        asked.true_share = await run.overlap(is_degraded=False)
    return asked


def ask_peer(world: World, name: str, database: str, questions: Sequence[About]) -> dict[str, Asked]:
    answered = {f"{name}{suffix}": Asked() for suffix in ("", ITERATIVE)}
    ways = dict(zip(answered, ({}, SCAN_ON), strict=True))
    with contextlib.ExitStack() as stack:
        starting = {
            way: stack.enter_context(world.starting_peer(MODULES[name], database, **settings))
            for way, settings in (ways | {"": EVERY_ROW}).items()
        }
        clients = {
            way: stack.enter_context(httpx.Client(base_url=started().address, timeout=60))
            for way, started in starting.items()
        }
        world.wait_until_idle()
        true = [set(recalled(clients[""], each)["texts"]) for each in questions[:COMPARED]]
        for way, asked in answered.items():
            client = clients[way]
            for each in questions[:WARM]:
                recalled(client, each)
            shown = []
            # Scanning on takes a tenth of a second and more, and no limit is on it.
            for each in questions[: len(questions) // 2 if ways[way] else None]:
                found = recalled(client, each)
                shown.append(found["texts"])
                asked.took_ms.append(found["took_ms"])
                asked.hits.append(each.text in found["texts"])
                asked.rows.append(len(found["texts"]))
            shares = [len(ten & set(some)) / len(ten) for ten, some in zip(true, shown, strict=False) if ten]
            asked.true_share = float(np.mean(shares))
            for each in questions[: 0 if ways[way] else ADDED]:  # scanning on is nothing to what is added
                began = time.perf_counter()
                body = {"user_id": "somebody", "text": f"{each.text} {uuid4()}"}
                client.post("/remember", json=body).raise_for_status()
                asked.adds_ms.append((time.perf_counter() - began) * 1_000)
    return answered


def recalled(client: httpx.Client, about: About) -> dict[str, Any]:
    body = {"user_id": str(about.question.user.user_id), "question": about.question.text, "limit": 10}
    found: dict[str, Any] = client.post("/recall", json=body).raise_for_status().json()
    return found


MEASURE = Measure("D", "memories", " ".join(__doc__.split(": ", 1)[1].split()), run)
