"""What happens to a user's things, as his other tabs and devices hear it: sessions, titles, turns, memory, knowledge.

The events are in the database, told by whichever process changed something. Here is who listens at this one: all
streams of a user read from one Feed, and one look at the database says for all users together whose has grown.
"""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import AsyncIterator
from itertools import dropwhile
from typing import Literal
from uuid import UUID

from chatServer import errors, metrics
from chatServer.conversation.bell import Bell
from chatServer.records import Principal
from chatServer.store import user_events
from chatServer.store.pool import Database
from chatServer.store.user_events import Told

LOOK_EVERY_S = 0.5  # what other processes tell is heard this much later; see docs/operations.md for what a look costs
GATHER_S = 0.02  # what this process tells in quick succession is read together
HEARTBEAT_S = 15.0
MAX_STREAMS = 20  # of one user in one process
KEPT = 256  # events that a reader may be behind before the database is asked again
RETRY_AFTER_S = 10

logger = logging.getLogger(__name__)


class Feed:
    """The latest events of one user, and who waits for the next."""

    def __init__(self, principal: Principal) -> None:
        self.principal = principal
        self.streams = 0
        self.seq: int | None = None  # the last one that is known here; None: nobody has looked yet
        self._recent: deque[Told] = deque()  # all between `_base` and `seq`
        self._base = 0
        self.bell = Bell()

    def begin(self, seq: int) -> None:
        """From here on everything is kept for those who listen; what they know is as good as gone."""
        self._recent.clear()
        self._base = self.seq = seq
        self.bell.ring()

    def add(self, told: list[Told]) -> None:
        self._recent.extend(told)
        self.seq = told[-1].seq
        while len(self._recent) > KEPT:
            self._base = self._recent.popleft().seq
        self.bell.ring()

    def after(self, seq: int) -> list[Told] | None:
        """What came after a number; None when that is not known here."""
        if self.seq is None or not self._base <= seq <= self.seq:
            return None
        return list(dropwhile(lambda each: each.seq <= seq, self._recent))


class Feeds:
    """Of all users who listen at this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._feeds: dict[UUID, Feed] = {}
        self._told: set[UUID] = set()  # who of them was told something by this very process
        self._stirred = asyncio.Event()
        self._looked_at = 0.0
        self.has_ended = False
        database.on_told = self._hear_of

    async def open(self, principal: Principal, last_seen: int | None) -> "Stream":
        """Begin to listen: at the present, or after what was seen last. Whoever opens a stream closes it."""
        feed = self._feeds.get(principal.user_id) or Feed(principal)
        if feed.streams >= MAX_STREAMS:
            raise errors.RateLimited(
                f"You listen to your events in {MAX_STREAMS} places already. Close one of them.",
                limit="event_streams",
                retry_after_s=RETRY_AFTER_S,
            )
        self._feeds[principal.user_id] = feed
        stream = Stream(self, feed)
        try:
            await stream.begin(last_seen)
        except BaseException:
            stream.close()
            raise
        self._stirred.set()
        return stream

    async def read(self, feed: Feed, after_seq: int | None) -> user_events.Heard:
        async with self._database.transaction(feed.principal) as connection:
            return await user_events.read_user_events(connection, feed.principal.user_id, after_seq)

    def leave(self, feed: Feed) -> None:
        """The last stream of a user takes the feed with it."""
        if not feed.streams and self._feeds.get(feed.principal.user_id) is feed:
            del self._feeds[feed.principal.user_id]

    async def run(self, stopping: asyncio.Event) -> None:
        """Keep the feeds up to date until the process ends; then every stream ends, and its reader goes elsewhere."""
        ending = asyncio.ensure_future(stopping.wait())
        ending.add_done_callback(self._end)  # even while the database hangs
        while not stopping.is_set():
            await self._wait(ending)
            try:
                await self._read()
            except Exception as error:  # noqa: BLE001  a stream that is late catches up; one that is dead says nothing
                logger.warning("the events of users cannot be read now: %s", type(error).__name__)
                await asyncio.wait({ending}, timeout=LOOK_EVERY_S)

    def _end(self, _: object) -> None:
        self.has_ended = True
        for feed in self._feeds.values():
            feed.bell.ring()

    async def _wait(self, ending: asyncio.Task[Literal[True]]) -> None:
        """Until something was told here, or it is time to look what was told elsewhere; before that, for a listener."""
        stirring = asyncio.ensure_future(self._stirred.wait())
        timeout_s = LOOK_EVERY_S if self._feeds else None
        await asyncio.wait({ending, stirring}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        stirring.cancel()
        if self._stirred.is_set():
            await asyncio.wait({ending}, timeout=GATHER_S)
        self._stirred.clear()

    async def _read(self) -> None:
        """For those who were told something here and, when it is time to look, those whose head says so."""
        told, self._told = self._told, set()
        now = time.monotonic()
        if self._feeds and now - self._looked_at >= LOOK_EVERY_S - GATHER_S:
            known = {user_id: feed.seq for user_id, feed in self._feeds.items() if feed.seq is not None}
            heads = await user_events.read_heads(self._database, known)
            told |= {user_id for user_id, seq in known.items() if heads.get(user_id) != seq}
            self._looked_at = now
        for user_id in told:
            await self._catch_up(user_id)

    async def _catch_up(self, user_id: UUID) -> None:
        feed = self._feeds.get(user_id)
        if feed is None or feed.seq is None:
            return
        head, told = await self.read(feed, feed.seq)
        if told is None:
            feed.begin(head)
        elif told:
            feed.add(told)

    def _hear_of(self, user_id: UUID) -> None:
        if user_id in self._feeds:
            self._told.add(user_id)
            self._stirred.set()


@contextlib.asynccontextmanager
async def running(database: Database, stopping: asyncio.Event) -> AsyncIterator[Feeds]:
    """The feeds of a process; the caller tells them to stop."""
    feeds = Feeds(database)
    keeping = asyncio.create_task(feeds.run(stopping))
    try:
        yield feeds
    finally:
        await keeping


class Stream:
    """One tab or device that listens."""

    def __init__(self, feeds: Feeds, feed: Feed) -> None:
        self._feeds = feeds
        self._feed = feed
        self._first: list[Told] = []
        self._is_open = True
        feed.streams += 1
        metrics.event_streams.inc()

    async def begin(self, last_seen: int | None) -> None:
        head, told = await self._feeds.read(self._feed, last_seen)
        if self._feed.seq is None:
            self._feed.begin(head)
        if told is None:
            self._first = [Told(head, "reset", "{}")]
        else:
            self._first = [Told(head if last_seen is None else last_seen, "hello", "{}"), *told]

    async def follow(self, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[list[Told]]:
        """First where it begins, then whatever comes; an empty batch now and then while nothing does."""
        yield self._first
        seen = self._first[-1].seq
        while not self._feeds.has_ended:
            known = self._feed.seq
            try:
                batch = await self._next(seen)
            except errors.DatabaseUnavailable:
                return  # the client may resume
            if batch:
                seen = batch[-1].seq
                yield batch
            elif self._feed.seq == known and not self._feeds.has_ended and not await self._feed.bell.heard(heartbeat_s):
                yield []

    async def _next(self, seen: int) -> list[Told]:
        """From the feed; whoever is too far behind, or ahead of it, asks the database."""
        batch = self._feed.after(seen)
        if batch is not None:
            return batch
        head, told = await self._feeds.read(self._feed, seen)
        return [Told(head, "reset", "{}")] if told is None else told

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._feed.streams -= 1
            self._feeds.leave(self._feed)
            metrics.event_streams.dec()
