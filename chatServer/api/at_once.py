"""How much of something one user may do at once in this process: the next one is told to come back."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from chatServer import errors

SOON_S = 2  # when one of them ends is not known


class AtOnce:
    """Counts who is inside; nobody waits in line."""

    def __init__(self, most: int, *, limit: str, detail: str) -> None:
        self._most = most
        self._limit = limit
        self._detail = detail
        self._inside: Counter[UUID] = Counter()

    @contextlib.contextmanager
    def entered(self, user_id: UUID) -> Iterator[None]:
        """Raises RateLimited when so many of the user's are inside already."""
        if self._inside[user_id] >= self._most:
            raise errors.RateLimited(self._detail, limit=self._limit, retry_after_s=SOON_S)
        self._inside[user_id] += 1
        try:
            yield
        finally:
            self._inside[user_id] -= 1
            if not self._inside[user_id]:
                del self._inside[user_id]
