"""What turns took, by user and day, on real rows."""

import asyncio
from datetime import date

from chatServer.records import DayUsage, Usage
from chatServer.store import usage
from chatServer.store.pool import Database
from tests.conftest import ADA, EVE

MONDAY, TUESDAY = date(2026, 11, 16), date(2026, 11, 17)


async def add(database: Database, principal=ADA, *, day=MONDAY, agent="assistant", model="m", given=10, said=3) -> None:
    async with database.transaction(principal) as connection:
        await usage.add_usage(
            connection, principal.user_id, day=day, agent_name=agent, model=model, usage=Usage(given, said)
        )


async def read(database: Database, principal=ADA, since=MONDAY) -> list[DayUsage]:
    async with database.transaction(principal) as connection:
        return await usage.read_usage(connection, principal.user_id, since)


async def test_turns_of_a_day_add_up_by_agent_and_model(database):
    for _ in range(3):
        await add(database)
    await add(database, agent="coder", given=2**40)
    await add(database, model="larger")
    await add(database, day=TUESDAY, given=0, said=0)
    assert await read(database) == [
        DayUsage(MONDAY, "assistant", "larger", 1, Usage(10, 3)),
        DayUsage(MONDAY, "assistant", "m", 3, Usage(30, 9)),
        DayUsage(MONDAY, "coder", "m", 1, Usage(2**40, 3)),
        DayUsage(TUESDAY, "assistant", "m", 1, Usage(0, 0)),
    ]
    assert [each.day for each in await read(database, since=TUESDAY)] == [TUESDAY]


async def test_no_turn_is_lost_when_many_end_at_once(database):
    await asyncio.gather(*(add(database) for _ in range(25)))
    assert await read(database) == [DayUsage(MONDAY, "assistant", "m", 25, Usage(250, 75))]


async def test_usage_is_the_users_own(database):
    await add(database)
    assert await read(database, EVE) == []
    await add(database, EVE, given=1)
    assert await read(database) == [DayUsage(MONDAY, "assistant", "m", 1, Usage(10, 3))]
    async with database.transaction(EVE) as connection:
        assert await usage.read_usage(connection, ADA.user_id, MONDAY) == [], "the database itself refuses"
