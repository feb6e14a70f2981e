"""psycopg's pool, which gets back every connection that it has lent, whoever is cancelled."""

import asyncio
import select
import time
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool

RawConnection = AsyncConnection[tuple[Any, ...]]


class Lender(AsyncConnectionPool[RawConnection]):
    """For our own transactions, and for the queue's."""

    async def getconn(self, timeout: float | None = None) -> RawConnection:  # noqa: ASYNC109  as psycopg has it
        """psycopg's waits by `asyncio.wait_for`, which in Python 3.11 forgets that its task was cancelled where that
        comes with the connection: a stream without a reader stayed for good (250 of 9,313, 2026-11-18)."""
        task = asyncio.current_task()
        assert task is not None  # nosec B101 # narrows a type
        cancelled = task.cancelling()
        connection = self._at_once() or await self._weeded() or await super().getconn(timeout)
        if task.cancelling() > cancelled:
            await self.putconn(connection)
            raise asyncio.CancelledError
        return connection

    async def putconn(self, conn: RawConnection) -> None:
        """To the end, also where the task is cancelled meanwhile: the pool would never see that connection again (all 4
        in 7 s of such clients, 2026-11-18). Where nothing is waited for, without a task of its own."""
        is_ready = conn.pgconn.transaction_status == TransactionStatus.IDLE
        if is_ready and not (self._lock.locked() or self._lock._waiters or self._waiting):
            if not self._is_put_back(conn):
                await super().putconn(conn)
        else:
            await asyncio.shield(super().putconn(conn))

    def _at_once(self) -> RawConnection | None:
        """One that lies ready and is in order, as mostly; everything else is for the pool's own way, which asks the
        same in six calls of functions: 72,000 instructions a turn to lend, of which 25,000 are left (2026-11-19)."""
        if not self._pool or self._closed or self._lock.locked():
            return None
        connection = self._pool[0]
        try:
            if has_something_to_say(connection):
                return None
        except psycopg.Error:  # it is closed
            return None
        self._stats[self._REQUESTS_NUM] += 1
        return self._taken()

    def _taken(self) -> RawConnection:
        connection = self._pool.popleft()
        self._nconns_min = min(self._nconns_min, len(self._pool))
        connection._pool = self
        return connection

    async def _weeded(self) -> RawConnection | None:
        """The first that is in order of those that lie ready. All of them are gone after a restart of the database, and
        psycopg's own way pauses behind the second: for a second, as long as a request waits at all (2026-11-19)."""
        for _ in range(len(self._pool)):
            if not self._pool or self._closed or self._lock.locked():
                break
            connection = self._taken()
            try:
                await check_if_the_server_spoke(connection)
            except psycopg.Error:
                await self._putconn(connection, from_getconn=True)  # which makes another
            except BaseException:
                await self.putconn(connection)
                raise
            else:
                self._stats[self._REQUESTS_NUM] += 1
                return connection
        return None

    def _is_put_back(self, connection: RawConnection) -> bool:
        """The way back, where nobody waits and it may stay."""
        is_old = connection._created_at <= self._drained_at or connection._expire_at <= time.monotonic()
        if is_old or self._closed or self._pool_full_event or connection._pool is not self:
            return False
        connection._pool = None
        self._pool.append(connection)
        return True


def has_something_to_say(connection: RawConnection) -> bool:
    """An idle connection has nothing to read; if it has, it is a goodbye. Costs no round trip."""
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return bool(poll.poll(0))


async def check_if_the_server_spoke(connection: RawConnection) -> None:
    if has_something_to_say(connection):
        await Lender.check_connection(connection)
