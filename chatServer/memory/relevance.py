"""Whether something that was found has to do with the question at all: a ranking always has a first place."""

from math import sqrt

from chatServer.memory.rank import Hit, Weights

WORDS = ("words", "around", "speaker", "date")  # it or what was said around it shares a word; or it is who or when
UNUSUAL = 2.0  # standard deviations above the usual cosine
OF_THE_FARTHEST = 0.9  # among few, nothing can be that far from the others


def bears_on(hit: Hit, weights: Weights, among: int) -> bool:
    """By what the ranking saw in it; `among` so many items."""
    if any(hit.parts.get(name) for name in WORDS):
        return True
    weight = weights.by_name.get("nearness")
    if not weight or among < 3:
        return False
    farthest = (among - 1) / sqrt(among)
    return 3 * hit.parts.get("nearness", 0.0) / weight >= min(UNUSUAL, OF_THE_FARTHEST * farthest)
