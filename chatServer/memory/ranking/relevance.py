"""Whether something that was found has to do with the question at all: a ranking always has a first place."""

from collections.abc import Sequence

import numpy as np

from chatServer.memory.ranking.index import Index
from chatServer.memory.ranking.postings import Floats, Rows
from chatServer.memory.ranking.rank import Hit

WORDS = ("words", "around", "speaker", "date")  # it or what was said around it shares a word; or it is who or when
SAMPLE = 256  # rows that say which cosines are usual
ENOUGH = 20  # rows for that
UNUSUAL = 1.5  # standard deviations above them
NEAR = 0.15  # less is chance; where there are too few to say what is usual, it is near enough


def relevant(hits: Sequence[Hit], index: Index, vec: Floats | None) -> list[Hit]:
    """Those that share a word with the question, and those that are nearer to it than most."""
    wordless = [hit.row for hit in hits if hit.parts.keys().isdisjoint(WORDS)]
    near = _near(np.array(wordless), index, vec) if wordless and vec is not None else ()
    out = set(wordless).difference(near)
    return [hit for hit in hits if hit.row not in out]


def _near(rows: Rows, index: Index, vec: Floats) -> list[int]:
    known = np.flatnonzero(index.columns["alive"] & (index.columns["scale"] > 0))
    usual = index.cosine(known[:: max(1, len(known) // SAMPLE)], vec)
    least = max(NEAR, float(usual.mean() + UNUSUAL * usual.std())) if len(usual) >= ENOUGH else NEAR
    near: list[int] = rows[index.cosine(rows, vec) >= least].tolist()
    return near
