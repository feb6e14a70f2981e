"""A process whose clock is wrong, to a few hours: Python's own clocks are shifted in it.

The stand-in for libfaketime, which would shift every clock of the process; what this leaves alone are the clocks of
compiled code (UUIDv7's, which orders nothing here) and the monotonic one, which no wrong clock moves either.
"""

import datetime
import sys
import time

OURS = ("chatServer", "jwt")  # whoever of them has taken hold of the class `datetime` gets another one


def shift(seconds: float) -> None:
    """Once everything is imported: whatever asks this process for the time is told another one."""
    real, time_s, time_ns = datetime.datetime, time.time, time.time_ns

    class Shifted(real):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return real.now(tz) + datetime.timedelta(seconds=seconds)

    time.time = lambda: time_s() + seconds
    time.time_ns = lambda: time_ns() + int(seconds * 1e9)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in OURS and getattr(module, "datetime", None) is real:
            module.datetime = Shifted  # type: ignore[attr-defined]
