"""Sentences that answer a question by its own words: the rarer a shared word, the better the sentence."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from chatServer.agent.builtin.phrases import COMMON, EVERY_COMMON, language_of
from chatServer.memory.notes.outline import split_lines
from chatServer.messages import searchable
from chatServer.messages.asking import asks
from chatServer.messages.sentences import SENTENCE_END

STEM_LETTERS = 6  # "Berliner" answers "Berlin"
SHORT = 3  # "gas" and "bus" are whole words
MAX_LINES = 4_000
MAX_LETTERS = 4_000  # of a question, or of a line
MAX_SENTENCE = 500  # letters; lines that only make longer ones together are no prose
MAX_KEYS = 24
NONE: Mapping[str, frozenset[str]] = {}
MIN_COVERED = 0.3  # of the question's weight; less is a coincidence
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_NOT = re.compile(r"(?i:(?<=can)|(?<=[a-z])n)['’]t\b")  # "don" is no word that two sentences share
_SPOKEN = ("memories", "said")
_ASKING = re.compile(r"\s*(?:what|which|whose|how) (?!(?:i|we|my|our)\b)\w+ (?:do|does|did|is|are|was) ", re.IGNORECASE)
_HIS = re.compile(r"\s*(?:he|she|they|his|her|their|its)\b", re.IGNORECASE)
_HEADER = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_BEGINS = re.compile(rf"{_HEADER.pattern}|{_BULLET.pattern}|\s*[|>]|\s*[-=*_]{{3,}}\s*$")
_LABEL = re.compile(r"\w[\w -]{0,30}:\s")  # "Opening hours: 9 to 5"


@dataclass(frozen=True, slots=True)
class Source:
    """A text that was given, and what it is called."""

    kind: str
    text: str
    label: str = ""  # where it is from, when that is no part of what it says


@dataclass(frozen=True, slots=True)
class Sentence:
    kind: str
    heading: str  # the Markdown header above it, or nothing; of an article, also those above that
    text: str
    line: int  # of its source, as split_lines counts
    label: str = ""
    covered: float = 0.0  # how much of the question it has, by the weight of its words


def words_of(text: str) -> list[str]:
    """The words as search cuts them; plain text in a tenth of the time."""
    if "'" in text or "’" in text:
        text = _NOT.sub("", text)
    return _ASCII_WORD.findall(text.lower()) if text.isascii() else searchable(text).split()


def keys_of(text: str, common: frozenset[str] = EVERY_COMMON) -> list[str]:
    """What a text is about: its words without the common ones, cut to their first letters, in order, once each."""
    words = words_of(text[:MAX_LETTERS])
    return list(dict.fromkeys(key_of(word) for word in words if word not in common))[:MAX_KEYS]


def question_keys(question: str) -> list[str]:
    """What is common in its own language only, where that is English: a son is no "son" of the French."""
    is_english = language_of(words_of(question[:MAX_LETTERS])) == "en"
    return keys_of(question, COMMON["en"] if is_english else EVERY_COMMON)


def key_of(word: str) -> str:
    """What "lives" and "live" share: who is asked in one form is told in the other."""
    return (word.removesuffix("s") if len(word) > SHORT else word)[:STEM_LETTERS]


def best(
    question: str, sources: Iterable[Source], limit: int = 3, others: Mapping[str, frozenset[str]] = NONE
) -> list[Sentence]:
    """The sentences that share the most telling words with the question, in the order of how well they do. `others`:
    what stands for a word of the question as well as itself."""
    keys = question_keys(question)
    if not keys:
        return []
    looked_for = [*keys, *frozenset().union(*others.values())]
    hits: list[tuple[Sentence, frozenset[str]]] = []
    count = 0
    for source in sources:
        if count > MAX_LINES:
            break
        count += source.text.count("\n") + 1
        for sentence in _sentences(source, looked_for):
            if found := shared(keys, f"{sentence.heading} {sentence.text}", others):
                hits.append((sentence, found))
    return _ranked(keys, hits, count, limit)


def _sentences(source: Source, keys: list[str]) -> Iterator[Sentence]:
    """The sentences of the lines that may hold a key, each with the Markdown header that it stands under."""
    if not _may_hold(keys, source.text):
        return
    heading, heading_may = "", False
    above: list[tuple[int, str]] = []
    is_article = source.kind == "articles"
    lines = split_lines(source.text)
    for number, line in enumerate(_unwrapped(lines) if is_article else lines):
        if _HEADER.match(line):
            heading = line.strip("# \t\r\n")
            if is_article:  # "Oil", below "Zephyr pump", is that pump's
                level = len(line.split()[0])
                above = [*(each for each in above if each[0] < level), (level, heading)]
                heading = " ".join(text for _, text in above)
            heading_may = _may_hold(keys, heading)
        elif heading_may or _may_hold(keys, line):
            parts = SENTENCE_END.split(_BULLET.sub("", line[:MAX_LETTERS]))
            for part in _with_his(parts) if source.kind in _SPOKEN else parts:
                if part.strip() and not _is_asked(part, source):  # who asked the same before did not know
                    yield Sentence(source.kind, heading, part.strip(), number, source.label)


def _is_asked(part: str, source: Source) -> bool:
    return part.rstrip().endswith(("?", "？")) or (source.kind in _SPOKEN and bool(_ASKING.match(part) or asks(part)))


def _with_his(parts: Iterable[str]) -> list[str]:
    """The sentences, each with those after it that speak on of the same: "She is a nurse" alone says of nobody what he
    is."""
    told: list[str] = []
    for part in parts:
        is_on = told and _HIS.match(part) and not told[-1].rstrip().endswith(("?", "？"))
        if is_on and len(told[-1]) + len(part) < MAX_SENTENCE:
            told[-1] = f"{told[-1].rstrip()} {part.lstrip()}"
        else:
            told.append(part)
    return told


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """The paragraphs of prose, whose lines end where a page did; headers, items, rows and labels begin anew."""
    paragraph: list[str] = []
    letters = 0
    for line in lines:
        if not line.strip() or _begins_anew(line) or letters > MAX_LETTERS:
            yield from _joined(paragraph)
            paragraph, letters = [], 0
        paragraph.append(line)
        letters += len(line)
        if _HEADER.match(line):
            yield from _joined(paragraph)
            paragraph = []
    yield from _joined(paragraph)


def _begins_anew(line: str) -> bool:
    return bool(_BEGINS.match(line) or (line[0].isupper() and _LABEL.match(line)))


def _joined(paragraph: list[str]) -> list[str]:
    whole = " ".join(map(str.strip, paragraph))
    return [whole] if all(len(part) <= MAX_SENTENCE for part in SENTENCE_END.split(whole)) else paragraph


def _may_hold(keys: list[str], text: str) -> bool:
    """Looking for letters spares most of a text the cutting into sentences and words."""
    if not text.isascii():
        return True
    folded = text.lower()
    return any(key in folded for key in keys)


def shared(keys: Iterable[str], text: str, others: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The keys that a text has, by itself or by what stands for them."""
    words = {key_of(word) for word in words_of(text)}
    return frozenset(key for key in keys if key in words or not words.isdisjoint(others.get(key, ())))


def _ranked(keys: list[str], hits: list[tuple[Sentence, frozenset[str]]], count: int, limit: int) -> list[Sentence]:
    met = {key: sum(key in found for _, found in hits) for key in keys}
    # What nothing has says no more than what one line has: else one rare word of three would count for too little.
    weight = {key: math.log(1 + (count + 1) / (1 + max(met[key], 1))) for key in keys}
    total = sum(weight.values())
    scored = [(sum(weight[key] for key in found) / total, sentence) for sentence, found in hits]
    scored.sort(key=lambda pair: -pair[0])  # stable: of equals the first given
    if not scored or scored[0][0] < MIN_COVERED:
        return []
    enough = max(MIN_COVERED, 0.6 * scored[0][0])
    told = {each.text: replace(each, covered=score) for score, each in scored if score >= enough}
    return list(told.values())[:limit]
