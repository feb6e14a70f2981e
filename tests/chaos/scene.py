"""One fault, from the first question to the audit: servers, clients, what happens to them, and what is left."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.audit import Findings, audit
from tests.chaos.audit_rest import missing_jobs
from tests.chaos.clients import Client, Habits
from tests.chaos.drain import drain
from tests.chaos.journal import Journal, read_stories
from tests.chaos.ledger import read_ledger
from tests.chaos.proxy import AnswerWire, CommitWire, Proxy, to_port, to_postgres
from tests.chaos.stage import Server, Stage

SYNCHRONOUS_COMMIT_OFF = "synchronous_commit_off"  # planted in the database, not in the server
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
    is_deadly: bool = True  # a turn may be taken over: processes die, or are cut off from the database
    has_worker: bool = False  # jobs are worked off while it lasts; else they are counted first
    lease_s: float = LEASE_S
    patience_s: float = 40  # beyond the lease, until a client calls a question unanswered
    skews_s: Sequence[float] = (0, 0)  # of the servers' clocks; one server for each
    proxied: str = ""  # where a proxy stands: before the database, before the clients, both


@dataclass(slots=True)
class Scene:
    """A database, its servers and their clients."""

    stage: Stage
    database: str
    rng: random.Random
    lease_s: float
    servers: list[Server]
    journal: Journal
    skews_s: Sequence[float]
    tell: Callable[[str], None]
    addresses: list[str] = field(default_factory=list)  # where clients find servers; proxies may stand in between
    findings: list[str] = field(default_factory=list)  # of the fault itself
    databases: list[Proxy] = field(default_factory=list)  # proxies, one for each server
    fronts: list[Proxy] = field(default_factory=list)
    shall_cut_commit: Callable[[str], bool] = lambda kind: False
    commit_cuts: Counter[str] = field(default_factory=Counter)
    choose_answer_cut: Callable[[bytes], int | None] = lambda request: None
    answer_cuts: Counter[str] = field(default_factory=Counter)
    live: Counter[str] = field(default_factory=Counter)  # answers that clients hear just now, by address

    @property
    def answered(self) -> int:
        return self.journal.counts["acknowledged"]

    def progress(self, number: int, every: int, what: str) -> None:
        if number % every == 0:
            self.tell(f"  {what} {number}, answered {self.answered}")

    async def until_answered(self, more: int, within_s: float = 30) -> None:
        """So that there is something to lose: until clients have heard some more answers."""
        wanted, deadline = self.answered + more, time.monotonic() + within_s
        while self.answered < wanted and time.monotonic() < deadline:
            await asyncio.sleep(0.01)

    async def until_live(self, server: Server, count: int, within_s: float = 10) -> None:
        """So that there is something to break: until this server is in the middle of some answers."""
        address, deadline = self.addresses[self.servers.index(server)], time.monotonic() + within_s
        while self.live[address] < count and time.monotonic() < deadline:
            await asyncio.sleep(0.01)

    async def until(self, is_enough: Callable[[], bool], within_s: float, what: str, count: Callable[[], int]) -> None:
        """Until it has happened often enough; that it has not is a finding."""
        deadline, told = time.monotonic() + within_s, 0
        while not is_enough():
            if time.monotonic() > deadline:
                self.findings.append(f"only {count()} were {what} within {within_s:g} s")
                return
            if count() >= told + 50:
                told = count()
                self.tell(f"  {what} {told}, answered {self.answered}")
            await asyncio.sleep(0.02)

    def commit_wire(self) -> CommitWire:
        return CommitWire(self._cuts_commit, self.commit_cuts)

    def answer_wire(self) -> AnswerWire:
        return AnswerWire(self._cuts_answer, self.answer_cuts)

    def _cuts_commit(self, kind: str) -> bool:
        """As the fault wants it at this moment, also on wires that are older."""
        return self.shall_cut_commit(kind)

    def _cuts_answer(self, request: bytes) -> int | None:
        return self.choose_answer_cut(request)

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


async def play(
    stage: Stage,
    name: str,
    fault: Fault,
    rounds: int,
    seed: int,
    *,
    bug: str | None = None,
    tell: Callable[[str], None] = print,
) -> Result:
    """The whole of it."""
    began_at = time.monotonic()
    database = f"chaos_{name}" + (f"_{bug}" if bug else "")
    async with _set(stage, database, fault, seed, bug, tell) as scene:
        patience_s = fault.lease_s + (10 if bug else fault.patience_s)
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
    token = scene.stage.token(habits.user)
    return Client(habits, token, scene.journal, lambda: scene.addresses, scene.live, seed)


@contextlib.asynccontextmanager
async def _set(
    stage: Stage, database: str, fault: Fault, seed: int, bug: str | None, tell: Callable[[str], None]
) -> AsyncIterator[Scene]:
    stage.new_database(database)
    journal = Journal(_fresh(stage.folder / f"{database}.jsonl"))
    scene = Scene(stage, database, random.Random(seed), fault.lease_s, [], journal, skews_s=fault.skews_s, tell=tell)
    if bug == SYNCHRONOUS_COMMIT_OFF:
        with stage.owner("postgres") as connection:
            connection.execute(f"alter database {database} set synchronous_commit = off")
        bug = None
    async with contextlib.AsyncExitStack() as proxies:
        for number, skew_s in enumerate(fault.skews_s):
            where = await _behind_a_proxy(scene, proxies) if fault.proxied in ("database", "both") else {}
            where |= {"CHAOS_BUG": bug or "", "WORKER": "inprocess" if fault.has_worker else "off"}
            where |= {"CHAOS_LEASE_S": str(fault.lease_s), "CHAOS_SKEW_S": str(skew_s)}
            scene.servers.append(stage.server(f"server{number}", database, **where))
            if fault.proxied in ("clients", "both"):
                front = Proxy(to_port(scene.servers[-1].port), scene.answer_wire)
                scene.fronts.append(await proxies.enter_async_context(front))
        scene.addresses = [f"http://127.0.0.1:{each.port}" for each in scene.fronts or scene.servers]
        try:
            for server in scene.servers:
                server.start()
            await asyncio.gather(*(server.ready() for server in scene.servers))
            yield scene
        finally:
            for server in scene.servers:
                server.clean_up()
            journal.close()
    stage.drop_database(database)


async def _behind_a_proxy(scene: Scene, proxies: contextlib.AsyncExitStack) -> dict[str, str]:
    """The server's way to its database, and settings that make it give up sooner. The direct address is another one, so
    that the server takes this one for a pooler: then statements travel with their text, and the proxy can read them."""
    proxy = Proxy(to_postgres(scene.stage.postgres.socket_dir), scene.commit_wire)
    scene.databases.append(await proxies.enter_async_context(proxy))
    url = f"postgresql://chat_app@127.0.0.1:{proxy.port}/{scene.database}?sslmode=disable&gssencmode=disable"
    return {"DATABASE_URL": url, "DATABASE_STATEMENT_TIMEOUT_MS": "1000"}


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
