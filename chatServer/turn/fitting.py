"""The prompt of an attempt while it runs, made to fit: before the model is asked, and again when its tools have said
much. Nothing here holds a connection while a model works, and nothing here is why a turn fails."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chatServer import errors, metrics
from chatServer.agent.purposes import Advisers
from chatServer.agent.run import Head
from chatServer.agent.summary.compact import Reason, compact
from chatServer.agent.summary.session_summary import Occasion, summarize_session
from chatServer.agent.tools import Tool, tokens_of
from chatServer.conversation.assemble import Parts, assemble, lasting
from chatServer.conversation.quote import quoted_within
from chatServer.conversation.tokens import count_message
from chatServer.messages import Message
from chatServer.records import Budget, ModelInput, RecallResult, Summary, TurnEvent
from chatServer.store.pool import Database
from chatServer.turn.begun import Begun
from chatServer.turn.recalled import is_all

ALL = 2**63 - 1  # beyond every message

logger = logging.getLogger(__name__)


class Fitting:
    """Of one attempt at one turn."""

    def __init__(self, begun: Begun, database: Database, advisers: Advisers) -> None:
        self.budget = begun.budget
        self.tools = begun.tools
        self._begun = begun
        self._parts = begun.parts
        self._asked = begun.asked
        self._database = database
        self._advisers = advisers
        self._memories: Message | None = None
        self.compactions: list[dict[str, Any]] = []  # as they were told
        self._tail_tokens = 0  # what this turn has added to the question
        self._has_waited = False  # for another's summary, in vain: once is enough for a turn

    @property
    def asked(self) -> ModelInput:
        """The prompt, with what was recalled before the question, where it is data that somebody quotes."""
        if self._memories is None:
            return self._asked
        *before, question = self._asked.messages
        return replace(self._asked, messages=(*before, self._memories, question))

    def describe(self, tools: Sequence[Tool]) -> None:
        """Take the tools as their servers describe them; as they were where that leaves no room for the question."""
        described = tuple(tools)
        if (tokens := tokens_of(described)) != self._parts.tools_tokens:
            known, self._parts = self._parts, replace(self._parts, tools_tokens=tokens)
            try:
                self._assemble()
            except errors.ContextTooLarge:
                self._parts = known
                return
        self.tools = described

    @property
    def reason(self) -> Reason | None:
        """Why the head of the conversation is to be summarised before the model is asked; None: it is not."""
        return "mark" if self._is_full else "window" if self._has_gap else None

    async def compact(self) -> list[TurnEvent]:
        """Let the head of the conversation be summarised, where it takes too much or would be left out: what came of
        it, as followers hear it."""
        reason = self.reason
        return await self._compact(reason) if reason else []

    def quote(self, found: RecallResult) -> RecallResult:
        """Add what was recalled: its best lines, as many as there really is room for; what that is."""
        room = self.budget.room_tokens
        self._memories, tokens, items = quoted_within(found.items, room, is_all=is_all(found))
        self.budget = replace(self.budget, recall_tokens=tokens)
        return replace(found, items=tuple(items))

    async def tighten(self, tail_tokens: int) -> Head:
        """The prompt beside so many tokens that this turn has added to it since: shorter where that is needed."""
        self._tail_tokens = tail_tokens
        self._assemble()
        told = await self._compact("step") if self._is_full else []
        memories, self._memories = self._memories, None
        if memories and (tokens := count_message(memories)) <= self.budget.room_tokens:
            self._memories = memories
            self.budget = replace(self.budget, recall_tokens=tokens)
        return Head(self.asked.messages, tuple(told))

    def told(self, articles_tokens: int) -> Budget:
        """What the last prompt was made of, for whoever operates the server: the question by itself, and of all that
        tools have said the articles alone."""
        if not self._tail_tokens and not articles_tokens:
            return self.budget
        question_tokens = self.budget.question_tokens - self._tail_tokens
        return replace(self.budget, question_tokens=question_tokens, articles_tokens=articles_tokens)

    @property
    def _is_full(self) -> bool:
        """Whether a summary would help: it is of no use where long notes or a long question have passed the mark."""
        if self.budget.forgotten_messages or not self.budget.is_over_mark:
            return self.budget.forgotten_messages > 0
        target, kept_from = self._parts.compression.target_tokens, self._kept_from
        head = [each for each in self._begun.window.stored if self._parts.covers_to < each.id < kept_from]
        return sum(target if each.tokens is None else each.tokens for each in head) > target

    @property
    def _kept_from(self) -> int:
        kept, _ = lasting(self._parts_with_tail, self._begun.window.stored)
        return kept[0].id if kept else ALL

    @property
    def _has_gap(self) -> bool:
        """Whether there may be messages that are older than the window and newer than the summary."""
        window = self._begun.window
        return bool(not window.is_whole and window.stored and self._parts.covers_to < window.stored[0].id)

    @property
    def _parts_with_tail(self) -> Parts:
        return replace(self._parts, question_tokens=self._parts.question_tokens + self._tail_tokens)

    def _assemble(self) -> None:
        window = self._begun.window
        try:
            self._asked, self.budget = assemble(self._parts_with_tail, window.stored, is_whole=window.is_whole)
        except errors.ContextTooLarge:
            if not self._tail_tokens:
                raise
            # What was added has to become less, too, beside the least that can be asked.
            self._asked, least = assemble(self._parts, [])
            self.budget = replace(
                least,
                question_tokens=least.question_tokens + self._tail_tokens,
                dropped_messages=len(window.stored),
                forgotten_messages=sum(each.id > self._parts.covers_to for each in window.stored),
            )

    async def _compact(self, reason: Reason) -> list[TurnEvent]:
        begun = self._begun
        within_s = self._parts.compression.deadline_s if reason != "window" else 0.0  # the worker comes after its rules
        occasion = Occasion(
            is_forced=True,
            reason=reason,
            kept_from=self._kept_from,
            within_s=within_s,
            wait_s=0.0 if self._has_waited else within_s,
            turn_id=begun.turn.turn_id,
        )
        try:
            done = await summarize_session(
                self._database, begun.principal, begun.session.session_id, advisers=self._advisers, occasion=occasion
            )
            if done.is_awaited and not self._is_newer(done.summary):
                self._has_waited = True
                self._take(await self._by_rules())
                return self._degraded("busy")
        except errors.ChatError as error:  # the turn goes on with what fits; whoever deleted it is met later
            return self._degraded(error.code)
        except Exception as error:  # noqa: BLE001  a bug of ours: it costs the summary, and no answer
            logger.error("a conversation could not be summarised: %s", type(error).__name__)
            return self._degraded("failed")
        if not self._take(done.summary) or not done.told:
            return []
        self.compactions.append(done.told)
        return [self._event(done.told)]

    def _is_newer(self, summary: Summary | None) -> bool:
        return summary is not None and summary.covers_to > self._parts.covers_to

    def _take(self, summary: Summary | None) -> bool:
        """Put it into the prompt, where it goes further than the one that is there; whether it does."""
        if summary is None or not self._is_newer(summary):
            return False
        self._parts = replace(self._parts, summary=summary.text, covers_to=summary.covers_to)
        self._assemble()
        return True

    async def _by_rules(self) -> Summary | None:
        """A summary of what the window has, for this turn alone: another is making the one that is kept."""
        parts = self._parts
        known = Summary(parts.summary, parts.covers_to, 0, 0) if parts.summary else None
        since = [each for each in self._begun.window.stored if each.id > parts.covers_to]
        return await compact(known, since, how=parts.compression, kept_from=self._kept_from)

    def _degraded(self, reason: str) -> list[TurnEvent]:
        """A named degradation: what does not fit is left out of the prompt, though no stored summary stands for it."""
        metrics.compactions_degraded.labels(reason).inc()
        fields = {"reason": reason, "turn_id": str(self._begun.turn.turn_id)}
        logger.warning("a turn goes on without a summary", extra={"fields": fields})
        return [self._event({"status": "degraded", "reason": reason})]

    def _event(self, value: dict[str, Any]) -> TurnEvent:
        return TurnEvent("data", id=str(self._begun.turn.turn_id), name="compaction", value=value)
