"""A turn while this process runs it: the answer is listened to, numbered, told and stored, whoever is still there."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Sequence
from typing import Literal

from chatServer import errors, metrics
from chatServer.agent.answer import Answerer
from chatServer.agent.purposes import Advisers
from chatServer.agent.tools import ToolContext
from chatServer.knowledge.retrieve import Retriever
from chatServer.memory.recall.reach import closed_to, shelves_of
from chatServer.messages import Message
from chatServer.records import LARGER, RecallResult, Turn, TurnEvent, TurnState, Usage, told_missing
from chatServer.spans import span
from chatServer.store.pool import Database
from chatServer.turn import replay
from chatServer.turn.after import HAS_ENDED_WELL, Outcome, ended, is_to_be_revised
from chatServer.turn.ahead import Ahead
from chatServer.turn.begun import Begun
from chatServer.turn.events import EventLog
from chatServer.turn.fitting import Fitting
from chatServer.turn.guarded import guarded, guarded_text
from chatServer.turn.heard import Heard
from chatServer.turn.ledger import account, compactions, described
from chatServer.turn.pace import Pace
from chatServer.turn.recalled import recalled_json
from chatServer.turn.record import Record

LET_GO_S = 5.0  # what a model or a tool may take to let go when it is stopped

Reason = Literal["stop", "timeout", "shutdown", "lost"]

logger = logging.getLogger(__name__)


class Attempt:
    """One attempt at one turn."""

    def __init__(
        self,
        begun: Begun,
        database: Database,
        pace: Pace,
        ahead: Ahead,
        *,
        advisers: Advisers,
        retriever: Retriever,
        closed: Collection[str],
    ) -> None:
        self.begun = begun
        self.turn = begun.turn  # as its end leaves it, once that is stored
        self.log = EventLog(begun.first_seq)
        self.outcome: Outcome | None = None  # once it is stored
        self.ended = asyncio.Event()
        self._described = described(begun.turn)
        self._record = Record(begun, database, self.log, pace)
        self._ahead = ahead
        self._prompt = Fitting(begun, database, advisers)
        self._context = ToolContext(
            database=database,
            principal=begun.principal,
            agent_name=begun.agent.name,
            session_id=begun.session.session_id,
            turn_id=begun.turn.turn_id,
            attempt=begun.turn.attempt,
            shelves=shelves_of(begun.agent, begun.session.session_id),
            retriever=retriever,
            closed=closed_to(begun.agent, closed),
        )
        self._recalled: RecallResult | None = None
        self._heard = Heard(self.log)
        self._woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reason: Reason | None = None
        self._is_over = False

    @property
    def is_lost(self) -> bool:
        """Whether the turn has gone on without this attempt."""
        return self._reason == "lost"

    def end(self, reason: Reason) -> None:
        """Let go of the model, for a reason; what was said so far is kept."""
        if self._reason is None and not self._is_over:
            self._reason = reason
            self._wake()

    async def run(self, answerer: Answerer, timeout_s: float) -> None:
        """To the end, whatever that is; nothing is raised."""
        began_at = time.monotonic()
        metrics.turns_running.inc()
        with span("turn", **self._described) as note:
            try:
                await self._run(answerer, timeout_s)
            finally:
                metrics.turns_running.dec()
                self._ahead.leave()
                self.log.end()
                self.ended.set()
            note(state=self._state)
        self._tell(time.monotonic() - began_at)

    async def _run(self, answerer: Answerer, timeout_s: float) -> None:
        turn = self.begun.turn
        metadata = {"turn_id": self._described["turn_id"], "session_id": turn.session_id, "model": turn.model}
        self.log.add(TurnEvent("start", id=str(turn.reply_message_id), value=metadata), is_clean=True)
        if self.begun.parts.is_larger_model:
            self.log.add(TurnEvent("metadata", value={"model": turn.model, **LARGER}))
        answering = asyncio.create_task(self._listen(answerer))
        self._record.begin(self.end)
        await self._wait_for(answering, timeout_s)
        await self._record.rest()
        if self.is_lost:
            await self._tell_if_gone()
        else:
            await self._store(answering)
        if self.outcome is None:
            await self._record.charge(self._usage)

    async def _wait_for(self, answering: asyncio.Task[None], timeout_s: float) -> None:
        """Until the answer is there, or somebody or the clock wants it to end; then it has a moment to let go."""
        timer = asyncio.get_running_loop().call_later(timeout_s, self._wake)
        answering.add_done_callback(self._wake)
        await self._woken
        timer.cancel()
        if not answering.done():
            self.end("timeout")
            answering.cancel()
            await asyncio.wait({answering}, timeout=LET_GO_S)
        self._is_over = self._heard.is_over = True

    def _wake(self, _: object = None) -> None:
        if not self._woken.done():
            self._woken.set_result(None)

    @property
    def _state(self) -> str:
        """How it ended; unstored when the database has nothing of that."""
        return self.outcome.state if self.outcome else "lost" if self.is_lost else "unstored"

    @property
    def _usage(self) -> Usage:
        return self._heard.usage(self._prompt.budget.prompt_tokens)

    def _tell(self, seconds: float) -> None:
        prompt, found = self._prompt, self._recalled
        account(
            self._described,
            state=self._state,
            error=self.outcome.error if self.outcome else None,
            seconds=seconds,
            usage=self.outcome.usage if self.outcome else self._usage,
            budget=prompt.told(self._context.articles_tokens),
            recalled_lines=len(found.items) if found else 0,
            recall_degraded=found.degraded if found else None,
            larger_model=self.begun.parts.is_larger_model,
            **compactions(prompt.compactions),
        )

    async def _listen(self, answerer: Answerer) -> None:
        prompt = self._prompt
        prompt.describe(await answerer.described(prompt.tools))
        for event in await prompt.compact():
            self.log.add(event)
        await self._recall()
        await answerer.answer(prompt.asked, prompt.tools, self._context, self._heard.hear, prompt.tighten)

    async def _recall(self) -> None:
        """Find what bears on the question; whatever goes wrong there, the turn goes on without."""
        with span("recall") as note:  # what the turn waits for it: it began before
            found = await self._ahead.find(self.begun, self._prompt.asked, self._prompt.budget)
            if found is None:
                return
            note(memories=len(found.items), is_late=found.degraded == "timeout")
        self._recalled = found = self._prompt.quote(found)
        if found.items:
            used = recalled_json(found)["items"]
            self.log.add(TurnEvent("metadata", value={"memories_used": used}), is_clean=True)
        if missing := told_missing(found.degraded):
            self.log.add(TurnEvent("data", id=str(self.begun.turn.turn_id), name="recall", value=missing))

    async def _tell_if_gone(self) -> None:
        """Another attempt speaks for a turn that was taken over; for one that was deleted nobody does."""
        with contextlib.suppress(errors.ChatError):
            if await self._record.is_gone():
                self.log.add(TurnEvent("abort"))

    async def _store(self, answering: asyncio.Task[None]) -> None:
        """Stored first, told then."""
        outcome = await self._judge(answering)
        for message in outcome.messages:
            self.begun.window.conversation.add(message)
        await self.begun.window.count_new()
        turn = ended(self.begun.turn, outcome)
        ending = self._ending(turn, outcome)
        try:
            failure = await self._record.store(outcome, ending)
        except errors.Lost:
            self._reason = "lost"
            await self._tell_if_gone()
            return
        if failure:
            ending = [TurnEvent("error", text=failure.detail, name=failure.code)]
        else:
            self.turn, self.outcome = turn, outcome
        for event in ending:
            self.log.add(event, is_clean=event.kind == "finish")  # of numbers, ids, and what the database gave

    async def _judge(self, answering: asyncio.Task[None]) -> Outcome:
        """What became of it."""
        state, error, usage = self._ended_as(answering)
        messages: Sequence[Message] = ()
        spoken = None
        if state in HAS_ENDED_WELL:
            messages = await guarded(self._with_reply_id(self._heard.messages(is_cut=state == "stopped")))
        else:
            spoken = await guarded_text(self._heard.spoken())
        return Outcome(state, tuple(messages), usage, spoken, error, self._recalled, self.begun.parts.is_larger_model)

    def _ended_as(self, answering: asyncio.Task[None]) -> tuple[TurnState, errors.ChatError | None, Usage]:
        match self._reason:
            case "stop":
                return "stopped", None, self._usage
            case "shutdown":
                return "interrupted", None, self._usage
            case "timeout":
                return "failed", errors.ModelTimeout(), self._usage
        failure = asyncio.CancelledError() if answering.cancelled() else answering.exception()
        if failure is None:
            return "done", None, self._usage
        # A provider that refuses takes nothing.
        usage = self._heard.usage(prompt_tokens=0) if self._heard.is_silent else self._usage
        return "failed", _translated(failure), usage

    def _with_reply_id(self, messages: list[Message]) -> list[Message]:
        """The last of what the assistant said is the reply, under the id that was announced."""
        reply = next((each for each in reversed(messages) if each.role == "assistant"), None)
        if reply is not None:
            reply.message_id = str(self.begun.turn.reply_message_id)
        return messages

    def _ending(self, turn: Turn, outcome: Outcome) -> Sequence[TurnEvent]:
        """What followers hear last; an interrupted turn just falls silent, for somebody may take it over."""
        if outcome.state == "interrupted":
            return []
        unfinished = self._heard.closing() if outcome.state != "done" else []
        starting = [replay.revision_event(turn)] if is_to_be_revised(self.begun, outcome) else []
        # What was recalled was told before the first word.
        ending = replay.ending_of(turn, outcome.messages, outcome.error, with_recalled=False)
        return [*unfinished, *starting, *ending]


def _translated(failure: BaseException) -> errors.ChatError:
    if isinstance(failure, errors.ChatError):
        return failure
    # The text of a foreign error may hold what somebody said.
    logger.error("a turn failed: %s", type(failure).__name__)
    return errors.ModelFailed("Something went wrong on our side while answering. Try again.")
