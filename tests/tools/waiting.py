"""For what another process or thread does in its own time."""

import time
from collections.abc import Callable

WITHIN_S = 40


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
