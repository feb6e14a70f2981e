"""Does recall find the messages that answer a question? python -m benchmarks.recall [FILE...], or make bench-recall.

One row for each method and set: evidence recall at 5, 10 and 20, hits at 10, MRR and latency; then recall at 10 by
category. No model is asked. `ours` has the weights that ship; `ours, left out` those that every other conversation
gives, so none is asked about what it was learned from. Ends with 1 when `ours, left out` is below another method."""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from uuid import UUID

import numpy as np
import numpy.typing as npt

from benchmarks import stored, train_ranker
from benchmarks.command import parser
from benchmarks.conversations import Asking, Conversation, read_sets
from benchmarks.indexed import asked_all, index_of
from benchmarks.recall_scores import SCORES, Answered, category_rows, judged, mean_recalls, print_rows, score_rows
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.ranking.asked import Asked
from chatServer.memory.ranking.question import read_question
from chatServer.memory.ranking.weights import Weights, shipped_weights
from chatServer.memory.reembed import reembed
from chatServer.store.pool import Database

DEPTH = 20
OURS, LEFT_OUT = "ours", "ours, left out"
FUSION_K = 60


def main() -> None:
    logging.disable(logging.INFO)  # of the database that is made for it
    asked = parser(__doc__)
    asked.add_argument("files", nargs="*")
    files = [each for each in asked.parse_args().files if each]
    answered = asyncio.run(answer_in_own_database(read_sets(files), files))
    print_rows(SCORES, score_rows(answered))
    print()
    print_rows(*category_rows(answered))
    sys.exit(0 if is_never_below(answered) else 1)


async def answer_in_own_database(conversations: list[Conversation], files: list[str]) -> list[Answered]:
    left_out = weights_without_each([each.name for each in conversations], files)
    async with stored.own_database() as database:
        await keep_all(database, conversations)
        return await answer_all(database, conversations, left_out)


async def keep_all(database: Database, conversations: list[Conversation]) -> None:
    """Stored and embedded as users' messages are."""
    for conversation in conversations:
        await stored.store(database, conversation)
    await reembed(database, WordLlamaEmbedder())


async def answer_all(
    database: Database, conversations: list[Conversation], left_out: dict[str, Weights]
) -> list[Answered]:
    """`ours` through the product."""
    answered = []
    for conversation in conversations:
        answered += list(answer_simply(conversation))
        ours = {OURS: shipped_weights()} | ({LEFT_OUT: left_out[conversation.name]} if left_out else {})
        for method, weights in ours.items():
            async with stored.recaller(database, weights) as recaller:
                for asking in conversation.questions:
                    recalling = stored.recall(recaller, conversation, asking.text, DEPTH)
                    answered.append(await _timed(method, conversation, asking, recalling))
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
            yield judged(method, conversation, asking, found, time.perf_counter() - started)


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
    return judged(method, conversation, asking, found, time.perf_counter() - started)


def is_never_below(answered: list[Answered]) -> bool:
    """Whether ours, asked about what it has not seen, is at least as good as every other method on every set; of a
    single conversation nothing can be left out, and what ships is judged."""
    own = judged_method(answered)
    by_set = mean_recalls(answered).values()
    return all(by[own] >= max(mean for method, mean in by.items() if method != OURS) for by in by_set)


def judged_method(answered: list[Answered]) -> str:
    return LEFT_OUT if any(each.method == LEFT_OUT for each in answered) else OURS


if __name__ == "__main__":
    main()
