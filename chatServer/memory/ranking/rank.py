"""The order of what was found: a logistic model over few features, each of which can be named to a person."""

from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

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


def rank(
    index: Index, question: Question, vec: Floats | None, scope: Scope, *, now: float, limit: int, weights: Weights
) -> list[Hit]:
    """The best items for a question, best first; equal ones in the order in which they came."""
    asked = ask(index, question, vec, scope, now)
    rows = candidates(asked, weights)
    found = features(asked, rows)
    scores = total(found, weights, len(rows))
    best = _not_too_often(asked, rows, np.argsort(-scores, kind="stable"), limit)
    chances = (1 / (1 + np.exp(-scores[best]))).tolist()
    ids = [index.id_of(int(row)) for row in rows[best]]
    return [Hit(*each) for each in zip(ids, chances, _parts(found, weights, best), strict=True)]


def _not_too_often(asked: Asked, rows: Rows, order: Rows, limit: int) -> Rows:
    """The first of an order, without what says the same over and over: whoever asked a thing fifty times shall not be
    answered with his own questions. As long, by the same side, with the same words and meaning: that is the same."""
    columns = asked.index.columns
    about = (columns["role"], columns["memory"], columns["chars"], asked.lexical.scores, asked.scanned)
    seen: Counter[tuple[float, ...]] = Counter()
    taken: list[int] = []
    for place in order.tolist():
        same = tuple(round(each[rows[place]].item(), 4) for each in about)
        seen[same] += 1
        if seen[same] <= (PERHAPS_ALIKE if same[-1] == NO_VECTOR else ALIKE):
            taken.append(place)
            if len(taken) == limit:
                break
    return np.array(taken, np.int64)


def _parts(found: dict[str, Floats], weights: Weights, places: Rows) -> list[dict[str, float]]:
    """What the score of each is made of; of what counts for nothing, nothing."""
    names = np.array(list(weights.by_name))
    table = np.array([weight * found[name][places] for name, weight in weights.by_name.items()]).T.round(4)
    is_said = np.abs(table) >= LEAST_PART
    return [
        dict(zip(names[said].tolist(), row[said].tolist(), strict=True))
        for said, row in zip(is_said, table, strict=True)
    ]


def total(found: dict[str, Floats], weights: Weights, count: int) -> Floats:
    """The weighted sum of the features of each row."""
    scores = np.full(count, weights.bias, np.float32)
    for name, weight in weights.by_name.items():
        scores += np.float32(weight) * found[name]
    return scores
