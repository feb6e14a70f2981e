"""How far a long command is: a line that is rewritten on a terminal, a line each tenth elsewhere."""

import sys
from typing import TextIO

WIDTH = 30


def begin(doing: str) -> None:
    """Say what takes its time, where it cannot be said how far it is; to whoever sits there, not to a log."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{doing} ...\n")
        sys.stderr.flush()


class Bar:
    """Drawn again and again; whatever stands beside it harms no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._tenth = -1

    def draw(self, share: float, told: object) -> None:
        share = max(0.0, min(share, 1.0))
        if self._is_terminal:
            full = round(WIDTH * share)
            self._stream.write(f"\r[{'#' * full}{'.' * (WIDTH - full)}] {share:4.0%}  {told}\x1b[K")
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            self._stream.write(f"{share:4.0%}  {told}\n")
        self._stream.flush()

    def end(self) -> None:
        if self._is_terminal:
            self._stream.write("\n")
            self._stream.flush()
