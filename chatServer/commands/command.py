"""How any command is run: what is wrong is said in a sentence, not in a traceback."""

import argparse
import errno
import os
import signal
import sys
import termios
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from chatServer import __version__
from chatServer.config import Settings, load_settings
from chatServer.errors import StartupError

NOBODY_READS = 141  # 128 + SIGPIPE, as shells have it

Command: TypeAlias = Callable[[Settings, argparse.Namespace], None]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def parser() -> tuple[argparse.ArgumentParser, Commands]:
    """Of the whole, and where commands are added to it."""
    whole = argparse.ArgumentParser(prog="chatserver", description="The chat backend that remembers.")
    whole.add_argument("--version", action="version", version=__version__)
    return whole, whole.add_subparsers(required=True, metavar="COMMAND")


def run(whole: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> None:
    """Run one command."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a title in letters that the terminal lacks
    parsed = whole.parse_args(arguments)
    try:
        _run(parsed.command, load_settings(), parsed)
        sys.stdout.flush()
    except StartupError as error:
        sys.exit(str(error))
    except BrokenPipeError:  # whoever read it, `head` for one, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains at its end
        sys.exit(NOBODY_READS)


def end_with_terminal() -> None:
    """Let a terminal that is closed end what runs in it as SIGTERM does, its database too; under nohup it goes on."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _end_with_terminal)


def _end_with_terminal(*_: object) -> None:
    for stream in (sys.stdout, sys.stderr):
        if _is_closed_terminal(stream.fileno()):  # whatever is still said would be an error: nobody hears it
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    signal.raise_signal(signal.SIGTERM)


def _is_closed_terminal(file: int) -> bool:
    """It is told from a file or a pipe, which says that it is no terminal."""
    try:
        termios.tcgetattr(file)
    except termios.error as error:
        return error.args[0] in (errno.EIO, errno.ENXIO)
    return False


def _run(command: Command, settings: Settings, parsed: argparse.Namespace) -> None:
    try:
        command(settings, parsed)
    except OSError as error:
        if error.filename is None or not _is_around(settings.chat_data_dir, Path(os.fsdecode(error.filename))):
            raise
        raise StartupError(
            f"Cannot use {error.filename}: {error.strerror}. CHAT_DATA_DIR has to name a folder that belongs to "
            "whoever runs this, or one that can be made."
        ) from error


def _is_around(folder: Path, path: Path) -> bool:
    """Whether a path is in the folder, or on the way there."""
    ours = (folder.absolute(), folder.resolve())
    return any(path.is_relative_to(each) or each.is_relative_to(path) for each in ours)
