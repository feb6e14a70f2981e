"""How long recall takes, and what it misses, however much is remembered: python -m benchmarks.recall_scale.

For 10,000 memories of one user, 100,000 of 100, 100,000 of one and, with --million, 1,000,000 of 10,000, in an embedded
Postgres; through the product's own Recaller with its deadline as shipped, timed from outside, one question after the
other:

- cold: the process has nothing of this user's yet. Of a large user the newest memories answer, marked `loading`.
- loading: the rest is on its way behind such an answer, and he goes on asking.
- warm: all is here.
- stalled: the database does not answer.

Bounds: p95 below 50 ms, when it is stalled p99 at most 60 ms; and where nothing is degraded, at least 0.99 of the ten
lines that the same recall shows when it looks at every row. Ends with 1 when one is missed. `--only 10000:1` chooses
sizes: memories, and users that share them.
"""

import asyncio
import contextlib
import logging
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import psutil
import uvloop

from benchmarks.command import parser
from benchmarks.many_memories import Telling, fill, owner_of, question_about
from benchmarks.server import cpu_s
from chatServer.config import Settings
from chatServer.conversation.tokens import count_text
from chatServer.heap import settle
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.ranking import candidates
from chatServer.memory.recall.recall import Recaller, recalling
from chatServer.records import Agent, Principal, RecallResult
from chatServer.store.embedded import DATABASE, EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate
from chatServer.store.pool import Database
from tests.chaos.proxy import Proxy, to_postgres

SIZES = ("10000:1", "100000:100", "100000:1")
MILLION = "1000000:10000"
P95_MS, STALLED_P99_MS, OVERLAP = 50.0, 60.0, 0.99
ASKED, COMPARED = 300, 100
USERS = 300  # who ask, at most
LOADS = 3  # through which somebody goes on asking
TRIES = 300
BREATH_S = 0.05
AGENT = Agent("assistant", "", "")
HEAD = """
| memories of users | | N | p50 ms | p95 ms | p99 ms | degraded | CPU ms | Postgres | of the true ten |
|---|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True)
class Question:
    user: Principal
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The recaller that is measured, one that looks at every row of the same registers, and the database of both."""

    recaller: Recaller
    exact: Recaller
    postgres: psutil.Process

    def postgres_cpu_s(self) -> float:
        return cpu_s(self.postgres) + sum(map(cpu_s, self.postgres.children()))

    async def load(self, question: Question) -> None:
        for _ in range(TRIES):
            if (await recalled(self.exact, question)).degraded is None:
                return
            await asyncio.sleep(BREATH_S)
        raise RuntimeError("a user was never loaded")

    async def true_ten(self, question: Question) -> set[UUID]:
        await self.load(question)
        with every_row_is_looked_at():
            for _ in range(TRIES):
                found = await recalled(self.exact, question)
                if found.degraded is None:
                    return ids(found)
        raise RuntimeError("recall was always degraded")


@dataclass(slots=True)
class Run:
    """Questions of one kind: what they took, and what they were answered."""

    scene: Scene
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    answers: list[tuple[Question, RecallResult]] = field(default_factory=list)
    postgres_s: float = 0.0

    async def ask(self, question: Question) -> RecallResult:
        began, worked = time.perf_counter(), time.process_time()
        found = await recalled(self.scene.recaller, question)
        self.ms.append((time.perf_counter() - began) * 1_000)
        self.cpu_ms.append((time.process_time() - worked) * 1_000)
        self.answers.append((question, found))
        return found

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """What Postgres takes meanwhile: its clock is too coarse for one question."""
        before = self.scene.postgres_cpu_s()
        yield
        self.postgres_s += max(self.scene.postgres_cpu_s() - before, 0.0)  # one that hung up takes its share along

    async def overlap(self, *, is_degraded: bool) -> float | None:
        """The share of the true ten that was shown, where something was degraded or nothing was."""
        some = [each for each in self.answers if bool(each[1].degraded) == is_degraded][:COMPARED]
        shares = []
        for question, found in some:
            if true := await self.scene.true_ten(question):
                shares.append(len(true & ids(found)) / len(true))
        return statistics.mean(shares) if shares else None

    def p(self, percent: float) -> float:
        return float(np.percentile(self.ms, percent))

    def __str__(self) -> str:
        count = len(self.ms)
        reasons = Counter(found.degraded for _, found in self.answers if found.degraded)
        degraded = ", ".join(f"{reason} {100 * often / count:.1f} %" for reason, often in reasons.items()) or "none"
        times = " | ".join(f"{self.p(percent):.1f}" for percent in (50, 95, 99))
        cpu = f"{statistics.mean(self.cpu_ms):.1f} | {1_000 * self.postgres_s / count:.1f}"
        return f"{count} | {times} | {degraded} | {cpu}"


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--million", action="store_true")
    asked.add_argument("--only", nargs="*", default=SIZES, metavar="MEMORIES:USERS")
    parsed = asked.parse_args()
    sizes = [tuple(map(int, size.split(":"))) for size in (*parsed.only, *([MILLION] if parsed.million else []))]
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        Path(directory).chmod(0o755)  # the embedded server may run as another user
        with embedded_postgres(Path(directory)) as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            migrate(server.owner_url)
            settings = Settings(chat_data_dir=Path(directory), _env_file=None)
            are_kept = runner.run(measure(server, settings, sizes))
    sys.exit(0 if are_kept else 1)


