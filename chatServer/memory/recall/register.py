"""What one user's questions are answered from, in this process: the index of his messages and memories, and up to
where it knows things. It may be stale, so nothing of it is shown: it says which rows to read."""

import asyncio
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Literal, NamedTuple
from uuid import UUID

from chatServer.memory.ranking.index import Index
from chatServer.memory.recall.entities import Entities
from chatServer.memory.recall.unpack import Piece, items_of
from chatServer.store.recall import Clock, Glance, LiveMemory, LiveMessage, News, Since

MAX_LACKING = 64  # items whose vectors are asked for again, the newest
REPLACED_BYTES = 400  # of each, with its sources; about
TELLER_BYTES = 250  # of each message, with what was learned from it; about
MAX_WAITING = 32  # messages that are not in the index yet; as many are linked one by one
WAITING_BYTES = 1_500  # of each; about


class Replaced(NamedTuple):
    """A memory that something has replaced: until when it held, and the messages that said it."""

    until_s: float
    sources: tuple[UUID, ...]


class Recent(NamedTuple):
    """A message that was said lately, as far as it is known."""

    place: int
    time_s: float
    has_vector: bool


class Register:
    """Whoever searches or changes it holds `lock`."""

    def __init__(self, clock: Clock, pieces: Sequence[Piece | None], *, overlap_s: float) -> None:
        """Of pieces, each newest first, as the store gives them."""
        self.lock = asyncio.Lock()
        self.missing: Literal["loading", "partial"] | None = None  # why it may not know everything
        self.has_memories = False  # or has had some
        self.entities = Entities()
        self.replaced: dict[UUID, Replaced] = {}
        self._learned: dict[str, tuple[UUID, ...]] = {}  # from a message: what held when it was noted, and has no end
        self._overlap_s = overlap_s
        self._loaded_s = clock.now_s
        self._seq = clock.seq
        self._place, self._newest = 0, clock.place
        self._recent: dict[UUID, Recent] = {}  # beyond `_place`: asked for again, and known
        self._lacking: tuple[dict[UUID, None], dict[UUID, None]] = ({}, {})  # messages and memories without a vector
        self._outdated: dict[UUID, float] | None = None
        found = [piece for piece in pieces if piece]
        self._index = Index(items_of((piece, range(len(piece))) for piece in found))
        self._waiting: dict[UUID, tuple[Piece, int]] = {}  # messages that it does not have yet, and where they stand
        _ = self._index.typical  # counted here, not by a question
        for piece in found:
            self._note(piece, range(len(piece)))
        newest = next((piece for piece in found if not piece.is_memory), None)
        if newest:
            self._place = min(newest.places) - 1
            self._advance(newest, clock)

    @property
    def nbytes(self) -> int:
        beside = REPLACED_BYTES * len(self.replaced) + TELLER_BYTES * len(self._learned)
        return self._index.nbytes + beside + WAITING_BYTES * len(self._waiting) + self.entities.nbytes

    @property
    def index(self) -> Index:
        """All that is known."""
        if self._waiting:
            # Those of one piece together, for it is unpacked whole: 20 took 0.15 ms instead of 2.4 (2026-11-19).
            parts: dict[int, tuple[Piece, list[int]]] = {}
            for piece, place in self._waiting.values():
                parts.setdefault(id(piece), (piece, []))[1].append(place)
            self._index.add(items_of(parts.values()))
            self._waiting.clear()
        return self._index

    def index_beside(self, prompt: Set[UUID]) -> Index:
        """What is searched for a prompt that has these messages: while it has all that came last, these wait, and are
        learned together: 15.5 million instructions for a turn instead of 16.8 (2026-11-18)."""
        return self._index if self._waiting.keys() <= prompt else self.index

    @property
    def speakers(self) -> Mapping[str, int]:
        """Who has said something, by the number that the index has for him."""
        return self._index.speakers.codes

    @property
    def since_place(self) -> int:
        """Before it, all messages are known."""
        return self._place

    @property
    def since(self) -> Since:
        messages, memories = self._lacking
        known = [item_id for item_id, recent in self._recent.items() if recent.has_vector]
        waiting = [item_id for item_id, recent in self._recent.items() if not recent.has_vector]
        lacking = [item_id for item_id in messages if item_id not in self._recent]
        return Since(self._place, self._seq, known, waiting, lacking, list(memories))

    def update(self, news: News, sought: Collection[UUID] = ()) -> set[UUID]:
        """Learn what came since, and that what was sought and is not live is gone; returned is what was not known
        before, or only without its vector."""
        changed: set[UUID] = set()
        messages, memories = Piece.of(news.messages, is_memory=False), Piece.of(news.memories, is_memory=True)
        if messages:
            changed |= self._hear(messages, [p for p in range(len(messages)) if self._is_new(messages, p)])
        self._advance(messages, news.clock)
        if memories:
            changed |= self._learn(memories, [p for p in range(len(memories)) if self._is_changed(memories, p)])
        if news.clock.seq >= self._seq:  # a later answer may have brought it back
            self.forget([*news.clock.gone, *(item_id for item_id in sought if item_id not in news.live)])
        self._seq = max(self._seq, news.clock.seq)
        self._newest = max(self._newest, news.clock.place)
        return changed

    def is_behind(self, clock: Clock) -> bool:
        """Whether more has come than was told: then something between is not known. Or whether all that was loaded has
        been erased since: numbers begin anew then."""
        return (
            clock.erased_s >= self._loaded_s
            or (clock.place_missed or 0) > self._newest
            or (clock.seq_missed or 0) > self._seq
        )

    def may_fit(self, messages: int) -> bool:
        """Whether a prompt of so many messages may have all that it knows."""
        return len(self._index) + len(self._waiting) <= messages

    def is_within(self, prompt: Set[UUID]) -> bool:
        """Whether a prompt that has these messages has all that it knows."""
        return self.may_fit(len(prompt)) and prompt >= {*self._waiting, *self._index.live_ids}

    def has_all_within(self, prompt: Set[str], glance: Glance) -> bool:
        """Whether there was nothing beside a prompt when somebody glanced at what came since."""
        is_as_known = glance.seq == self._seq and glance.erased_s < self._loaded_s
        if not is_as_known or not self.may_fit(len(prompt)):
            return False
        return prompt >= {*glance.newest, *map(str, self._waiting), *map(str, self._index.live_ids)}

    def has_heard(self, prompt: Set[UUID], glance: Glance) -> bool:
        """Whether nothing that it should search for had come beside a prompt when somebody glanced."""
        unheard = set(map(UUID, glance.newest)) - self._recent.keys()
        return glance.seq <= self._seq and unheard <= prompt

    def forget(self, ids: Collection[UUID]) -> None:
        """What is no longer there to be shown."""
        if ids:
            self._index.remove(ids)
            self.entities.remove(ids)
        for item_id in ids:
            self._waiting.pop(item_id, None)
            self._lacking[0].pop(item_id, None)
            self._lacking[1].pop(item_id, None)
            self._recent.pop(item_id, None)  # it is new when it comes back
            if self.replaced.pop(item_id, None):
                self._outdated = None

    def held_until(self, message_id: UUID) -> float | None:
        """When something that a message says was replaced; None: nothing was."""
        if self._outdated is None:
            said = [(source, each.until_s) for each in self.replaced.values() for source in each.sources]
            self._outdated = dict(said)
        return self._outdated.get(message_id)

    def holds_in_part(self, row: LiveMessage | LiveMemory) -> bool:
        """Whether something that was learned from a message still holds, though something else was replaced."""
        if isinstance(row, LiveMemory):
            return False
        learned = [each for each in self._learned.get(str(row.message_id), ()) if each not in self.replaced]
        return len(self._index.rows_of(learned)) > 0  # not what was forgotten since

    def ended(self, row: LiveMessage | LiveMemory, now_s: float) -> float | None:
        """Until when it held, where that is over. A memory says so itself: it may have ended since the index was
        loaded."""
        if isinstance(row, LiveMessage):
            return self.held_until(row.message_id)
        return row.valid_to.timestamp() if row.valid_to and row.valid_to.timestamp() <= now_s else None

    def _is_new(self, messages: Piece, place: int) -> bool:
        """Another question may have learned it meanwhile."""
        item_id, has_vector = messages.ids[place], messages.has_vector[place]
        if item_id in self._lacking[0]:
            return has_vector
        known = self._recent.get(item_id)
        return known is None or (has_vector and not known.has_vector)

    def _is_changed(self, memories: Piece, place: int) -> bool:
        is_later = memories.places[place] > self._seq
        return is_later or (memories.has_vector[place] and memories.ids[place] in self._lacking[1])

    def _hear(self, messages: Piece, places: Sequence[int]) -> set[UUID]:
        """Messages wait until somebody searches for what may be one of them, or there are many."""
        heard = {messages.ids[place]: (messages, place) for place in places}
        self._waiting |= heard
        self._note(messages, places)
        if len(self._waiting) > MAX_WAITING:
            _ = self.index
        return set(heard)

    def _learn(self, piece: Piece, places: Sequence[int]) -> set[UUID]:
        if places:
            self._index.add(items_of([(piece, places)]))
            self._note(piece, places)
        return {piece.ids[place] for place in places}

    def _note(self, piece: Piece, places: Sequence[int]) -> None:
        """What is known of items beside the index."""
        lacking = self._lacking[piece.is_memory]
        for place in places:
            item_id = piece.ids[place]
            if piece.has_vector[place]:
                lacking.pop(item_id, None)
            elif len(lacking) < MAX_LACKING:
                lacking[item_id] = None
            if piece.is_memory:
                self._note_memory(piece, place, item_id)

    def _note_memory(self, piece: Piece, place: int, memory_id: UUID) -> None:
        columns = piece.columns
        self.has_memories = True
        self.entities.add(memory_id, columns.subjects[place], columns.objects[place])
        if self.replaced.pop(memory_id, None) or piece.is_replaced(place):
            self._outdated = None
        if piece.is_replaced(place):
            self.replaced[memory_id] = Replaced(piece.ends[place], piece.sources(place))
            return
        for source in columns.sources[place].split():
            known = self._learned.get(source, ())
            if memory_id not in known:
                self._learned[source] = (*known, memory_id)

    def _advance(self, messages: Piece | None, clock: Clock) -> None:
        """Ids are given out before COMMIT, so a smaller one may still come: for as long as transactions can take,
        everything is asked for again but what is known."""
        settled_s = clock.now_s - self._overlap_s
        if messages:
            told = map(Recent, messages.places, messages.times, messages.has_vector)
            self._recent |= zip(messages.ids, told, strict=True)
            self._newest = max(self._newest, *messages.places)
        settled = [recent.place for recent in self._recent.values() if recent.time_s < settled_s]
        self._place = max([self._place, *settled])
        for item_id in [item_id for item_id, recent in self._recent.items() if recent.place <= self._place]:
            del self._recent[item_id]
