"""The one serialisation of a session: who holds its row is alone with it, by whatever name he took it."""

import uuid
from collections.abc import Awaitable, Callable

import pytest

from chatServer import errors
from chatServer.store import sessions
from chatServer.store.pool import Connection
from tests.conftest import ADA

Hold = Callable[[Connection, str], Awaitable[object]]


async def locked(connection: Connection, session_id: str) -> object:
    return await sessions.lock_session(connection, ADA.user_id, session_id)


async def held(connection: Connection, session_id: str) -> object:
    return await sessions.hold_session(connection, ADA.user_id, session_id)


async def entered(connection: Connection, session_id: str) -> object:
    return await sessions.enter_session(connection, ADA.user_id, session_id, "assistant")


async def found(connection: Connection, session_id: str) -> object:
    return await sessions.find_session(connection, ADA.user_id, session_id)


async def taken(connection: Connection, hold: Hold, session_id: str) -> None:
    """Really: statements wait until somebody asks for an answer."""
    await connection.execute("set local lock_timeout = '50ms'")
    await hold(connection, session_id)
    await (await connection.execute("select 1")).fetchone()


@pytest.mark.parametrize("second", [locked, held, entered])
@pytest.mark.parametrize("first", [locked, held, entered])
async def test_of_two_who_take_a_session_the_second_waits(database, session_id, first: Hold, second: Hold):
    async with database.transaction(ADA) as holding:
        await taken(holding, first, session_id)
        with pytest.raises(errors.DatabaseUnavailable):
            async with database.transaction(ADA) as waiting:
                await taken(waiting, second, session_id)
    async with database.transaction(ADA) as after:
        await taken(after, second, session_id)


@pytest.mark.parametrize("first", [locked, held, entered])
async def test_who_only_reads_a_session_waits_for_nobody(database, session_id, first: Hold):
    async with database.transaction(ADA) as holding:
        await taken(holding, first, session_id)
        async with database.transaction(ADA) as reading:
            await taken(reading, found, session_id)


async def test_two_sessions_of_a_user_are_taken_at_once(database, session_id):
    async with database.transaction(ADA) as connection:
        await sessions.insert_session(connection, ADA.user_id, other := str(uuid.uuid4()), "assistant")
    async with database.transaction(ADA) as holding:
        await taken(holding, locked, session_id)
        async with database.transaction(ADA) as beside:
            await taken(beside, locked, other)
