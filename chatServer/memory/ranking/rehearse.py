"""A search that nobody asked for: whatever is done for the first time is done before somebody waits for it."""

import numpy as np

from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.items import Items
from chatServer.memory.ranking.packing import DIMENSIONS
from chatServer.memory.ranking.question import read_question
from chatServer.memory.ranking.rank import rank
from chatServer.memory.ranking.relevance import relevant
from chatServer.memory.ranking.weights import Weights
from chatServer.messages.terms import packed_terms
from chatServer.records import new_id

ITEMS = 8
TEXT = "Mia told us in May that the garden needs water"


def rehearse(weights: Weights) -> None:
    """Build an index of a few items, and search in it."""
    vec = np.ones(DIMENSIONS, np.float32)
    items = Items(
        ids=[new_id() for _ in range(ITEMS)],
        is_memory=[False] * ITEMS,
        roles=["user"] * ITEMS,
        speakers=[None] * ITEMS,
        sessions=["rehearsal"] * ITEMS,
        shelves=["rehearsal"] * ITEMS,
        places=list(range(ITEMS)),
        times=[0.0] * ITEMS,
        chars=[len(TEXT)] * ITEMS,
        terms=[packed_terms(TEXT)] * ITEMS,
        vecs=[vec.astype("<f2").tobytes()] * ITEMS,
        importances=[0.5] * ITEMS,
        is_long_term=[False] * ITEMS,
    )
    index = Index(items)
    found = rank(index, read_question(f"When was it that {TEXT}?"), vec, Scope(), now=0.0, limit=ITEMS, weights=weights)
    relevant(found, index, vec)
