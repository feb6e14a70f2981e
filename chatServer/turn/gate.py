"""How many turns begin at once, and when one more is turned away: at the door, while that is still quick."""

import contextlib
import time
from collections.abc import AsyncIterator
from uuid import UUID

from chatServer import errors, metrics
from chatServer.store.shares import Row

MAX_WAIT_S = 1.0  # what somebody may have to wait before his turn begins
OWN_PLACES = 2  # of one user: more of his would only wait for each other's locks, each with a connection
SMOOTHING = 0.1  # how much one measurement changes what is believed


class Gate:
    """Whoever comes waits in a row. When those before him would take too long, he hears so at once, and those in the
    row are served as fast as ever: more at the same time would be slower for all of them. One user's crowd stands in a
    row of its own, and is no crowd to others.

    It cannot stay shut: it is full only while others wait."""

    def __init__(self, places: int) -> None:
        self._all = Row(places)
        self._own: dict[UUID, Row] = {}
        self._takes_s = 0.01  # one turn to begin, as measured of late

    def refuse_if_full(self, user_id: UUID | None = None) -> None:
        """Raises Overloaded; also for whoever wants to know it before it is known who asks."""
        wait_s = self._all.wait_s(self._takes_s)
        if user_id in self._own:  # whose every turn waits in both rows
            wait_s += self._own[user_id].wait_s(self._takes_s + wait_s)
        if wait_s > MAX_WAIT_S:
            metrics.turns_turned_away.inc()
            raise errors.Overloaded

    @contextlib.asynccontextmanager
    async def entered(self, user_id: UUID) -> AsyncIterator[None]:
        """For as long as a turn begins; Overloaded when it would begin too late."""
        self.refuse_if_full(user_id)
        own = self._own.setdefault(user_id, Row(OWN_PLACES))
        try:
            async with own, self._all:
                began_at = time.monotonic()
                try:
                    yield
                finally:
                    self._takes_s += SMOOTHING * (time.monotonic() - began_at - self._takes_s)
        finally:
            if not own.guests:
                self._own.pop(user_id, None)
