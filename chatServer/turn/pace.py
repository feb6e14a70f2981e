"""How often the running turns of a process write to the database: together, not each for itself."""

import asyncio

from chatServer.store import turns

FLUSH_EVERY_S = 0.25  # followers in other processes are this much behind
WRITES_PER_S = 200  # of all turns; so with 200 of them each writes once a second, with 400 every two


class Pace:
    """Shared by all turns of a process. Few write at the same time, so that whoever asks for something finds a
    connection: without this, 200 streams on a pool of four made reads of others 69 times slower (2026-11-15)."""

    def __init__(self, lanes: int) -> None:
        self.lane = asyncio.Semaphore(lanes)
        self.running = 0

    @property
    def pause_s(self) -> float:
        return min(max(FLUSH_EVERY_S, self.running / WRITES_PER_S), turns.RENEW_AFTER_S)
