"""What is found for somebody who asks for everything: of his own facts the most important, and what he said last."""

import numpy as np

from chatServer.memory.ranking.index import Index, Scope
from chatServer.memory.ranking.items import ROLES
from chatServer.memory.ranking.rank import Hit
from chatServer.messages.terms import ASKS, MARKS

SAID = 5  # messages beside the memories: what was not learned from yet
SAID_READ = 3 * SAID  # for so many: some ask without a mark, which only their words tell
MIN_CHARS = 12  # "ok, thanks" tells nothing
SAID_SCORE = 0.1  # below any memory


def overview(index: Index, scope: Scope, *, limit: int) -> list[Hit]:
    """Memories that the user vouches for, by importance, of equal ones the last changed first; then his newest
    messages, of which some may ask."""
    columns = index.columns
    own = index.allowed(scope) & (columns["role"] == ROLES.index("user"))
    is_question = (columns["marks"] & (1 << MARKS.index(ASKS))) != 0
    known = np.flatnonzero(own & columns["memory"])
    known = known[np.lexsort((-columns["place"][known], -columns["importance"][known]))][:limit]
    said = np.flatnonzero(own & ~columns["memory"] & ~is_question & (columns["chars"] >= MIN_CHARS))
    said = said[np.argsort(-columns["place"][said], kind="stable")][:SAID_READ]
    hits = [_hit(index, row, "importance", float(columns["importance"][row])) for row in known.tolist()]
    return hits + [_hit(index, row, "recent", SAID_SCORE) for row in said.tolist()]


def _hit(index: Index, row: int, why: str, score: float) -> Hit:
    return Hit(index.id_of(row), score, {why: round(score, 3)})
