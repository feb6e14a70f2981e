"""What is known of the sessions of an index: how much was said in each, whether by an assistant, too, and what came
last. Kept up to date: to count 20,000 items for each question took a tenth of a search (2026-11-18)."""

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.items import ASSISTANT, Codes, Columns
from chatServer.memory.ranking.postings import Floats, Rows


class Sessions(Codes):
    def __init__(self) -> None:
        super().__init__()
        self.lengths: Floats = np.zeros(0, np.float32)  # terms of its messages
        self.last: dict[int, int] = {}  # row of its latest message
        self._replies = np.zeros(0, np.int64)

    @property
    def has_assistant(self) -> npt.NDArray[np.bool_]:
        """Whether an assistant speaks in each; the last entry is nobody's, and true."""
        return np.append(self._replies > 0, True)

    def count(self, columns: Columns, rows: Rows | slice, times: int) -> None:
        """Rows that have come (1) or gone (-1)."""
        session, known = columns["session"][rows], len(self.codes)
        spoken, theirs = (
            (session >= 0) & ~columns["memory"][rows],
            (session >= 0) & (columns["role"][rows] == ASSISTANT),
        )
        said = np.bincount(session[spoken], columns["length"][rows][spoken], known)
        replies = np.bincount(session[theirs], minlength=known)
        more = known - len(self.lengths)
        self.lengths = (np.pad(self.lengths, (0, more)) + times * said).astype(np.float32)
        self._replies = np.pad(self._replies, (0, more)) + times * replies
