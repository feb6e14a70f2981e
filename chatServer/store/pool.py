"""The only way to a connection: a transaction that has become the user who asks, or chat_jobs, who reads nobody's
words."""

import asyncio
import contextlib
import logging
import math
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from typing import NamedTuple, Self
from uuid import UUID

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from chatServer import errors, metrics
from chatServer.config import Settings
from chatServer.records import Principal
from chatServer.store.lending import Lender, RawConnection, check_if_the_server_spoke
from chatServer.store.pipeline import Pipeline
from chatServer.store.shares import Shares

Connection = Pipeline  # of one transaction; what lies beneath stays in this file

RECONNECT_TIMEOUT_S = 3  # psycopg_pool's own default backs off to waits of 16 s
CONNECT_S = 15
USER_ROLE = "chat_user"
CUT_OFF_GRACE_MS = 1_000
# Connection, resources, operator intervention, system; rolled back in favour of another transaction.
OUTAGE_CLASSES = frozenset({"08", "53", "57", "58", "40"})
# By functions of ours: chat.still_counts, chat.in_time.
RAISED: dict[str, type[Exception]] = {"CH409": errors.Lost, "CH410": errors.Erased}
OUTAGE_CODES = frozenset({"25P03", "25006", "55P03"})  # idle too long, a standby after a failover, a lock not to be had

logger = logging.getLogger(__name__)

# When the request came for which all this is done, by time.monotonic(): what waited before its transaction has waited.
asked_at: ContextVar[float] = ContextVar("asked_at", default=math.inf)


class Usage(NamedTuple):
    """How busy the pool is."""

    size: int
    free: int
    waiting: int


