"""The worker: works off the queue beside the server or as a process of its own, and comes back when the queue fails."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping

from chatServer import errors
from chatServer.config import Settings
from chatServer.store import jobs
from chatServer.store.pool import Database
from chatServer.store.queue import PLACES, QUEUE, Pace, Queue, Task

RESTART_S = 1
CLOSE_S = 3  # for the last words to the database, beyond the grace of the jobs

NO_DIRECT_ADDRESS = (
    "A worker needs the database itself, not a pooler: set DATABASE_DIRECT_URL, to the same as DATABASE_URL where that "
    "is no pooler."
)

logger = logging.getLogger(__name__)


class Worker:
    """Runs until it is told to stop; whatever becomes of the database meanwhile."""

    def __init__(
        self, database: Database, tasks: Mapping[str, Task], *, grace_s: float, pace: Pace | None = None
    ) -> None:
        if database.direct_url is None:
            raise errors.StartupError(NO_DIRECT_ADDRESS)
        self._database = database
        self._pace = pace or Pace()
        self._queue = Queue(database.direct_url, tasks, self._pace)
        self._grace_s = grace_s

    async def run(self, stopping: asyncio.Event) -> None:
        async with self._queue, asyncio.TaskGroup() as group:
            for name in PLACES:  # each by itself: when one fails, it comes back without waiting for the other
                group.create_task(self._rounds(stopping, name))

    async def _rounds(self, stopping: asyncio.Event, name: str) -> None:
        while not stopping.is_set():
            await self._round(stopping, name)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), RESTART_S)

    async def _round(self, stopping: asyncio.Event, name: str) -> None:
        """Work until told to stop, or until the queue fails."""
        tasks = {
            asyncio.create_task(self._queue.work(self._grace_s, name), name=f"worker: {name}"),
            asyncio.create_task(stopping.wait(), name="worker's end"),
        }
        if name == QUEUE:
            tasks.add(asyncio.create_task(self._look_after(stopping), name="worker's rescue"))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:  # the one that works finishes first
                task.cancel()
            _, late = await asyncio.wait(tasks, timeout=self._grace_s + CLOSE_S)
            if late:  # the queue's database hangs
                self._queue.hang_up()
                for task in late:
                    task.cancel()
                _, late = await asyncio.wait(late, timeout=CLOSE_S)
            for task in late:  # nobody waits for it any more, and what it ends in is no news
                task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            for task in tasks - late:
                if not task.cancelled() and (error := task.exception()):
                    logger.warning("the job queue failed: %s", type(error).__name__)

    async def _look_after(self, stopping: asyncio.Event) -> None:
        while not stopping.is_set():  # a cancellation can be lost in a pool
            if rescued := await self._queue.rescue():
                logger.warning("%d jobs of dead workers wait again", rescued)
            try:
                await jobs.read_status(self._database)
            except errors.DatabaseUnavailable:  # the server's own pool may be busy; jobs have another
                logger.warning("the numbers of the job queue cannot be read now")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), self._pace.heartbeat_s)


@contextlib.asynccontextmanager
async def beside_the_server(
    settings: Settings, database: Database, tasks: Mapping[str, Task], stopping: asyncio.Event
) -> AsyncIterator[None]:
    """The worker in the server's own process, unless the settings say otherwise; the caller tells it to stop."""
    if settings.worker == "off":
        yield
        return
    if database.direct_url is None:
        logger.warning("No worker runs here. %s", NO_DIRECT_ADDRESS)
        yield
        return
    running = asyncio.create_task(Worker(database, tasks, grace_s=settings.shutdown_grace_s).run(stopping))
    try:
        yield
    except BaseException:
        stopping.set()  # who should have told it did not even start
        raise
    finally:
        await running
