"""One question put to one user's index: what every row is worth at first sight, and which deserve a closer look."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chatServer.memory.index import Index, Lexical, Scope
from chatServer.memory.postings import Floats, Rows
from chatServer.memory.question import Question

CANDIDATES = 200  # by words, and as many by meaning
SAMPLE = 512  # rows that say which cosines are usual
FIRST = 20  # by the scan: the best cosine is among them


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that features are made of."""

    index: Index
    question: Question
    vec: Floats | None
    now: float
    allowed: npt.NDArray[np.bool_]
    lexical: Lexical
    scanned: Floats  # -1 where there is no vector, or none is allowed
    usual: tuple[float, float]  # mean and spread of the cosine
    best_cosine: float

    def neighbours(self, rows: Rows, side: str) -> Rows:
        """The message before or after each row; -1 where there is none, or none that may be looked at."""
        found = np.where(rows >= 0, self.index.columns[side][rows], -1)
        return np.where((found >= 0) & self.allowed[found], found, -1)

    def cosine(self, rows: Rows) -> Floats:
        """0 to 1; 0 also where nobody is, or nobody with a vector."""
        if self.vec is None:
            return np.zeros(len(rows), np.float32)
        return np.where(rows >= 0, np.maximum(self.index.cosine(rows, self.vec), 0), 0).astype(np.float32)


def ask(index: Index, question: Question, vec: Floats | None, scope: Scope, now: float) -> Asked:
    """Score every allowed row by words, and by meaning where the question has a vector."""
    allowed = index.allowed(scope)
    lexical = index.lexical(question.terms, allowed)
    if vec is None or not np.any(vec):
        nowhere = np.full(len(allowed), -1, np.float32)
        return Asked(index, question, None, now, allowed, lexical, nowhere, (0.0, 1.0), 1.0)
    is_known = allowed & (index.columns["scale"] > 0)
    scanned = np.where(is_known, index.scan(vec), np.float32(-1))
    rows = np.flatnonzero(is_known)
    sample = index.cosine(rows[:: max(1, len(rows) // SAMPLE)], vec)
    usual = (float(sample.mean()), max(float(sample.std()), 1e-6)) if len(sample) else (0.0, 1.0)
    first = index.cosine(best(scanned, FIRST), vec)
    return Asked(index, question, vec, now, allowed, lexical, scanned, usual, max(float(first.max(initial=0)), 1e-6))


def candidates(asked: Asked) -> Rows:
    """The best rows by words and by meaning, ascending; all of them where there are few."""
    rows = np.flatnonzero(asked.allowed)
    if len(rows) <= 2 * CANDIDATES:
        return rows
    by_words = best(asked.lexical.scores, CANDIDATES)
    by_meaning = best(asked.scanned, CANDIDATES)
    chosen = [by_words[asked.lexical.scores[by_words] > 0], by_meaning[asked.scanned[by_meaning] > -1]]
    return np.unique(np.concatenate(chosen))


def best(scores: Floats, count: int) -> Rows:
    """The rows with the highest scores, in no order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, -count)[-count:]
