"""How well a method found the messages that answer a question: evidence recall, hits, MRR and latency, by set and by
category; for `recall`, and for `make bench`, which has others beside it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from benchmarks.conversations import APART, Asking, Conversation

SCORES = ("set", "method", "N", "R@5", "R@10", "R@20", "hit@10", "MRR", "p50 ms", "p95 ms")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a method found for one question."""

    method: str
    set_name: str
    category: str
    places: tuple[int, ...]  # of the evidence among the first 20, from 1
    evidence: int
    took_ms: float

    def recall(self, depth: int) -> float:
        return sum(place <= depth for place in self.places) / self.evidence


def judged(method: str, conversation: Conversation, asking: Asking, found: list[UUID], took_s: float) -> Answered:
    places = tuple(place for place, each in enumerate(found, 1) if each in asking.evidence)
    count = len(asking.evidence)
    return Answered(method, conversation.set_name, asking.category, places, count, took_s * 1000)


def score_rows(answered: list[Answered]) -> list[list[str]]:
    """As SCORES names them, a row for each set and method; what has no answer is apart."""
    groups: dict[tuple[str, str], list[Answered]] = defaultdict(list)
    for each in answered:
        if each.category != APART:
            groups[each.set_name, each.method].append(each)
    rows = []
    for (set_name, method), those in sorted(groups.items()):
        recalls = [f"{100 * np.mean([each.recall(depth) for each in those]):.1f}" for depth in (5, 10, 20)]
        hits = 100 * np.mean([any(place <= 10 for place in each.places) for each in those])
        mrr = np.mean([1 / each.places[0] if each.places else 0 for each in those])
        p50, p95 = np.percentile([each.took_ms for each in those], [50, 95])
        rows.append(
            [set_name, method, str(len(those)), *recalls, f"{hits:.1f}", f"{mrr:.3f}", f"{p50:.1f}", f"{p95:.1f}"]
        )
    return rows


def category_rows(answered: list[Answered]) -> tuple[list[str], list[list[str]]]:
    """R@10 by category: the columns, one of each method, and the rows."""
    kinds: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in answered:
        kinds[each.set_name, each.category][each.method].append(each.recall(10))
    methods = sorted({each.method for each in answered})
    rows = [
        [*kind, str(max(map(len, by.values()))), *(f"{100 * np.mean(by[method]):.1f}" for method in methods)]
        for kind, by in sorted(kinds.items())
    ]
    return ["set", "R@10 by category", "N", *methods], rows


def print_rows(columns: Sequence[str], rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def mean_recalls(answered: list[Answered]) -> dict[str, dict[str, float]]:
    """R@10 by set and method."""
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for set_name in {each.set_name for each in answered}:
        for method in {each.method for each in answered}:
            those = [e for e in answered if e.set_name == set_name and e.method == method and e.category != APART]
            means[set_name][method] = float(np.mean([each.recall(10) for each in those]))
    return means
