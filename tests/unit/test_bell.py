"""A bell wakes those who wait for it, and nobody else."""

import asyncio

from chatServer.conversation.bell import Bell


async def test_all_who_wait_hear_the_next_ring_and_who_comes_later_does_not():
    bell = Bell()
    bell.ring()
    waiting = [asyncio.ensure_future(bell.heard(60)) for _ in range(3)]
    await asyncio.sleep(0)
    bell.ring()
    assert await asyncio.gather(*waiting) == [True, True, True]
    assert not await bell.heard(0.01)
    bell.ring()


async def test_who_no_longer_waits_is_in_nobodys_way():
    bell = Bell()
    gone, there = (asyncio.ensure_future(bell.heard(60)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    bell.ring()
    assert await there
    assert gone.cancelled() or await asyncio.wait({gone})
