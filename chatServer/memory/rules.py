"""The numbers by which memories are made, kept and let go, each with its meaning."""

from datetime import datetime, timedelta
from typing import Final

from chatServer.records import Category, Kind, Tier

# What becomes a memory.
MIN_CHARACTERS: Final = 12  # "ok, thanks" is nothing to remember
MIN_FACT_CHARACTERS: Final = 6  # "I'm 34" is a fact; what is shorter is none
MAX_PER_MINUTE: Final = 60  # new memories of one user: who introduces himself tells some twenty in a message or two
MAX_FACTS_PER_MESSAGE: Final = 16  # nobody tells more of himself at once; a list that does is a paste

# How important it is: the base, and what its category adds.
BASE_IMPORTANCE: Final = 0.5
MAX_IMPORTANCE: Final = 1.0
INCREMENT: Final[dict[Category, float]] = {
    "error_pattern": 0.3,
    "code_context": 0.2,
    "solution": 0.3,
    "user_preference": 0.1,
    "task_history": 0.1,
    "knowledge": 0.0,
}
FACT_INCREMENT: Final = 0.2  # what the user states of himself, or asks to be remembered, is kept for good
TOOL_SUCCESS_IMPORTANCE: Final = 0.7
TOOL_FAILURE_IMPORTANCE: Final = 0.8  # above success, so that a failure is not repeated

# How long it stays.
PROMOTE_IMPORTANCE: Final = 0.7  # from the short tier to the long one: at once
PROMOTE_RECALLS: Final = 3  # or after it was of use so often
MAX_SHORT_ITEMS: Final = 256  # of one user; the least important goes first
FADING_HALF_LIFE: Final = timedelta(days=90)  # in which what nobody recalls counts for half of its importance
WORKING_LIFE: Final = timedelta(hours=24)  # since it was last changed

_KINDS: Final[dict[Category, Kind]] = {
    "error_pattern": "episode",
    "code_context": "concept",
    "solution": "procedure",
    "user_preference": "fact",
    "task_history": "episode",
    "knowledge": "fact",
}


def kind_of(category: Category, *, is_own_text: bool = True) -> Kind:
    """The kind of a memory that a rule made. Only the user's own text can say how a thing is done."""
    kind = _KINDS[category]
    return "episode" if kind == "procedure" and not is_own_text else kind


def importance_of(category: Category) -> float:
    return round(min(BASE_IMPORTANCE + INCREMENT[category], MAX_IMPORTANCE), 2)


def tier_of(importance: float) -> Tier:
    """Where a new memory begins; maintenance promotes what is recalled."""
    return "long" if importance >= PROMOTE_IMPORTANCE else "short"


def begin_of(said_at: datetime, valid_from: datetime | None, valid_to: datetime | None) -> datetime:
    """Since when a memory holds: since it was said, unless that is told. What is over began before its end."""
    begins = valid_from or said_at
    return min(begins, valid_to) if valid_to else begins
