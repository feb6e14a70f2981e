"""A worker beside the test, and the models that its jobs are given."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from chatServer.store.pool import Database
from chatServer.store.queue import Pace
from chatServer.work.after_turn import Workshop
from chatServer.work.worker import Worker
from tests.tools.turns import queued

QUICK = Pace(poll_s=0.05, heartbeat_s=0.2, stalled_s=1, job_s=20)


async def no_model(_: str) -> None:
    return None


@contextlib.asynccontextmanager
async def working(database: Database, tasks=None, *, grace_s: float = 5, pace: Pace = QUICK) -> AsyncIterator[None]:
    """A worker beside the test, stopped at its end."""
    stopping = asyncio.Event()
    worker = Worker(database, tasks or Workshop(database, no_model).tasks(), grace_s=grace_s, pace=pace)
    task = asyncio.create_task(worker.run(stopping))
    try:
        yield
    finally:
        stopping.set()
        await task


async def is_empty(urls) -> bool:
    return queued(urls) == []


def always(model):
    async def found(_: str):
        return model

    return found
