"""The order of what was found: a logistic model over few features, each of which can be named to a person."""

from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from chatServer.memory.ranking.asked import ask
from chatServer.memory.ranking.candidates import candidates
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.postings import Floats, Rows
from chatServer.memory.ranking.question import Question
from chatServer.memory.ranking.weights import Weights

LEAST_PART = 0.005  # what is less is not named


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
    best = np.argsort(-scores, kind="stable")[:limit]
    chances = (1 / (1 + np.exp(-scores[best]))).tolist()
    ids = [index.id_of(int(row)) for row in rows[best]]
    return [Hit(*each) for each in zip(ids, chances, _parts(found, weights, best), strict=True)]


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