async def measure(server: EmbeddedPostgres, settings: Settings, sizes: Sequence[tuple[int, ...]]) -> bool:
    logging.getLogger("chatServer").setLevel(logging.ERROR)  # degraded answers are counted here
    telling = await Telling.by(WordLlamaEmbedder())
    print(HEAD.strip())
    are_kept = []
    for memories, users in sizes:
        await asyncio.to_thread(fill, server.owner_url, telling, WordLlamaEmbedder.name, memories, users)
        async with opened(server, server.app_url, settings) as scene:
            name = f"{memories:,} of {users:,}"
            are_kept.append(await one_size(scene, questions(telling, memories, users), name))
    async with Proxy(to_postgres(server.socket_dir)) as proxy:
        address = f"postgresql://chat_app@127.0.0.1:{proxy.port}/{DATABASE}"
        async with opened(server, address, settings) as scene:
            are_kept.append(await stalled(scene, proxy, questions(telling, *sizes[0])))
    return all(are_kept)


@contextlib.asynccontextmanager
async def opened(server: EmbeddedPostgres, address: str, settings: Settings) -> AsyncIterator[Scene]:
    """A recaller as the server has it: its pool, its cache, its deadline, in a process that has settled."""
    embedder = WordLlamaEmbedder()
    async with (
        Database(address, settings) as database,
        recalling(database, embedder, count_text, cache_mb=settings.recall_cache_mb) as recaller,
    ):
        await recaller.warm()
        exact = Recaller(database, embedder, count_text, cache_bytes=0, overlap_s=0, pace=1_000)
        exact.registers = recaller.registers
        settle()
        yield Scene(recaller, exact, psutil.Process(server.pid))


@contextlib.contextmanager
def every_row_is_looked_at() -> Iterator[None]:
    before, candidates.CANDIDATES = candidates.CANDIDATES, sys.maxsize
    yield
    candidates.CANDIDATES = before


def questions(telling: Telling, memories: int, users: int) -> list[Question]:
    """Each about something that its user was told; users take turns."""
    random = np.random.default_rng(memories + users)
    asking = random.permutation(users)[:USERS].tolist()
    told = {number: telling.memories(memories // users, number) for number in asking}
    made = []
    for number in asking * (ASKED // len(asking)):
        about = told[number][random.integers(len(told[number]))]
        made.append(Question(owner_of(number, memories, users), question_about(about, random)))
    return made


async def one_size(scene: Scene, asked: Sequence[Question], name: str) -> bool:
    cold, loading, warm = Run(scene), Run(scene), Run(scene)
    registers = scene.recaller.registers
    with cold.counting():
        for question in asked:
            registers.drop(question.user.user_id)
            await cold.ask(question)
    with loading.counting():
        for question in asked[:LOADS]:
            registers.drop(question.user.user_id)
            for _ in range(TRIES):
                if (await loading.ask(question)).degraded is None:
                    break
                await asyncio.sleep(BREATH_S)
    for question in {question.user: question for question in asked}.values():
        await scene.load(question)
    with warm.counting():
        for question in asked:
            await warm.ask(question)
    runs = {"cold": cold, "loading": loading, "warm": warm}
    return all([await reported(f"{name} | {state}", run) for state, run in runs.items()])


async def reported(name: str, run: Run) -> bool:
    whole, degraded = await run.overlap(is_degraded=False), await run.overlap(is_degraded=True)
    shares = [f"{whole:.3f}"] if whole is not None else []
    shares += [f"degraded: {degraded:.3f}"] if degraded is not None else []
    print(f"| {name} | {run} | {', '.join(shares)} |", flush=True)
    return run.p(95) < P95_MS and (whole is None or whole >= OVERLAP)


async def stalled(scene: Scene, proxy: Proxy, asked: Sequence[Question]) -> bool:
    await scene.load(asked[0])
    run = Run(scene)
    proxy.freeze()
    for question in asked:
        await run.ask(question)
    proxy.release()
    print(f"| stalled | | {run} | |")
    return run.p(99) <= STALLED_P99_MS


async def recalled(recaller: Recaller, question: Question) -> RecallResult:
    return await recaller.recall(question.user, AGENT, str(uuid4()), question.text, budget_tokens=100_000)


def ids(found: RecallResult) -> set[UUID]:
    return {item.item_id for item in found.items}


if __name__ == "__main__":
    main()
