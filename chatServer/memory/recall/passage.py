"""Of a long text, the part around the words that were asked about."""

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator

from chatServer.messages.terms import FUNCTION_WORDS

PASSAGE_CHARACTERS = 480
READ_CHARACTERS = 12_000  # 10 ms for the worst text; ten of them are read for one question
MARK = "…"

_WORD = re.compile(r"\w+")


def passage(text: str, words: Collection[str]) -> str:
    """The text, when it is short; else the stretch of it in which most of the words are met, cut between words."""
    text = text.strip()
    if len(text) <= PASSAGE_CHARACTERS:
        return text
    roots = {_root(word) for word in words if word not in FUNCTION_WORDS}
    start = _best_start(text[:READ_CHARACTERS], roots)
    end = start + PASSAGE_CHARACTERS
    if start:
        start = _next_space(text, start)
    if end < len(text):
        space = text.rfind(" ", start + PASSAGE_CHARACTERS // 2, end)
        end = space if space > 0 else end
    return f"{MARK if start else ''}{text[start:end].strip()}{MARK if end < len(text) else ''}"


def _best_start(text: str, roots: set[str]) -> int:
    """Where the window begins that holds the most different words, the earliest of several."""
    window: deque[tuple[int, str]] = deque()
    inside: Counter[str] = Counter()
    best, best_start = 0, 0
    for place, root in _met(text, roots):
        window.append((place, root))
        inside[root] += 1
        while window[0][0] < place - PASSAGE_CHARACTERS * 3 // 4:
            _, gone = window.popleft()
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
        if len(inside) > best:
            best, best_start = len(inside), window[0][0]
        if best == len(roots):  # it cannot get better
            break
    return max(0, best_start - PASSAGE_CHARACTERS // 8)


def _met(text: str, roots: set[str]) -> Iterator[tuple[int, str]]:
    starts = {root[:4] for root in roots}
    for found in _WORD.finditer(text):
        word = found.group()
        if word[:4].casefold() in starts and (root := _root(word)) in roots:
            yield found.start(), root


def _next_space(text: str, start: int) -> int:
    space = text.find(" ", start, start + 40)
    return space + 1 if space >= 0 else start


def _root(word: str) -> str:
    """Forms of a word mostly differ at their ends."""
    return word.casefold()[: max(4, len(word) - 3)]
