"""What a person at a terminal sees of a conversation: the text as it comes, asides in dim lines of their own."""

import os
from typing import Any, TextIO

from chatServer.messages import UIMessage, cut_short
from chatServer.records import TurnEvent
from chatServer.terminal.text import plain

SHOWN_OF_EARLIER = 500  # characters of each message
CUT_SHORT: dict[cut_short.CutShort, str] = {
    "length": "that is as long as one answer may be: ask for the rest",
    "content_filter": "the provider's filter ended it here",
    "unknown": "the provider hung up without saying whether that is all",
}
DELETIONS = ("delete_section_by_header", "delete_all_notes")


class Screen:
    """Answers go to `out`; what is said about them to `asides`, which may be the same."""

    def __init__(self, out: TextIO, asides: TextIO, *, names_speakers: bool) -> None:
        self._out = out
        self._asides = asides
        self._names_speakers = names_speakers
        self._is_mid_line = False
        self._begins_text = self._has_spoken = False
        self._speaker = ""

    def begin(self, speaker: str) -> None:
        """An answer follows."""
        self._speaker = speaker
        self._begins_text, self._has_spoken = True, False

    def show(self, event: TurnEvent) -> None:
        """One event of the answer; how it failed is left to the caller."""
        match event.kind:
            case "text-start":
                self._begins_text = True
            case "text-delta":
                self._say(plain(event.text))
            case "tool-input":
                self.aside(event.name)
            case "tool-error":
                self.aside(f"failed: {event.text}")
            case "source":
                self.aside(f"from {plain(event.value['title'])}")
            case "data" if event.name == "notes":
                self.aside(_noted(event.value))
            case "abort":
                self.aside("stopped")
            case "finish":
                self._end(event.value or {})

    def show_earlier(self, message: UIMessage, agent_name: str) -> None:
        """A message of the conversation so far, shortened."""
        self.begin("you" if message["role"] == "user" else agent_name)
        for part in message["parts"]:
            if part["type"] == "text":
                self._say(_shortened(plain(part["text"])))
                self._begins_text = True
            elif part["type"] == "file":
                self.aside("an image")
            elif "toolName" in part:
                self.aside(part["toolName"])
        metadata = message.get("metadata", {})
        state = metadata.get("state", "done")
        if state != "done":
            self.aside(state)
        self._end(metadata)

    def aside(self, text: str) -> None:
        """A dim line."""
        self.end_line()
        line = f"· {plain(text)}".replace("\n", " ")
        self._line(f"\x1b[2m{line}\x1b[0m" if has_colors(self._asides) else line)

    def sentence(self, text: str) -> None:
        """What is wrong, or what to do."""
        self.end_line()
        self._line(plain(text))

    def end_line(self) -> None:
        if self._is_mid_line:
            self._out.write("\n")
        self._is_mid_line = False
        self.flush()

    def _end(self, metadata: dict[str, Any]) -> None:
        self.end_line()
        if reason := metadata.get(cut_short.KEY):
            self.aside(CUT_SHORT[reason])

    def flush(self) -> None:
        self._out.flush()

    def _line(self, text: str) -> None:
        self._asides.write(f"{text}\n")
        self._asides.flush()

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._begins_text:
            self._begin_text()
        self._out.write(text)
        self._is_mid_line = not text.endswith("\n")

    def _begin_text(self) -> None:
        """The first text of an answer has its speaker before it, another one a line between."""
        if self._has_spoken:
            self.end_line()
            self._out.write("" if self._names_speakers else "\n")
        elif self._names_speakers:
            name = f"{plain(self._speaker)}>"
            self._out.write(f"\x1b[1m{name}\x1b[0m " if has_colors(self._out) else f"{name} ")
        self._begins_text, self._has_spoken = False, True


def has_colors(stream: TextIO) -> bool:
    """Only where a person looks, and has not said no (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _noted(change: dict[str, Any]) -> str:
    verb = "forgotten" if change.get("operation") in DELETIONS else "noted"
    source = ", after reading text from outside" if change.get("untrusted") else ""
    return f"{verb}{source} (undo: version {change.get('previous_version')})"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_OF_EARLIER else text[:SHOWN_OF_EARLIER].rstrip() + " …"
