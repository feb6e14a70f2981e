"""The command chatserver memory: list, show, search, edit, forget, undo, audit, maintain, reembed."""

import argparse
import asyncio
import contextlib
import sys
from datetime import UTC, datetime
from typing import TextIO, get_args
from uuid import UUID

from chatServer import logs, terminal, terminal_memories
from chatServer.agent.catalog import load_agents
from chatServer.agent.embeddings import embedder_of
from chatServer.config import Settings
from chatServer.errors import ChatError, EmbedderFailed, StartupError
from chatServer.memory.edit import Edit
from chatServer.memory.maintain import Retention
from chatServer.memory.reembed import Progress, count_users, reembed
from chatServer.operations import user_name
from chatServer.records import EVERY_AGENT, Category, Kind, MemoryFilter, Principal, Tier
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database

BAR = 30


def memory(settings: Settings, parsed: argparse.Namespace) -> None:
    user = terminal.user_of(settings, parsed.user)
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
        case "edit":
            return await terminal_memories.edit_memory(database, user, parsed.id, _edit(parsed), **options)
        case "audit":
            return await terminal_memories.audit_memories(database, user, **options)
        case "maintain":
            agents = load_agents(settings.agents_dir, settings.default_agent)
            retention = Retention(settings.retention_days, agents.retention_days)
            return await terminal_memories.maintain_memories(
                database, user, retention=retention, dry_run=parsed.dry_run, **options
            )
        case "show" | "forget" | "undo":
            return await OF_ONE[parsed.action](database, user, parsed.id, **options)
    return await terminal_memories.list_memories(database, user, _wanted(parsed), **options)


OF_ONE = {
    "show": terminal_memories.show_memory,
    "forget": terminal_memories.forget_memory,
    "undo": terminal_memories.undo_change,
}


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


def reembed_all(settings: Settings, _: argparse.Namespace) -> None:
    logs.install("ERROR")
    print(asyncio.run(_reembed_all(settings)))


async def _reembed_all(settings: Settings) -> str:
    async with opened_database(settings) as database:
        try:
            bar = Bar(await count_users(database), sys.stderr)
            done = await reembed(database, embedder_of(settings), bar.show)
            bar.end()
        except EmbedderFailed as error:
            raise StartupError(str(error)) from error
    return f"All vectors are of {settings.embedder}: {done}."


class Bar:
    """How far a long command is: a line that is rewritten on a terminal, a line each tenth elsewhere."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._tenth = -1

    def show(self, done: Progress) -> None:
        share = min(done.users / self._total, 1) if self._total else 1
        if self._is_terminal:
            full = round(BAR * share)
            self._stream.write(f"\r[{'#' * full}{'.' * (BAR - full)}] {share:4.0%}  {done}\x1b[K")
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            self._stream.write(f"{share:4.0%}  {done}\n")
        self._stream.flush()

    def end(self) -> None:
        if self._is_terminal:
            self._stream.write("\n")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Say how each is called."""
    parser = commands.add_parser("memory", help="what is remembered about a user")
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    listed = {"list": "what is remembered", "search": "the same, with all these words"}
    of_one = {"show": "one memory and its history", "edit": "correct it", "forget": "delete it"}
    of_one |= {"undo": "take back what was last done to it"}
    of_all = {"audit": "what deserves a look", "maintain": "promote, expire, merge and drop what is due, now"}
    parsers = {name: actions.add_parser(name, help=text) for name, text in (listed | of_one | of_all).items()}
    for each in parsers.values():
        each.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
        each.add_argument("--json", action="store_true", help="for programs")
        each.set_defaults(command=memory)
    for name in of_one:
        parsers[name].add_argument("id", metavar="ID", type=UUID)
    for name in listed:
        _add_filters(parsers[name])
    parsers["list"].set_defaults(words=())
    parsers["search"].add_argument("words", nargs="+", metavar="WORD", type=user_name)
    parsers["maintain"].add_argument("--dry-run", action="store_true", help="only say what would be done")
    _add_changes(parsers["edit"])
    everybody = actions.add_parser("reembed", help="make all vectors of all users those of EMBEDDER")
    everybody.set_defaults(command=reembed_all)


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


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise argparse.ArgumentTypeError("importance is between 0 and 1")
