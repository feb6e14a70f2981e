"""The faults: each does its worst so many times while clients ask, and says what it did."""

import asyncio
import signal
import time
from collections.abc import Sequence

import httpx

from tests.chaos.scene import Fault, Scene
from tests.chaos.stage import Server
from tests.chaos.watch import Watch

EVERY = 10  # rounds between two signs of life
ENOUGH_S = 240.0  # for a fault that waits until it has happened so often


async def kill_9(scene: Scene, rounds: int) -> str:
    """One of two servers dies without a word, in the middle of answers; the other one goes on."""
    watch = Watch(scene)
    for number in range(rounds):
        server = scene.servers[number % len(scene.servers)]
        await scene.until_answered(2)
        await scene.until_live(server, 2)
        await server.end(signal.SIGKILL)
        watch.somebody_died()
        server.start()
        await server.ready()
        scene.progress(number + 1, EVERY, "killed")
    return f"{rounds} kills, {await watch.told()}"


async def crash_postgres(scene: Scene, rounds: int) -> str:
    """Postgres ends at once, by turns as `pg_ctl stop -m immediate` ends it and by a kill -9, and starts again."""
    for number in range(rounds):
        await scene.until_answered(3)
        await scene.stage.crash_postgres(signal.SIGKILL if number % 3 == 2 else signal.SIGQUIT)
        scene.progress(number + 1, EVERY, "restarted Postgres")
    return f"{rounds} restarts of Postgres"


async def reset_after_commit(scene: Scene, rounds: int) -> str:
    """A COMMIT is done, and the server hears of a broken connection instead: at a turn's begin, at its end, for a
    note, for its log. At the end it has to look again, and to tell `finish`."""
    chances = {"begin": 0.08, "end": 0.4, "note": 0.3, "log": 0.1, "read": 0.01}
    scene.shall_cut_commit = lambda kind: scene.rng.random() < chances[kind]
    cuts = scene.commit_cuts
    await scene.until(lambda: cuts.total() - cuts["read"] >= rounds, ENOUGH_S, "reset", cuts.total)
    scene.shall_cut_commit = lambda kind: False
    if silent := scene.journal.counts["silent"]:  # nobody died, so that every stream has somebody who ends it
        scene.findings.append(f"{silent} streams fell silent, and their turns had ended well")
    where = ", ".join(f"{count} at {kind}" for kind, count in sorted(cuts.items()))
    return f"{cuts.total()} resets after COMMIT ({where})"


async def cut_streams(scene: Scene, rounds: int) -> str:
    """Answers break off anywhere, also before their first byte, and are resumed after what was heard last."""

    def choose(request: bytes) -> int | None:
        if scene.rng.random() < 0.2:
            return None
        most = 2_000 if request.startswith(b"GET") else 5_000  # the rest of an answer, a whole one
        return 0 if scene.rng.random() < 0.2 else scene.rng.randrange(most)

    scene.choose_answer_cut = choose
    cuts = scene.answer_cuts
    resumed = lambda: scene.journal.counts["resumed"]  # noqa: E731
    await scene.until(lambda: resumed() >= rounds, ENOUGH_S, "resumed", resumed)
    scene.choose_answer_cut = lambda request: None
    where = ", ".join(f"{count} {kind}" for kind, count in sorted(cuts.items()))
    return f"{resumed()} streams resumed by Last-Event-ID, after {cuts.total()} cuts ({where})"


async def stall(scene: Scene, rounds: int, *, longest_s: float | None = None) -> str:
    """The network freezes, for shorter or longer than a lease: before the database of one server or of both, or before
    the clients; then everything that was held back arrives, or nothing of it."""
    frozen_s = 0.0
    for number in range(rounds):
        await scene.until_answered(3)
        sides = (scene.databases[:1], scene.databases, scene.fronts[:1], scene.databases[1:], scene.fronts)
        side = sides[number % len(sides)]
        for proxy in side:
            proxy.freeze()
        pause_s = scene.rng.uniform(0.5, longest_s or scene.lease_s * 1.8)
        frozen_s += pause_s
        await asyncio.sleep(pause_s)
        for proxy in side:
            if scene.rng.random() < 0.5:
                proxy.cut_all()
            proxy.release()
        scene.progress(number + 1, EVERY, "stalled")
    return f"{rounds} stalls of {frozen_s / rounds:.1f} s on average"


