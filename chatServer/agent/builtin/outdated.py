"""What was said once and is remembered otherwise by now: it is not quoted beside what holds. And of what holds, that
which says just what was asked for comes first."""

import re
from collections.abc import Sequence

from chatServer.agent.builtin.extract import Sentence
from chatServer.memory.facts import Fact
from chatServer.memory.forget.whose import facts_told
from chatServer.memory.recall.label import IN, IN_PART, REMEMBERED

_EMPLOYER = re.compile(r"\bwork (?:for|at)\b|\b(?:my|our|his|her) (?:employer|company)\b", re.IGNORECASE)


def wanted_first(question: str, found: Sequence[Sentence]) -> list[Sentence]:
    """Who asks for whom he works wants no job, and no way to it."""
    if not _EMPLOYER.search(question):
        return list(found)
    return sorted(found, key=lambda each: not any(fact.predicate == "works at" for fact in facts_told(each.text)))


def without_outdated(found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences but for those that the user said before what is remembered now."""
    is_kept = [each.kind == "memories" and each.label.startswith(REMEMBERED) for each in found]
    if all(is_kept) or not any(is_kept):
        return list(found)
    holds: dict[str | None, tuple[str, bool]] = {
        fact.key: _value(fact)
        for each, is_memory in zip(found, is_kept, strict=True)
        if is_memory
        for fact in facts_told(each.text)
    }
    return [
        each
        for each, is_memory in zip(found, is_kept, strict=True)
        if is_memory
        or (not _is_in_part_over(each.label) and all(_still_holds(fact, holds) for fact in facts_told(each.text)))
    ]


def _is_in_part_over(label: str) -> bool:
    """What holds of it is remembered for itself."""
    return f", {IN_PART}" in label.partition(f", {IN}")[0]


def _still_holds(fact: Fact, holds: dict[str | None, tuple[str, bool]]) -> bool:
    return fact.key is None or holds.get(fact.key, _value(fact)) == _value(fact)


def _value(fact: Fact) -> tuple[str, bool]:
    return fact.object.casefold(), fact.is_negation
