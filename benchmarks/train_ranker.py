"""Learn how much each feature counts: python -m benchmarks.train_ranker [FILE...] writes memory/ranking/weights.json.

Logistic regression, fitted by Newton's method. Of every question: the messages that answer it, and 100 others drawn
uniformly (hard ones broke it). Every set of conversations counts the same, and in it every question."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.command import parser
from benchmarks.conversations import APART, read_sets
from benchmarks.indexed import asked_all, index_of
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.weights import Weights

OTHERS = 100
OTHERS_WEIGHT = 15.0  # of all others of a question together; its answers together weigh 1
L2 = 1e-4
STEPS = 25
FILE = Path(__file__).parents[1] / "chatServer" / "memory" / "ranking" / "weights.json"
COMMAND = "python -m benchmarks.train_ranker (over both development sets)"

# Nobody has labelled memories yet: small, so that they settle what words and meaning leave open.
BY_HAND = {"memory": 0.5, "importance": 0.5, "long_term": 0.1, "recent": 0.2}


@dataclass(frozen=True, slots=True)
class Example:
    """A question: the features of every message, and which of them answer it."""

    conversation: str
    set_name: str
    category: str
    features: npt.NDArray[np.float32]  # messages x names
    answers: npt.NDArray[np.bool_]


def examples(files: list[str]) -> tuple[list[str], list[Example]]:
    """The names of the features, and all questions that have an answer."""
    names: list[str] = []
    found = []
    for conversation in read_sets(files):
        index = index_of(conversation)
        rows = np.arange(len(index))
        ids = [index.id_of(row) for row in rows]
        for asking, asked in zip(conversation.questions, asked_all(conversation, index), strict=True):
            named = {name: value for name, value in features(asked, rows).items() if name not in BY_HAND}
            names = list(named)
            answers = np.array([each in asking.evidence for each in ids])
            stacked = np.stack(list(named.values()), axis=1)
            found.append(Example(conversation.name, conversation.set_name, asking.category, stacked, answers))
    return names, found


@dataclass(frozen=True, slots=True)
class Sample:
    """What is fitted: some rows of every question."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    conversation: npt.NDArray[np.str_]


def draw(found: list[Example]) -> Sample:
    """The answers and some others, the same at every call."""
    random = np.random.default_rng(0)
    found = [each for each in found if each.category != APART]
    sizes = {name: sum(each.set_name == name for each in found) for name in {each.set_name for each in found}}
    x, y, weight, conversation = [], [], [], []
    for each in found:
        answers, others = np.flatnonzero(each.answers), np.flatnonzero(~each.answers)
        others = random.choice(others, min(OTHERS, len(others)), replace=False)
        rows = np.concatenate([answers, others])
        x.append(each.features[rows])
        y.append(each.answers[rows])
        shares = [1 / len(answers)] * len(answers) + [OTHERS_WEIGHT / max(len(others), 1)] * len(others)
        weight.append(np.array(shares) / sizes[each.set_name])
        conversation.append(np.full(len(rows), each.conversation))
    return Sample(*(np.concatenate(part) for part in (x, y, weight, conversation)))


def fit(sample: Sample, rows: npt.NDArray[np.bool_], columns: list[int], l2: float = L2) -> npt.NDArray[np.float64]:
    """One weight for each column, and the bias last."""
    x = np.column_stack([sample.x[rows][:, columns], np.ones(int(rows.sum()))]).astype(np.float64)
    y, weight = sample.y[rows].astype(np.float64), sample.weight[rows] / sample.weight[rows].sum()
    penalty = np.append(np.full(len(columns), l2), 0)
    learned = np.zeros(len(columns) + 1)
    for _ in range(STEPS):
        guess = 1 / (1 + np.exp(-x @ learned))
        slope = x.T @ (weight * (guess - y)) + penalty * learned
        bend = (x * (weight * guess * (1 - guess))[:, None]).T @ x + np.diag(penalty + 1e-9)
        step = np.linalg.solve(bend, slope)
        learned -= step
        if np.abs(step).max() < 1e-6:
            break
    return learned


def as_weights(names: list[str], learned: npt.NDArray[np.float64]) -> Weights:
    by_name = {name: round(float(value), 3) for name, value in zip(names, learned[:-1], strict=True)}
    return Weights(round(float(learned[-1]), 3), {**by_name, **BY_HAND})


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("files", nargs="*")
    names, found = examples(asked.parse_args().files)
    sample = draw(found)
    learned = as_weights(names, fit(sample, np.ones(len(sample.y), np.bool_), list(range(len(names)))))
    sizes = {each.set_name: 0 for each in found}
    for each in found:
        sizes[each.set_name] += each.category != APART
    written = {
        "made_by": COMMAND,
        "questions": sizes,
        "bias": learned.bias,
        "learned": {name: learned.by_name[name] for name in names},
        "by_hand": BY_HAND,
    }
    FILE.write_text(json.dumps(written, indent=2) + "\n")
    print(f"{len(names)} weights from {sum(sizes.values())} questions are in {FILE}")


if __name__ == "__main__":
    main()
