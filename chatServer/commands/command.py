"""How any command is run: what is wrong is said in a sentence, not in a traceback."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
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
    command: Command = parsed.command
    try:
        command(load_settings(), parsed)
        sys.stdout.flush()
    except StartupError as error:
        sys.exit(str(error))
    except BrokenPipeError:  # whoever read it, `head` for one, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains at its end
        sys.exit(NOBODY_READS)
