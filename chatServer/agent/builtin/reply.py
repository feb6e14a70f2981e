"""What `builtin` says next: words, or a call of a tool."""

from dataclasses import dataclass
from typing import Any

from chatServer.agent.builtin.apart import NOTES_TOOL

READ = {"operation": "read"}
MAX_QUOTED = 4_000  # characters


@dataclass(frozen=True, slots=True)
class Reply:
    text: str = ""
    call: dict[str, Any] | None = None  # arguments for a tool
    tool: str = NOTES_TOOL
    quoted: tuple[str, ...] = ()  # the labels of passages that the text repeats
