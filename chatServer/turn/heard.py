"""What a turn has heard from its model so far."""

import asyncio

from chatServer import errors
from chatServer.conversation.tokens import count_text
from chatServer.messages import Message
from chatServer.records import MAX_PARTIAL, WORDS, EventKind, Said, TurnEvent, Usage
from chatServer.turn.events import EventLog

MAX_CHARACTERS = 1_000_000  # of all that is said in one turn
MAX_EVENTS = 250_000  # below EVENTS_PER_ATTEMPT
CLOSED_BY: dict[EventKind, EventKind] = {"text-start": "text-end", "reasoning-start": "reasoning-end"}


class Heard:
    """What was said so far, whole messages and the words of the one that is being spoken."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._said: list[Said] = []
        self._words: list[list[str]] = []  # of each step
        self._is_speaking = False
        self.is_silent = True  # nothing was heard of this step yet
        self._open: TurnEvent | None = None
        self.is_over = False  # whatever does not let go in time is no longer heard
        self._characters = 0
        self._pieces = 0  # events and messages

    def hear(self, each: TurnEvent | Said) -> None:
        """Keep it, and tell it to followers."""
        if self.is_over:
            raise asyncio.CancelledError
        self._pieces += 1
        if isinstance(each, Said):
            self._said.append(each)
            self._is_speaking = False
        elif each.kind in WORDS:
            if each.kind == "text-delta":
                self._words[-1].append(each.text)
                self._characters += len(each.text)
            self._log.add(each, is_clean=True)  # agent/step.py has seen to that
        else:
            self._note(each)
            self._log.add(each)
        if self._characters > MAX_CHARACTERS or self._pieces > MAX_EVENTS:
            raise errors.ModelFailed("The model did not come to an end: its answer was cut off.")

    def _note(self, event: TurnEvent) -> None:
        """What begins and ends with it."""
        if event.kind == "step-start":
            self._words.append([])
            self._is_speaking = self.is_silent = True
        elif event.kind in CLOSED_BY:
            self.is_silent = False
            self._open = TurnEvent(CLOSED_BY[event.kind], id=event.id)
        elif event.kind in CLOSED_BY.values():
            self._open = None

    def usage(self, prompt_tokens: int) -> Usage:
        """As the model counted it; of a step that was never finished, as we do."""
        finished = sum((each.usage for each in self._said), Usage())
        if not self._is_speaking:
            return finished
        return finished + Usage(prompt_tokens, count_text("".join(self._words[-1])))

    def messages(self, *, is_cut: bool = False) -> list[Message]:
        """Those that are complete; where it was stopped, what was being said too, and marked."""
        messages = [each.message for each in self._said]
        if is_cut and self._is_speaking and (text := "".join(self._words[-1])):
            messages.append(Message(role="assistant", content=text, structured_data={"stopped": True}))
        return messages

    def spoken(self) -> str | None:
        """All words, for a turn that left no messages."""
        return "\n\n".join(text for words in self._words if (text := "".join(words)))[:MAX_PARTIAL] or None

    def closing(self) -> list[TurnEvent]:
        """What closes a text or a reasoning that was never finished."""
        return [self._open] if self._open else []
