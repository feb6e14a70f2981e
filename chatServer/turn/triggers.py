"""What the length of a conversation sets off: in the turn that is asked for, or behind it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from chatServer.agent.summary.compact import is_due, next_due
from chatServer.conversation.assemble import KEPT_MESSAGES
from chatServer.records import Summary
from chatServer.store.summaries import Rest
from chatServer.turn.begun import Begun
from chatServer.turn.fitting import Fitting
from chatServer.turn.prompt import has_memory

TriggerName = Literal[
    "every_five", "mark_after_turn", "mark_before_model", "window_before_model", "larger_model", "context_too_large"
]
AN_EXCHANGE = 2  # messages, where no tool is called
_WHEN: dict[TriggerName, str] = {
    "every_five": "After the answer a summary is made from {at} messages on",
    "mark_after_turn": "After the answer a summary is made above {at} tokens that were said",
    "mark_before_model": "Before the model is asked a summary is made above {at} tokens that were said",
    "window_before_model": "Before the model is asked a summary is made when more messages are in none than the {at}"
    " that it is shown at most",
    "larger_model": "The larger model is asked when the prompt and its answer need more than {at} tokens",
    "context_too_large": "The message is refused when the prompt and its answer need more than {at} tokens",
}
LAST_ONES = f"the last {KEPT_MESSAGES} messages stay as they were said"
NOT_SHORTER = "no summary would make it shorter"
_FROM: tuple[TriggerName, ...] = ("every_five",)  # the others are passed


@dataclass(frozen=True, slots=True)
class Trigger:
    """`now` beside the number `at` or from which on it happens."""

    name: TriggerName
    unit: Literal["tokens", "messages"]
    at: int
    now: int
    would_fire: bool
    why_not: str = ""  # where the number is reached; empty: it need not be said

    @property
    def reason(self) -> str:
        """At what mark, and whether now: a sentence for a person."""
        when = _WHEN[self.name].replace("{at}", f"{self.at:,}")
        is_reached = self.now >= self.at if self.name in _FROM else self.now > self.at
        if self.would_fire:
            return f"{when}: it would happen now, with {self.now:,}."
        why = f", for {self.why_not}" if is_reached and self.why_not else ""
        return f"{when}: it would not happen now, with {self.now:,}{why}."


def triggers_of(begun: Begun, prompt: Fitting, summary: Summary | None, rest: Rest) -> tuple[Trigger, ...]:
    """All that this agent has, whether or not they would fire; of those that come after the answer, as far as is known
    before it."""
    return (*_after(begun, summary, rest), *_before(begun, prompt, rest))


def _after(begun: Begun, summary: Summary | None, rest: Rest) -> Iterator[Trigger]:
    """As agent/summary/ decides it in the worker: by what the summary does not hold, once this turn is part of it."""
    covered, unsummarised = summary.messages if summary else 0, rest.messages + AN_EXCHANGE
    tokens = (summary.tokens if summary else 0) + rest.tokens + begun.budget.question_tokens
    why_not = LAST_ONES if unsummarised <= KEPT_MESSAGES else ""
    if not has_memory(begun.agent, begun.session):
        why_not = "memory is off"
    fires = not why_not and is_due(summary, unsummarised)
    yield Trigger("every_five", "messages", next_due(summary), covered + unsummarised, fires, why_not)
    mark = begun.parts.compression.soft_mark_tokens
    yield Trigger("mark_after_turn", "tokens", mark, tokens, not why_not and tokens > mark, why_not)


def _before(begun: Begun, prompt: Fitting, rest: Rest) -> Iterator[Trigger]:
    budget, reason, own = prompt.budget, prompt.reason, begun.parts.compression.window_tokens
    shown, left_out = len(begun.window.stored), rest.messages > len(begun.window.stored)
    window = shown if left_out else max(shown, begun.agent.window_messages)  # while all have room: how much there is
    needed = budget.prompt_tokens + budget.reserve_tokens
    is_full = reason == "mark"
    yield Trigger("mark_before_model", "tokens", budget.mark_tokens, budget.said_tokens, is_full, NOT_SHORTER)
    why_not = "it is made because of the tokens" if is_full else ""
    yield Trigger("window_before_model", "messages", window, rest.messages, reason == "window" and left_out, why_not)
    if begun.agent.larger_model:
        yield Trigger("larger_model", "tokens", own, needed, begun.parts.is_larger_model)
    yield Trigger("context_too_large", "tokens", budget.window_tokens, needed, budget.room_tokens < 0)
