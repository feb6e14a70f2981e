"""callgrind: it counts the instructions of a process, from when it is told to until it is told to stop."""

import re
import subprocess
from pathlib import Path

import psutil


def callgrind(out: Path) -> list[str]:
    """What a process is started with, to be counted when it is told to."""
    return ["valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]


def tell(process: psutil.Process, *words: str) -> None:
    """As its user: it hears nobody else."""
    command = ["callgrind_control", *words, str(process.pid)]
    subprocess.run(command, check=True, capture_output=True, user=process.uids().real, timeout=60)


def newest(out: Path) -> Path:
    """Of what callgrind has written, a file for each time it was told to."""
    return max(out.parent.glob(f"{out.name}.*"), key=lambda path: int(path.suffix[1:]))


def instructions(written: Path) -> int:
    found = re.search(rb"^totals: (\d+)", written.read_bytes(), re.M)
    if found is None:
        raise ValueError(f"callgrind has not written how many there were: {written}")
    return int(found[1])
