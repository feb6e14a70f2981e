"""Who lives where he was moving to was moving there, and so was who says that he no longer is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from chatServer.memory.facts.meanings import Fact

_TELLS_WHERE = re.compile(
    r"\b(?:live[sd]?|living|based|home|moved|moving|relocated|relocating|emigrated|immigrated|resid(?:es?|ing)"
    r"|rent(?:s|ing)?|shar(?:es?|ing)|been in)\b",
    re.IGNORECASE,
)
_MOVING = re.compile(r"\b(?:is|(are)) (?=moving to\b)")


def words_told_before(text: str) -> list[str]:
    """What a memory may say of a move that was ahead; nothing where nobody tells where he lives."""
    return ["moving"] if _TELLS_WHERE.search(text) else []


def ended(found: Sequence[Fact], held: Sequence[Fact], said_at: datetime) -> Iterator[Fact]:
    """Every move that was ahead to where somebody lives now, on whatever day it was to be; without a key none can be
    replaced."""
    told = {_whither(fact): fact for fact in found if _is_home(fact) or (_is_move(fact) and fact.is_negation)}
    for fact in held:
        now = told.get(_whither(fact)) if _is_move(fact) and not fact.is_negation and not fact.valid_to else None
        if now and fact.key and now.key != fact.key:
            was = _MOVING.sub(lambda verb: "were " if verb[1] else "was ", fact.text, count=1)
            yield replace(fact, text=was, valid_from=None, valid_to=said_at, sentence=now.sentence)


def _is_home(fact: Fact) -> bool:
    return fact.predicate == "lives in" and not fact.is_negation and not fact.valid_to


def _is_move(fact: Fact) -> bool:
    return fact.predicate == "is moving to"


def _whither(fact: Fact) -> tuple[str, str]:
    return fact.subject, fact.object.casefold()
