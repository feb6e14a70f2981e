"""What chatserver memory does with an embedder, search and reembed, or with the agents' files."""

import argparse
import asyncio
import sys
from typing import TextIO

from chatServer import logs
from chatServer.agent.catalog import load_agents
from chatServer.agent.embeddings import embedder_of
from chatServer.config import Settings
from chatServer.conversation.tokens import count_text
from chatServer.errors import DatabaseUnavailable, EmbedderFailed, StartupError
from chatServer.memory import browse
from chatServer.memory.maintain import Retention
from chatServer.memory.recall.recall import recalling
from chatServer.memory.recall.reworded import in_a_search
from chatServer.memory.reembed import Progress, count_users, reembed
from chatServer.records import Memory, MemoryFilter, Principal
from chatServer.store.opened import opened_database
from chatServer.store.pool import Database
from chatServer.terminal import bar

PATIENCE_MS = 5_000  # a person at a terminal has some
SHOWN = 200


async def search(settings: Settings, database: Database, user: Principal, wanted: MemoryFilter) -> list[Memory]:
    """What bears on some words, the best first, as recall ranks it."""
    embedder, cache_mb = embedder_of(settings), settings.recall_cache_mb
    async with recalling(database, embedder, count_text, cache_mb=cache_mb, deadline_ms=PATIENCE_MS) as recaller:
        ranked = await recaller.rank_memories(user, in_a_search(wanted.phrase or ""))
    return await browse.search(database, user, wanted, ranked, limit=SHOWN)


def reembed_all(settings: Settings, _: argparse.Namespace) -> None:
    logs.install("ERROR")
    print(asyncio.run(_reembed_all(settings)))


async def _reembed_all(settings: Settings) -> str:
    async with opened_database(settings) as database:
        try:
            bar = UsersBar(await count_users(database), sys.stderr)
            done = await reembed(database, embedder_of(settings), bar.show)
            bar.end()
        except EmbedderFailed as error:
            raise StartupError(str(error)) from error
        except DatabaseUnavailable as error:
            raise StartupError(f"{error} What is done stays: run it again, and it goes on where it was.") from error
    return f"All vectors are of {settings.embedder}: {done}."


class UsersBar(bar.Bar):
    """How many of the users are done."""

    def __init__(self, total: int, stream: TextIO) -> None:
        super().__init__(stream)
        self._total = total

    def show(self, done: Progress) -> None:
        self.draw(done.users / self._total if self._total else 1, done)


def retention(settings: Settings) -> Retention:
    """How long things are kept, by the settings and by each agent's file."""
    return Retention(settings.retention_days, load_agents(settings.agents_dir, settings.default_agent).retention_days)