class Database:
    """A pool of connections of chat_app, handed out one transaction at a time."""

    def __init__(self, url: str, settings: Settings, *, is_ready: bool = False) -> None:
        direct = settings.database_direct_url
        # Past any pooler; None where no such address is known.
        self.direct_url = url if settings.embedded else (direct and direct.get_secret_value()) or None
        self.on_told: Callable[[UUID], None] = lambda _: None  # after a COMMIT with last words, with whose they are
        self.pool_size = settings.database_pool_size
        self._url, self._settings = url, settings
        self._statement_timeout_ms = settings.database_statement_timeout_ms
        self._idle_timeout_ms = settings.database_idle_timeout_ms
        self._connecting = asyncio.Lock()
        self._beginnings: dict[tuple[str, int], list[bytes]] = {}  # of transactions, by role and timeout
        # Half of them for one user; of a pool beside, whose transactions are short, all. Who waits for his own half is
        # in nobody's way, and has time.
        share = self.pool_size if is_ready else max(self.pool_size // 2, 1)
        self._shares = Shares(share, self.longest_transaction_s)
        self._pool = Lender(
            url,
            min_size=settings.database_pool_size if is_ready else min(2, settings.database_pool_size),
            max_size=settings.database_pool_size,
            timeout=settings.database_pool_wait_ms / 1_000,
            reconnect_timeout=RECONNECT_TIMEOUT_S,
            check=check_if_the_server_spoke,
            configure=self._settle if settings.database_url_is_direct else None,
            kwargs={
                # Behind a transaction pooler a prepared statement is gone, or somebody else's, next time.
                "prepare_threshold": 5 if settings.database_url_is_direct else None,
                "connect_timeout": RECONNECT_TIMEOUT_S,
                "autocommit": True,  # transactions are opened below, and nowhere else
            },
            open=False,
            name="chat",
        )

    def beside(self, *, pool_size: int, wait_ms: int, statement_ms: int | None = None) -> "Database":
        """Another pool to the same place, for work that must neither wait for ours nor let it wait; its statements may
        have a time of their own. All its connections stay open: who may wait for 30 ms cannot wait for a new one."""
        small = {"database_pool_size": pool_size, "database_pool_wait_ms": wait_ms}
        if statement_ms is not None:
            small |= {"database_statement_timeout_ms": statement_ms}
        return Database(self._url, self._settings.model_copy(update=small), is_ready=True)

    @property
    def longest_transaction_s(self) -> float:
        """No transaction of ours takes longer: then it is cut off."""
        return (self._statement_timeout_ms + CUT_OFF_GRACE_MS) / 1_000

    async def __aenter__(self) -> Self:
        await self._pool.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()

    async def connect(self) -> None:
        """Wait for the first connections, longer than a request would: where much starts at once, all of it is slow."""
        try:
            async with self._connecting:  # of psycopg's pool only one may wait
                await self._pool.wait(CONNECT_S)
        except (PoolTimeout, PoolClosed) as error:  # who has waited in vain closes it
            raise errors.DatabaseUnavailable from error

    def usage(self) -> Usage:
        stats = self._pool.get_stats()
        return Usage(stats.get("pool_size", 0), stats.get("pool_available", 0), stats.get("requests_waiting", 0))

    def transaction(
        self, principal: Principal, *, timeout_ms: int | None = None
    ) -> AbstractAsyncContextManager[Pipeline]:
        """Begin as this user, commit at the end of the block, roll back when it raises.

        The timeout is that of one statement, and a second more that of all of them together.

        Statements wait until an answer is asked for: store/pipeline.py. Those that say who the user is travel with the
        first, and are SET LOCAL, so a pooler that hands the connection on hands on nothing of him; COMMIT travels with
        the last. A block without a statement sends nothing.
        """
        timeout_ms = timeout_ms or self._statement_timeout_ms
        begin = [*self._begin(USER_ROLE, timeout_ms), claims(principal)]
        return Transaction(self, begin, timeout_ms, principal.user_id)

    def sweep(self) -> AbstractAsyncContextManager[Connection]:
        """The same as chat_jobs, who sees ids, times and numbers of all users, and none of their contents."""
        timeout_ms = self._statement_timeout_ms
        return Transaction(self, self._begin("chat_jobs", timeout_ms), timeout_ms)

    async def _settle(self, connection: RawConnection) -> None:
        """Once for a connection that is nobody else's, instead of thrice in each transaction."""
        timeouts = [f"set {name} = {value}" for name, value in self._timeouts(self._statement_timeout_ms)]
        await connection.execute("; ".join([f"set role {USER_ROLE}", *timeouts]).encode())

    def _begin(self, role: str, timeout_ms: int) -> list[bytes]:
        if begin := self._beginnings.get((role, timeout_ms)):
            return begin
        # Only SET LOCAL statements reach the workers of Citus; set_config does not.
        is_settled = self._settings.database_url_is_direct
        timeouts = () if is_settled and timeout_ms == self._statement_timeout_ms else self._timeouts(timeout_ms)
        roles = [] if is_settled and role == USER_ROLE else [f"set local role {role}".encode()]
        begin = [b"begin", *roles, *(f"set local {name} = {value}".encode() for name, value in timeouts)]
        return self._beginnings.setdefault((role, timeout_ms), begin)

    def _timeouts(self, timeout_ms: int) -> Sequence[tuple[str, int]]:
        return ("statement_timeout", timeout_ms), ("idle_in_transaction_session_timeout", self._idle_timeout_ms)


class Transaction(AbstractAsyncContextManager[Pipeline]):
    """One of a database, for the length of a block; as a generator it took 2 us more (2026-11-19)."""

    def __init__(self, database: Database, begin: list[bytes], timeout_ms: int, whose: UUID | None = None) -> None:
        self._database, self._begin, self._timeout_ms, self._whose = database, begin, timeout_ms, whose

    async def __aenter__(self) -> Pipeline:
        if self._whose is not None:
            await self._database._shares.enter(self._whose)
        try:
            wanted_at = min(time.monotonic(), asked_at.get())
            self._connection = await self._database._pool.getconn()
        except BaseException as error:  # whoever is cancelled leaves his place too
            self._leave()
            _raise_translated(error)
            raise
        self._cut_off = _cut_off(self._connection, self._timeout_ms + CUT_OFF_GRACE_MS)
        self._pipeline = Pipeline(self._connection, self._begin, waited_s=time.monotonic() - wanted_at)
        return self._pipeline

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            try:
                await self._end(is_well=kind is None)
            finally:
                self._cut_off.cancel()
                await self._database._pool.putconn(self._connection)
        except psycopg.Error as failure:
            _raise_translated(failure)
            raise
        finally:
            self._leave()
        if error is not None:
            _raise_translated(error)
        elif self._whose is not None and self._pipeline.has_last_words:
            self._database.on_told(self._whose)

    async def _end(self, *, is_well: bool) -> None:
        if not is_well:
            await self._pipeline.rollback()
            return
        try:
            await self._pipeline.commit()
        except BaseException:  # also a cancellation: the connection goes back as it came
            await self._pipeline.rollback()
            raise

    def _leave(self) -> None:
        if self._whose is not None:
            self._database._shares.leave(self._whose)


def _raise_translated(error: BaseException) -> None:
    """What whoever wanted the transaction hears of it, where that is something else."""
    if isinstance(error, psycopg.Error) and (told := _translated(error)) is not error:
        raise told from error


def claims(principal: Principal) -> bytes:
    """Whose the rest of a transaction is. A UUID has no quote to escape."""
    return f"""set local request.jwt.claim.sub = '{principal.user_id}'""".encode()


def _translated(error: psycopg.Error) -> Exception:
    if raised := RAISED.get(error.sqlstate or ""):
        return raised()
    if not _is_outage(error):
        return error
    metrics.database_unavailable.inc()
    logger.warning("database unavailable: %s", type(error).__name__)
    return errors.DatabaseUnavailable()


def _is_outage(error: psycopg.Error) -> bool:
    """Whether trying again later may help: no answer, or one that says so. Anything else is a bug to be seen."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate[:2] in OUTAGE_CLASSES or error.sqlstate in OUTAGE_CODES


def hang_up(connection: RawConnection) -> None:
    """End a conversation with a server that does not answer."""
    with contextlib.suppress(OSError, psycopg.Error):
        line = socket.socket(fileno=os.dup(connection.fileno()))
        line.shutdown(socket.SHUT_RDWR)
        line.close()


def _cut_off(connection: RawConnection, timeout_ms: int) -> asyncio.TimerHandle:
    """Hang up when a transaction outlives every timeout of the server: then the server is what hangs.

    Cancelling would wait for an answer (10 s were measured); a closed socket is an error at once.
    """
    return asyncio.get_running_loop().call_later(timeout_ms / 1_000, hang_up, connection)
