"""A text that people say, search for and sign in with in the tests, and a listener that hears it in any log."""

import logging

from chatServer import logs

CANARY = "CANARY7f3a"


class Overheard(logging.Handler):
    """Keeps the lines, as the server would write them, that hold the canary."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logs.JsonLines())
        self.heard: list[str] = []
        self.lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.lines += 1
        line = self.format(record)
        if CANARY.lower() in line.lower():
            self.heard.append(line)

    def taken(self) -> list[str]:
        """What was heard since the last time."""
        heard, self.heard = self.heard, []
        return heard
