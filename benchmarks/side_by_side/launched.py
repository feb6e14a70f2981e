"""A process that a run has started: what it says, and what it complained of."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that may not be ready yet."""

    popen: subprocess.Popen[str]
    process: psutil.Process
    log: Path

    def says(self, what: str) -> str:
        """Waits until it has; shows its complaints when it does not."""
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            if found := re.search(what, line):
                return found[1]
        raise RuntimeError(f"{self.process} did not start:\n{self.log.read_text()[-3_000:]}")
