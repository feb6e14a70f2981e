"""How much work something is, in a measure that is the same on every machine."""

import itertools
import sys
from collections.abc import Callable


def steps_of(work: Callable[[], object]) -> int:
    """Calls and returns, of functions in Python and in C."""
    steps = itertools.count()
    sys.setprofile(lambda *_: next(steps))
    try:
        work()
    finally:
        sys.setprofile(None)
    return next(steps)
