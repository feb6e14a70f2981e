"""The pace of running turns: few of them write at once, all of them in time for their leases, none beyond its end."""

import asyncio

import pytest

from chatServer.store import turns
from chatServer.turn.pace import FLUSH_EVERY_S, Pace


@pytest.mark.parametrize(("running", "pause_s"), [(0, 0.25), (50, 0.25), (200, 1.0), (400, 2.0), (100_000, 5.0)])
def test_more_turns_write_less_often_and_never_too_late(running, pause_s):
    pace = Pace(1)
    pace.running = running
    assert pace.pause_s == pause_s
    assert FLUSH_EVERY_S <= pace.pause_s < turns.RENEW_AFTER_S


async def test_a_turn_that_is_over_waits_for_no_place_and_takes_none():
    pace, over = Pace(1), asyncio.Future[None]()
    async with pace.lane(asyncio.Future()) as has_place:
        assert has_place
        waiting = asyncio.create_task(_place(pace, over))
        await asyncio.sleep(0)
        assert not waiting.done()
        over.set_result(None)
        assert await asyncio.wait_for(waiting, 5) is False
    assert await asyncio.wait_for(_place(pace, asyncio.Future()), 5) is True, "the place is free again"


async def _place(pace: Pace, over: asyncio.Future[None]) -> bool:
    async with pace.lane(over) as has_place:
        return has_place
