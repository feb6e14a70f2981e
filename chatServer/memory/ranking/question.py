"""What a question says about its answer, read without a model: its words, whom it names, whose words it wants, when."""

import calendar
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from chatServer.messages.clean import searchable
from chatServer.messages.terms import FUNCTION_WORDS, hashed

READ_CHARS = 4_000  # of a question; a pasted file says no more about what is wanted than its beginning
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}

_ASKS_WHEN = re.compile(r"\b(?:when|what (?:day|date|month|year|time)|how long|how many (?:days|weeks|months|years))\b")
_ASKS_ASSISTANT = re.compile(
    r"\b(?:did|have|had|would|do) you (?:\w+ )?(?:say|said|tell|told|give|gave|given|recommend\w*|suggest\w*|mention\w*"
    r"|provide\w*|explain\w*|list\w*|show\w*|write|wrote|propose\w*|advise\w*|describe\w*)\b"
    r"|\byou (?:\w+ )?(?:said|told|gave|recommended|suggested|mentioned|provided|explained|listed|showed|wrote"
    r"|proposed|advised|described)\b|\byour (?:recommendation|suggestion|advice|answer|explanation|list)"
)
_ASKS_ALL = re.compile(r"\b(?:summar\w+|overview|recap\w*)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the ranking reads it."""

    terms: tuple[int, ...]
    plain: str  # what an embedder is given: the words that matter, without the speakers' names
    named: frozenset[str] = frozenset()  # the speakers that it names
    asks_when: bool = False
    asks_assistant: bool = False  # it wants what the assistant said
    asks_all: bool = False  # it wants a summary, of what both said
    period: tuple[float, float] | None = None  # seconds since 1970: the days that it names


def read_question(text: str, speakers: Collection[str] = ()) -> Question:
    """Read a question of a user whose messages these speakers, in lower case, have said."""
    words = searchable(text[:READ_CHARS]).split()
    names = {part: name for name in speakers for part in searchable(name).split()}
    meant = [word for word in words if word not in FUNCTION_WORDS and word not in names]
    folded = " ".join(words)
    return Question(
        terms=tuple(hashed(meant)),
        plain=" ".join(meant) or folded,
        named=frozenset(names[word] for word in words if word in names),
        asks_when=bool(_ASKS_WHEN.search(folded)),
        asks_assistant=bool(_ASKS_ASSISTANT.search(folded)),
        asks_all=bool(_ASKS_ALL.search(folded)),
        period=_period(words),
    )


def _period(words: list[str]) -> tuple[float, float] | None:
    """The day, month or year that is named: '7 May 2023', 'May 7th, 2023', 'July 2023', '2023 05 07', 'in 2023'."""
    for place, word in enumerate(words):
        if len(word) == 4 and word.isascii() and word.isdigit() and 1970 <= int(word) <= 2100:
            near = [_number(each) for each in words[place + 1 : place + 3]]
            if len(near) == 2 and near[0] and near[1] and near[0] <= 12:
                return _days(int(word), near[0], near[1])
            month = next((at for at in range(place - 1, max(place - 3, -1), -1) if words[at] in MONTHS), None)
            if month is None:
                return _days(int(word), None, None)
            around = [words[month - 1] if month else "", *words[month + 1 : place]]
            return _days(int(word), MONTHS[words[month]], next((n for w in around if (n := _number(w))), None))
    return None


def _number(word: str) -> int | None:
    digits = word.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    is_day = digits.isascii() and digits.isdigit() and len(digits) <= 2
    return int(digits) if is_day and int(digits) <= 31 else None


def _days(year: int, month: int | None, day: int | None) -> tuple[float, float] | None:
    last_month = month or 12
    last_day = calendar.monthrange(year, last_month)[1]
    if day is not None and not 1 <= day <= last_day:
        day = None
    first = datetime(year, month or 1, day or 1, tzinfo=UTC).timestamp()
    return first, datetime(year, last_month, day or last_day, tzinfo=UTC).timestamp() + 86_400
