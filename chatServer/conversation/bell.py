"""What wakes everybody who waits for more of something."""

import asyncio


class Bell:
    """Those who wait hear the next ring, and none before it."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    async def heard(self, timeout_s: float) -> bool:
        """Whether it rang in time."""
        ringing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(ringing)
        try:
            done, _ = await asyncio.wait({ringing}, timeout=timeout_s)
        finally:
            self._waiting.discard(ringing)
        return bool(done)

    def ring(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for each in waiting:
            if not each.done():
                each.set_result(None)
