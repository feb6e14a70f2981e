"""The words of a text as recall compares them: numbers, so that an index is loaded without cutting any text."""

import re
import sys
import threading
import zlib
from array import array
from collections.abc import Sequence

import Stemmer

from chatServer.messages.clean import searchable

MAX_TERMS = 4_096  # of the longest essay; what comes later is found by full text alone
MAX_STEM_BYTES = 4_000  # of a tsvector that has to lie in its row, whose page has 8 kB
LEXEME_BYTES = 4  # what a tsvector takes for each beside its letters

# Words that carry grammar and no matter: left out, since in a small history even "did" looks rare.
_GRAMMAR = """a an the and or but if of to in on at for with from by as is are was were be been being am do does did
doing have has had having i me my we us our you your he him his she her it its they them their this that these those
what which who whom whose when where why how will would can could should shall may might must not no so than then
there here about into over after before up out off down s t d ll m re ve don just also"""
_TIMES = """yesterday today tomorrow tonight ago last next week weekend month year monday tuesday wednesday thursday
friday saturday sunday january february march april june july august september october november december morning
night recently since"""
FUNCTION_WORDS = frozenset(_GRAMMAR.split())
TIME_WORDS = frozenset([*_TIMES.split(), *map(str, range(1900, 2100))])
FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "our", "ours"})

# Marks stand before the words and say what the text is like. No word is spelt with a colon, so none is one by its
# spelling.
ASKS, OF_ONESELF, OF_A_TIME = (zlib.crc32(mark) for mark in (b":asks", b":of oneself", b":of a time"))
MARKS = (ASKS, OF_ONESELF, OF_A_TIME)

MAX_KNOWN = 20_000  # words whose numbers are kept in mind, in 4 MB: people use the same few thousand over and over
_known: dict[str, int] = {}
_mine = threading.local()

_QUESTION = re.compile(r"[?？؟]\W{0,3}\Z")


def terms_of(text: str, words: Sequence[str] | None = None) -> "array[int]":
    """The marks of a text, then its words in their order, folded and stemmed, each as 32 bits; `words` are what
    `searchable` has made of it, where that is known."""
    words = searchable(text).split() if words is None else words
    return array("I", [*_marks(text, words), *hashed(words)])


def hashed(words: Sequence[str]) -> list[int]:
    """What is left of some words: without those of grammar, stemmed, as numbers. To stem one takes 0.4 us, to look
    it up 0.05 (2026-11-19)."""
    meant = _meant(words)
    known = _known
    if new := [word for word in meant if word not in known]:
        if len(known) + len(new) > MAX_KNOWN:
            known, new = _forget_words(), meant
        known.update((word, zlib.crc32(stem.encode())) for word, stem in zip(new, _stemmed(new), strict=True))
    return [known[word] for word in meant]


def _forget_words() -> dict[str, int]:
    """In the place of what is kept in mind, which another thread may be reading."""
    global _known  # noqa: PLW0603
    _known = {}
    return _known


def forget_words() -> None:
    """Keep no word in mind that somebody has used."""
    _forget_words()


def stems_of(text: str) -> list[str]:
    """The words that a chunk of an article is found by, each once, in their order: as many as its row holds."""
    kept: list[str] = []
    size = 0
    for stem in dict.fromkeys(_stemmed(_meant(searchable(text).split()))):
        size += len(stem.encode()) + LEXEME_BYTES
        if size > MAX_STEM_BYTES:
            break
        kept.append(stem)
    return kept


def packed_terms(text: str, words: Sequence[str] | None = None) -> bytes:
    """The same as bytes, little-endian, as rows keep them."""
    terms = terms_of(text, words)
    if sys.byteorder == "big":
        terms.byteswap()
    return terms.tobytes()


def _meant(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in FUNCTION_WORDS][:MAX_TERMS]


def _stemmed(words: list[str]) -> list[str]:
    stems: list[str] = _stemmer().stemWords(words)
    return stems


def _stemmer() -> Stemmer.Stemmer:
    """One for each thread: it must not serve two, and making it takes 10 us, as long as stemming a message."""
    if not hasattr(_mine, "stemmer"):
        _mine.stemmer = Stemmer.Stemmer("english", maxCacheSize=0)
    return _mine.stemmer


def _marks(text: str, words: Sequence[str]) -> list[int]:
    met = set(words[:MAX_TERMS])
    marks = [ASKS] if _QUESTION.search(text[-8:]) else []
    if not met.isdisjoint(FIRST_PERSON):
        marks.append(OF_ONESELF)
    if not met.isdisjoint(TIME_WORDS):
        marks.append(OF_A_TIME)
    return marks
