"""One fault, from the first question to the audit: servers, clients, what happens to them, and what is left."""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.audit import Findings, audit
from tests.chaos.audit_rest import missing_jobs
from tests.chaos.clients import Client, Habits
from tests.chaos.drain import drain
from tests.chaos.journal import Journal, read_stories
from tests.chaos.ledger import read_ledger
from tests.chaos.stage import Server, Stage

LEASE_S = 3.0  # instead of 30: every fault that has to wait for one does so fifty times
GRACE_S = 5.0  # beyond the lease: by then a dead turn is known as such
HABITS = (
    Habits("ada", "ada-1", notes=0.3),
    Habits("ada", "ada-2", streams=0.3),
    Habits("eve", "eve-1"),
    Habits("eve", "eve-1", streams=0.5),  # a second device in the same session
    Habits("bob", "bob-1", notes=0.5),
    Habits("bob", "bob-2", notes=0.5),  # two sessions that write on one page
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done to the servers while clients ask."""

    title: str
    act: "Callable[[Scene, int], Awaitable[str]]"  # does so many, says how many it did
    rounds: int
    quick_rounds: int
    is_deadly: bool = True  # a turn may be taken over: processes die, or are cut off from the database
    has_worker: bool = False  # jobs are worked off while it lasts; else they are counted first
    lease_s: float = LEASE_S
    skews_s: Sequence[float] = (0, 0)  # of the servers' clocks; one server for each


@dataclass(slots=True)
class Scene:
    """A database, its servers and their clients."""

    stage: Stage
    database: str
    rng: random.Random
    lease_s: float
    servers: list[Server]
    journal: Journal
    addresses: list[str] = field(default_factory=list)  # where clients find servers; proxies may stand in between
    findings: list[str] = field(default_factory=list)  # of the fault itself
    tell: Callable[[str], None] = print

    @property
    def answered(self) -> int:
        return self.journal.counts["acknowledged"]

    async def until_answered(self, more: int, within_s: float = 30) -> None:
        """So that there is something to lose: until clients have heard some more answers."""
        wanted, deadline = self.answered + more, time.monotonic() + within_s
        while self.answered < wanted and time.monotonic() < deadline:
            await asyncio.sleep(0.02)

    def running_turns(self) -> set[tuple[str, int]]:
        """Which attempts count as alive, as anybody would read it."""
        query = "select turn_id::text, attempt from chat.turns where state = 'running' and lease_until >= now()"
        with self.stage.owner(self.database) as connection:
            return set(connection.execute(query).fetchall())


@dataclass(frozen=True, slots=True)
class Result:
    did: str
    asked: int
    answered: int
    refused: int
    seconds: float
    findings: Findings

    @property
    def is_red(self) -> bool:
        return any(self.findings.values())


async def play(stage: Stage, name: str, fault: Fault, rounds: int, seed: int, *, bug: str | None = None) -> Result:
    """The whole of it."""
    began_at = time.monotonic()
    database = f"chaos_{name}" + (f"_{bug}" if bug else "")
    async with _set(stage, database, fault, seed, bug) as scene:
        patience_s = fault.lease_s + (10 if bug else 40)
        enough = asyncio.Event()
        asking = [
            asyncio.create_task(_client(scene, habits, f"{seed}-{number}").run(enough, patience_s))
            for number, habits in enumerate(HABITS)
        ]
        try:
            did = await fault.act(scene, rounds)
        finally:
            enough.set()
            await asyncio.wait(asking, timeout=patience_s + 10)
        for task in asking:
            task.result()
        findings = await _judge(scene, fault)
        counts = scene.journal.counts
    seconds = time.monotonic() - began_at
    return Result(did, counts["asked"], counts["acknowledged"], counts["refused"], seconds, findings)


def _client(scene: Scene, habits: Habits, seed: str) -> Client:
    return Client(habits, scene.stage.token(habits.user), scene.journal, lambda: scene.addresses, seed)


@contextlib.asynccontextmanager
async def _set(stage: Stage, database: str, fault: Fault, seed: int, bug: str | None) -> AsyncIterator[Scene]:
    stage.new_database(database)
    more = {"CHAOS_BUG": bug} if bug else {}
    more["WORKER"] = "inprocess" if fault.has_worker else "off"
    servers = [
        stage.server(
            f"server{number}", database, **more, CHAOS_LEASE_S=str(fault.lease_s), CHAOS_SKEW_S=str(skew_s)
        )
        for number, skew_s in enumerate(fault.skews_s)
    ]
    journal = Journal(_fresh(stage.folder / f"{database}.jsonl"))
    scene = Scene(stage, database, random.Random(seed), fault.lease_s, servers, journal)
    scene.addresses = [server.address for server in servers]
    try:
        for server in servers:
            server.start()
        await asyncio.gather(*(server.ready() for server in servers))
        yield scene
    finally:
        for server in servers:
            server.clean_up()
        journal.close()
    stage.drop_database(database)


def _fresh(path: Path) -> Path:
    path.unlink(missing_ok=True)
    return path


async def _judge(scene: Scene, fault: Fault) -> Findings:
    """When everybody is gone, and whatever is dead has had its lease and a few seconds more."""
    deadline = time.monotonic() + scene.lease_s + GRACE_S
    while scene.running_turns() and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    stories = read_stories(scene.journal.path)
    with scene.stage.owner(scene.database) as connection:
        lost_jobs = [] if fault.has_worker else missing_jobs(read_ledger(connection))
        await drain(scene.stage.postgres.url("chat_app", scene.database), connection)
        ledger = read_ledger(connection)
    findings = audit(ledger, stories, is_anybody_dead=fault.is_deadly)
    findings["jobs"] += lost_jobs
    findings["the fault itself"] = scene.findings
    return findings
