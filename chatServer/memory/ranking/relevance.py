"""Whether something that was found has to do with the question at all: a ranking always has a first place."""

from collections.abc import Collection, Sequence
from uuid import UUID

import numpy as np

from chatServer.memory.ranking.index import Index
from chatServer.memory.ranking.postings import Floats
from chatServer.memory.ranking.rank import Hit

WORDS = ("words", "around", "speaker", "date")  # it or what was said around it shares a word; or it is who or when
SAMPLE = 256  # rows that say which cosines are usual
ENOUGH = 20  # rows for that
UNUSUAL = 1.5  # standard deviations above them
NEAR = 0.3  # where there are too few to say what is usual


def relevant(hits: Sequence[Hit], index: Index, vec: Floats | None) -> list[Hit]:
    """Those that share a word with the question, and those that are nearer to it than most."""
    wordless = [hit.item_id for hit in hits if not any(hit.parts.get(name) for name in WORDS)]
    near = _near(wordless, index, vec) if wordless and vec is not None else set()
    out = set(wordless) - near
    return [hit for hit in hits if hit.item_id not in out]


def _near(ids: Collection[UUID], index: Index, vec: Floats) -> set[UUID]:
    known = np.flatnonzero(index.columns["alive"] & (index.columns["scale"] > 0))
    usual = index.cosine(known[:: max(1, len(known) // SAMPLE)], vec)
    least = float(usual.mean() + UNUSUAL * usual.std()) if len(usual) >= ENOUGH else NEAR
    rows = index.rows_of(ids)
    return set(index.ids_of(rows[index.cosine(rows, vec) >= least]))
