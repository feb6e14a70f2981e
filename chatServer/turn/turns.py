"""The turns of this process: begun, followed and stopped from any request, and alive without any of them."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from uuid import UUID

from chatServer.agent.answer import Answerer
from chatServer.conversation.sessions import SessionKey
from chatServer.knowledge.retrieve import Retriever
from chatServer.records import Principal, Turn
from chatServer.records.quick import quick
from chatServer.store import events, sessions, turns
from chatServer.store.pool import Database
from chatServer.turn import follow
from chatServer.turn.ahead import Ahead
from chatServer.turn.ask import Ask
from chatServer.turn.attempt import Attempt
from chatServer.turn.before import Beginning
from chatServer.turn.begun import Begun
from chatServer.turn.events import Numbered
from chatServer.turn.fitting import Fitting
from chatServer.turn.gate import Gate
from chatServer.turn.limits import Allowance
from chatServer.turn.pace import Pace
from chatServer.turn.preview import Preview, preview, rehearse
from chatServer.turn.recalled import Recaller
from chatServer.turn.result import Result, read_result, result_of

logger = logging.getLogger(__name__)


@quick
class Place:
    """A turn, and the number after which a follower wants to hear it."""

    turn: Turn
    after_seq: int = 0
    allowance: Allowance | None = None  # what the user has left, when it was begun just now


class Turns:
    """Every turn is a task of its own; `close` ends those that still run."""

    def __init__(
        self,
        beginning: Beginning,
        answerer: Answerer,
        recaller: Recaller,
        retriever: Retriever,
        *,
        timeout_s: float,
        on_start: Callable[[], None],
        on_end: Callable[[], None],
    ) -> None:
        self._beginning = beginning
        self._answerer = answerer
        self._recaller = recaller
        self._retriever = retriever
        self._timeout_s = timeout_s
        self._attempts: dict[tuple[UUID, UUID], Attempt] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        connections = beginning.database.pool_size
        self.gate = Gate(max(connections // 2, 1))  # the others are for whoever reads, and for turns that end
        self._pace = Pace(max(connections // 4, 1))
        self._on_start = on_start
        self._on_end = on_end

    @property
    def _database(self) -> Database:
        return self._beginning.database

    async def begin(self, principal: Principal, ask: Ask) -> Place:
        """Start a turn, or find the one that its key has started before."""
        asked_at, ahead = time.monotonic(), Ahead(self._recaller)
        try:
            async with self.gate.entered(principal.user_id):
                begun = await self._beginning.begin(principal, ask, asked_at=asked_at, ahead=ahead)
        except BaseException:  # a cancellation too
            ahead.leave()
            raise
        if isinstance(begun, Turn):
            return Place(begun)
        self._start(begun, ahead)
        return Place(begun.turn, begun.first_seq - 1, begun.allowance)

    async def preview(self, principal: Principal, ask: Ask) -> Preview:
        """What a turn would ask, and none is begun; whoever wants to see it waits in the same row."""
        rehearsal = await rehearse(self._beginning, principal, ask, self.gate)
        prompt = Fitting(rehearsal.begun, self._database, self._beginning.advisers)
        prompt.describe(await self._answerer.described(prompt.tools))
        return await preview(rehearsal, prompt, self._recaller)

    async def find(self, principal: Principal, key: SessionKey, last_seen: tuple[UUID, int] | None) -> Place | None:
        """Where to go on: after what was seen last of one of the session's turns, else the one that is running; None
        when there is nothing to hear."""
        async with self._database.transaction(principal) as connection:
            session = await sessions.find_session(connection, principal.user_id, key.value)
            if session is None:
                return None
            if last_seen is not None:
                turn_id, seq = last_seen
                known = (await turns.read_turns(connection, principal.user_id, [turn_id])).get(turn_id)
                if known is not None and known.session_id == session.session_id:
                    goes_on = known.state == "running" or await events.has_events_after(
                        connection, principal.user_id, turn_id, seq
                    )
                    return Place(known, seq) if goes_on else None
            running = await turns.find_running(connection, principal.user_id, session.session_id)
        return None if running is None else Place(running)

    def follow(self, principal: Principal, place: Place) -> AsyncIterator[list[Numbered]]:
        """What the turn says from there on, in batches as it comes, wherever it runs."""
        attempt = self._attempts.get((principal.user_id, place.turn.turn_id))
        if attempt is not None:
            return attempt.log.follow(place.after_seq)
        return follow.follow(self._database, principal, place.turn, place.after_seq)

    async def result(self, principal: Principal, place: Place) -> Result:
        """The whole answer, once it is there, or the error that the turn ended in."""
        attempt = self._attempts.get((principal.user_id, place.turn.turn_id))
        if attempt is not None:
            await attempt.ended.wait()
            if (outcome := attempt.outcome) is not None:
                return result_of(attempt.turn, outcome.messages, outcome.error)
        if attempt is None or attempt.is_lost:  # then another process has it
            async for _ in follow.follow(self._database, principal, place.turn, place.after_seq):
                pass
        return await read_result(self._database, principal, place.turn.turn_id)

    async def stop(self, principal: Principal, key: SessionKey) -> UUID | None:
        """Ask the session's running turn to stop; whichever process runs it sees the wish within a second."""
        async with self._database.transaction(principal) as connection:
            session = await sessions.find_session(connection, principal.user_id, key.value)
            if session is None:
                return None
            turn_id = await turns.request_stop(connection, principal.user_id, session.session_id)
        if turn_id is not None and (attempt := self._attempts.get((principal.user_id, turn_id))):
            attempt.end("stop")
        return turn_id

    def stop_here(self, user_id: UUID) -> None:
        """Stop all that this process answers a user, without waiting for the wish to come by the database."""
        for (whose, _), attempt in list(self._attempts.items()):
            if whose == user_id:
                attempt.end("stop")

    async def close(self) -> None:
        """The process ends: what runs is interrupted, and its lease is free for another."""
        for attempt in list(self._attempts.values()):
            attempt.end("shutdown")
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, begun: Begun, ahead: Ahead) -> None:
        attempt = Attempt(
            begun,
            self._database,
            self._pace,
            ahead,
            advisers=self._beginning.advisers,
            retriever=self._retriever,
            closed=self._beginning.agents.closed,
        )
        key = (begun.principal.user_id, begun.turn.turn_id)
        self._attempts[key] = attempt
        task = asyncio.create_task(attempt.run(self._answerer, self._timeout_s))
        self._tasks.add(task)
        self._pace.running = len(self._tasks)
        self._on_start()

        def gone(ended: asyncio.Task[None]) -> None:
            self._on_end()
            self._tasks.discard(ended)
            self._pace.running = len(self._tasks)
            if self._attempts.get(key) is attempt:
                del self._attempts[key]
            if not ended.cancelled() and (error := ended.exception()):
                logger.error("a turn could not be ended: %s", type(error).__name__)

        task.add_done_callback(gone)
