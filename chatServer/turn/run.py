"""A turn while this process runs it: the answer is listened to, numbered, told and stored, whoever is still there."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from chatServer import errors, metrics
from chatServer.agent.answer import Answerer
from chatServer.agent.tools import ToolContext
from chatServer.messages import Message
from chatServer.records import EventKind, Said, Turn, TurnEvent, Usage
from chatServer.spans import span
from chatServer.store.pool import Database
from chatServer.turn.after import Outcome, usage_json
from chatServer.turn.before import Begun
from chatServer.turn.events import EventLog
from chatServer.turn.record import Record

LET_GO_S = 5.0  # what a model or a tool may take to let go when it is stopped
CLOSED_BY: dict[EventKind, EventKind] = {"text-start": "text-end", "reasoning-start": "reasoning-end"}

Reason = Literal["stop", "timeout", "shutdown", "lost"]

logger = logging.getLogger(__name__)


class Run:
    """One attempt at one turn."""

    def __init__(self, begun: Begun, database: Database) -> None:
        self.begun = begun
        self.log = EventLog(begun.first_seq)
        self.outcome: Outcome | None = None  # once it is stored
        self.ended = asyncio.Event()
        self._database = database
        self._record = Record(begun, database, self.log)
        self._answer = Answer()
        self._answering: asyncio.Task[None] | None = None
        self._reason: Reason | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the turn has gone on without this attempt."""
        return self._reason == "lost"

    def end(self, reason: Reason) -> None:
        """Let go of the model, for a reason; what was said so far is kept."""
        if self._reason is None and self._answering is not None and not self._answering.done():
            self._reason = reason
            self._answering.cancel()

    async def run(self, answerer: Answerer, timeout_s: float) -> None:
        """To the end, whatever that is; nothing is raised."""
        turn, began_at = self.begun.turn, time.monotonic()
        with metrics.turns_running.track_inprogress(), span("turn", **_described(turn)) as note:
            await self._run(answerer, timeout_s)
            note(state=self._state)
        self._tell(time.monotonic() - began_at)

    async def _run(self, answerer: Answerer, timeout_s: float) -> None:
        turn = self.begun.turn
        metadata = {"turn_id": str(turn.turn_id), "session_id": turn.session_id, "model": turn.model}
        self.log.add(TurnEvent("start", id=str(turn.reply_message_id), value=metadata))
        answering = self._answering = asyncio.create_task(self._listen(answerer))
        over = asyncio.Event()
        keeping = asyncio.create_task(self._record.keep(over, self.end))
        try:
            done, _ = await asyncio.wait({answering}, timeout=timeout_s)
            if not done:
                self.end("timeout")
            await asyncio.wait({answering}, timeout=LET_GO_S)
            over.set()
            await asyncio.wait({keeping})
            await self._store(answering)
        finally:
            self.log.end()
            self.ended.set()

    @property
    def _state(self) -> str:
        """How it ended; unstored when the database has nothing of that."""
        return self.outcome.state if self.outcome else "lost" if self.is_lost else "unstored"

    def _tell(self, seconds: float) -> None:
        """One line and a few numbers for whoever operates the server."""
        usage = self._answer.usage
        metrics.turn_seconds.labels(self._state).observe(seconds)
        metrics.turn_tokens.labels("input").inc(usage.input_tokens)
        metrics.turn_tokens.labels("output").inc(usage.output_tokens)
        counted = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        fields = {**_described(self.begun.turn), "state": self._state, "duration_ms": round(seconds * 1000, 1)}
        logger.info("turn ended", extra={"fields": {**fields, **counted}})

    async def _listen(self, answerer: Answerer) -> None:
        begun = self.begun
        context = ToolContext(
            database=self._database,
            principal=begun.principal,
            agent_name=begun.agent.name,
            session_id=begun.session.session_id,
            turn_id=begun.turn.turn_id,
            attempt=begun.turn.attempt,
        )
        async for each in answerer.answer(begun.asked, begun.tools, context):
            self._answer.hear(each)
            if isinstance(each, TurnEvent):
                self.log.add(each)

    async def _store(self, answering: asyncio.Task[None]) -> None:
        """Stored first, told then."""
        if self._reason == "lost":
            return
        outcome, error = self._judge(answering)
        for message in outcome.messages:
            self.begun.window.conversation.add(message)
        ending = self._ending(outcome, error)
        if failure := await self._record.store(outcome, ending):
            is_gone = isinstance(failure, errors.SessionNotFound)
            ending = [TurnEvent("abort") if is_gone else TurnEvent("error", text=failure.detail, name=failure.code)]
        else:
            self.outcome = outcome
        for event in ending:
            self.log.add(event)

    def _judge(self, answering: asyncio.Task[None]) -> tuple[Outcome, errors.ChatError | None]:
        """What became of it, and why."""
        answer, usage = self._answer, self._answer.usage
        error: errors.ChatError
        match self._reason:
            case "stop":
                return Outcome("stopped", self._with_reply_id(answer.messages(is_cut=True)), usage), None
            case "shutdown" | "lost":
                return Outcome("interrupted", usage=usage, partial_text=answer.spoken()), None
            case "timeout":
                error = errors.ModelTimeout()
            case None:
                failure = asyncio.CancelledError() if answering.cancelled() else answering.exception()
                if failure is None:
                    return Outcome("done", self._with_reply_id(answer.messages()), usage), None
                error = _translated(failure)
        return Outcome("failed", usage=usage, partial_text=answer.spoken(), error_code=error.code), error

    def _with_reply_id(self, messages: list[Message]) -> tuple[Message, ...]:
        """The last of what the assistant said is the reply, under the id that was announced."""
        for i in reversed(range(len(messages))):
            if messages[i].role == "assistant":
                messages[i] = replace(messages[i], message_id=str(self.begun.turn.reply_message_id))
                break
        return tuple(messages)

    def _ending(self, outcome: Outcome, error: errors.ChatError | None) -> Sequence[TurnEvent]:
        """What followers hear last; an interrupted turn just falls silent, for somebody may take it over."""
        turn = self.begun.turn
        said_of_it = {"turn_id": str(turn.turn_id), "state": outcome.state, "model": turn.model}
        metadata = {**said_of_it, "usage": usage_json(outcome.usage)}
        match outcome.state:
            case "done":
                return [TurnEvent("finish", value=metadata)]
            case "stopped":
                return [*self._answer.closing(), TurnEvent("metadata", value=metadata), TurnEvent("abort")]
            case "failed" if error is not None:
                return [*self._answer.closing(), TurnEvent("error", text=error.detail, name=error.code)]
        return []


