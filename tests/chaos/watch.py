"""Who ran when a server died, and how long it took until somebody else did."""

import asyncio
import time

from tests.chaos.scene import GRACE_S, Scene

LOOK_EVERY_S = 0.1
LEFT = """
    select turn_id::text, attempt, extract(epoch from lease_until - now())::float8 from chat.turns
    where state = 'running' and lease_until >= now()"""
NOW = "select turn_id::text, attempt, state, lease_until >= now() from chat.turns"


class Watch:
    """A lease is kept and is not more than that: nobody takes a turn over before it ends, and a few seconds after it
    the dead attempt counts as running no more."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._watching: list[asyncio.Task[None]] = []
        self._delays_s: list[float] = []

    def somebody_died(self) -> None:
        began_at = time.monotonic()
        self._watching.append(asyncio.create_task(self._see(self._read(), began_at)))

    async def told(self) -> str:
        """Once every lease is over."""
        await asyncio.gather(*self._watching)
        if not self._delays_s:
            return "no turn taken over"
        earliest_s, latest_s = min(self._delays_s), max(self._delays_s)
        return f"{len(self._delays_s)} turns taken over, {earliest_s:.1f} to {latest_s:.1f} s after their lease"

    def _read(self) -> dict[str, tuple[int, float]]:
        with self._scene.stage.owner(self._scene.database) as connection:
            return {turn_id: (attempt, left_s) for turn_id, attempt, left_s in connection.execute(LEFT).fetchall()}

    async def _see(self, leases: dict[str, tuple[int, float]], began_at: float) -> None:
        still_counts: set[str] = set()
        while leases and time.monotonic() - began_at < self._scene.lease_s + GRACE_S:
            await asyncio.sleep(LOOK_EVERY_S)
            passed_s = time.monotonic() - began_at
            with self._scene.stage.owner(self._scene.database) as connection:
                found = {turn_id: rest for turn_id, *rest in connection.execute(NOW).fetchall()}
            still_counts = {turn_id for turn_id, (_, state, holds) in found.items() if state == "running" and holds}
            for turn_id, (attempt, left_s) in list(leases.items()):
                now_at, state, _ = found.get(turn_id, (attempt, "gone", False))
                if now_at > attempt:
                    self._taken_over(turn_id, passed_s, left_s)
                if now_at > attempt or state != "running":
                    del leases[turn_id]
        for turn_id in leases.keys() & still_counts:
            self._scene.findings.append(f"turn {turn_id} still counts as running")

    def _taken_over(self, turn_id: str, passed_s: float, left_s: float) -> None:
        self._delays_s.append(passed_s - left_s)
        if passed_s < left_s - LOOK_EVERY_S:
            self._scene.findings.append(
                f"turn {turn_id} was taken over {left_s - passed_s:.1f} s before its lease ended"
            )
