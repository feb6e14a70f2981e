"""A prompt as a person at a terminal sees it: a bar for each part, and what its length would set off."""

from collections.abc import Sequence

from chatServer.turn.explain import Part
from chatServer.turn.preview import Preview
from chatServer.turn.triggers import Trigger

BAR = 24  # columns
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
UNSENT = ("reserve", "room")
SET_OFF = {
    "every_five": "a summary after the answer: five more messages",
    "mark_after_turn": "a summary after the answer: much was said",
    "mark_before_model": "a summary before the answer: too much was said",
    "window_before_model": "a summary before the answer: there is none yet of what no longer is in the window",
    "larger_model": "the larger model",
    "context_too_large": "a refusal: the message does not fit",
}


def drawn(told: Preview) -> str:
    """Some lines; what the parts say is not among them."""
    begun, budget = told.begun, told.budget
    head = f"{begun.agent.name} · {begun.asked.model} · {budget.prompt_tokens:,} of {budget.window_tokens:,} tokens"
    return "\n".join([head, *bars(told.parts), *fired(told.triggers)])


def bars(parts: Sequence[Part]) -> list[str]:
    """The longest is the largest of what is sent: beside a whole window nothing else would be seen."""
    most = max(part.tokens for part in parts if part.name not in UNSENT)
    digits = max(len(f"{part.tokens:,}") for part in parts)
    return [
        f"{part.name:8}  {part.tokens:>{digits},}  {_bar(part.tokens / most):{BAR}}  {part.reason}" for part in parts
    ]


def fired(triggers: Sequence[Trigger]) -> list[str]:
    return [f"It would set off {SET_OFF[each.name]}." for each in triggers if each.would_fire]


def _bar(share: float) -> str:
    """Whatever is there is seen; what is longer than a bar goes on beyond it."""
    if share > 1:
        return "█" * (BAR - 1) + "▶"
    whole, rest = divmod(max(round(share * BAR * 8), 1) if share else 0, 8)
    return "█" * whole + EIGHTHS[rest]
