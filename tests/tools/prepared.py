"""`chatserver` as a process of its own, forked from one that has imported everything: a command is there in a tenth of
the CPU (4 s, 2026-11-15). That the installed command itself starts is for other tests."""

import atexit
import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

TIMEOUT_S = 90

_prepared = multiprocessing.get_context("forkserver")
_prepared.set_forkserver_preload(
    ["chatServer.cli", "chatServer.memory_commands", "chatServer.protocols.mcp.server", "jsonschema", "wordllama"]
)


def run(
    arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path, piped: str = ""
) -> subprocess.CompletedProcess[str]:
    """Like subprocess.run with what is written to the standard streams, which are no terminal."""
    with tempfile.TemporaryDirectory() as folder:
        given, out, err = (Path(folder) / name for name in ("in", "out", "err"))
        given.write_text(piped)
        streams = (str(given), str(out), str(err))
        process = _prepared.Process(target=_command, args=(list(arguments), dict(environment), str(cwd), streams))
        process.start()
        process.join(TIMEOUT_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, TIMEOUT_S, out.read_text(), err.read_text())
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


def _command(arguments: list[str], environment: dict[str, str], cwd: str, streams: tuple[str, str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["chatserver", *arguments]
    sys.stdin, sys.stdout, sys.stderr = (
        _opened(number, path, mode) for number, (path, mode) in enumerate(zip(streams, "rww", strict=True))
    )
    try:
        importlib.import_module("chatServer.__main__").main()  # which chooses by sys.argv what to import
    finally:
        atexit._run_exitfuncs()  # a forked process would leave without


def _opened(number: int, path: str, mode: str) -> IO[str]:
    """In the place of the stream with that number, for whoever writes past Python too."""
    with Path(path).open(mode) as opened:
        os.dup2(opened.fileno(), number)
    return os.fdopen(number, mode, closefd=False)
