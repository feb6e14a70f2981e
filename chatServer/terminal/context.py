"""A prompt as a person at a terminal sees it: a bar for each part, and what its length would set off."""

from collections.abc import Sequence

from chatServer.turn.explain import Part
from chatServer.turn.preview import Preview
from chatServer.turn.triggers import Trigger

BAR = 24  # columns
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
UNSENT = ("reserve", "room")


def drawn(told: Preview) -> str:
    """Some lines; what the parts say is not among them."""
    begun, budget = told.begun, told.budget
    head = f"{begun.agent.name} · {begun.asked.model} · {budget.prompt_tokens:,} of {budget.window_tokens:,} tokens"
    return "\n".join([head, *bars(told.parts), *marks(told.triggers)])


def bars(parts: Sequence[Part]) -> list[str]:
    """The longest is the largest of what is sent: beside a whole window nothing else would be seen."""
    most = max(part.tokens for part in parts if part.name not in UNSENT)
    digits = max(len(f"{part.tokens:,}") for part in parts)
    return [
        f"{part.name:8}  {part.tokens:>{digits},}  {_bar(part.tokens / most):{BAR}}  {part.reason}" for part in parts
    ]


def marks(triggers: Sequence[Trigger]) -> list[str]:
    """What the length sets off and at what mark; what would happen now is pointed at."""
    return [f"{'▶' if each.would_fire else ' '} {each.reason}" for each in triggers]


def _bar(share: float) -> str:
    """Whatever is there is seen; what is longer than a bar goes on beyond it."""
    if share > 1:
        return "█" * (BAR - 1) + "▶"
    whole, rest = divmod(max(round(share * BAR * 8), 1) if share else 0, 8)
    return "█" * whole + EIGHTHS[rest]
