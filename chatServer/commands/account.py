"""The commands about everything of one user: export, import, erase."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from chatServer import logs
from chatServer.account.bring_in import Room, bring_in
from chatServer.account.erase import erase
from chatServer.account.export import export
from chatServer.agent.embeddings import embedder_of
from chatServer.commands.command import Commands
from chatServer.config import Settings
from chatServer.errors import ChatError, StartupError
from chatServer.records import Principal
from chatServer.store.opened import opened_database
from chatServer.terminal import bar
from chatServer.terminal.text import table, user_name, user_of


def export_data(settings: Settings, parsed: argparse.Namespace) -> None:
    user = user_of(settings, parsed.user)
    if parsed.file is None:
        asyncio.run(_export(settings, user, sys.stdout.buffer.write))
        return
    try:  # private from its first byte on
        with os.fdopen(os.open(parsed.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            asyncio.run(_export(settings, user, file.write))
    except FileExistsError as error:
        raise StartupError(f"{parsed.file} is there already: name a new file, none is overwritten.") from error
    except OSError as error:
        raise StartupError(f"Cannot write {parsed.file}: {error.strerror}") from error
    print(f"{parsed.file}: {parsed.file.stat().st_size:,} bytes. It holds all that the user said: keep it safe.")


async def _export(settings: Settings, user: Principal, write: Callable[[bytes], int]) -> None:
    async with opened_database(settings) as database:
        try:
            async for piece in export(database, user, _show):
                write(piece)
        except ChatError as error:
            raise StartupError(error.detail) from error


def import_data(settings: Settings, parsed: argparse.Namespace) -> None:
    logs.install("ERROR")
    print(asyncio.run(_import(settings, user_of(settings, parsed.user), parsed.file)))


async def _import(settings: Settings, user: Principal, file: Path) -> str:
    async with opened_database(settings) as database:
        try:
            room = Room(settings.limit_articles, settings.limit_chunks)
            brought = await bring_in(
                database, user, embedder_of(settings), lambda: file.open(encoding="utf-8-sig"), _show, room=room
            )
        except ChatError as error:
            raise StartupError(error.detail) from error
        except OSError as error:
            raise StartupError(f"Cannot read {file}: {error.strerror}") from error
    rows = [(name, added, brought.kept[name]) for name, added in brought.added.items()]
    return table(("", "NEW", "KEPT AS IT WAS"), rows)


def _show(section: str, count: int) -> None:
    """How far it is: on the other stream, so that the document stays one."""
    end = "\r" if sys.stderr.isatty() else "\n"
    print(f"{section}: {count:,}".ljust(40), end=end, file=sys.stderr, flush=True)


def erase_data(settings: Settings, parsed: argparse.Namespace) -> None:
    user = user_of(settings, parsed.user)
    if not parsed.yes and not _is_confirmed(parsed.user):
        raise StartupError("Nothing was erased.")
    bar.begin("Stopping what is being answered, then erasing everything of the user")
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
    return f"Erased at {receipt.erased_at:%Y-%m-%d %H:%M:%S%z}.\n{table(('TABLE', 'ROWS'), rows)}"


def add(commands: Commands) -> None:
    """Say how each is called."""
    taken = commands.add_parser("export", help="write everything of a user into a file, as JSON")
    taken.add_argument("file", nargs="?", metavar="FILE", type=Path, help="without it: to the terminal, or a pipe")
    taken.set_defaults(command=export_data)
    brought = commands.add_parser("import", help="bring back what an export holds; what is there stays")
    brought.add_argument("file", metavar="FILE", type=Path)
    brought.set_defaults(command=import_data)
    for each in (taken, brought):
        each.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
    parser = commands.add_parser("erase", help="erase everything of a user; a receipt stays")
    parser.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.set_defaults(command=erase_data)
