"""What a conversation has had forgotten: whoever quotes from it, or sums it up, leaves out what said it before."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chatServer.agent.phrases import COMMON, language_of, says_forgotten
from chatServer.agent.wishes import wish_in
from chatServer.memory.named import words_to_find
from chatServer.memory.said import as_kept, telling
from chatServer.memory.whose import Whose, tells_of, whose
from chatServer.messages import searchable

FORGET_TOOL = "forget_memories"
SPEAKER = re.compile(r"\s*[->] (user|assistant): ", re.IGNORECASE)  # as lines of a summary begin
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_CUT = re.compile(r"\S*…”?$")


class Spoken(NamedTuple):
    """A message, or a line of a summary."""

    role: str
    text: str
    tool: str | None = None
    is_error: bool = False


class Gone(NamedTuple):
    """The words of what was let go, of whom, and where: who says it again after that wants it to be known."""

    place: int
    words: frozenset[str]
    meant: Whose | None = None


def still_told(summary: str, spoken: Sequence[Spoken]) -> tuple[str, list[bool]]:
    """A summary without what was let go in it or in what was said after it; and of each of those whether it may still
    be told."""
    lines = summary.splitlines()
    every = [*map(of_line, lines), *spoken]
    gone = _gone_in(every)
    if not gone:
        return summary, [True] * len(spoken)
    left = [_left_of(each, line, place, gone) for place, (each, line) in enumerate(zip(every, lines, strict=False))]
    told = [not _is_gone(each.text, len(lines) + place, gone) for place, each in enumerate(spoken)]
    return "\n".join(line for line in left if line is not None), told


def _left_of(each: Spoken, line: str, place: int, gone: Sequence[Gone]) -> str | None:
    """What somebody said goes as a whole; of what a model wrote, the sentences."""
    if each.role or not line.strip():
        return None if _is_gone(each.text, place, gone) else line
    sentences = _SENTENCE_END.split(line)
    kept = [sentence for sentence in sentences if not _is_gone(sentence, place, gone)]
    return line if kept == sentences else " ".join(kept) or None


def of_line(line: str) -> Spoken:
    """A line of a summary, as whoever it names has said it."""
    speaker = SPEAKER.match(line)
    return Spoken(speaker[1].lower(), line[speaker.end() :]) if speaker else Spoken("", line)


def _gone_in(spoken: Sequence[Spoken]) -> list[Gone]:
    """By what the tool has told of, and by the user's own wishes where it did, or the answer says so."""
    found: list[Gone] = []
    wished: Gone | None = None
    for place, each in enumerate(spoken):
        if each.role == "user":
            wished = _wished(each.text, place)
        elif each.tool == FORGET_TOOL and not each.is_error:
            named = list(_named(each.text))
            found += [Gone(place, as_kept(telling(line))) for line in named]
            found += [wished] if wished and named else []
        elif each.role == "assistant" and wished and says_forgotten(each.text):
            found.append(wished)
    return [gone for gone in found if gone.words]


def _wished(text: str, place: int) -> Gone | None:
    wish = wish_in(text)
    if wish is None or wish.kind != "forget":
        return None
    words = as_kept(words_to_find(wish.what, COMMON[language_of(searchable(wish.what).split())]))
    return Gone(place, words, whose(wish.what))


def _named(result: str) -> Iterator[str]:
    """What the tool names, a line each; of a long message what it shows of it, in whole words."""
    for line in result.splitlines():
        if line.startswith("- "):
            yield _CUT.sub("", line.removeprefix("- "))


def _is_gone(text: str, place: int, gone: Sequence[Gone]) -> bool:
    later = [each for each in gone if each.place > place]
    words = as_kept(telling(text)) if later else frozenset()
    said = [each for each in later if each.words <= words]
    return any(each.meant is None or tells_of(text, each.meant, each.words) for each in said)
