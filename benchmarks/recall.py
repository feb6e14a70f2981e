"""Does recall find the messages that answer a question? python -m benchmarks.recall [FILE...], or make bench-recall.

One row for each method and set: evidence recall at 5, 10 and 20, hits at 10, MRR and latency; then recall at 10 by
category. No model is asked. `ours` has the weights that ship; `ours, left out` those that every other conversation
gives, so none is asked about what it was learned from. Ends with 1 when `ours, left out` is below another method."""

import asyncio
import logging
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from benchmarks import stored, train_ranker
from benchmarks.conversations import APART, Asking, Conversation, read_sets
from benchmarks.indexed import asked_all, index_of
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.ranking.asked import Asked
from chatServer.memory.ranking.question import read_question
from chatServer.memory.ranking.weights import Weights, shipped_weights
from chatServer.memory.reembed import reembed

DEPTH = 20
OURS, LEFT_OUT = "ours", "ours, left out"
FUSION_K = 60


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


def main() -> None:
    logging.disable(logging.INFO)  # of the database that is made for it
    conversations = read_sets([each for each in sys.argv[1:] if each])
    answered = asyncio.run(answer_all(conversations))
    print_table(answered)
    sys.exit(0 if is_never_below(answered) else 1)


async def answer_all(conversations: list[Conversation]) -> list[Answered]:
    """`ours` through the product: stored, embedded and recalled as its users' messages are."""
    left_out = weights_without_each([each.name for each in conversations], sys.argv[1:])
    answered = []
    async with stored.own_database() as database:
        for conversation in conversations:
            await stored.store(database, conversation)
        await reembed(database, WordLlamaEmbedder())
        for conversation in conversations:
            answered += list(answer_simply(conversation))
            ours = {OURS: shipped_weights()} | ({LEFT_OUT: left_out[conversation.name]} if left_out else {})
            for method, weights in ours.items():
                async with stored.recaller(database, weights) as recaller:
                    for asking in conversation.questions:
                        answered.append(
                            await _timed(
                                method, conversation, asking, stored.recall(recaller, conversation, asking.text, DEPTH)
                            )
                        )
            for asking in conversation.questions:
                question = read_question(asking.text, {each.speaker for each in conversation.messages if each.speaker})
                searching = stored.search(database, conversation, question.plain, DEPTH)
                answered.append(await _timed("fulltext", conversation, asking, searching))
    return answered


def answer_simply(conversation: Conversation) -> Iterator[Answered]:
    """What a sort by one score finds."""
    index = index_of(conversation)
    for asking, asked in zip(conversation.questions, asked_all(conversation, index), strict=True):
        for method, order in SIMPLE.items():
            started = time.perf_counter()
            found = _ids(asked, order)
            yield _judged(method, conversation, asking, found, time.perf_counter() - started)


def weights_without_each(names: list[str], files: list[str]) -> dict[str, Weights]:
    """For each conversation the weights that all others give; nothing where there is but one."""
    if len(names) < 2:
        return {}
    features, found = train_ranker.examples([each for each in files if each])
    sample = train_ranker.draw(found)
    columns = list(range(len(features)))
    return {
        name: train_ranker.as_weights(features, train_ranker.fit(sample, sample.conversation != name, columns))
        for name in names
    }


def by_words(asked: Asked) -> npt.NDArray[np.float32]:
    """BM25 with the user's own IDF, stemmed, without the speakers' names."""
    return asked.lexical.scores


def by_meaning(asked: Asked) -> npt.NDArray[np.float32]:
    """The cosine of all dimensions, the question without names and grammar: better than as it is asked."""
    return asked.cosine(np.arange(len(asked.allowed)))


def by_fusion(asked: Asked) -> npt.NDArray[np.float32]:
    """Reciprocal ranks of both, added."""
    ranks = [np.argsort(np.argsort(-scores, kind="stable")) for scores in (by_words(asked), by_meaning(asked))]
    return sum(1 / (FUSION_K + 1 + each) for each in ranks)


def user_first(asked: Asked) -> npt.NDArray[np.float32]:
    """Both against what is usual, added; what the user said before all that the assistant said."""
    both = sum((each - each.mean()) / max(each.std(), 1e-9) for each in (by_words(asked), by_meaning(asked)))
    return both - 1_000 * (asked.index.columns["role"] == 1)


SIMPLE: dict[str, Callable[[Asked], npt.NDArray[np.float32]]] = {
    "bm25": by_words, "dense": by_meaning, "fusion": by_fusion, "user-first": user_first
}  # fmt: skip


def _ids(asked: Asked, order: Callable[[Asked], npt.NDArray[np.float32]]) -> list[UUID]:
    return [asked.index.id_of(int(row)) for row in np.argsort(-order(asked), kind="stable")[:DEPTH]]


async def _timed(method: str, conversation: Conversation, asking: Asking, finding: Awaitable[list[UUID]]) -> Answered:
    started = time.perf_counter()
    found = await finding
    return _judged(method, conversation, asking, found, time.perf_counter() - started)


def _judged(method: str, conversation: Conversation, asking: Asking, found: list[UUID], took_s: float) -> Answered:
    places = tuple(place for place, each in enumerate(found, 1) if each in asking.evidence)
    count = len(asking.evidence)
    return Answered(method, conversation.set_name, asking.category, places, count, took_s * 1000)


def print_table(answered: list[Answered]) -> None:
    rows: dict[tuple[str, str], list[Answered]] = defaultdict(list)
    kinds: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for each in answered:
        kinds[each.set_name, each.category, each.method].append(each.recall(10))
        if each.category != APART:
            rows[each.set_name, each.method].append(each)
    print(f"{'set':14} {'method':15} {'N':>4}   R@5  R@10  R@20 hit@10  MRR    p50 ms p95 ms")
    for (set_name, method), those in sorted(rows.items()):
        recalls = " ".join(f"{100 * np.mean([each.recall(depth) for each in those]):5.1f}" for depth in (5, 10, 20))
        hits = 100 * np.mean([any(place <= 10 for place in each.places) for each in those])
        mrr = np.mean([1 / each.places[0] if each.places else 0 for each in those])
        p50, p95 = np.percentile([each.took_ms for each in those], [50, 95])
        print(f"{set_name:14} {method:15} {len(those):4} {recalls}  {hits:5.1f} {mrr:.3f} {p50:7.1f} {p95:6.1f}")
    methods = sorted({each.method for each in answered})
    print(f"\n{'R@10 by category':41} {'N':>4} {' '.join(f'{method:>14}' for method in methods)}")
    for set_name, category in sorted({(each[0], each[1]) for each in kinds}):
        means = [f"{100 * np.mean(kinds[set_name, category, method]):14.1f}" for method in methods]
        count = len(kinds[set_name, category, OURS])
        print(f"{set_name:14} {category:26} {count:4} {' '.join(means)}")


def is_never_below(answered: list[Answered]) -> bool:
    """Whether ours, asked about what it has not seen, is at least as good as every other method on every set; of a
    single conversation nothing can be left out, and what ships is judged."""
    judged = LEFT_OUT if any(each.method == LEFT_OUT for each in answered) else OURS
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for set_name in {each.set_name for each in answered}:
        for method in {each.method for each in answered}:
            those = [e for e in answered if e.set_name == set_name and e.method == method and e.category != APART]
            means[set_name][method] = float(np.mean([each.recall(10) for each in those]))
    return all(by[judged] >= max(mean for method, mean in by.items() if method != OURS) for by in means.values())


if __name__ == "__main__":
    main()
