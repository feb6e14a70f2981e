"""The grammar of an answer, as agent/answer.py promises it: what is wrong with a sequence of events."""

from collections.abc import Sequence

from chatServer.records import Said, TurnEvent

PARTS = ("text", "reasoning")


def complaints(heard: Sequence[TurnEvent | Said], *, is_whole: bool = True) -> list[str]:
    """Every rule that the sequence breaks. Of an answer that broke off, the end may be missing."""
    checker = Checker()
    for place, one in enumerate(heard):
        checker.look(place, one)
    if is_whole:
        checker.end()
    return checker.found


class Checker:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.is_in_step = False
        self.has_spoken = False  # the assistant's message of this step was said
        self.part = ("", "")
        self.ids: set[str] = set()
        self.waiting: list[str] = []  # calls without a result, in order
        self.told: str | None = None  # the call whose result was told, and whose message was not
        self.message_ids: set[str] = set()
        self.calls_of_step: list[str] = []
        self.is_over = False

    def look(self, place: int, one: TurnEvent | Said) -> None:
        kind = "said" if isinstance(one, Said) else one.kind
        if self.is_over:
            self.say(place, f"{kind} after a step without calls")
        if kind != "step-start" and not self.is_in_step:
            self.say(place, f"{kind} outside of a step")
        if isinstance(one, Said):
            self.said(place, one)
        elif kind.split("-")[0] in PARTS:
            self.part_event(place, one, *kind.rsplit("-", 1))
        elif kind.startswith("tool-"):
            self.tool_event(place, one)
        elif kind.startswith("step-"):
            self.step_event(place, kind)
        elif kind not in ("source", "data", "metadata"):
            self.say(place, f"{kind} is not for an answer to say")

    def part_event(self, place: int, one: TurnEvent, kind: str, what: str) -> None:
        if self.has_spoken:
            self.say(place, f"{one.kind} after the message was said")
        if what == "start":
            if self.part != ("", ""):
                self.say(place, "a part begins inside another")
            if not one.id or one.id in self.ids:
                self.say(place, "a part's id is not its own")
            self.ids.add(one.id)
            self.part = (kind, one.id)
        elif self.part != (kind, one.id):
            self.say(place, f"{one.kind} of a part that is not open")
        if what == "delta" and not one.text:
            self.say(place, "a delta says nothing")
        if what == "end":
            self.part = ("", "")

    def tool_event(self, place: int, one: TurnEvent) -> None:
        if one.kind == "tool-input":
            if self.has_spoken or self.part != ("", ""):
                self.say(place, "a call in the wrong place")
            if not one.id or one.id in self.ids:
                self.say(place, "a call's id is not its own")
            self.ids.add(one.id)
            self.waiting.append(one.id)
            self.calls_of_step.append(one.id)
            return
        if not self.has_spoken:
            self.say(place, "a result before the message that has the call was said")
        if not self.waiting or one.id != self.waiting[0] or self.told:
            self.say(place, "a result without its call, or out of order")
            return
        self.told = self.waiting.pop(0)

    def said(self, place: int, one: Said) -> None:
        message = one.message
        if message.message_id in self.message_ids:
            self.say(place, "a message's id is not its own")
        self.message_ids.add(message.message_id)
        if message.role == "assistant":
            if self.has_spoken or self.part != ("", ""):
                self.say(place, "a message in the wrong place")
            if [call.call_id for call in message.tool_calls or []] != self.calls_of_step:
                self.say(place, "the message's calls are not those that were told")
            self.has_spoken = True
        elif message.role != "tool" or message.tool_call_id != self.told:
            self.say(place, "a tool's message without its result")
        else:
            self.told = None
            if set(message.structured_data or {}) - {"sources", "deeds"} != {"duration_ms", "success", "error"}:
                self.say(place, "a tool's message does not say how it went")

    def step_event(self, place: int, kind: str) -> None:
        if (kind == "step-start") == self.is_in_step:
            self.say(place, f"{kind} in the wrong place")
        if kind == "step-finish":
            if not self.has_spoken or self.waiting or self.told:
                self.say(place, "a step ends before everything was said")
            self.is_over = not self.calls_of_step
        self.is_in_step = kind == "step-start"
        self.has_spoken, self.calls_of_step = False, []

    def end(self) -> None:
        if self.is_in_step or self.part != ("", "") or self.waiting or self.told:
            self.found.append("the end: something is still open")

    def say(self, place: int, complaint: str) -> None:
        self.found.append(f"{place}: {complaint}")
