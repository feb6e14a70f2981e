"""The faults: each does its worst so many times while clients ask, and says what it did."""

import asyncio
import signal
import time

from tests.chaos.scene import GRACE_S, Fault, Scene


async def kill_9(scene: Scene, rounds: int) -> str:
    """One of two servers dies without a word, in the middle of answers; the other one goes on."""
    watching: list[asyncio.Task[None]] = []
    for number in range(rounds):
        server = scene.servers[number % len(scene.servers)]
        await scene.until_answered(2)
        await asyncio.sleep(scene.rng.uniform(0, 0.3))
        await server.end(signal.SIGKILL)
        watching.append(asyncio.create_task(_all_end(scene, scene.running_turns())))
        server.start()
        await server.ready()
        if (number + 1) % 10 == 0:
            scene.tell(f"killed {number + 1}, answered {scene.answered}")
    await asyncio.gather(*watching)
    return f"{rounds} kills"


async def _all_end(scene: Scene, doomed: set[tuple[str, int]]) -> None:
    """Whoever ran when a server died has ended, was taken over, or reads as interrupted a lease and 5 s later."""
    await asyncio.sleep(scene.lease_s + GRACE_S)
    for turn_id, attempt in doomed & scene.running_turns():
        scene.findings.append(f"attempt {attempt} of turn {turn_id} still counts as running")


FAULTS = {
    "kill": Fault("kill -9 of a server", kill_9, rounds=50, quick_rounds=1, has_worker=True),
}
