"""Which message came before and after which in its session: rows point at their neighbours, -1 is nobody. `last` is the
latest row of each session."""

import numpy as np

from chatServer.memory.ranking.items import Columns


def link_all(columns: Columns) -> dict[int, int]:
    """Point every live message at its neighbours; returned is the last of each session."""
    before, after = columns["before"], columns["after"]
    before[:], after[:] = -1, -1
    spoken = np.flatnonzero(columns["alive"] & ~columns["memory"] & (columns["session"] >= 0))
    rows = spoken[np.lexsort((spoken, columns["place"][spoken], columns["session"][spoken]))]
    same = columns["session"][rows[1:]] == columns["session"][rows[:-1]]
    before[rows[1:][same]] = rows[:-1][same]
    after[rows[:-1][same]] = rows[1:][same]
    ends = rows[np.append(~same, True)[: len(rows)]]
    return dict(zip(columns["session"][ends].tolist(), ends.tolist(), strict=True))


def link_one(columns: Columns, row: int, last: dict[int, int]) -> None:
    """Put a new message between its neighbours, wherever in its session it belongs."""
    before, after, place = columns["before"], columns["after"], columns["place"]
    session = int(columns["session"][row])
    if session < 0 or columns["memory"][row]:
        return
    latest = last.get(session, -1)
    if latest < 0 or place[latest] <= place[row]:  # as nearly always: nobody is looked for
        last[session] = row
        if latest >= 0:
            before[row], after[latest] = latest, row
        return
    theirs = np.flatnonzero((columns["session"][:row] == session) & columns["alive"][:row] & ~columns["memory"][:row])
    is_earlier = place[theirs] <= place[row]
    if is_earlier.any():
        earlier = theirs[is_earlier]
        previous = int(earlier[np.lexsort((earlier, place[earlier]))[-1]])
        before[row], after[previous] = previous, row
    later = theirs[~is_earlier]
    following = int(later[np.lexsort((later, place[later]))[0]])
    after[row], before[following] = following, row


def unlink(columns: Columns, row: int, last: dict[int, int]) -> None:
    """Let the neighbours of a message that is gone point at each other."""
    before, after, session = columns["before"], columns["after"], int(columns["session"][row])
    previous, following = int(before[row]), int(after[row])
    if last.get(session) == row:
        last[session] = previous
    if previous >= 0:
        after[previous] = following
    if following >= 0:
        before[following] = previous
    before[row] = after[row] = -1
