"""The worker's side of the job queue, and the only module that knows procrastinate. It logs in by the direct address:
a role and a search path that last as long as a connection have no place behind a pooler."""

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self

import procrastinate
import procrastinate.worker
import psycopg
from procrastinate.jobs import Job
from psycopg.rows import class_row

from chatServer import errors, metrics
from chatServer.store import queries
from chatServer.store.events import KEPT_S
from chatServer.store.lending import Lender, RawConnection, check_if_the_server_spoke
from chatServer.store.pool import RECONNECT_TIMEOUT_S, hang_up
from chatServer.store.user_events import USER_EVENTS_KEPT_S

SQL = queries.load("jobs.sql")
SWEEP = queries.load("sweep.sql")
SWEPT_USERS = 1_000  # at a time; the others in five minutes
# Whose memories have changed; those of everybody else are looked at now and then, too: some were recalled, some age.
MAINTAINED_EVERY, MAINTAINED_AT_LEAST_EVERY = timedelta(hours=20), timedelta(days=7)
GIVEN_UP_WITHIN = timedelta(hours=1)  # many sweeps: one of them runs
QUEUE, FILES = "chat", "files"
PLACES = {QUEUE: 4, FILES: 2}  # jobs at once; files have their own, as one may take a minute, and its reader memory
MAX_RUNS = 5
BACKOFF_S = 3  # then 9, 27, 81
VECTORS = ":vectors"  # behind the lock of what is read, and is found by its words
KEEP_FAILED_HOURS = 30 * 24
APPLICATION = "chatserver worker"
OPTIONS = "-c role=chat_jobs -c search_path=procrastinate -c statement_timeout=10000"

logger = logging.getLogger(__name__)

Task = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a worker looks, and how long it may be silent before others take over what it was doing."""

    poll_s: float = 0.5
    heartbeat_s: float = 3
    stalled_s: float = 12
    job_s: float = 180


class FailedJob(NamedTuple):
    job_id: int
    task_name: str
    attempts: int
    arguments: dict[str, Any]
    failed_at: datetime | None


class Misfit(Exception):
    """Arguments that a task does not take: they never will fit."""


class Backoff(procrastinate.BaseRetryStrategy):
    """A few more runs, each later than the one before. A run that a shutdown broke off goes on elsewhere, at once; one
    that lacks nothing but vectors leaves its line, in which the user's other files wait for it."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> procrastinate.RetryDecision | None:
        now = datetime.now(UTC)
        if isinstance(exception, asyncio.CancelledError):
            return procrastinate.RetryDecision(retry_at=now)
        if job.attempts + 1 >= MAX_RUNS or isinstance(exception, Misfit):
            return None
        lock = job.lock
        if lock and isinstance(exception, errors.EmbedderFailed):
            lock = lock.removesuffix(VECTORS) + VECTORS
        return procrastinate.RetryDecision(retry_at=now + timedelta(seconds=BACKOFF_S ** (job.attempts + 1)), lock=lock)


