"""The commands of whoever operates the server: doctor, backup, restore, session, worker."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import uvloop

from chatServer import heap, logs, tracing
from chatServer.agent.catalog import load_agents
from chatServer.agent.embeddings import embedder_of
from chatServer.agent.models import Models
from chatServer.commands.command import Commands, end_with_terminal
from chatServer.config import Settings
from chatServer.doctor import Case, examine
from chatServer.errors import ChatError, StartupError
from chatServer.main import workshop
from chatServer.memory.embed import settle
from chatServer.records import Principal
from chatServer.store import backup as backups
from chatServer.store import migrate as migrations
from chatServer.store import restore as restores
from chatServer.store.diagnosis import DatabaseFacts, DatabaseFault, Reason, look_at
from chatServer.store.embedded import Unresponsive, embedded_postgres, was_started
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database
from chatServer.store.queue import Queue
from chatServer.terminal import bar, sessions
from chatServer.terminal.text import plain, user_name, user_of
from chatServer.work.worker import NO_DIRECT_ADDRESS, Worker

MODEST = 10  # so that a server on the same machine, for which somebody waits, goes first


def session(settings: Settings, parsed: argparse.Namespace) -> None:
    user = user_of(settings, parsed.user)
    print(asyncio.run(_session(settings, parsed, user)))


async def _session(settings: Settings, parsed: argparse.Namespace, user: Principal) -> str:
    async with opened_database(settings) as database:
        try:
            return await _act(database, parsed, user)
        except ChatError as error:
            refusal = error.detail
    raise StartupError(refusal)


async def _act(database: Database, parsed: argparse.Namespace, user: Principal) -> str:
    match parsed.action:
        case "show":
            return await sessions.show_session(database, user, parsed.id, as_json=parsed.json)
        case "delete":
            return await sessions.delete_session(database, user, parsed.id, as_json=parsed.json)
    return await sessions.list_sessions(database, user, parsed.agent, as_json=parsed.json)


def doctor(settings: Settings, _: argparse.Namespace) -> None:
    has_problem = False
    for finding in examine(_case(settings)):
        print(finding, flush=True)
        has_problem = has_problem or finding.state == "problem"
    if has_problem:
        sys.exit(1)


def _case(settings: Settings) -> Case:
    if settings.database_url is not None:
        return Case(settings, _look_at(settings.database_url.get_secret_value()))
    if not was_started(settings.chat_data_dir):  # a doctor makes no database
        return Case(settings, None)
    try:
        with embedded_postgres(settings.chat_data_dir) as server:
            found = _look_at(server.app_url)
            if isinstance(found, DatabaseFacts):  # its address holds no secret, and other programs need all of it
                found = replace(found, where=server.app_url)
            return Case(settings, found)
    except StartupError as error:
        reason: Reason = "hangs" if isinstance(error, Unresponsive) else "embedded"
        return Case(settings, DatabaseFault(reason, str(error)))


def _look_at(url: str) -> DatabaseFacts | DatabaseFault:
    try:
        return look_at(url)
    except DatabaseFault as fault:
        return fault


def worker(settings: Settings, parsed: argparse.Namespace) -> None:
    if parsed.id is not None and parsed.action != "retry":
        raise StartupError(f"An ID goes with retry only: chatserver worker retry {parsed.id}")
    if parsed.action == "run":
        logs.install(settings.log_level)
        tracing.forget_tracing_variables(settings)
        end_with_terminal()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(runner.run(_worker(settings, parsed)))


async def _worker(settings: Settings, parsed: argparse.Namespace) -> str:
    async with opened_database(settings) as database:
        if parsed.action == "run":
            return await _work(settings, database)
        if database.direct_url is None:
            raise StartupError(NO_DIRECT_ADDRESS)
        async with Queue(database.direct_url) as queue:
            if parsed.action == "retry":
                return await _retry(queue, parsed.id)
            found = [
                f"{job.job_id}  {job.failed_at:%Y-%m-%d %H:%M}  {job.task_name}  {job.arguments}"
                for job in await queue.failed()
            ]
    return "\n".join(found) or "No job has failed for good."


async def _retry(queue: Queue, job_id: int | None) -> str:
    count = await queue.retry_failed(job_id)
    if job_id is not None and not count:
        raise StartupError(f"No job {job_id} has failed for good. Those that have: chatserver worker failed")
    return f"Jobs that begin anew: {count}."


async def _work(settings: Settings, database: Database) -> str:
    stopping = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stopping.set)
    os.nice(MODEST)
    await settle(database, embedder_of(settings))
    agents = load_agents(settings.agents_dir, settings.default_agent)
    tasks = workshop(settings, database, agents, Models(settings)).tasks()
    working = Worker(database, tasks, grace_s=settings.shutdown_grace_s)
    heap.settle()
    print("Working off the queue.", flush=True)
    await working.run(stopping)
    return "Stopped."


def backup(settings: Settings, parsed: argparse.Namespace) -> None:
    bar.begin("Saving all rows of all users")
    with owner_url(settings) as url:
        size = backups.backup(url, parsed.file, force=parsed.force)
    print(f"{parsed.file}: {size:,} bytes. It holds what everybody said: keep it as safe as the database.")
    if left := backups.left_behind(parsed.file.parent):
        told = ", ".join(plain(each) for each in left)
        print(f"Left by backups that were killed, with rows of everybody; delete it unless one is running: {told}")


def restore(settings: Settings, parsed: argparse.Namespace) -> None:
    bar.begin(f"Restoring {plain(parsed.file)}, in one transaction")
    with owner_url(settings) as url:
        restored = restores.restore(url, parsed.file, force=parsed.force)
    newest = migrations.newest_revision()
    print(f"Restored {parsed.file}, of revision {restored.revision}; the database is at revision {newest}.")
    if restored.tokens:
        print(f"Personal tokens that are no longer taken: {restored.tokens}. Their users make new ones.")
    if restored.unread:
        print(f"Files that wait to be read, as soon as a worker runs: {restored.unread}.")


@contextlib.contextmanager
def owner_url(settings: Settings) -> Iterator[str]:
    """The owner of the database: of the given one, or of our own, started for as long as it is needed."""
    if not settings.embedded or settings.migration_database_url is not None:
        yield settings.owner_url
        return
    with embedded_postgres(settings.chat_data_dir) as server:
        yield server.owner_url


def add(commands: Commands) -> None:
    """Say how each is called."""
    commands.add_parser("doctor", help="say what is wrong, and what to do about it").set_defaults(command=doctor)
    for name, command, text, forced in (
        ("backup", backup, "write all rows of all users into a file", "replace FILE if it is there already"),
        (
            "restore",
            restore,
            "bring back what a backup holds, into an empty database",
            "also into a database that is not empty: its rows, of all users, are deleted first",
        ),
    ):
        file_parser = commands.add_parser(name, help=text)
        file_parser.add_argument("file", metavar="FILE", type=Path)
        file_parser.add_argument("--force", action="store_true", help=forced)
        file_parser.set_defaults(command=command)
    _add_worker(commands.add_parser("worker", help="work off the queue, or look at what has failed"))
    _add_session(commands.add_parser("session", help="list, show or delete the sessions of a user"))


def _add_worker(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What comes after turns (titles, memories, summaries) and uploads are jobs. The server works them off itself; "
        "with WORKER=off only this command does, until it is ended."
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("run", "failed", "retry"),
        default="run",
        help="run (the default): work off the queue; failed: list the jobs that were tried in vain and given up; "
        "retry: let them begin anew",
    )
    parser.add_argument("id", nargs="?", type=int, metavar="ID", help="of one failed job, for retry; else all of them")
    parser.set_defaults(command=worker)


def _add_session(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    texts = {
        "list": "those that are not archived, the last used first",
        "show": "one, and what was said in it",
        "delete": "delete one, with all that was said in it",
    }
    parsers = {name: actions.add_parser(name, help=text) for name, text in texts.items()}
    for each in parsers.values():
        each.add_argument("--user", required=True, metavar="ID|NAME", type=user_name)
        each.add_argument("--json", action="store_true", help="for programs")
        each.set_defaults(command=session)
    parsers["list"].add_argument("--agent", metavar="NAME", type=user_name, help="those with this agent only")
    for name in ("show", "delete"):
        parsers[name].add_argument("id", metavar="ID", help="the session's id, or your own name for it")
