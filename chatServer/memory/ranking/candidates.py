"""Which rows deserve a closer look: those that are best by what can be told of all of them at once."""

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.asked import Asked, best, divided
from chatServer.memory.ranking.items import ASSISTANT
from chatServer.memory.ranking.postings import Floats, Rows
from chatServer.memory.ranking.weights import Weights

CANDIDATES = 600
ONE_MORE_OF = 150  # rows: the more there are, the more are nearly as good
MEMORIES = 32


def candidates(asked: Asked, weights: Weights) -> Rows:
    """Ascending; all allowed rows where there are few."""
    rows = np.flatnonzero(asked.allowed)
    if len(rows) <= CANDIDATES:
        return rows
    count = CANDIDATES + len(rows) // ONE_MORE_OF
    rough = np.where(asked.allowed, _rough(asked, weights), -np.inf)
    memories = best(np.where(asked.index.columns["memory"], rough, -np.inf), MEMORIES, above=-np.inf)
    # The best by words alone and by meaning alone are looked at, whatever else speaks against them; and memories.
    is_chosen = np.zeros(len(rough), np.bool_)
    for some in (best(rough, count, above=-np.inf), asked.best_by_words, asked.best_by_scan, memories):
        is_chosen[some] = True
    return np.flatnonzero(is_chosen)


def _rough(asked: Asked, weights: Weights) -> Floats:
    """The ranking's own sum over every row, without what an item is like, and with the scan for its meaning."""
    columns, question = asked.index.columns, asked.question
    words = divided(asked.lexical.scores, float(asked.lexical.scores.max(initial=0)))
    meaning = divided(np.maximum(asked.scanned, 0), float(asked.scanned.max(initial=0)))
    before, after = (_beside(words, columns[side]) for side in ("before", "after"))
    around = np.minimum(words + before + after, 1)
    told = {"words": words, "meaning": meaning, "words_before": before, "words_after": after, "around": around}
    total = _sum(told, weights, "") + _of_session(asked, weights, "")
    people = asked.among_people(slice(None))
    if people.any():  # mostly there is nobody but the user and his assistant
        total += people * (_sum(told, weights, "people_") + _of_session(asked, weights, "people_"))
    spread = 3 * asked.usual[1] / asked.best_cosine  # the ranking counts neighbours' cosines in these steps
    for side in ("before", "after"):
        total += np.float32(weights.of(f"meaning_{side}") / spread) * _beside(meaning, columns[side])
    by_assistant = weights.of("assistant")
    by_assistant += weights.of("assistant_asked") * question.asks_assistant
    by_assistant += weights.of("assistant_all") * question.asks_all
    total += np.float32(by_assistant) * (columns["role"] == ASSISTANT)
    return total + _if_named(asked, weights)


def _beside(values: Floats, rows: npt.NDArray[np.int32]) -> Floats:
    """The values of neighbours; 0 where there is none, wrapped at nobody's: brackets take three times as long."""
    return np.append(values, np.float32(0)).take(rows, mode="wrap")


def _sum(told: dict[str, Floats], weights: Weights, prefix: str) -> Floats:
    total = np.zeros_like(told["words"])
    for name, values in told.items():
        total += np.float32(weights.of(prefix + name)) * values
    return total


def _of_session(asked: Asked, weights: Weights, prefix: str) -> Floats:
    """What the sessions of all rows add; nothing for memories. Summed by session, of which there are fewer."""
    words = np.float32(weights.of(f"{prefix}session_words")) * asked.session_words
    by_session = words + np.float32(weights.of(f"{prefix}session_meaning")) * asked.session_meaning
    columns = asked.index.columns
    return by_session.take(np.where(columns["memory"], -1, columns["session"]), mode="wrap")


def _if_named(asked: Asked, weights: Weights) -> Floats:
    """What counts for memories, for the speakers and for the days that the question names."""
    columns, question = asked.index.columns, asked.question
    total = np.float32(weights.of("memory")) * columns["memory"].astype(np.float32)
    if question.named:
        total += np.float32(weights.of("speaker")) * asked.index.speakers.among(columns["speaker"], question.named)
    if question.period is not None:
        first, last = question.period
        total += np.float32(weights.of("date")) * ((columns["time"] >= first) & (columns["time"] < last))
    return total.astype(np.float32, copy=False)