class Answer:
    """What was said so far, whole messages and the words of the one that is being spoken."""

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._words: list[list[str]] = []  # of each step
        self._is_speaking = False
        self._open: TurnEvent | None = None

    def hear(self, each: TurnEvent | Said) -> None:
        if isinstance(each, Said):
            self._said.append(each)
            self._is_speaking = False
        elif each.kind == "step-start":
            self._words.append([])
            self._is_speaking = True
        elif each.kind == "text-delta":
            self._words[-1].append(each.text)
        elif each.kind in CLOSED_BY:
            self._open = TurnEvent(CLOSED_BY[each.kind], id=each.id)
        elif each.kind in CLOSED_BY.values():
            self._open = None

    @property
    def usage(self) -> Usage:
        return sum((each.usage for each in self._said), Usage())

    def messages(self, *, is_cut: bool = False) -> list[Message]:
        """Those that are complete; where it was stopped, what was being said too, and marked."""
        messages = [each.message for each in self._said]
        if is_cut and self._is_speaking and (text := "".join(self._words[-1])):
            messages.append(Message(role="assistant", content=text, structured_data={"stopped": True}))
        return messages

    def spoken(self) -> str | None:
        """All words, for a turn that left no messages."""
        return "\n\n".join(text for words in self._words if (text := "".join(words))) or None

    def closing(self) -> list[TurnEvent]:
        """What closes a text or a reasoning that was never finished."""
        return [self._open] if self._open else []


def _described(turn: Turn) -> dict[str, str | int]:
    ids = {"turn_id": str(turn.turn_id), "session_id": turn.session_id}
    return {**ids, "agent": turn.agent_name, "model": turn.model or "", "attempt": turn.attempt}


def _translated(failure: BaseException) -> errors.ChatError:
    if isinstance(failure, errors.ChatError):
        return failure
    # The text of a foreign error may hold what somebody said.
    logger.error("a turn failed: %s", type(failure).__name__)
    return errors.ModelFailed("Something went wrong on our side while answering. Try again.")
