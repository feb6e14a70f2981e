"""What is shown of what was found: live rows only, nothing twice, the best first, as much as the budget takes."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from chatServer.memory.passage import passage
from chatServer.memory.rank import Hit
from chatServer.messages import searchable
from chatServer.records import Recalled, Source
from chatServer.store.recall import LiveMemory, LiveMessage

LINE_TOKENS = 30  # who said it, when and where, beside each text
FRAME_TOKENS = 60  # around all of them
SAID_AGAIN_CHARACTERS = 300  # a message that is no longer than this says no more than the memory of it
SAME_WORDS = 0.9  # of two short texts

# How much each counts beside the ranking, in its own unit: logits.
NAMED_ENTITY = 1.5
OUTDATED = -2.0
WAS_ASKED_FOR = 1.5


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was found and is there."""

    score: float
    parts: dict[str, float] = field(hash=False)
    row: LiveMessage | LiveMemory
    until: datetime | None = None  # what it says held until then

    @property
    def item_id(self) -> UUID:
        return self.row.memory_id if isinstance(self.row, LiveMemory) else self.row.message_id


def shifted(score: float, by: float) -> float:
    """A probability with more or less behind it."""
    odds = min(max(score, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(-(math.log(odds / (1 - odds)) + by)))


def line_of(
    hit: Hit, row: LiveMessage | LiveMemory, *, nearness: float, until_s: float | None, about_the_past: bool
) -> Line:
    """A live row with all that speaks for and against it."""
    until = row.valid_to if isinstance(row, LiveMemory) else until_s and datetime.fromtimestamp(until_s, UTC)
    shifts = {"entity": NAMED_ENTITY * nearness} if nearness else {}
    if until_s is not None:
        shifts |= {"was asked for": WAS_ASKED_FOR} if about_the_past else {"outdated": OUTDATED}
    score = shifted(hit.score, sum(shifts.values())) if shifts else hit.score
    return Line(score, {**hit.parts, **shifts}, row, until or None)


def chosen(lines: Sequence[Line], question: str) -> list[Line]:
    """Best first, each thing once: a memory before the message that said it, and nothing that was just asked."""
    asked = frozenset(searchable(question).split())
    memories = {line.item_id: line for line in lines if isinstance(line.row, LiveMemory)}
    said_by = {source: line for line in memories.values() for source in line.row.source_ids}  # type: ignore[union-attr]
    lifted: dict[UUID, float] = {}
    for line in lines:
        if (memory := said_by.get(line.item_id)) is not None:
            lifted[memory.item_id] = max(lifted.get(memory.item_id, 0.0), line.score)
    lines = [replace(line, score=max(line.score, lifted.get(line.item_id, 0.0))) for line in lines]
    kept: list[Line] = []
    words: list[frozenset[str]] = []
    for line in sorted(lines, key=lambda line: (-line.score, isinstance(line.row, LiveMessage))):
        mine = frozenset(searchable(line.row.text[:2_000]).split())
        is_told = line.item_id in said_by and len(line.row.text) <= SAID_AGAIN_CHARACTERS
        if is_told or mine == asked or any(_are_same(mine, others) for others in words):
            continue
        kept.append(line)
        words.append(mine)
    return kept


def recalled(
    lines: Sequence[Line], words: Collection[str], count: Callable[[str], int], *, budget_tokens: int, limit: int
) -> list[Recalled]:
    """As many lines as fit, the best first; a long text as the passage that was asked about."""
    left, shown = budget_tokens - FRAME_TOKENS, []
    for line in lines:
        text = passage(line.row.text, words)
        tokens = count(text) + LINE_TOKENS
        if tokens <= left:
            shown.append(_recalled(line, text, tokens))
            left -= tokens
        if len(shown) == limit:
            break
    return shown


def _are_same(a: frozenset[str], b: frozenset[str]) -> bool:
    """Nearly the same words. Numbers tell: they are never what two texts may differ in."""
    if a == b:
        return True
    differing = a ^ b
    if any(any(map(str.isdigit, word)) for word in differing) or "not" in differing or "t" in differing:
        return False
    return len(a & b) >= SAME_WORDS * max(len(a), len(b), 1)


def _recalled(line: Line, text: str, tokens: int) -> Recalled:
    row = line.row
    parts = {name: round(part, 3) for name, part in line.parts.items()}
    if isinstance(row, LiveMessage):
        return Recalled(
            item_id=row.message_id,
            text=text,
            what="message",
            role=row.role,
            speaker=row.speaker,
            kind=None,
            category=None,
            score=round(line.score, 4),
            parts=parts,
            said_at=row.said_at,
            valid_to=line.until,
            source=Source(row.session_id, row.message_id, row.title),
            trust="user" if row.role == "user" else "assistant",
            tokens=tokens,
        )
    return Recalled(
        item_id=row.memory_id,
        text=text,
        what="memory",
        role="user" if row.trust == "user" else "assistant",
        speaker=None,
        kind=row.kind,
        category=row.category,
        score=round(line.score, 4),
        parts=parts,
        said_at=row.valid_from,
        valid_to=line.until,
        source=Source(row.session_id, row.source_ids[-1] if row.source_ids else None, row.title),
        trust=row.trust,
        tokens=tokens,
    )