async def roll(scene: Scene, rounds: int, servers: Sequence[Server] = ()) -> str:
    """One server after the other is told to end, finishes what it does, and is started again."""
    slowest_s = 0.0
    for number in range(rounds):
        for server in servers or scene.servers:
            await scene.until_answered(2)
            began_at = time.monotonic()
            if (code := await server.end(signal.SIGTERM)) != 0:
                scene.findings.append(f"{server.name} ended with {code}")
            slowest_s = max(slowest_s, time.monotonic() - began_at)
            server.start()
            await server.ready()
        scene.progress(number + 1, EVERY, "rolled")
    return f"{rounds} times SIGTERM for {len(servers or scene.servers)} servers, the slowest end took {slowest_s:.1f} s"


async def skew(scene: Scene, rounds: int) -> str:
    """Two servers that are two hours apart share sessions; then one of them dies. Tokens are judged by the clock of
    whoever reads them, leases by the database's alone."""
    await _judge_tokens(scene)
    await scene.until_answered(10 * rounds)
    _nothing_was_taken_over(scene)
    killed = await kill_9(scene, rounds)
    apart_h = (max(scene.skews_s) - min(scene.skews_s)) / 3600
    return f"clocks {apart_h:g} h apart, {killed}"


async def all_of_it(scene: Scene, rounds: int) -> str:
    """The short form: a little of everything, in one scene; first what must not cost a turn its process."""
    await _judge_tokens(scene)
    done = [await cut_streams(scene, 12 * rounds), await roll(scene, rounds, scene.servers[:1])]
    _nothing_was_taken_over(scene)
    for act, times in ((kill_9, 1), (reset_after_commit, 8), (crash_postgres, 1)):
        done.append(await act(scene, times * rounds))
    done.append(await stall(scene, rounds, longest_s=2))
    return "; ".join(done)


def _nothing_was_taken_over(scene: Scene) -> None:
    with scene.stage.owner(scene.database) as connection:
        taken = connection.execute("select turn_id from chat.turns where attempt > 1").fetchall()
    if taken:
        scene.findings.append(f"{len(taken)} turns were taken over while their servers lived")


async def _judge_tokens(scene: Scene) -> None:
    expected = {(3, 600): 200, (60, 600): 401, (-600, 60): 200, (-600, -60): 401}
    async with httpx.AsyncClient(trust_env=False) as http:
        for server, skew_s in zip(scene.servers, scene.skews_s, strict=True):
            for (issued_s, expires_s), status in expected.items():
                token = scene.stage.sign("ada", issued_s=skew_s + issued_s, expires_s=skew_s + expires_s)
                answer = await http.get(f"{server.address}/api/agents", headers={"Authorization": f"Bearer {token}"})
                if answer.status_code != status:
                    what = f"issued {issued_s} s and expiring {expires_s} s after its clock"
                    scene.findings.append(f"{server.name}: a token {what} got {answer.status_code}")


HOUR_S = 3600
FAULTS = {
    "kill": Fault("kill -9 of a server", kill_9, 50, has_worker=True),
    "lease": Fault("kill -9, with the product's own lease of 30 s", kill_9, 2, lease_s=30, skews_s=(0,)),
    # On a busy machine it is away for most of the time, and comes back for a few answers.
    "postgres": Fault("immediate restart of Postgres", crash_postgres, 20, patience_s=120),
    "commit": Fault("connection reset after COMMIT", reset_after_commit, 200, proxied="database"),
    "cut": Fault("cut and resumed streams", cut_streams, 500, proxied="clients", is_deadly=False),
    "stall": Fault("stalled network", stall, 20, proxied="both"),
    "roll": Fault("SIGTERM, rolling restart", roll, 10, is_deadly=False, has_worker=True),
    "skew": Fault("clock skew", skew, 4, skews_s=(HOUR_S, -HOUR_S)),
}
SHORT_FORM = Fault("a little of everything", all_of_it, 1, proxied="both", skews_s=(HOUR_S, -HOUR_S))
PLANTED = {  # the bug, and the fault that has to notice it
    "commit_at_the_end": ("kill", 3),
    "no_key": ("commit", 20),
    "no_lock": ("cut", 60),
    "no_notes_lock": ("cut", 120),  # 60 met it not once on a busy machine
    "no_lease": ("cut", 40),
    "endless_lease": ("kill", 4),
    "synchronous_commit_off": ("postgres", 3),
    "no_second_look": ("commit", 20),
    "own_clock": ("skew", 1),
}
