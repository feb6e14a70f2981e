"""Conversations as indexes in the process, for training and for what needs no database."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import wordllama

from benchmarks.conversations import Conversation, Spoken
from chatServer.memory.ranking.asked import Asked, ask
from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.items import Items
from chatServer.memory.ranking.question import read_question
from chatServer.messages.terms import packed_terms


@cache
def embedder() -> wordllama.WordLlama:
    """The one that ships with the product."""
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


@cache
def _embedded_once(texts: tuple[str, ...]) -> npt.NDArray[np.float32]:
    return embedded(texts)


def embedded(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.asarray(embedder().embed([text or " " for text in texts], norm=True), np.float32)


def index_of(conversation: Conversation) -> Index:
    return Index(items_of(conversation.messages))


@cache
def items_of(messages: tuple[Spoken, ...]) -> Items:
    """Cut and embedded once in a run, however often they are indexed."""
    count = len(messages)
    return Items(
        ids=[each.message_id for each in messages],
        is_memory=[False] * count,
        roles=[each.role for each in messages],
        speakers=[each.speaker for each in messages],
        sessions=[each.session for each in messages],
        shelves=["assistant"] * count,
        places=range(count),
        times=[each.time for each in messages],
        chars=[len(each.text) for each in messages],
        terms=[packed_terms(each.text) for each in messages],
        vecs=[vec.astype("<f2").tobytes() for vec in embedded([each.text for each in messages])],
        importances=[0.7] * count,
        is_long_term=[False] * count,
    )


def asked_all(conversation: Conversation, index: Index) -> list[Asked]:
    """Every question of a conversation put to its index."""
    questions = [read_question(each.text, index.speakers.codes) for each in conversation.questions]
    vecs = _embedded_once(tuple(each.plain for each in questions))
    now = max(each.time for each in conversation.messages)
    return [ask(index, each, vec, Scope(), now) for each, vec in zip(questions, vecs, strict=True)]
