"""One user's items in the process, as arrays: found by their words (BM25 with his own IDF) and by their meaning."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chatServer.memory.ranking.items import ROLES, Codes, Columns, Items
from chatServer.memory.ranking.links import link_all, link_one, unlink
from chatServer.memory.ranking.packing import DIMENSIONS, SCANNED, packed_ids, packed_vectors, saturated, unit
from chatServer.memory.ranking.places import NO_PLACES, places_of
from chatServer.memory.ranking.postings import NO_POSTINGS, Floats, Postings, Rows, post
from chatServer.memory.ranking.sessions import Sessions
from chatServer.memory.ranking.typical import Typical, typical
from chatServer.messages.terms import MARKS

MAX_QUESTION_TERMS = 32  # the rarest ones
TAIL = 2_048  # new items before their postings join the others, which copies all of them
SHORT_TAIL = 256  # where there are few others: each new item copies the tail
NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8))  # terms, rows, counts
LOW_HALF = 2**64 - 1
FEW = 32  # up to so many new items are linked one by one

KINDS = {
    "id": (np.uint64, 2), "memory": (np.bool_, 1), "role": (np.int8, 1), "speaker": (np.int32, 1),
    "session": (np.int32, 1), "shelf": (np.int32, 1), "place": (np.int64, 1), "time": (np.float64, 1),
    "chars": (np.int32, 1), "length": (np.float32, 1), "marks": (np.uint8, 1), "importance": (np.float32, 1),
    "long_term": (np.bool_, 1), "alive": (np.bool_, 1), "before": (np.int32, 1), "after": (np.int32, 1),
    "scan": (np.float32, SCANNED), "vec": (np.int8, DIMENSIONS), "scale": (np.float32, 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scope:
    """Where is searched: what is not said is not restricted."""

    shelves: frozenset[str] | None = None
    session: str | None = None
    without_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Lexical:
    """How the words of a question are spread: BM25 of each row, and where each term that was met stands, how often."""

    worth: Floats  # by row; the last entry is nobody's
    idf: Floats  # by term
    counts: npt.NDArray[np.uint8]  # rows x terms; the last row is nobody's
    rows: Rows  # of each posting, as are the next two
    terms: Rows
    often: npt.NDArray[np.uint8]

    @property
    def scores(self) -> Floats:
        return self.worth[:-1]


class Index:
    """Rows are numbered as they come and never move; removed ones stay as dead rows until the next rebuild."""

    def __init__(self, items: Items) -> None:
        self.columns = Columns(KINDS)
        self.speakers, self.sessions, self.shelves = Codes(), Sessions(), Codes()
        self.live = 0
        self._base = self._tail = NO_POSTINGS
        self._places = NO_PLACES
        self._tail_from = 0
        self._total_length = 0.0
        self._typical: Typical | None = None
        self._append(items)
        self._settle()
        self.sessions.last = link_all(self.columns)

    def __len__(self) -> int:
        return self.live

    @property
    def nbytes(self) -> int:
        return self.columns.nbytes + self._base.nbytes + self._tail.nbytes + self._places.nbytes

    @property
    def mean_length(self) -> float:
        return max(self._total_length / max(self.live, 1), 1.0)

    @property
    def typical(self) -> Typical:
        """What this user's messages are like; counted anew when there are 2 % more or fewer of them."""
        if self._typical is None or self._typical.is_outdated(self.live):
            self._typical = typical(self.columns, self._postings())
        return self._typical

    def add(self, items: Items) -> None:
        """New items, without building anything again; an id that is there already is replaced."""
        self.remove(items.ids)
        first = self.columns.count
        self._append(items)
        if len(items) > FEW:
            self.sessions.last = link_all(self.columns)
        else:
            for row in range(first, self.columns.count):
                link_one(self.columns, row, self.sessions.last)
        if self.columns.count - self._tail_from > min(TAIL, max(SHORT_TAIL, self._tail_from // 4)):
            self._settle()

    def remove(self, ids: Collection[UUID]) -> None:
        """Forget some items; unknown ids are nobody's."""
        rows = self.rows_of(ids)
        if not len(rows):
            return
        self.columns["alive"][rows] = False
        self.live -= len(rows)
        self._total_length -= float(self.columns["length"][rows].sum())
        self.sessions.count(self.columns, rows, -1)
        for row in rows.tolist():
            unlink(self.columns, row, self.sessions.last)

    def rows_of(self, ids: Collection[UUID]) -> Rows:
        """The live rows of some items."""
        if not ids or not self.columns.count:
            return np.empty(0, np.int64)
        wanted = {each.int for each in ids}
        lows = np.array(sorted({number & LOW_HALF for number in wanted}), np.uint64)
        near: Rows = np.array(sorted(self._places.of(lows) + self._in_the_tail(lows)), np.int64)
        near = near[self.columns["alive"][near]]
        is_one = [high << 64 | low in wanted for high, low in self.columns["id"][near].tolist()]
        return near[np.array(is_one, np.bool_)]

    def id_of(self, row: int) -> UUID:
        return self.ids_of(np.array([row]))[0]

    @property
    def live_ids(self) -> list[UUID]:
        return self.ids_of(np.flatnonzero(self.columns["alive"])) if self.live else []

    def ids_of(self, rows: Rows) -> list[UUID]:
        packed = self.columns["id"][rows].astype(">u8").tobytes()
        return [UUID(bytes=packed[start : start + 16]) for start in range(0, len(packed), 16)]

    def allowed(self, scope: Scope) -> npt.NDArray[np.bool_]:
        """The rows that a search may look at."""
        allowed: npt.NDArray[np.bool_] = self.columns["alive"].copy()
        if scope.shelves is not None:
            allowed &= self.shelves.among(self.columns["shelf"], scope.shelves)
        if scope.session is not None:
            allowed &= self.sessions.among(self.columns["session"], [scope.session])
        allowed[self.rows_of(scope.without_ids)] = False
        return allowed

    def within(self, scope: Scope, ids: Collection[UUID]) -> list[UUID]:
        """Those of some items that a search may look at."""
        if not ids:
            return []
        rows = self.rows_of(ids)
        return self.ids_of(rows[self.allowed(scope)[rows]])

    def lexical(self, terms: Iterable[int], allowed: npt.NDArray[np.bool_]) -> Lexical:
        """BM25 of every allowed row. How rare a term is, all of the user's items say; it is known from them alone."""
        alive, length = self.columns["alive"], self.columns["length"]
        wanted = np.array(list(dict.fromkeys(terms)), np.uint64)
        found = [part.of(wanted) for part in self._postings() if len(part.keys)]
        terms_met, rows, often = (np.concatenate(each) for each in zip(NOTHING, *found, strict=True))
        frequency = np.bincount(terms_met[alive[rows]], minlength=len(wanted))
        met = np.argsort(frequency, kind="stable")
        met = met[frequency[met] > 0][:MAX_QUESTION_TERMS]
        place = np.full(len(wanted), -1, np.int64)
        place[met] = np.arange(len(met))
        is_met = place[terms_met] >= 0
        at, rows, often = place[terms_met[is_met]], rows[is_met], often[is_met]
        idf = np.log(1 + (self.live - frequency[met] + 0.5) / (frequency[met] + 0.5)).astype(np.float32)
        each = idf[at] * saturated(often.astype(np.float32), length[rows] / self.mean_length)
        worth = np.bincount(rows, each, len(alive) + 1).astype(np.float32)
        worth[:-1][~allowed] = 0
        counts = np.zeros((len(alive) + 1, len(met)), np.uint8)
        counts[rows, at] = often
        return Lexical(worth, idf, counts, rows, at, often)

    def scan(self, vec: Floats) -> Floats:
        """The cosine of every row by its first dimensions: enough to choose candidates."""
        cosines: Floats = self.columns["scan"] @ unit(vec[:SCANNED])
        return cosines

    def cosine(self, rows: Rows | slice, vec: Floats) -> Floats:
        """The cosine of some rows; 0 where there is no vector."""
        cosines: Floats = (self.columns["vec"][rows].astype(np.float32) @ unit(vec)) * self.columns["scale"][rows]
        return cosines

    def _postings(self) -> tuple[Postings, Postings]:
        return self._base, self._tail

    def _settle(self) -> None:
        """Let what came last join what is searched by bisection."""
        self._base, self._tail, self._tail_from = self._base.joined(self._tail), NO_POSTINGS, self.columns.count
        self._places = places_of(self.columns["id"][:, 1])

    def _in_the_tail(self, lows: npt.NDArray[np.uint64]) -> list[int]:
        """The rows of ids, whose halves ascend, among those that came last."""
        known = self.columns["id"][self._tail_from :, 1]
        near = np.minimum(np.searchsorted(lows, known), len(lows) - 1)
        return (self._tail_from + np.flatnonzero(lows[near] == known)).tolist()

    def _append(self, items: Items) -> None:
        count, first = len(items), self.columns.count
        lengths = np.fromiter((len(terms) // 4 for terms in items.terms), np.int64, count)
        terms = np.frombuffer(b"".join(items.terms), "<u4")
        rows = np.repeat(np.arange(first, first + count), lengths)
        marks = np.zeros(count, np.uint8)
        is_mark = np.zeros(len(terms), np.bool_)
        for bit, mark in enumerate(MARKS):
            here = terms == mark
            is_mark |= here
            marks[rows[here] - first] |= 1 << bit
        length = lengths - np.bincount(rows[is_mark] - first, minlength=count)
        self._tail = self._tail.joined(post(terms[~is_mark], rows[~is_mark]))
        self.columns.append(
            {**self._plain(items), **packed_vectors(items.vecs), "marks": marks, "length": length}, count
        )
        self.live += count
        self._total_length += float(length.sum())
        self.sessions.count(self.columns, slice(first, None), 1)

    def _plain(self, items: Items) -> dict[str, npt.ArrayLike]:
        return {
            "id": packed_ids(items.ids),
            "memory": items.is_memory,
            "role": [ROLES.index(role) if role in ROLES else len(ROLES) - 1 for role in items.roles],
            "speaker": self.speakers.of([name and name.casefold() for name in items.speakers]),
            "session": self.sessions.of(items.sessions),
            "shelf": self.shelves.of(items.shelves),
            "place": items.places,
            "time": items.times,
            "chars": items.chars,
            "importance": items.importances,
            "long_term": items.is_long_term,
            "alive": True,
            "before": -1,
            "after": -1,
        }
