"""How much of something one user may do at once in this process: the next one is told to come back."""

from functools import partial

from chatServer import errors
from chatServer.store.shares import Shares

SOON_S = 2  # when one of them ends is not known


def at_once(most: int, *, limit: str, detail: str) -> Shares:
    """Nobody waits in line."""
    return Shares(most, 0, waiting=0, refusal=partial(errors.RateLimited, detail, limit=limit, retry_after_s=SOON_S))
