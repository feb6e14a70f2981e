"""Places and who waits for them; and how many of them one user may have, lest his crowd be one to others."""

import asyncio
import math
from collections.abc import Callable
from uuid import UUID

from chatServer import errors


class Row:
    """A few places, and those who wait for one, holding nothing."""

    def __init__(self, places: int) -> None:
        self.guests = 0  # who wait or have a place
        self._count = places
        self._places = asyncio.Semaphore(places)

    def wait_s(self, takes_s: float) -> float:
        """What the next one would have to wait, if one takes so long."""
        return max(self.guests - self._count, 0) * takes_s / self._count

    async def enter(self, within_s: float | None = None) -> None:
        """TimeoutError when no place is free in time."""
        self.guests += 1
        try:
            if self.guests > self._count:
                async with asyncio.timeout(within_s):  # in Python 3.11 `wait_for` may forget that it was cancelled
                    await self._places.acquire()
            else:  # at once, and without a timer
                await self._places.acquire()
        except BaseException:
            self.guests -= 1
            raise

    def leave(self) -> None:
        self._places.release()
        self.guests -= 1

    async def __aenter__(self) -> None:
        await self.enter()

    async def __aexit__(self, *_: object) -> None:
        self.leave()


class Shares:
    """Requests of one user may wait for each other's locks, each with a connection: more than these wait without."""

    def __init__(
        self,
        most: int,
        wait_s: float,
        *,
        waiting: float = math.inf,
        refusal: Callable[[], errors.ChatError] = errors.Crowded,
    ) -> None:
        """So many of each user, and so many `waiting` beside them; the next one gets the `refusal`."""
        self._most, self._wait_s = most, wait_s
        self._waiting, self._refusal = waiting, refusal
        self._rows: dict[UUID, Row] = {}

    def has_room(self, user_id: UUID) -> bool:
        """Whether the next one of this user would not have to wait."""
        row = self._rows.get(user_id)
        return row is None or row.guests < self._most

    def one_of(self, user_id: UUID) -> "OneOf":
        """Raises the refusal when the others of the same user take too long, or are too many."""
        return OneOf(self, user_id)

    async def enter(self, user_id: UUID) -> None:
        row = self._rows.get(user_id) or self._rows.setdefault(user_id, Row(self._most))
        try:
            await self._enter(row)
        finally:
            self._forget_if_empty(user_id, row)

    def leave(self, user_id: UUID) -> None:
        row = self._rows[user_id]
        row.leave()
        self._forget_if_empty(user_id, row)

    def _forget_if_empty(self, user_id: UUID, row: Row) -> None:
        if not row.guests:
            del self._rows[user_id]

    async def _enter(self, row: Row) -> None:
        if row.guests >= self._most + self._waiting:
            raise self._refusal()
        try:
            await row.enter(self._wait_s)
        except TimeoutError as error:
            raise self._refusal() from error


class OneOf:
    """A place among those of one user, for the length of a block; a generator would take 2 us more (2026-11-19)."""

    __slots__ = ("_shares", "_user_id")

    def __init__(self, shares: Shares, user_id: UUID) -> None:
        self._shares, self._user_id = shares, user_id

    async def __aenter__(self) -> None:
        await self._shares.enter(self._user_id)

    async def __aexit__(self, *_: object) -> None:
        self._shares.leave(self._user_id)
