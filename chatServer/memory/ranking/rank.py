"""The order of what was found: a logistic model over few features, each of which can be named to a person."""

from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from chatServer.memory.ranking.asked import ask
from chatServer.memory.ranking.candidates import candidates
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.postings import Floats
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
    hits = []
    for place in np.argsort(-scores, kind="stable")[:limit]:
        parts = {name: weight * float(found[name][place]) for name, weight in weights.by_name.items()}
        said = {name: round(part, 4) for name, part in parts.items() if abs(part) >= LEAST_PART}
        chance = float(1 / (1 + np.exp(-scores[place])))
        hits.append(Hit(index.id_of(int(rows[place])), chance, said))
    return hits


def total(found: dict[str, Floats], weights: Weights, count: int) -> Floats:
    """The weighted sum of the features of each row."""
    scores = np.full(count, weights.bias, np.float32)
    for name, weight in weights.by_name.items():
        scores += np.float32(weight) * found[name]
    return scores
