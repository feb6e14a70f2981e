"""`chatserver` as a process of its own, forked from one that has imported everything: a command then takes a fifth of
the CPU (4 s, 2026-11-15). That the installed command itself starts is for other tests."""

import atexit
import contextlib
import fcntl
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from multiprocessing import reduction
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

TIMEOUT_S = 90

_prepared = multiprocessing.get_context("forkserver")
# Not wordllama, which sets up logging when it is imported.
_prepared.set_forkserver_preload(
    ["chatServer.cli", "chatServer.commands.memory", "chatServer.protocols.mcp.server", "jsonschema", "tokenizers"]
)


class Handed:
    """An open file that the process gets: there it is a number of its own."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (reduction.DupFd(self._number),)


def _received(handed: Any) -> int:
    return int(handed.detach())


class Command:
    """One that runs, with as much of subprocess.Popen as tests ask for. Its standard streams are open files."""

    stdout: TextIO | None = None

    def __init__(
        self, arguments: Sequence[str], streams: Sequence[int], *, environment: Mapping[str, str], cwd: Path
    ) -> None:
        self._arguments = list(arguments)
        given = (self._arguments, dict(environment), str(cwd), [Handed(number) for number in streams])
        self._process = _prepared.Process(target=_command, args=given)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout_s: float | None = None) -> int:
        self._process.join(timeout_s)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout_s or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        # As of subprocess.Popen. Another process waits for this one: it may be gone before its exit code is known here.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def started(arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path) -> Command:
    """One whose words can be read while it runs; its errors go where ours go."""
    told, tells = os.pipe()
    with Path(os.devnull).open() as nothing:
        command = Command(arguments, [nothing.fileno(), tells, 2], environment=environment, cwd=cwd)
    os.close(tells)
    command.stdout = os.fdopen(told)
    return command


def run(
    arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path, piped: str = ""
) -> subprocess.CompletedProcess[str]:
    """Like subprocess.run with what is written to the standard streams, which are no terminal."""
    with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        given.write(piped)
        given.seek(0)
        command = Command(arguments, [each.fileno() for each in (given, out, err)], environment=environment, cwd=cwd)
        try:
            code = command.wait(TIMEOUT_S)
        finally:
            if command.poll() is None:
                command.terminate()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


def _command(arguments: list[str], environment: dict[str, str], cwd: str, streams: list[int]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as a shell leaves them to what a person starts
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    sys.argv = ["chatserver", *arguments]
    for number, handed in enumerate(streams):  # for whoever writes past Python too
        os.dup2(handed, number)
        os.close(handed)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(i, mode, closefd=False) for i, mode in enumerate("rww"))
    if sys.stdin.isatty():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # its keys make signals for us
    try:
        importlib.import_module("chatServer.__main__").main()  # which chooses by sys.argv what to import
    finally:
        atexit._run_exitfuncs()  # a forked process would leave without
