"""How a running turn is kept in the database: its log and its lease now and then, its end once and for all."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Literal

from chatServer import errors
from chatServer.records import Turn, TurnEvent, Usage
from chatServer.store import events, turns
from chatServer.store.pool import Database
from chatServer.turn import after
from chatServer.turn.after import Outcome
from chatServer.turn.begun import Begun
from chatServer.turn.events import EventLog
from chatServer.turn.pace import FLUSH_EVERY_S, Pace

LOOK_EVERY_S = 0.5  # for a stop that was asked for elsewhere
STORE_AFTER_S = (0.0, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0)  # together less than a lease

logger = logging.getLogger(__name__)


class Record:
    """Of one attempt at one turn. What the database may not have got is written again, and never twice."""

    def __init__(self, begun: Begun, database: Database, log: EventLog, pace: Pace) -> None:
        self._begun = begun
        self._database = database
        self._log = log
        self._pace = pace
        self._is_uncertain = False  # the last write failed, or only its answer did
        self._renewed_at = self._looked_at = time.monotonic()
        self._writing: asyncio.Task[None] | None = None

    def begin(self, end: Callable[[Literal["stop", "lost"]], None]) -> None:
        """Keep it from now on: write the log, renew the lease, and see whether somebody wants it to stop. What is over
        before the first write is due takes no task for it."""
        self._end = end
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wait()

    async def rest(self) -> None:
        """It is over: nothing is written any more but its end."""
        self._over.set_result(None)
        self._timer.cancel()
        if self._writing is not None:
            await asyncio.wait({self._writing})

    def _wait(self) -> None:
        pause_s = FLUSH_EVERY_S if self._is_uncertain else self._pace.pause_s
        self._timer = asyncio.get_running_loop().call_later(pause_s, self._start)

    def _start(self) -> None:
        self._writing = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        try:
            async with self._pace.lane(self._over) as has_place:
                is_stop_requested = await self._touch() if has_place else False
        except Exception as error:  # noqa: BLE001  the turn goes on, and the log catches up; the lease bounds it
            self._is_uncertain = True
            logger.warning("a running turn could not be kept: %s", type(error).__name__)
        else:
            if is_stop_requested is not False:
                self._end("lost" if is_stop_requested is None else "stop")
        if not self._over.done():
            self._wait()

    async def store(self, outcome: Outcome, ending: Sequence[TurnEvent]) -> errors.ChatError | None:
        """The end of it, with what is told last; a database that is away is asked again. What is returned, not raised:
        the error because of which nothing was stored. Lost: somebody else has the turn, or it was deleted."""
        seq_from, said = self._log.unstored()
        unstored = seq_from, [*said, *ending]
        failure: errors.ChatError | None = None
        for delay_s in STORE_AFTER_S:
            if delay_s:
                await asyncio.sleep(delay_s)
            try:
                if failure is None or not await self._was_stored(outcome):
                    await after.finish(self._database, self._begun, outcome, unstored, is_repeated=self._is_uncertain)
                return None
            except (errors.Lost, errors.SessionNotFound) as error:
                logger.warning("a turn was taken over or deleted while it ran")
                raise errors.Lost from error
            except errors.ChatError as error:
                failure = error
            except Exception as error:  # noqa: BLE001  a bug of ours: the turn stays unstored, and its followers hear so
                logger.error("the end of a turn cannot be stored: %s", type(error).__name__)
                return errors.ChatError("The answer could not be stored. Try again.")
            self._is_uncertain = True
            logger.warning("the end of a turn could not be stored yet: %s", failure.code)
        return failure

    async def charge(self, usage: Usage) -> None:
        """Count what was taken, though nothing of it is stored; a database that is away is not asked again."""
        try:
            turn = await self._read()
            is_counted = turn is not None and turn.attempt == self._begun.turn.attempt and turn.usage is not None
            if not is_counted:  # else a COMMIT whose answer was lost has done it
                await after.charge(self._database, self._begun, usage)
        except errors.ChatError as error:
            logger.warning("what a lost attempt took could not be counted: %s", error.code)

    async def is_gone(self) -> bool:
        """Whether the turn was deleted."""
        return await self._read() is None

    async def _touch(self) -> bool | None:
        """Whether it shall stop; None when this attempt no longer counts, and so may not write."""
        seq_from, said = self._log.unstored()
        now = time.monotonic()
        if not said and now - self._looked_at < LOOK_EVERY_S:
            return False
        renew = now - self._renewed_at + self._pace.pause_s >= turns.RENEW_AFTER_S  # the next time may be too late
        user_id, turn = self._begun.principal.user_id, self._begun.turn
        async with self._database.transaction(self._begun.principal) as connection:
            answer = await turns.ask_whether_to_stop(connection, user_id, turn.turn_id, turn.attempt, renew=renew)
            if said and self._is_uncertain:  # the last batch may be there although we were told that it failed
                last = self._begun.last_seq
                await events.delete_events(connection, user_id, turn.turn_id, seq_from=seq_from, seq_to=last)
            if said:
                await events.append_events(
                    connection, user_id, turn.turn_id, said, attempt=turn.attempt, seq_from=seq_from
                )
        row = await answer.fetchone()  # it came with the answer to COMMIT
        if row is None:
            return None
        self._log.mark_stored(len(said))
        self._is_uncertain, self._looked_at = False, now
        self._renewed_at = now if renew else self._renewed_at
        return bool(row[0])

    async def _was_stored(self, outcome: Outcome) -> bool:
        """Whether a COMMIT of ours, whose answer was lost, has done it."""
        stored = await self._read()
        return stored is not None and (stored.state, stored.attempt) == (outcome.state, self._begun.turn.attempt)

    async def _read(self) -> Turn | None:
        turn_id = self._begun.turn.turn_id
        async with self._database.transaction(self._begun.principal) as connection:
            return (await turns.read_turns(connection, self._begun.principal.user_id, [turn_id])).get(turn_id)
