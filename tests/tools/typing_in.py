"""A command at a terminal of its own, as a person sees it and types."""

import contextlib
import fcntl
import os
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from tests.tools import prepared

WITHIN_S = 60
CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    """What was shown so far, and where one has read to."""

    def __init__(self, process: subprocess.Popen[bytes] | prepared.Command, master: int) -> None:
        self.process = process
        self._master = master
        self.shown = ""
        self._read_to = 0

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def interrupt_prompt(self) -> None:
        """Ctrl-C until the line ends, as a person presses again: Python's readline does not hear a signal that comes
        between its prompt and its `select` (32 of 300 on a busy machine)."""
        for _ in range(5):
            self.type(CTRL_C)
            with contextlib.suppress(AssertionError):
                self.until("\n", within_s=5)
                return
        raise AssertionError(f"no Ctrl-C is heard after {self.shown!r}")

    def say(self, text: str) -> None:
        self.type(text + "\r")

    def until(self, wanted: str, within_s: float = WITHIN_S) -> str:
        """What is shown up to the next place where this is, a regular expression."""
        deadline = time.monotonic() + within_s
        while not (found := re.compile(wanted).search(self.shown, self._read_to)):
            if time.monotonic() > deadline or not self._read(deadline):
                raise AssertionError(f"{wanted!r} is not in {self.shown[self._read_to :]!r}")
        seen = self.shown[self._read_to : found.end()]
        self._read_to = found.end()
        return seen

    def close(self) -> None:
        """As a window is closed: whatever runs in it gets SIGHUP, and has nobody to write to."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def end(self) -> tuple[int, str]:
        """How the command ended, and what it showed until then."""
        deadline = time.monotonic() + WITHIN_S
        while self._read(deadline):
            pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(10), self.shown[self._read_to :]
        raise AssertionError(f"it goes on after {self.shown!r}")

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
        try:
            piece = os.read(self._master, 65536) if ready else b""
        except OSError:  # the other side is closed
            piece = b""
        self.shown += piece.decode(errors="replace").replace("\r\n", "\n")
        return bool(piece)


def _own() -> None:
    """In the new process: this terminal is the one whose keys make signals for us."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextlib.contextmanager
def terminal(command: list[str], cwd: Path, *, is_prepared: bool = False, **environment: str) -> Iterator[Terminal]:
    """Ctrl-C typed here reaches the command as a person's does: through the terminal, as a signal to its group. The
    command's first word is not looked at where it is a prepared one."""
    master, slave = os.openpty()
    values = {**os.environ, "TERM": "dumb", **environment}  # dumb: no colours, no bracketed paste
    process: subprocess.Popen[bytes] | prepared.Command
    if is_prepared:
        process = prepared.Command(command[1:], [slave] * 3, environment=values, cwd=cwd)
    else:
        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
        process = subprocess.Popen(
            command,
            env=values,
            cwd=cwd,
            **streams,
            start_new_session=True,
            preexec_fn=_own,  # noqa: PLW1509  one system call, and no lock
        )
    os.close(slave)
    shown = Terminal(process, master)
    try:
        yield shown
    finally:
        if process.poll() is None:
            process.terminate()
        shown.close()
        process.wait(WITHIN_S)
