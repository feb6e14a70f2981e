"""psycopg's pool, which gets back every connection that it has lent, whoever is cancelled."""

import asyncio
from typing import Any

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
        connection = await super().getconn(timeout)
        if task.cancelling() > cancelled:
            await self.putconn(connection)
            raise asyncio.CancelledError
        return connection

    async def putconn(self, conn: RawConnection) -> None:
        """To the end, also where the task is cancelled meanwhile: the pool would never see that connection again (all 4
        in 7 s of such clients, 2026-11-18). Where nothing is waited for, without a task of its own."""
        is_ready = conn.pgconn.transaction_status == TransactionStatus.IDLE
        if is_ready and not (self._lock.locked() or self._lock._waiters or self._waiting):
            await super().putconn(conn)
        else:
            await asyncio.shield(super().putconn(conn))
