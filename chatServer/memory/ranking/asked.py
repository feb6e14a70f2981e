"""One question put to one user's index: what every row and every session is worth at first sight."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.index import Index, Lexical, Scope
from chatServer.memory.ranking.packing import saturated
from chatServer.memory.ranking.postings import Floats, Rows
from chatServer.memory.ranking.question import Question

SAMPLE = 512  # rows that say which cosines are usual
FIRST = 64  # by words
SPEAKING = 200  # by the scan: those that speak for their session; the best cosine is among them
TOP = 3  # of a session
SAMPLED, FEW_MORE = 2_048, 8  # scores that tell how high the best of all are; some more, for chance makes them differ
AT_ONCE = 2_048  # rows of an index whose cosines are all computed, once: fewer are not faster, as most are asked for


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that features are made of."""

    index: Index
    question: Question
    vec: Floats | None
    now: float
    allowed: npt.NDArray[np.bool_]
    lexical: Lexical
    best_by_words: Rows  # 64 of them, or as many as hold a word
    scanned: Floats  # -1 where there is no vector, or none is allowed
    best_by_scan: Rows  # 200 of them
    usual: tuple[float, float]  # mean and spread of the cosine
    best_cosine: float
    session_words: Floats  # by session, 0 to 1; the last entry is nobody's
    session_meaning: Floats
    every: Floats | None = None  # cosine, where there are few rows; the last entry is nobody's

    def among_people(self, rows: Rows | slice) -> npt.NDArray[np.bool_]:
        """Whether only people speak in a row's session."""
        is_so: npt.NDArray[np.bool_] = ~self.index.sessions.has_assistant[self.index.columns["session"][rows]]
        return is_so

    def neighbours(self, rows: Rows, side: str) -> Rows:
        """The message before or after each row; -1 where there is none, or none that may be looked at."""
        found = np.where(rows >= 0, self.index.columns[side][rows], -1)
        return np.where((found >= 0) & self.allowed[found], found, -1)

    def cosine(self, rows: Rows) -> Floats:
        """0 to 1; 0 also where nobody is, or nobody with a vector."""
        if self.vec is None:
            return np.zeros(len(rows), np.float32)
        if self.every is not None:
            return self.every[rows]
        return np.where(rows >= 0, np.maximum(self.index.cosine(rows, self.vec), 0), 0).astype(np.float32)

    def cosines(self, *groups: Rows) -> Floats:
        """The same by row, of those in any group: candidates are often each other's neighbours. The last entry is
        nobody's."""
        if self.every is not None:
            return self.every
        is_asked = np.zeros(len(self.allowed) + 1, np.bool_)
        for rows in groups:
            is_asked[rows] = True
        is_asked[-1] = False
        those = np.flatnonzero(is_asked)
        cosines = np.zeros(len(is_asked), np.float32)
        cosines[those] = self.cosine(those)
        return cosines


def ask(index: Index, question: Question, vec: Floats | None, scope: Scope, now: float) -> Asked:
    """Score every allowed row and session by words, and by meaning where the question has a vector."""
    allowed = index.allowed(scope)
    lexical = index.lexical(question.terms, allowed)
    spoken = allowed & (index.columns["session"] >= 0) & ~index.columns["memory"]
    words = _session_words(index, lexical, spoken)
    first = best(lexical.scores, FIRST, above=0)
    if vec is None or not np.any(vec):
        nowhere, nobody = np.full(len(allowed), -1, np.float32), np.empty(0, np.int64)
        scores = (lexical, first, nowhere, nobody, (0.0, 1.0), 1.0)
        return Asked(index, question, None, now, allowed, *scores, words, np.zeros_like(words))
    is_known = allowed & (index.columns["scale"] > 0)
    scanned = np.where(is_known, index.scan(vec), np.float32(-1))
    every = index.cosine(slice(None), vec) if len(allowed) <= AT_ONCE else None
    rows = np.flatnonzero(is_known)[:: max(1, np.count_nonzero(is_known) // SAMPLE)]
    sample = index.cosine(rows, vec) if every is None else every[rows]
    usual = (float(sample.mean()), max(float(sample.std()), 1e-6)) if len(sample) else (0.0, 1.0)
    near = best(scanned, SPEAKING, above=-1)
    cosines = np.maximum(index.cosine(near, vec) if every is None else every[near], 0)
    scores = (lexical, first, scanned, near, usual, max(float(cosines.max(initial=0)), 1e-6))
    meaning = _session_meaning(index, near[spoken[near]], cosines[spoken[near]])
    positive = None if every is None else np.append(np.maximum(every, 0), np.float32(0))
    return Asked(index, question, vec, now, allowed, *scores, words, meaning, positive)


def _session_words(index: Index, lexical: Lexical, spoken: npt.NDArray[np.bool_]) -> Floats:
    """BM25 of each session read as one text, against the best."""
    session, count = index.columns["session"], len(index.sessions.codes)
    lengths = index.sessions.lengths / max(float(index.sessions.lengths.sum()) / max(count, 1), 1.0)
    is_spoken = spoken[lexical.rows]
    cells = lexical.terms[is_spoken] * count + session[lexical.rows[is_spoken]]
    often = np.bincount(cells, lexical.often[is_spoken], len(lexical.idf) * count).astype(np.float32)
    words = np.zeros(count + 1, np.float32)
    words[:count] = lexical.idf @ saturated(often.reshape(len(lexical.idf), count), lengths)
    return divided(words, float(words.max()))


def _session_meaning(index: Index, rows: Rows, values: Floats) -> Floats:
    """The mean of the three best cosines of each session, against the best; those that are not there are 0."""
    session = index.columns["session"][rows]
    order = np.lexsort((-values, session))
    values, session = values[order], session[order]
    is_top = np.arange(len(session)) - np.searchsorted(session, session) < TOP
    meaning = np.bincount(session[is_top], values[is_top], len(index.sessions.codes) + 1) / TOP
    return divided(meaning, float(meaning.max()))


def divided(values: npt.NDArray[np.floating], by: float) -> Floats:
    """Against the best; all zero where there is none."""
    return (values / by if by > 0 else np.zeros_like(values)).astype(np.float32)


def best(scores: Floats, count: int, *, above: float) -> Rows:
    """The rows with the highest scores, in no order, as far as they are above something."""
    rows = np.flatnonzero(scores > max(above, _likely_floor(scores, count)))
    if len(rows) < count:  # the sample was not like the others
        rows = np.flatnonzero(scores > above)
    return rows if len(rows) <= count else rows[np.argpartition(scores[rows], -count)[-count:]]


def _likely_floor(scores: Floats, count: int) -> float:
    """What a few times as many are above, by a sample: to part those instead of all took a fifth of the time (N = 60
    searches in 100,000 rows, 2026-11-16)."""
    step = len(scores) // SAMPLED
    if step < 2:
        return -np.inf
    sample, above = scores[::step], 2 * count // step + FEW_MORE
    return float(np.partition(sample, -above)[-above]) if above < len(sample) else -np.inf
