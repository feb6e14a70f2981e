"""Whether two texts say the same in nearly the same words.

What changes the meaning is never folded away: numbers, names, negations, tenses, who it is about, and the order of
the words. So "I have 2 cats" and "I have 3 cats" are two memories, as are "I like tea" and "I don't like tea".
"""

import re
from dataclasses import dataclass
from zlib import crc32

from chatServer.memory.facts.words import (
    FILLERS,
    NEGATIONS,
    NUMBERS,
    any_of,
    folded_words,
    spelled_out,
    stem,
    undated,
    word_set,
)

MAX_READ = 4_000  # characters of each text
LONG = 12  # telling words from which on another word may be wording; in a short text each one tells
MIN_SHARED = 0.85  # of all telling words of two long texts
KEYS = 4
_CLAUSE = re.compile(r"[.,;:!?()\n]|\b(?:but|and|though|although)\b", re.IGNORECASE)
_ASIDE = re.compile(
    any_of(
        "just so you know|as i said|like i said|as i told you|by the way|for the record|for your information|fyi|btw",
        "(?:please )?(?:remember|note|keep in mind|do not forget)(?: that)?|i want you to know(?: that)?",
    )
    + r"\b",
    re.IGNORECASE,
)  # at the beginning, where it says nothing
_NAME = re.compile(r"(?<=[\w,;'’)] )[A-Z]\w+")  # a capital that does not begin a sentence
_TURNS = frozenset(
    stem(word) for word in word_set("not used was were will would had did could might maybe only except left right")
)  # a single one of them turns what a sentence says


@dataclass(frozen=True, slots=True)
class Signature:
    """A text as it is compared: its telling words in order, negated ones marked, and the names among them."""

    words: tuple[str, ...]
    names: frozenset[str]
    numbers: tuple[str, ...]

    @property
    def keys(self) -> tuple[int, ...]:
        """A few numbers of which texts that are alike share one, nearly always: to look only at likely ones."""
        return tuple(sorted({crc32(word.encode()) for word in self.words})[:KEYS])


def signature(text: str) -> Signature:
    read = spelled_out(undated(text[:MAX_READ])).lstrip()
    if aside := _ASIDE.match(read):
        read = read[aside.end() :]
    words = [word for clause in _CLAUSE.split(read) for word in _telling(clause)]
    names = frozenset(stem(word) for name in _NAME.findall(read) for word in folded_words(name))
    return Signature(tuple(dict.fromkeys(words)), names, tuple(sorted(word for word in words if word.isdigit())))


def are_alike(a: str, b: str) -> bool:
    return are_alike_signatures(signature(a), signature(b))


def are_alike_signatures(a: Signature, b: Signature) -> bool:
    if a.numbers != b.numbers or not a.words or not b.words:
        return False
    ours, theirs = set(a.words), set(b.words)
    shared = ours & theirs
    if [word for word in a.words if word in shared] != [word for word in b.words if word in shared]:
        return False
    if ours == theirs:
        return True
    if any(_matters(word, a.names | b.names) for word in ours ^ theirs):
        return False
    return len(shared) >= max(LONG, MIN_SHARED * len(ours | theirs))


def _telling(clause: str) -> list[str]:
    """A negation is said of all that follows it in its clause."""
    mark, words = "", []
    for word in folded_words(clause):
        if word in NEGATIONS:
            mark = "not "
        elif word not in FILLERS or word in NUMBERS:
            words.append(NUMBERS.get(word) or mark + stem(word))
    if mark and not any(word.startswith(mark) for word in words):
        words.append(mark.strip())
    return words


def _matters(word: str, names: frozenset[str]) -> bool:
    """Whether one text cannot have this word alone and still say the same."""
    return word in names or word in _TURNS or word.startswith("not ")
