"""The order of what was found: a logistic model over few features, each of which can be named to a person."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.asked import Asked, ask
from chatServer.memory.ranking.candidates import candidates
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.postings import Floats, Rows
from chatServer.memory.ranking.question import Question
from chatServer.memory.ranking.weights import Weights

LEAST_PART = 0.005  # what is less is not named
NO_VECTOR = -1.0
ALIKE = 3  # items that say the same: one is shown, and some of them may be gone
PERHAPS_ALIKE = 10  # that may say the same: without a vector it is not known


@dataclass(frozen=True, slots=True)
class Hit:
    """An item that was found: between 0 and 1, and what for and against it."""

    item_id: UUID
    score: float
    parts: dict[str, float] = field(hash=False)
    row: int = -1  # of the index, at the time of the search


def rank(
    index: Index,
    question: Question,
    vec: Floats | None,
    scope: Scope,
    *,
    now: float,
    limit: int,
    weights: Weights,
    memories: int = 0,
) -> list[Hit]:
    """The best items for a question, best first; equal ones in the order in which they came. At least so many memories
    come back, those beyond the limit with the score of the last within it: whoever brings back old answers, in which
    the words of a memory are met over and over, shall not lose it under them."""
    asked = ask(index, question, vec, scope, now)
    rows = candidates(asked, weights)
    table = weighted(features(asked, rows), weights, len(rows))
    scores = _sum(table, weights)
    order = np.argsort(-scores, kind="stable")
    best = _not_too_often(asked, rows, order, limit)
    least = scores[best].min(initial=np.inf)
    best = np.concatenate([best, _memories_beside(index.columns["memory"][rows], order, best, memories)])
    chances = (1 / (1 + np.exp(-np.maximum(scores[best], least)))).tolist()
    parts = _parts(list(weights.by_name), table[:, best].T)
    those = rows[best]
    return [Hit(*each) for each in zip(index.ids_of(those), chances, parts, those.tolist(), strict=True)]


def _not_too_often(asked: Asked, rows: Rows, order: Rows, limit: int) -> Rows:
    """The first of an order, without what says the same over and over: whoever asked a thing fifty times shall not be
    answered with his own questions. As long, by the same side, with the same words and meaning: that is the same."""
    seen: dict[tuple[float, ...], int] = {}
    taken: list[int] = []
    for place, same in _described(asked, rows, order, 2 * limit):
        times = seen[same] = seen.get(same, 0) + 1
        if times <= (PERHAPS_ALIKE if same[-1] == NO_VECTOR else ALIKE):
            taken.append(place)
            if len(taken) == limit:
                break
    return np.array(taken, np.int64)


def _described(asked: Asked, rows: Rows, order: Rows, at_once: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each place of an order with what its row is like, as many at once as are mostly looked at. As lists: to take them
    from arrays one by one was a sixth of a search (2026-11-16)."""
    columns = asked.index.columns
    kinds, worths = (columns["role"], columns["memory"], columns["chars"]), (asked.lexical.worth, asked.scanned)
    for start in range(0, len(order), at_once):
        some = order[start : start + at_once]
        those = rows[some]
        like = [each[those].tolist() for each in kinds] + [each[those].round(4).tolist() for each in worths]
        yield from zip(some.tolist(), zip(*like, strict=True), strict=True)


def _memories_beside(is_memory: npt.NDArray[np.bool_], order: Rows, best: Rows, count: int) -> Rows:
    """The first memories of an order that are not among the best, where fewer than so many are."""
    wanted = max(count - int(np.count_nonzero(is_memory[best])), 0)
    is_other = is_memory.copy()
    is_other[best] = False
    return order[is_other[order]][:wanted]


def _parts(names: list[str], table: Floats) -> list[dict[str, float]]:
    """What the score of each row is made of; of what counts for nothing, nothing."""
    table = table.round(4)
    is_said = np.abs(table) >= LEAST_PART
    parts: list[dict[str, float]] = [{} for _ in table]
    for row, name, part in zip(*map(np.ndarray.tolist, np.nonzero(is_said)), table[is_said].tolist(), strict=True):
        parts[row][names[name]] = part
    return parts


def weighted(found: dict[str, Floats], weights: Weights, count: int) -> Floats:
    """What each feature adds to the score of each row, in the order of the weights."""
    table: Floats = np.concatenate([found[name] for name in weights.by_name], dtype=np.float32)
    table = table.reshape(len(weights.by_name), count)
    table *= _column(weights)  # at once: one by one took three times as long (2026-11-16)
    return table


@lru_cache(maxsize=8)
def _column(weights: Weights) -> Floats:
    return np.array(list(weights.by_name.values()), np.float32)[:, None]


def total(found: dict[str, Floats], weights: Weights, count: int) -> Floats:
    """The weighted sum of the features of each row."""
    return _sum(weighted(found, weights, count), weights)


def _sum(table: Floats, weights: Weights) -> Floats:
    scores: Floats = np.add.reduce(table, axis=0, initial=np.float32(weights.bias))
    return scores
