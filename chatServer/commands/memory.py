"""The command chatserver memory: list, search, show, edit, forget, undo, graph, audit, maintain, reembed."""

import argparse
import asyncio
import contextlib
import importlib
import shutil
import sys
from datetime import UTC, datetime
from typing import Any, get_args
from uuid import UUID

from chatServer.commands import command
from chatServer.config import Settings
from chatServer.errors import ChatError, StartupError
from chatServer.memory.edit import Edit
from chatServer.memory.graph import MAX_HOPS
from chatServer.records import EVERY_AGENT, Category, Kind, MemoryFilter, Principal, Tier
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database
from chatServer.terminal import bar, memories
from chatServer.terminal.text import user_name, user_of


def main() -> None:
    """Run the command without those beside it."""
    whole, commands = command.parser()
    add(commands)
    command.run(whole)


def memory(settings: Settings, parsed: argparse.Namespace) -> None:
    user = user_of(settings, parsed.user)
    print(asyncio.run(_memory(settings, parsed, user)))


async def _memory(settings: Settings, parsed: argparse.Namespace, user: Principal) -> str:
    async with opened_database(settings) as database:
        try:
            return await _act(settings, database, parsed, user)
        except ChatError as error:
            refusal = error.detail
    raise StartupError(refusal)


async def _act(settings: Settings, database: Database, parsed: argparse.Namespace, user: Principal) -> str:
    options = {"as_json": parsed.json}
    match parsed.action:
        case "list" | "search":
            return await _found(settings, database, parsed, user)
        case "graph":
            return await memories.graph_memories(
                database, user, parsed.entity, depth=parsed.depth, at=parsed.as_of, **options
            )
        case "audit":
            return await memories.audit_memories(database, user, width=_width(), **options)
        case "maintain":
            bar.begin("Looking after what is remembered")
            return await memories.maintain_memories(
                database, user, retention=with_vectors().retention(settings), dry_run=parsed.dry_run, **options
            )
    return await _act_on_one(database, parsed, user)


async def _act_on_one(database: Database, parsed: argparse.Namespace, user: Principal) -> str:
    memory_id, as_json = parsed.id, parsed.json
    match parsed.action:
        case "edit":
            return await memories.edit_memory(database, user, memory_id, _edit(parsed), as_json=as_json)
        case "forget":
            return await memories.forget_memory(database, user, memory_id, called=parsed.user, as_json=as_json)
        case "undo":
            return await memories.undo_change(database, user, memory_id, as_json=as_json)
    return await memories.show_memory(database, user, memory_id, as_json=as_json)


async def _found(settings: Settings, database: Database, parsed: argparse.Namespace, user: Principal) -> str:
    """Those that fit, or that a search finds."""
    wanted, as_json, width = _wanted(parsed), parsed.json, _width()
    if parsed.action == "list":
        return await memories.list_memories(database, user, wanted, as_json=as_json, width=width)
    found = await with_vectors().search(settings, database, user, wanted)
    return await memories.listed(database, user, found, as_json=as_json, width=width)


def with_vectors() -> Any:
    """What commands need that ask an embedder or the agents' files: loading that takes as long as all the rest."""
    return importlib.import_module("chatServer.commands.memory_vectors")


def _width() -> int | None:
    """Of the terminal; None in a pipe or a file, where nothing is cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _wanted(parsed: argparse.Namespace) -> MemoryFilter:
    return MemoryFilter(
        kind=parsed.kind,
        category=parsed.category,
        tier=parsed.tier,
        tag=parsed.tag,
        agent_name=None if parsed.agent == EVERY_AGENT else parsed.agent,
        shelves=(EVERY_AGENT,) if parsed.agent == EVERY_AGENT else None,
        phrase=" ".join(parsed.words) or None,
        at=parsed.as_of,
        ever=parsed.superseded,
    )


def _edit(parsed: argparse.Namespace) -> Edit:
    names = ("text", "kind", "category", "importance", "tier")
    given = {name: getattr(parsed, name) for name in names}
    if parsed.tag is None and all(value is None for value in given.values()):
        raise StartupError("Say what to change: --text, --kind, --category, --importance, --tier or --tag.")
    return Edit(**given, tags=parsed.tag)


def add(commands: command.Commands) -> None:
    """Say how each is called."""
    parser = commands.add_parser("memory", help="what is remembered about a user")
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    listed = {"list": "what is remembered", "search": "what bears on these words, the best first"}
    of_one = {"show": "one memory and its history", "edit": "correct it", "forget": "delete it"}
    of_one |= {"undo": "take back what was last done to it"}
    of_all = {
        "graph": "who is connected with whom",
        "audit": "what deserves a look",
        "maintain": "promote, expire, merge and drop what is due, now",
    }
    parsers = {name: actions.add_parser(name, help=text) for name, text in (listed | of_one | of_all).items()}
    for each in parsers.values():
        each.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
        each.add_argument("--json", action="store_true", help="for programs")
        each.set_defaults(command=memory)
    for name in of_one:
        parsers[name].add_argument("id", metavar="ID", type=_id)
    for name in listed:
        _add_filters(parsers[name])
    parsers["list"].set_defaults(words=())
    parsers["search"].add_argument("words", nargs="+", metavar="WORD", type=user_name)
    parsers["graph"].add_argument("entity", nargs="?", metavar="NAME", type=user_name, help="default: everybody")
    parsers["graph"].add_argument("--depth", type=int, choices=range(1, MAX_HOPS + 1), default=1, help="hops")
    parsers["graph"].add_argument("--as-of", metavar="TIME", type=_time, help="what held then")
    parsers["maintain"].add_argument("--dry-run", action="store_true", help="only say what would be done")
    _add_changes(parsers["edit"])
    everybody = actions.add_parser("reembed", help="make all vectors of all users those of EMBEDDER")
    everybody.set_defaults(command=lambda *given: with_vectors().reembed_all(*given))


def _add_filters(parser: argparse.ArgumentParser) -> None:
    _add_kinds(parser)
    parser.add_argument("--tag", type=user_name)
    parser.add_argument("--agent", metavar="NAME", type=user_name, help="what it was told; * for every agent")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--as-of", metavar="TIME", type=_time, help="what held then: 2026-11-01, 2026-11-01T12:00Z")
    when.add_argument("--superseded", action="store_true", help="also what no longer holds")


def _add_changes(parser: argparse.ArgumentParser) -> None:
    _add_kinds(parser)
    parser.add_argument("--text", type=user_name)
    parser.add_argument("--importance", type=_share, metavar="0..1")
    parser.add_argument("--tag", action="append", type=user_name, help="may come several times")


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=get_args(Kind))
    parser.add_argument(
        "--category", choices=get_args(Category), metavar="CATEGORY", help=", ".join(get_args(Category))
    )
    parser.add_argument("--tier", choices=get_args(Tier))


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("a time is like 2026-11-01 or 2026-11-01T12:00Z") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("it is what chatserver memory list shows first in a line") from error


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise argparse.ArgumentTypeError("importance is between 0 and 1")
