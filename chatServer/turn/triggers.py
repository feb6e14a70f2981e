"""What the length of a conversation sets off: in the turn that is asked for, or behind it."""

from dataclasses import dataclass
from typing import Literal

from chatServer.agent.compact import EVERY, KEPT_MESSAGES, is_due
from chatServer.records import Summary
from chatServer.turn.before import Begun
from chatServer.turn.prompt import has_memory

TriggerName = Literal["every_five", "mark_after_turn", "mark_before_model", "larger_model", "context_too_large"]
AN_EXCHANGE = 2  # messages, where no tool is called
AFTER_PCT = 80  # of the window
BEFORE_PCT = 85


@dataclass(frozen=True, slots=True)
class Trigger:
    """It fires when there is more than `at` of something, of which there is `now`."""

    name: TriggerName
    unit: Literal["tokens", "messages"]
    at: int
    now: int
    would_fire: bool


def triggers_of(begun: Begun, summary: Summary | None, unsummarised: int) -> tuple[Trigger, ...]:
    """All of them, whether or not they would fire."""
    budget = begun.budget
    said, needed = budget.prompt_tokens - budget.tools_tokens, budget.prompt_tokens + budget.reserve_tokens
    after, before = (budget.window_tokens * pct // 100 for pct in (AFTER_PCT, BEFORE_PCT))
    return (
        _every_five(begun, summary, unsummarised + AN_EXCHANGE),
        Trigger("mark_after_turn", "tokens", after, said, would_fire=said > after),
        Trigger("mark_before_model", "tokens", before, said, would_fire=said > before),
        Trigger("context_too_large", "tokens", budget.window_tokens, needed, would_fire=budget.room_tokens < 0),
    )


def _every_five(begun: Begun, summary: Summary | None, unsummarised: int) -> Trigger:
    """By messages: how many there were when it was made last, five more, and how many there will be."""
    covered = summary.messages if summary else 0
    now = covered + unsummarised
    before = (covered + KEPT_MESSAGES) // EVERY if summary else 0
    fires = is_due(summary, unsummarised) and unsummarised > KEPT_MESSAGES and has_memory(begun.agent, begun.session)
    return Trigger("every_five", "messages", (before + 1) * EVERY, now, would_fire=fires)