class Queue:
    """The queue, on connections of its own that are chat_jobs from their first moment on."""

    def __init__(self, url: str, tasks: Mapping[str, Task] | None = None, pace: Pace | None = None) -> None:
        self._pace = pace or Pace()
        self._connections: list[RawConnection] = []
        self._pool = Lender(
            url,
            min_size=1,
            max_size=PLACES[QUEUE],
            timeout=RECONNECT_TIMEOUT_S,
            reconnect_timeout=RECONNECT_TIMEOUT_S,
            check=check_if_the_server_spoke,
            configure=self._remember,
            kwargs={
                "autocommit": True,
                # A restore makes the types of the queue anew, and what was prepared with the old ones fails for ever.
                "prepare_threshold": None,
                "connect_timeout": RECONNECT_TIMEOUT_S,
                "options": OPTIONS,
                "application_name": APPLICATION,
            },
            open=False,
            name="queue",
        )
        self._app = procrastinate.App(connector=procrastinate.PsycopgConnector())
        for name, task in (tasks or {}).items():
            self._app.task(name=name, queue=QUEUE, retry=Backoff())(_watched(name, task, self._pace.job_s))
        # Without any periodic task procrastinate stops watching its heartbeat, which may then die unseen.
        forget = self._app.task(name="forget_failed", queue=QUEUE)(self._forget_failed)
        self._app.periodic(cron="17 4 * * *")(forget)
        self._app.periodic(cron="*/5 * * * *")(self._app.task(name="sweep", queue=QUEUE)(self._sweep))

    async def __aenter__(self) -> Self:
        await self._pool.open()
        await self._app.open_async(self._pool)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    async def _remember(self, connection: RawConnection) -> None:
        self._connections = [*(each for each in self._connections if not each.closed), connection]

    def hang_up(self) -> None:
        """End every conversation with a database that does not answer."""
        for connection in self._connections:
            hang_up(connection)

    async def work(self, grace_s: float, queue: str = QUEUE) -> None:
        """Work off jobs of a queue until cancelled; those that run then have the grace to finish."""
        worker = procrastinate.worker.Worker(
            self._app,
            queues=[queue],
            concurrency=PLACES[queue],
            install_signal_handlers=False,
            listen_notify=False,
            delete_jobs="successful",
            shutdown_graceful_timeout=grace_s,
            fetch_job_polling_interval=self._pace.poll_s,
            update_heartbeat_interval=self._pace.heartbeat_s,
            stalled_worker_timeout=self._pace.stalled_s,
        )
        working = asyncio.create_task(worker.run(), name=f"queue: {queue}")  # type: ignore[no-untyped-call]
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            # It is not cancelled: of 400 that were while they started, 9 did not hear it: a pool lost it (2026-11-18).
            worker.stop()  # type: ignore[no-untyped-call]
            await working
            raise

    async def rescue(self) -> int:
        """Let others take over what dead workers were doing; how many jobs that were, and 0 when the database refuses:
        it is tried again and again, and who works goes on meanwhile."""
        stalled_s, overdue_s = self._pace.stalled_s, self._pace.job_s + self._pace.stalled_s
        values = {"max_runs": MAX_RUNS, "stalled_s": stalled_s, "overdue_s": overdue_s}
        try:
            async with self._pool.connection() as connection:
                for (job_id,) in await (await connection.execute(SQL["fail_nameless"])).fetchall():
                    logger.error("the job %d is given up: its arguments are no object", job_id)
                return len(await (await connection.execute(SQL["rescue_stalled"], values)).fetchall())
        except psycopg.Error as error:
            logger.warning("jobs of dead workers cannot be rescued now: %s", type(error).__name__)
            return 0

    async def failed(self) -> list[FailedJob]:
        """The newest dead letters, the last one first."""
        async with self._pool.connection() as connection, connection.cursor(row_factory=class_row(FailedJob)) as cursor:
            return await (await cursor.execute(SQL["list_failed"])).fetchall()

    async def retry_failed(self, job_id: int | None = None) -> int:
        """Let one dead letter, or each, begin anew; how many there were."""
        async with self._pool.connection() as connection:
            return len(await (await connection.execute(SQL["retry_failed"], {"job_id": job_id})).fetchall())

    async def _sweep(self, timestamp: int) -> None:
        """Leave a job for each user who has something that expired: it is forgotten as that user."""
        ages = {"turn_events_s": KEPT_S, "user_events_s": USER_EVENTS_KEPT_S, "limit": SWEPT_USERS}
        async with self._pool.connection() as connection:
            users = await (await connection.execute(SWEEP["list_users_with_old_events"], ages)).fetchall()
        task = self._app.configure_task("forget_events", queue=QUEUE)
        for (user_id,) in users:
            await task.defer_async(user_id=str(user_id))
        await self._sweep_memories()
        await self._sweep_articles()

    async def _sweep_memories(self) -> None:
        """Once a day for each user with something to do, which is done as that user."""
        due = {"every": MAINTAINED_EVERY, "at_least_every": MAINTAINED_AT_LEAST_EVERY, "limit": SWEPT_USERS}
        async with self._pool.connection() as connection:
            users = await (await connection.execute(SWEEP["list_users_with_memories_to_keep"], due)).fetchall()
        task = self._app.configure_task("maintain_memories", queue=QUEUE, priority=-1)
        for (user_id,) in users:
            await task.defer_async(user_id=str(user_id))

    async def _sweep_articles(self) -> None:
        """An article that no job will read any more says so, and lets its file go."""
        values = {"lately": GIVEN_UP_WITHIN, "limit": SWEPT_USERS}
        async with self._pool.connection() as connection:
            found = await (await connection.execute(SWEEP["list_articles_to_give_up"], values)).fetchall()
        task = self._app.configure_task("give_up_article", queue=QUEUE, priority=-1)
        for user_id, article_id, failed_at in found:
            await task.defer_async(user_id=user_id, article_id=article_id, failed_at=failed_at.isoformat())

    async def _forget_failed(self, timestamp: int) -> None:
        await self._app.job_manager.delete_old_jobs(
            KEEP_FAILED_HOURS, include_failed=True, include_cancelled=True, include_aborted=True
        )


def _watched(name: str, task: Task, job_s: float) -> Task:
    """The task within its time, counted, and its failures logged by their kind."""

    taken = inspect.signature(task)

    async def run(**arguments: Any) -> None:
        began = time.perf_counter()
        outcome = "failed"
        try:
            _be_taken(taken, arguments)
            async with asyncio.timeout(job_s):
                await task(**arguments)
            outcome = "done"
        except asyncio.CancelledError:
            outcome = "stopped"
            raise
        except Exception as error:
            logger.warning("the job %s failed: %s", name, type(error).__name__)
            raise
        finally:
            metrics.job_seconds.labels(name, outcome).observe(time.perf_counter() - began)

    return run


def _be_taken(taken: inspect.Signature, arguments: Mapping[str, Any]) -> None:
    try:
        taken.bind(**arguments)
    except TypeError as error:
        raise Misfit from error
