"""What a turn has heard from its model so far."""

from chatServer.conversation.tokens import count_text
from chatServer.messages import Message
from chatServer.records import MAX_PARTIAL, EventKind, Said, TurnEvent, Usage

CLOSED_BY: dict[EventKind, EventKind] = {"text-start": "text-end", "reasoning-start": "reasoning-end"}


class Heard:
    """What was said so far, whole messages and the words of the one that is being spoken."""

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._words: list[list[str]] = []  # of each step
        self._is_speaking = False
        self.is_silent = True  # nothing was heard of this step yet
        self._open: TurnEvent | None = None
        self.characters = 0
        self.pieces = 0  # events and messages

    def hear(self, each: TurnEvent | Said) -> None:
        self.pieces += 1
        if isinstance(each, Said):
            self._said.append(each)
            self._is_speaking = False
        elif each.kind == "step-start":
            self._words.append([])
            self._is_speaking = self.is_silent = True
        elif each.kind == "text-delta":
            self._words[-1].append(each.text)
            self.characters += len(each.text)
        elif each.kind in CLOSED_BY:
            self.is_silent = False
            self._open = TurnEvent(CLOSED_BY[each.kind], id=each.id)
        elif each.kind in CLOSED_BY.values():
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
