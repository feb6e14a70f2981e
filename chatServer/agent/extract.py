"""Sentences that answer a question by its own words: the rarer a shared word, the better the sentence."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chatServer.agent.phrases import EVERY_COMMON
from chatServer.messages import searchable

STEM_LETTERS = 6  # "Berliner" answers "Berlin"
MAX_SENTENCES = 4_000
MAX_KEYS = 24
MIN_COVERED = 0.3  # of the question's weight; less is a coincidence
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Source:
    """A text that was given, and what it is called."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    kind: str
    heading: str  # the Markdown header above it, or nothing
    text: str
    line: int  # of its source


def sentences(source: Source) -> Iterator[Sentence]:
    """The sentences of a Markdown text, each with the header that it stands under."""
    heading = ""
    for number, line in enumerate(source.text.splitlines()):
        if line.lstrip().startswith("#"):
            heading = line.strip("# \t")
            continue
        for part in _END.split(_BULLET.sub("", line)):
            if part.strip():
                yield Sentence(source.kind, heading, part.strip(), number)


def keys_of(text: str) -> list[str]:
    """What a text is about: its words without the common ones, cut to their first letters, in order, once each."""
    words = searchable(text[:4_000]).split()
    return list(dict.fromkeys(word[:STEM_LETTERS] for word in words if word not in EVERY_COMMON))[:MAX_KEYS]


def best(question: str, sources: Iterable[Source], limit: int = 3) -> list[Sentence]:
    """The sentences that share the most telling words with the question, in the order of how well they do."""
    keys = keys_of(question)
    if not keys:
        return []
    count, hits = 0, list[tuple[Sentence, frozenset[str]]]()
    for source in sources:
        for sentence in sentences(source):
            count += 1
            if count > MAX_SENTENCES:
                break
            if found := _shared(keys, f"{sentence.heading} {sentence.text}"):
                hits.append((sentence, found))
    return _ranked(keys, hits, count, limit)


def _shared(keys: list[str], text: str) -> frozenset[str]:
    # Looking for letters first spares most sentences the cutting into words.
    folded = text.casefold()
    if text.isascii() and not any(key in folded for key in keys):
        return frozenset()
    words = {word[:STEM_LETTERS] for word in searchable(text).split()}
    return frozenset(key for key in keys if key in words)


def _ranked(keys: list[str], hits: list[tuple[Sentence, frozenset[str]]], count: int, limit: int) -> list[Sentence]:
    met = {key: sum(key in found for _, found in hits) for key in keys}
    weight = {key: math.log(1 + (count + 1) / (1 + met[key])) for key in keys}
    total = sum(weight.values())
    scored = [(sum(weight[key] for key in found) / total, sentence) for sentence, found in hits]
    scored.sort(key=lambda pair: -pair[0])  # stable: of equals the first given
    if not scored or scored[0][0] < MIN_COVERED:
        return []
    enough = max(MIN_COVERED, 0.6 * scored[0][0])
    return list({each.text: each for score, each in scored if score >= enough}.values())[:limit]
