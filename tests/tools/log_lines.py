"""What one logger says, as the objects that a collector would get."""

import contextlib
import json
import logging
from collections.abc import Iterator
from typing import Any

from chatServer import logs


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logs.JsonLines())
        self.found: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(json.loads(self.format(record)))


@contextlib.contextmanager
def lines_of(name: str) -> Iterator[list[dict[str, Any]]]:
    """Whatever level a command that ran before has left to this process."""
    lines, logger = Lines(), logging.getLogger(name)
    before = logger.level
    logger.addHandler(lines)
    logger.setLevel(logging.INFO)
    try:
        yield lines.found
    finally:
        logger.setLevel(before)
        logger.removeHandler(lines)
