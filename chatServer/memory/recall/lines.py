"""Which recalled lines are shown, and in which order: live rows only, nothing twice, the best first by ranking/rank.py
and by what is known of a line beside it, as many as the budget takes."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from chatServer.memory.alike import signature
from chatServer.memory.ranking.rank import Hit
from chatServer.memory.recall.label import quoted_line
from chatServer.memory.recall.passage import passage
from chatServer.messages import searchable
from chatServer.messages.asking import asks
from chatServer.records import Recalled, Source
from chatServer.store.recall import LiveMemory, LiveMessage

FRAME_TOKENS = 60  # around all of them
MAX_MISSES = 3
SAID_AGAIN_CHARACTERS = 300  # a longer message always says more than what is remembered of it
SAID_BESIDE = 1  # telling words that a message may have beside what is remembered of it
OF_ONE_THING = 3  # telling words of a message that says one thing only
COMPARED_CHARACTERS = 600
SAME_WORDS = 0.9  # of the longer of two texts
NEGATIONS = frozenset(("not", "no", "never", "t"))

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
    is_part: bool = False  # and not all of that

    @property
    def item_id(self) -> UUID:
        return self.row.memory_id if isinstance(self.row, LiveMemory) else self.row.message_id


def shifted(score: float, by: float) -> float:
    """A probability with more or less behind it."""
    odds = min(max(score, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(-(math.log(odds / (1 - odds)) + by)))


def line_of(
    hit: Hit,
    row: LiveMessage | LiveMemory,
    *,
    nearness: float,
    until_s: float | None,
    about_the_past: bool,
    is_part: bool,
) -> Line:
    """A live row with all that speaks for and against it; `is_part`: only some of what it says is over."""
    until = row.valid_to if isinstance(row, LiveMemory) else until_s and datetime.fromtimestamp(until_s, UTC)
    shifts = {"entity": NAMED_ENTITY * nearness} if nearness else {}
    if until_s is not None:
        shifts |= {"was asked for": WAS_ASKED_FOR} if about_the_past else {"outdated": OUTDATED}
    score = shifted(hit.score, sum(shifts.values())) if shifts else hit.score
    return Line(score, {**hit.parts, **shifts} if shifts else hit.parts, row, until or None, is_part)


def is_over(row: LiveMessage | LiveMemory, until_s: float | None) -> bool:
    """Whether it says nothing but what no longer holds; who said it with other things says more."""
    if until_s is None or isinstance(row, LiveMemory):
        return until_s is not None
    return len(row.text) <= SAID_AGAIN_CHARACTERS and len(signature(row.text).words) <= OF_ONE_THING


def that_tell(lines: Sequence[Line], most: int) -> list[Line]:
    """The memories, and of the messages the first that do not ask, no more than so many."""
    said = [line for line in lines if isinstance(line.row, LiveMessage) and not asks(line.row.text)]
    shown = {line.item_id for line in said[:most]}
    return [line for line in lines if isinstance(line.row, LiveMemory) or line.item_id in shown]


def chosen(lines: Sequence[Line], question: str) -> Iterator[Line]:
    """Best first, each thing once: a memory before the message that said it, and nothing that was just asked."""
    told: dict[UUID, list[Line]] = {}
    for line in lines:
        for source in _sources(line):
            told.setdefault(source, []).append(line)
    ranked = _lifted(lines, told) if told else lines
    shown, texts = [_words(question)], set[str]()  # what was read once need not be compared again
    for line in sorted(ranked, key=lambda line: (-line.score, isinstance(line.row, LiveMessage))):
        text = line.row.text
        if text in texts or (line.item_id in told and not _says_more(text, told[line.item_id])):
            continue
        texts.add(text)
        words = _words(text)
        if not any(_are_same(words, others) for others in shown):
            shown.append(words)
            yield line


def _lifted(lines: Sequence[Line], told: Mapping[UUID, Sequence[Line]]) -> list[Line]:
    """A memory counts as much as the message that said it, if that counts more."""
    lifted: dict[UUID, float] = {}
    for line in lines:
        for memory in told.get(line.item_id, ())[-1:]:
            lifted[memory.item_id] = max(lifted.get(memory.item_id, 0.0), line.score)
    return [
        replace(line, score=lifted[line.item_id]) if lifted.get(line.item_id, 0.0) > line.score else line
        for line in lines
    ]


def recalled(
    lines: Iterable[Line], words: Collection[str], count: Callable[[str], int], *, budget_tokens: int, limit: int
) -> list[Recalled]:
    """As many lines as fit, the best first; a long text as the passage that was asked about."""
    left, misses = budget_tokens - FRAME_TOKENS, 0
    shown: list[Recalled] = []
    for line in lines:
        if len(shown) == limit or misses == MAX_MISSES:
            break
        item = _recalled(line, passage(line.row.text, words))
        tokens = count(f"{quoted_line(item)}\n")  # no token reaches across the end of a line: they add up
        if tokens <= left:
            shown.append(replace(item, tokens=tokens))
            left -= tokens
        else:
            misses += 1  # a shorter one may fit
    return shown


def _sources(line: Line) -> Sequence[UUID]:
    return line.row.source_ids if isinstance(line.row, LiveMemory) else ()


def _says_more(text: str, told: Sequence[Line]) -> bool:
    """Whether a message says more than what is remembered of it."""
    if len(text) > SAID_AGAIN_CHARACTERS:
        return True
    known = {word for line in told for word in signature(line.row.text).words}
    left = [word for word in signature(text).words if word not in known]
    return len(left) > SAID_BESIDE or any(word.isdigit() for word in left)


def _words(text: str) -> frozenset[str]:
    return frozenset(searchable(text[:COMPARED_CHARACTERS]).split())


def _are_same(a: frozenset[str], b: frozenset[str]) -> bool:
    """Nearly the same words; but numbers and negations tell, however few they are."""
    fewer, more = (a, b) if len(a) < len(b) else (b, a)
    least = SAME_WORDS * len(more)
    if len(fewer) < least or len(fewer & more) < least:
        return False
    return not any(word in NEGATIONS or any(map(str.isdigit, word)) for word in a ^ b)


def _said_at(row: LiveMemory) -> datetime:
    """Who says today that he moved last week said so today. Of what was over before it was told, from when it held:
    else it would seem never to have been so."""
    said_at = row.created_at or row.valid_from
    return row.valid_from if row.valid_to and row.valid_to < said_at else said_at


def _recalled(line: Line, text: str) -> Recalled:
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
            valid_to=None if line.is_part else line.until,
            source=Source(row.session_id, row.message_id, row.title),
            trust="user" if row.role == "user" else "assistant",
            changed_at=line.until if line.is_part else None,
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
        said_at=_said_at(row),
        valid_to=line.until,
        source=Source(row.session_id, row.source_ids[-1] if row.source_ids else None, row.title),
        trust=row.trust,
        corrected_at=row.corrected_at,
    )
