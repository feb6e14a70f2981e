"""What a turn says, numbered once: kept here for followers in this process, and written to the log for all others."""

from collections.abc import AsyncIterator
from typing import TypeAlias

from chatServer.conversation.bell import Bell
from chatServer.messages import clean_json, clean_text
from chatServer.records import WORDS, TurnEvent

ENDINGS = frozenset({"finish", "abort", "error"})
HEARTBEAT_S = 15.0
BATCH = 256  # events that are sent in one piece: what a reader that takes nothing makes us hold
# After a word, the next ones wait so long and go out together: to write each of 20 words that come at once by itself
# was 15 % of a streamed turn's samples (py-spy, 600 turns, 2026-11-16). Where 16 are answered at once they come over a
# tenth of a second: in 8 pieces with 5 ms, in 5 with 30, and a person sees no difference (N = 960, 2026-11-18).
TOGETHER_S = 0.03


Numbered: TypeAlias = tuple[int, TurnEvent]  # an event behind its place in the turn


class EventLog:
    """Grows while the turn runs. Nobody is ever waited for: a follower reads at its own speed, and one that is slow
    or gone costs the turn nothing."""

    def __init__(self, first_seq: int = 1) -> None:
        self._first_seq = first_seq
        self._events: list[TurnEvent] = []
        self._bell = Bell()
        self._end = Bell()
        self._is_stored_to = first_seq - 1
        self._has_ended = False

    def add(self, event: TurnEvent, *, is_clean: bool = False) -> None:
        """Number an event, and tell those who wait. `is_clean`: it says what the database gave, which is fit for it; to
        look through ten recalled lines was one in seven of the calls that recall makes in a turn (2026-11-18)."""
        self._events.append(event if is_clean else cleaned(event))
        if self._bell.waiting:
            self._bell.ring()

    def end(self) -> None:
        """Nothing more comes."""
        self._has_ended = True
        self._bell.ring()
        self._end.ring()

    def unstored(self) -> tuple[int, list[TurnEvent]]:
        """What the database does not have yet, and the number of the first of it."""
        return self._is_stored_to + 1, self._events[self._is_stored_to + 1 - self._first_seq :]

    def mark_stored(self, count: int) -> None:
        self._is_stored_to += count

    async def follow(self, after_seq: int, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[list[Numbered]]:
        """Everything after a number, in batches as it comes; an empty batch now and then while nothing does."""
        place = max(after_seq + 1 - self._first_seq, 0)
        while True:
            batch = self._events[place : place + BATCH]
            if batch:
                yield list(enumerate(batch, self._first_seq + place))
                place += len(batch)
                if len(batch) < BATCH and batch[-1].kind in WORDS and not self._has_ended:
                    await self._end.heard(TOGETHER_S)
            elif self._has_ended:
                return
            elif not await self._bell.heard(heartbeat_s):
                yield []


def cleaned(event: TurnEvent) -> TurnEvent:
    """Fit for UTF-8 and JSONB, whatever a model or a tool wrote."""
    text = clean_text(event.text)
    value = event.value if event.value is None else clean_json(event.value)
    if text is event.text and value == event.value:
        return event
    return event._replace(text=text, value=value)
