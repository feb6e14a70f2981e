"""Which messages make a page: as many as were asked for and can be held in memory, and no turn in two of them."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias
from uuid import UUID

from chatServer.records import Principal, Session, StoredMessage, Stretch, Turn
from chatServer.store import deeds, events, images, turns
from chatServer.store.pool import Connection

LONGEST_PAGE = 2_000  # rows; one turn with more steps than this is cut
LARGEST_PAGE = 8_000_000  # characters and bytes of pictures, which JSON makes a third more
LARGEST_TURN = 16_000_000  # one turn with more than this is cut; one message may be larger


# Whether a page may begin with a row, given the one before it.
Begins: TypeAlias = Callable[[StoredMessage, StoredMessage], bool]


@dataclass(frozen=True, slots=True)
class Way:
    """How rows are read from a point on, back or ahead, and where pages of them may part."""

    read: Callable[[int, int], Awaitable[Stretch]]
    begins: Begins
    is_back: bool = True

    async def rows(self, limit: int, point: int) -> tuple[list[StoredMessage], bool]:
        """The nearest first, and whether they are fewer than there would be."""
        stretch = await self.read(limit, point)
        return stretch.stored[::-1] if self.is_back else stretch.stored, stretch.is_cut

    def parts(self, near: StoredMessage, far: StoredMessage) -> bool:
        """Whether a page may end between two neighbours."""
        return self.begins(far, near) if self.is_back else self.begins(near, far)


@dataclass(frozen=True, slots=True)
class Page:
    """What a transcript is made of, oldest first, and where the parts before and after it go on."""

    stored: list[StoredMessage]
    known: dict[UUID, Turn]
    words: dict[UUID, str]  # of turns whose process died
    before: str | None = None
    after: str | None = None

    def __add__(self, newer: "Page") -> "Page":
        """With the page that follows it."""
        known, words = self.known | newer.known, self.words | newer.words
        return Page(self.stored + newer.stored, known, words, self.before, newer.after)


async def read_page(
    connection: Connection, principal: Principal, session: Session, way: Way, *, limit: int, point: int
) -> Page:
    """The `limit` rows next to a point, made whole."""
    found, more = await _whole(way, limit, point)
    beside = Counter(await images.measure_images(connection, principal.user_id, session.session_id, found))
    beside.update(await _unfinished_words(connection, principal, found))
    length = _not_too_large(way, found, beside)
    page = await fill(connection, principal, session, sorted(found[:length], key=lambda each: each.id))
    if not found or not (more or length < len(found)):
        return page
    farthest = found[length - 1].message.message_id
    return replace(page, before=farthest) if way.is_back else replace(page, after=farthest)


async def fill(connection: Connection, principal: Principal, session: Session, stored: Sequence[StoredMessage]) -> Page:
    """These rows with their pictures, and what is known of their turns."""
    shown = await images.put_images_back(connection, principal.user_id, session.session_id, stored)
    shown = await deeds.without_taken_back(connection, principal.user_id, shown)
    known = await turns.read_turns(connection, principal.user_id, {each.turn_id for each in shown if each.turn_id})
    cut_off = [turn.turn_id for turn in known.values() if turn.state == "interrupted" and turn.partial_text is None]
    return Page(shown, known, await events.read_words(connection, principal.user_id, cut_off))


async def _unfinished_words(
    connection: Connection, principal: Principal, stored: Sequence[StoredMessage]
) -> dict[str, int]:
    """How long what turns left beside their messages is, by the message that asked for it."""
    asked = {each.turn_id: each.message.message_id for each in stored if each.turn_id and each.message.role == "user"}
    found = await turns.measure_partial_texts(connection, principal.user_id, asked)
    return {asked[turn_id]: size for turn_id, size in found.items()}


async def _whole(way: Way, limit: int, point: int) -> tuple[list[StoredMessage], bool]:
    """As many rows as a page takes, the nearest first, up to where one may end, and whether there are more beyond. Once
    it is too large, no more is read, and where it ends is for `_not_too_large` to say."""
    found: list[StoredMessage] = []
    while True:
        rows, is_cut = await way.rows(limit + 1 - len(found), found[-1].id if found else point)
        found = found + rows
        size = sum(each.size for each in found)
        end = max((i for i, neighbours in enumerate(pairwise(found), 1) if way.parts(*neighbours)), default=None)
        if is_cut:
            if size > (LARGEST_TURN if end is None else LARGEST_PAGE):
                return found, True
        elif len(found) <= limit:
            return found, False
        elif end is not None:
            return found[:end], True
        elif limit >= LONGEST_PAGE or size > LARGEST_TURN:
            return found[:-1], True
        else:
            limit = min(limit * 4, LONGEST_PAGE)


def _not_too_large(way: Way, found: Sequence[StoredMessage], beside: Mapping[str, int]) -> int:
    """How many of the rows, the nearest first, make a page that can be held in memory and sent: up to where one may
    end if that comes in time, and at least one of them."""
    size, end = 0, 0
    for i, each in enumerate(found):
        size += each.size + beside.get(each.message.message_id, 0)
        if size > LARGEST_PAGE and end:
            return end
        if size > LARGEST_TURN and i:
            return i
        if i + 1 < len(found) and way.parts(each, found[i + 1]):
            end = i + 1
    return len(found)
