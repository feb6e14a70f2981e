"""What is left of recall when something is missing or wrong: python -m benchmarks.recall_robust [FILE...].

R@10 of the weights that ship, beside BM25 and `user-first` under the same conditions: without vectors, with roles
dealt out at random, for users of 20 messages; then of weights learned from one set alone, on every set."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks import train_ranker
from benchmarks.command import parser
from benchmarks.conversations import APART, Conversation, Spoken, read_sets
from benchmarks.indexed import asked_all, index_of
from benchmarks.recall import by_words, user_first
from chatServer.memory.ranking.asked import Asked, ask
from chatServer.memory.ranking.features import features
from chatServer.memory.ranking.index import Scope
from chatServer.memory.ranking.rank import total
from chatServer.memory.ranking.weights import Weights, shipped_weights

TINY = 20


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("files", nargs="*")
    files = [each for each in asked.parse_args().files if each]
    conversations, shipped = read_sets(files), shipped_weights()
    told = [
        report("as it is", conversations, shipped),
        report("without vectors", conversations, shipped, has_vectors=False),
        report("roles at random", [shuffled(each) for each in conversations], shipped),
        report("20 messages", [part for each in conversations for part in tiny(each)], shipped),
    ]
    names, found = train_ranker.examples(files)
    for set_name in sorted({each.set_name for each in found}):
        sample = train_ranker.draw([each for each in found if each.set_name == set_name])
        learned = train_ranker.fit(sample, np.ones(len(sample.y), np.bool_), list(range(len(names))))
        told.append(report(f"from {set_name}", conversations, train_ranker.as_weights(names, learned)))
    print("\n".join(told))


def report(label: str, conversations: list[Conversation], weights: Weights, *, has_vectors: bool = True) -> str:
    """R@10 of ours, BM25 and user-first on every set."""
    recalls: dict[str, list[tuple[float, float, float]]] = {}
    methods: list[Callable[[Asked], np.ndarray]] = [lambda asked: ours(asked, weights), by_words, user_first]
    for conversation in conversations:
        index = index_of(conversation)
        ids = [index.id_of(row) for row in range(len(index))]
        for asking, asked in zip(conversation.questions, asked_all(conversation, index), strict=True):
            if asking.category == APART:
                continue
            put = asked if has_vectors else ask(index, asked.question, None, Scope(), asked.now)
            is_answer = np.array([each in asking.evidence for each in ids])
            tops = [is_answer[np.argsort(-method(put), kind="stable")[:10]].sum() for method in methods]
            recalls.setdefault(conversation.set_name, []).append(tuple(top / is_answer.sum() for top in tops))
    rows = [f"{name} {' '.join(f'{100 * each:5.1f}' for each in np.mean(those, axis=0))} (N={len(those)})"
            for name, those in sorted(recalls.items())]  # fmt: skip
    return f"{label:20} ours, bm25, user-first: " + "; ".join(rows)


def ours(asked: Asked, weights: Weights) -> np.ndarray:
    rows = np.arange(len(asked.allowed))
    return total(features(asked, rows), weights, len(rows))


def shuffled(conversation: Conversation) -> Conversation:
    """The same words, said by anybody."""
    roles = np.random.default_rng(0).permutation([each.role for each in conversation.messages])
    said = (replace(each, role=str(role)) for each, role in zip(conversation.messages, roles, strict=True))
    return replace(conversation, messages=tuple(said))


def tiny(conversation: Conversation) -> list[Conversation]:
    """Stretches of 20 messages, each with the questions that it answers."""
    parts = []
    for first in range(0, len(conversation.messages), TINY):
        messages: tuple[Spoken, ...] = conversation.messages[first : first + TINY]
        ids = {each.message_id for each in messages}
        questions = tuple(each for each in conversation.questions if each.evidence <= ids)
        if questions:
            parts.append(replace(conversation, messages=messages, questions=questions))
    return parts


if __name__ == "__main__":
    main()
