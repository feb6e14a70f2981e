"""The command chatserver knowledge: add, list, delete. It reads files of this machine itself, with or without a server
that runs beside it, and stores nothing of a file before all of it is read."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from chatServer import logs
from chatServer.agent.embeddings import embedder_of
from chatServer.commands import command
from chatServer.config import Settings
from chatServer.conversation.tokens import count_text
from chatServer.errors import ArticleNotFound, ChatError, StartupError
from chatServer.knowledge import shelf
from chatServer.knowledge.ingest import Library
from chatServer.knowledge.kinds import ENDINGS, clean_name
from chatServer.knowledge.read import FAULTS
from chatServer.knowledge.reading import Unreadable
from chatServer.memory.embed import settle
from chatServer.records import NOBODY, Article, Principal
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database
from chatServer.terminal.bar import Bar
from chatServer.terminal.text import plain, table, user_name, user_of

PAGE = 200
READ = f"What is read of a folder ends in {', '.join(sorted(ENDINGS))}."


@dataclass(frozen=True, slots=True)
class Source:
    """A file of this machine, and the name that its article gets."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Sources:
    """What is to be read, and how many files of folders are not, as their endings tell."""

    files: list[Source] = field(hash=False)
    passed_over: int = 0


@dataclass(slots=True)
class Added:
    """What became of the files."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = f"{self.added} added, {self.replaced} replaced, {self.unchanged} as they were, "
        return "\n".join([*self.problems, f"{told}{len(self.problems)} left out."])


def sources(paths: Sequence[Path]) -> Sources:
    """The files themselves, and what a folder holds that has a known ending, by its path in there: nothing hidden, no
    link to elsewhere. Raises StartupError where there is nothing, and where two would be one article."""
    files: dict[str, Source] = {}
    passed_over = 0
    for source, is_named in _given(paths):
        if not is_named and source.path.suffix.lower() not in ENDINGS:
            passed_over += 1
            continue
        other = files.setdefault(clean_name(source.name), source)
        if not other.path.samefile(source.path):
            raise StartupError(
                f"{plain(other.path)} and {plain(source.path)} would both be the document {plain(source.name)}. Add "
                "the folder that holds both, or give one of them another name. Nothing was added."
            )
    if not files:
        told = f" {_other_endings(passed_over)}" if passed_over else ""
        raise StartupError(f"There is nothing to read in {', '.join(map(plain, paths))}.{told} {READ}")
    return Sources(list(files.values()), passed_over)


def _other_endings(count: int) -> str:
    return "1 file has another ending." if count == 1 else f"{count} files have other endings."


def _given(paths: Sequence[Path]) -> Iterator[tuple[Source, bool]]:
    """Every file, and whether it was named itself."""
    for path in paths:
        if path.is_dir():
            yield from ((source, False) for source in _within(path))
        elif path.is_file():
            yield Source(path, path.name), True
        else:
            raise StartupError(f"There is no file and no folder {plain(path)}.")


def _within(folder: Path) -> Iterator[Source]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield Source(path, path.relative_to(folder).as_posix())


def knowledge(settings: Settings, parsed: argparse.Namespace) -> None:
    logs.install("ERROR")
    owner = NOBODY if parsed.shared else user_of(settings, parsed.user)
    said, is_well = asyncio.run(_run(settings, parsed, owner))
    print(said)
    if not is_well:
        sys.exit(1)


async def _run(settings: Settings, parsed: argparse.Namespace, owner: Principal) -> tuple[str, bool]:
    async with opened_database(settings) as database:
        try:
            match parsed.action:
                case "add":
                    found = sources(parsed.paths)
                    added = await _add(settings, database, owner, found.files)
                    told = f"{_other_endings(found.passed_over)} {READ}\n" if found.passed_over else ""
                    return f"{told}{added}", not added.problems
                case "delete":
                    return await delete(database, owner, parsed.article), True
            return listed(await all_of(database, owner), as_json=parsed.json), True
        except ChatError as error:
            raise StartupError(error.detail) from error


async def _add(settings: Settings, database: Database, owner: Principal, files: Sequence[Source]) -> Added:
    embedder = embedder_of(settings)
    await settle(database, embedder)
    # Whoever runs the server decides how much of it is everybody's.
    limits = (0, 0) if owner == NOBODY else (settings.limit_articles, settings.limit_chunks)
    return await add_files(Library(database, count_text, embedder, *limits), owner, files, Bar(sys.stderr))


async def add_files(library: Library, owner: Principal, files: Sequence[Source], bar: Bar) -> Added:
    """One file after the other; one that cannot be read keeps nobody waiting."""
    done = Added()
    for number, source in enumerate(files):

        async def show(part: int, total: int, number: int = number, source: Source = source) -> None:
            bar.draw((number + part / max(total, 1)) / len(files), plain(source.name))

        await show(0, 1)
        try:
            with source.path.open("rb") as file:
                unread = await asyncio.to_thread(shelf.look_at, source.name, file)
                article = await shelf.add(library, owner, unread, file, show)
            done.added += article is not None and article.version == 1
            done.replaced += article is not None and article.version > 1
            done.unchanged += article is None
        except Unreadable as error:
            done.problems.append(f"{plain(source.name)}: {FAULTS[error.fault]}")
        except ChatError as error:
            done.problems.append(plain(error.detail if "file" in error.extra else f"{source.name}: {error.detail}"))
        except OSError as error:
            done.problems.append(f"{plain(source.name)}: {error.strerror}")
    bar.draw(1, "1 file" if len(files) == 1 else f"{len(files)} files")
    bar.end()
    return done


async def all_of(database: Database, owner: Principal) -> list[Article]:
    """What one user has, or what is everybody's."""
    found: list[Article] = []
    before: UUID | None = None
    while True:
        page, before = await shelf.find(database, owner, limit=PAGE, before=before)
        found += [article for article in page if article.is_shared == (owner == NOBODY)]
        if before is None:
            return found


