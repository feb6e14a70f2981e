"""A turn while this process runs it: the answer is listened to, numbered, told and stored, whoever is still there."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from chatServer import errors
from chatServer.agent.answer import Answerer
from chatServer.agent.tools import Tool, ToolContext
from chatServer.messages import Message
from chatServer.records import EventKind, ModelInput, Said, TurnEvent, Usage
from chatServer.store import events, turns
from chatServer.store.pool import Connection, Database
from chatServer.turn import after
from chatServer.turn.after import Lost, Outcome
from chatServer.turn.before import Begun
from chatServer.turn.events import EventLog

FLUSH_EVERY_S = 0.25  # followers in other processes are this much behind
LOOK_EVERY_S = 1.0  # for a stop that was asked for elsewhere
LET_GO_S = 5.0  # what a model or a tool may take to let go when it is stopped
STORE_AGAIN_AFTER_S = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0)

CLOSED_BY: dict[EventKind, EventKind] = {"text-start": "text-end", "reasoning-start": "reasoning-end"}
Reason = Literal["stop", "timeout", "shutdown", "lost"]

logger = logging.getLogger(__name__)


class Run:
    """One attempt at one turn."""

    def __init__(self, begun: Begun, database: Database) -> None:
        self.begun = begun
        self.log = EventLog(begun.first_seq)
        self.outcome: Outcome | None = None  # once it is stored
        self.error: errors.ChatError | None = None
        self._database = database
        self._said: list[Said] = []
        self._words: list[list[str]] = []  # of each step, as far as they were spoken
        self._has_unfinished_step = False
        self._open: TurnEvent | None = None  # what would close the text or the reasoning that is being spoken
        self._reason: Reason | None = None
        self._answering: asyncio.Task[None] | None = None
        self._is_flush_uncertain = False
        self._renewed_at = time.monotonic()
        self._looked_at = self._renewed_at

    def end(self, reason: Reason) -> None:
        """Let go of the model, for a reason; what was said so far is kept."""
        if self._reason is None and self._answering is not None and not self._answering.done():
            self._reason = reason
            self._answering.cancel()

    async def run(
        self, answerer: Answerer, asked: ModelInput, tools: Sequence[Tool], context: ToolContext, timeout_s: float
    ) -> None:
        """To the end, whatever that is; nothing is raised."""
        turn = self.begun.turn
        metadata = {"turn_id": str(turn.turn_id), "session_id": turn.session_id, "model": asked.model}
        self.log.add(TurnEvent("start", id=str(turn.reply_message_id), value=metadata))
        answering = self._answering = asyncio.create_task(self._listen(answerer, asked, tools, context))
        over = asyncio.Event()
        keeping = asyncio.create_task(self._keep(over))
        try:
            done, _ = await asyncio.wait({answering}, timeout=timeout_s)
            if not done:
                self.end("timeout")
                await asyncio.wait({answering}, timeout=LET_GO_S)
            over.set()
            await asyncio.wait({keeping})
            outcome = self._judge(answering)
            for message in outcome.messages:
                self.begun.window.conversation.add(message)
            await self._store(outcome)
        finally:
            self.log.end()

    async def _listen(
        self, answerer: Answerer, asked: ModelInput, tools: Sequence[Tool], context: ToolContext
    ) -> None:
        async for each in answerer.answer(asked, tools, context):
            if isinstance(each, Said):
                self._said.append(each)
                self._has_unfinished_step = False
                continue
            if each.kind == "step-start":
                self._words.append([])
                self._has_unfinished_step = True
            elif each.kind == "text-delta":
                self._words[-1].append(each.text)
            elif each.kind in CLOSED_BY:
                self._open = TurnEvent(CLOSED_BY[each.kind], id=each.id)
            elif each.kind in CLOSED_BY.values():
                self._open = None
            self.log.add(each)

    def _judge(self, answering: asyncio.Task[None]) -> Outcome:
        """What became of it."""
        usage = sum((each.usage for each in self._said), Usage())
        if self._reason is None and not answering.cancelled() and answering.exception() is None:
            return Outcome("done", self._reply(), usage)
        match self._reason:
            case "stop":
                return Outcome("stopped", self._reply(), usage)
            case "shutdown" | "lost":
                return Outcome("interrupted", usage=usage, partial_text=self._spoken())
            case "timeout":
                self.error = errors.ModelTimeout()
            case None:
                self.error = _translated(answering)
        return Outcome("failed", usage=usage, partial_text=self._spoken(), error_code=self.error.code)

    def _reply(self) -> tuple[Message, ...]:
        """The messages of the answer; what was being said when it was stopped is marked. The last is the reply."""
        messages = [each.message for each in self._said]
        if self._has_unfinished_step and (text := "".join(self._words[-1])):
            messages.append(Message(role="assistant", content=text, structured_data={"stopped": True}))
        spoken = [i for i, message in enumerate(messages) if message.role == "assistant"]
        if spoken:
            messages[spoken[-1]] = replace(
                messages[spoken[-1]], message_id=str(self.begun.turn.reply_message_id)
            )
        return tuple(messages)

    def _spoken(self) -> str | None:
        return "\n\n".join(text for words in self._words if (text := "".join(words))) or None

    # The database ---------------------------------------------------------------------------------------

    async def _keep(self, over: asyncio.Event) -> None:
        """Now and then: write the log, renew the lease, look whether somebody wants it to stop."""
        while not over.is_set():
            waiting = asyncio.ensure_future(over.wait())
            done, _ = await asyncio.wait({waiting}, timeout=FLUSH_EVERY_S)
            if done:
                return
            waiting.cancel()
            try:
                await self._touch()
            except errors.ChatError as error:  # the turn goes on, and the log catches up; the lease bounds it
                self._is_flush_uncertain = True
                logger.warning("a running turn could not be kept: %s", error.code)

    async def _touch(self) -> None:
        seq_from, said = self.log.unstored()
        is_time_to_look = time.monotonic() - self._looked_at >= LOOK_EVERY_S
        if not said and not is_time_to_look:
            return
        async with self._database.transaction(self.begun.principal) as connection:
            if said:
                await self._write(connection, seq_from, said)
            is_stop_requested = await self._look(connection) if is_time_to_look else False
        self.log.mark_stored(len(said))
        self._is_flush_uncertain = False
        if is_stop_requested is None:
            self.end("lost")
        elif is_stop_requested:
            self.end("stop")

    async def _write(self, connection: Connection, seq_from: int, said: list[TurnEvent]) -> None:
        user_id, turn_id = self.begun.principal.user_id, self.begun.turn.turn_id
        if self._is_flush_uncertain:  # the last batch may be there although we were told that it failed
            await events.delete_events(connection, user_id, turn_id, seq_from=seq_from)
        await events.append_events(connection, user_id, turn_id, seq_from, said)

    async def _look(self, connection: Connection) -> bool | None:
        now = self._looked_at = time.monotonic()
        renew = now - self._renewed_at >= turns.RENEW_AFTER_S
        if renew:
            self._renewed_at = now
        turn = self.begun.turn
        return await turns.is_stop_requested(
            connection, self.begun.principal.user_id, turn.turn_id, turn.attempt, renew=renew
        )

    async def _store(self, outcome: Outcome) -> None:
        """The end, stored before it is told. A database that is away is asked again: the lease is longer than that."""
        if self._reason == "lost":
            return
        ending = self._ending(outcome)
        seq_from, said = self.log.unstored()
        unstored = seq_from, [*said, *ending]
        for delay_s in (*STORE_AGAIN_AFTER_S, None):
            try:
                await after.finish(
                    self._database, self.begun, outcome, unstored, is_repeated=self._is_flush_uncertain
                )
                break
            except (Lost, errors.SessionNotFound):
                if await self._was_stored(outcome):
                    break
                logger.warning("a turn was taken over or deleted while it ran")
                self.log.add(TurnEvent("abort"))
                return
            except errors.ChatError as error:
                self._is_flush_uncertain = True
                logger.warning("the end of a turn could not be stored: %s", error.code)
                if delay_s is None:
                    self.error = error
                    self.log.add(TurnEvent("error", text=error.detail, name=error.code))
                    return
                await asyncio.sleep(delay_s)
        self.outcome = outcome
        for event in ending:
            self.log.add(event)

    async def _was_stored(self, outcome: Outcome) -> bool:
        """Whether a COMMIT of ours, whose answer was lost, has done it."""
        if not self._is_flush_uncertain:
            return False
        turn = self.begun.turn
        async with self._database.transaction(self.begun.principal) as connection:
            found = await turns.read_turns(connection, self.begun.principal.user_id, [turn.turn_id])
        stored = found.get(turn.turn_id)
        return stored is not None and (stored.state, stored.attempt) == (outcome.state, turn.attempt)

    def _ending(self, outcome: Outcome) -> list[TurnEvent]:
        """What followers hear last; an interrupted turn just falls silent, for somebody may take it over."""
        turn = self.begun.turn
        usage = after.usage_json(outcome.usage)
        metadata = {"turn_id": str(turn.turn_id), "state": outcome.state, "model": turn.model, "usage": usage}
        closed = [self._open] if self._open else []
        match outcome.state:
            case "done":
                return [TurnEvent("finish", value=metadata)]
            case "stopped":
                return [*closed, TurnEvent("metadata", value=metadata), TurnEvent("abort")]
            case "failed":
                assert self.error is not None  # nosec B101 # narrows a type
                return [*closed, TurnEvent("error", text=self.error.detail, name=self.error.code)]
        return []


def _translated(answering: asyncio.Task[None]) -> errors.ChatError:
    error = None if answering.cancelled() else answering.exception()
    if isinstance(error, errors.ChatError):
        return error
    # The text of a foreign error may hold what somebody said.
    logger.error("a turn failed: %s", type(error).__name__)
    return errors.ModelFailed("Something went wrong on our side while answering. Try again.")
