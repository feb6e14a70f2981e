"""What read.py and its process, reader.py, tell each other: how much a file may take, and what was found in it. Nothing
is imported here that a reader does not need."""

import re
from dataclasses import dataclass

_GAP = re.compile(r"\n{3,}")
_CONTROLS = {number: " " for number in range(32) if chr(number) not in "\t\n"}


@dataclass(frozen=True, slots=True)
class Allowed:
    """How much one file may take and hold."""

    cpu_s: int = 60
    text_cpu_s: int = 20  # of what is no PDF: 25 MB of prose in HTML took 2 (2026-11-15)
    memory_mb: int = 768
    pages: int = 1_000
    characters: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """The text of a file. Where it has pages, each begins at a place in the text."""

    title: str
    text: str
    page_starts: tuple[int, ...] = ()


class Unreadable(Exception):
    """Why a file has no text for us: a code."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def plain(text: str) -> str:
    """Lines end in one way, nothing in them moves a cursor, and a gap is one gap."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").translate(_CONTROLS)
    return _GAP.sub("\n\n", lines)