def listed(articles: Sequence[Article], *, as_json: bool) -> str:
    if as_json:
        return json.dumps([_told(article) for article in articles], indent=2)
    if not articles:
        return "There are no documents."
    rows = [(each.article_id, each.state, each.pages, each.chunks, each.tokens, each.name) for each in articles]
    return table(("ID", "STATE", "PAGES", "CHUNKS", "TOKENS", "NAME"), rows)


def _told(article: Article) -> dict[str, Any]:
    """Under the names that `GET /api/knowledge` has."""
    return {
        "id": str(article.article_id),
        "name": article.name,
        "title": article.title,
        "media_type": article.media_type,
        "size_bytes": article.size_bytes,
        "state": article.state,
        "error_code": article.error_code,
        "error": article.error,
        "pages": article.pages,
        "tokens": article.tokens,
        "chunks": article.chunks,
        "shared": article.is_shared,
        "created_at": article.created_at.isoformat(),
        "updated_at": article.updated_at.isoformat(),
    }


async def delete(database: Database, owner: Principal, wanted: str) -> str:
    """By its id or its name."""
    known = [each for each in await all_of(database, owner) if wanted in (each.name, str(each.article_id))]
    if not known:
        raise ArticleNotFound
    await shelf.delete(database, owner, known[0].article_id)
    return f"Deleted {plain(known[0].name)} with {known[0].chunks} chunks."


def add(commands: command.Commands) -> None:
    """Say how each is called."""
    parser = commands.add_parser("knowledge", help="documents that answers are taken from")
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    adding = actions.add_parser("add", help="read files, or all of a folder: text, Markdown, HTML, PDF")
    adding.add_argument("paths", nargs="+", metavar="DIR|FILE", type=Path)
    listing = actions.add_parser("list", help="what is there")
    listing.add_argument("--json", action="store_true", help="for programs")
    deleting = actions.add_parser("delete", help="delete one, with all its text")
    deleting.add_argument("article", metavar="ID|NAME", type=user_name)
    for each in (adding, listing, deleting):
        whose = each.add_mutually_exclusive_group(required=True)
        whose.add_argument("--user", metavar="ID|NAME", type=user_name)
        whose.add_argument("--shared", action="store_true", help="everybody's to read")
        each.set_defaults(command=knowledge)
