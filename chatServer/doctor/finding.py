"""One line of the doctor's, and what the checks look at."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from chatServer.config import Settings
from chatServer.store.diagnosis import DatabaseFacts, DatabaseFault

MAX_SKEW_S = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. A problem always has a remedy."""

    name: str
    state: Literal["ok", "problem", "skipped"]
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.state:8} {self.name}: {self.detail}"
        if self.remedy:
            line = f"{line}{'' if line.endswith('?') else '.'} {self.remedy}"
        return "".join(
            letter if letter.isprintable() else " " for letter in line
        )  # issuers and servers write parts of it


@dataclass(frozen=True, slots=True)
class Case:
    """An installation as the checks see it: its settings, and its database or why there is none to be seen."""

    settings: Settings
    database: DatabaseFacts | DatabaseFault | None  # None: an embedded one that was never started
    clock: Callable[[], float] = time.time
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


Check = Callable[[Case], Finding]


def clock_finding(name: str, ahead_s: float, whose: str) -> Finding:
    """Tokens and leases are compared across machines: their clocks must agree."""
    if abs(ahead_s) <= MAX_SKEW_S:
        return Finding(name, "ok", f"{whose} clock and ours agree")
    direction = "behind" if ahead_s > 0 else "ahead of"
    return Finding(
        name,
        "problem",
        f"our clock is {abs(ahead_s):.0f} s {direction} {whose}",
        "Switch time synchronisation on (timedatectl set-ntp true), on both machines",
    )
