"""The database of the settings, opened for as long as a process serves: the given one, or our own, kept alive."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import TypeVar

from chatServer.config import Settings
from chatServer.errors import StartupError
from chatServer.store import startup
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres, revive
from chatServer.store.migrate import migrate
from chatServer.store.pool import Database

LOOK_AFTER_DATABASE_S = 1

T = TypeVar("T")

logger = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def opened_database(settings: Settings) -> AsyncIterator[Database]:
    """The database of the settings, once it is safe to serve from."""
    async with database_url(settings) as url:
        await asyncio.to_thread(startup.refuse_unsafe_database, url)
        async with Database(url, settings) as database:
            await database.connect()
            yield database


@contextlib.asynccontextmanager
async def database_url(settings: Settings) -> AsyncIterator[str]:
    """The address of the database: the given one, or that of our own, started and migrated."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    async with in_a_thread(embedded_postgres(settings.chat_data_dir)) as server:
        await asyncio.to_thread(migrate, server.owner_url)
        leaving = asyncio.Event()
        watch = asyncio.create_task(keep_alive(server, leaving))
        try:
            yield server.app_url
        finally:
            leaving.set()  # and no cancel: a start that is under way in its thread would outlive it
            await watch


async def keep_alive(server: EmbeddedPostgres, leaving: asyncio.Event) -> None:
    """Nobody else starts our own database again when it dies."""
    while not leaving.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(leaving.wait(), LOOK_AFTER_DATABASE_S)
        if leaving.is_set():
            return
        try:
            if await asyncio.to_thread(revive, server):
                logger.warning("the embedded database had died and was started again")
        except (StartupError, OSError) as error:
            logger.error("the embedded database has died: %s", error)


@contextlib.asynccontextmanager
async def in_a_thread(manager: contextlib.AbstractContextManager[T]) -> AsyncIterator[T]:
    """A context manager that blocks; one that is cancelled while it opens is closed all the same."""
    opening = asyncio.ensure_future(asyncio.to_thread(manager.__enter__))
    try:
        opened = await asyncio.shield(opening)
    except asyncio.CancelledError:
        await asyncio.wait({opening})
        if opening.exception() is None:
            await asyncio.to_thread(manager.__exit__, None, None, None)
        raise
    try:
        yield opened
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)
