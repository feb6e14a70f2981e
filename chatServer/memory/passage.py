"""Of a long text, the part around the words that were asked about."""

import re
from collections.abc import Collection

PASSAGE_CHARACTERS = 480
READ_CHARACTERS = 50_000
MARK = "…"

_WORD = re.compile(r"\w+")


def passage(text: str, words: Collection[str], limit: int = PASSAGE_CHARACTERS) -> str:
    """The text, when it is short; else the stretch of it in which most of the words are met, cut between words."""
    text = text.strip()
    if len(text) <= limit:
        return text
    start = _best_start(text[:READ_CHARACTERS], {_root(word) for word in words}, limit)
    end = start + limit
    if start:
        start = _next_space(text, start)
    if end < len(text):
        space = text.rfind(" ", start + limit // 2, end)
        end = space if space > 0 else end
    return f"{MARK if start else ''}{text[start:end].strip()}{MARK if end < len(text) else ''}"


def _best_start(text: str, roots: set[str], limit: int) -> int:
    """Where the window begins that holds the most different words, the earliest of several."""
    starts = {root[:4] for root in roots}
    words = [found for found in _WORD.finditer(text) if found.group()[:4].casefold() in starts]
    met = [(found.start(), root) for found in words if (root := _root(found.group())) in roots]
    best, best_start, first = 0, 0, 0
    inside: dict[str, int] = {}
    for place, root in met:
        inside[root] = inside.get(root, 0) + 1
        while met[first][0] < place - limit * 3 // 4:
            gone = met[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
        if len(inside) > best:
            best, best_start = len(inside), met[first][0]
    return max(0, best_start - limit // 8)


def _next_space(text: str, start: int) -> int:
    space = text.find(" ", start, start + 40)
    return space + 1 if space >= 0 else start


def _root(word: str) -> str:
    """Forms of a word mostly differ at their ends."""
    return word.casefold()[: max(4, len(word) - 3)]
