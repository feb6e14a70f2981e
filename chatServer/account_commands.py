"""The command chatserver erase: everything of one user, for whoever operates the server."""

import argparse
import asyncio
import sys

from chatServer import terminal
from chatServer.account.erase import erase
from chatServer.config import Settings
from chatServer.errors import ChatError, StartupError
from chatServer.operations import user_name
from chatServer.records import Principal
from chatServer.store.opened import opened_database


def erase_data(settings: Settings, parsed: argparse.Namespace) -> None:
    user = terminal.user_of(settings, parsed.user)
    if not parsed.yes and not _is_confirmed(parsed.user):
        raise StartupError("Nothing was erased.")
    print(asyncio.run(_erase(settings, user)))


def _is_confirmed(name: str) -> bool:
    """Whoever types the name has read it."""
    if not sys.stdin.isatty():
        raise StartupError("Nobody can be asked here: say --yes if everything of this user is to be erased.")
    print(f"Everything of {name} will be erased, and nothing can bring it back but an export or a backup.")
    return input("Type the user again to go on: ").strip() == name


async def _erase(settings: Settings, user: Principal) -> str:
    async with opened_database(settings) as database:
        try:
            receipt = await erase(database, user)
        except ChatError as error:
            raise StartupError(error.detail) from error
    rows = [(name, count) for name, count in receipt.counts.items() if count]
    return f"Erased at {receipt.erased_at:%Y-%m-%d %H:%M:%S%z}.\n{terminal.table(('TABLE', 'ROWS'), rows)}"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Say how each is called."""
    parser = commands.add_parser("erase", help="erase everything of a user; a receipt stays")
    parser.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(command=erase_data)
