"""Which message came before and after which in its session: rows point at their neighbours, -1 is nobody."""

import numpy as np

from chatServer.memory.ranking.items import Columns


def link_all(columns: Columns) -> None:
    """Point every live message at its neighbours."""
    before, after = columns["before"], columns["after"]
    before[:], after[:] = -1, -1
    spoken = np.flatnonzero(columns["alive"] & ~columns["memory"] & (columns["session"] >= 0))
    rows = spoken[np.lexsort((spoken, columns["place"][spoken], columns["session"][spoken]))]
    same = columns["session"][rows[1:]] == columns["session"][rows[:-1]]
    before[rows[1:][same]] = rows[:-1][same]
    after[rows[:-1][same]] = rows[1:][same]


def link_one(columns: Columns, row: int) -> None:
    """Put a new message between its neighbours, wherever in its session it belongs."""
    before, after, place = columns["before"], columns["after"], columns["place"]
    session = columns["session"][row]
    if session < 0 or columns["memory"][row]:
        return
    theirs = np.flatnonzero((columns["session"][:row] == session) & columns["alive"][:row] & ~columns["memory"][:row])
    is_earlier = place[theirs] <= place[row]
    if is_earlier.any():
        earlier = theirs[is_earlier]
        previous = int(earlier[np.lexsort((earlier, place[earlier]))[-1]])
        before[row], after[previous] = previous, row
    if not is_earlier.all():
        later = theirs[~is_earlier]
        following = int(later[np.lexsort((later, place[later]))[0]])
        after[row], before[following] = following, row


def unlink(columns: Columns, row: int) -> None:
    """Let the neighbours of a message that is gone point at each other."""
    before, after = columns["before"], columns["after"]
    previous, following = int(before[row]), int(after[row])
    if previous >= 0:
        after[previous] = following
    if following >= 0:
        before[following] = previous
    before[row] = after[row] = -1
