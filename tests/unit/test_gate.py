"""The gate before turns: few begin at once, some wait, and whoever would wait too long hears so at once."""

import asyncio
from uuid import UUID, uuid4

import pytest

from chatServer import errors
from chatServer.turn import gate as gates
from chatServer.turn.gate import Gate


class Guest:
    """Somebody who goes in and stays until he is told to leave."""

    def __init__(self, gate: Gate, user_id: UUID) -> None:
        self.is_inside = False
        self.leaves = asyncio.Event()
        self.task = asyncio.create_task(self._visit(gate, user_id))

    async def _visit(self, gate: Gate, user_id: UUID) -> None:
        async with gate.entered(user_id):
            self.is_inside = True
            await self.leaves.wait()
        self.is_inside = False

    async def leave(self) -> None:
        self.leaves.set()
        await self.task


async def arrived(gate: Gate, count: int, user_id: UUID | None = None) -> list[Guest]:
    """Each of them somebody else, or all of them one."""
    guests = [Guest(gate, user_id or uuid4()) for _ in range(count)]
    await settled()
    return guests


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_no_more_than_its_width_are_inside_and_the_first_to_come_is_the_next():
    guests = await arrived(Gate(2), 5)
    assert [guest.is_inside for guest in guests] == [True, True, False, False, False]
    await guests[1].leave()
    await settled()
    assert [guest.is_inside for guest in guests] == [True, False, True, False, False]
    for guest in guests:
        await guest.leave()


async def test_whoever_would_wait_too_long_is_turned_away_and_nobody_else(monkeypatch):
    monkeypatch.setattr(gates, "MAX_WAIT_S", 0.1)
    gate = Gate(1)  # which believes that one takes 10 ms
    guests = await arrived(gate, 12)
    with pytest.raises(errors.Overloaded):
        async with gate.entered(uuid4()):
            raise AssertionError
    for guest in guests:
        await guest.leave()
    async with gate.entered(uuid4()):
        pass


async def test_when_everything_takes_long_fewer_may_wait(monkeypatch):
    monkeypatch.setattr(gates, "SMOOTHING", 1.0)
    monkeypatch.setattr(gates, "MAX_WAIT_S", 0.05)
    gate = Gate(1)
    async with gate.entered(uuid4()):
        await asyncio.sleep(0.06)
    inside, waits = await arrived(gate, 2)
    with pytest.raises(errors.Overloaded):
        gate.refuse_if_full()
    await inside.leave()
    await settled()
    assert waits.is_inside
    gate.refuse_if_full()  # which it does only while somebody waits
    await waits.leave()


async def test_whoever_gives_up_waiting_takes_nobodys_place():
    gate = Gate(1)
    inside, gives_up, stays = await arrived(gate, 3)
    gives_up.task.cancel()
    await settled()
    await inside.leave()
    await settled()
    assert stays.is_inside
    await stays.leave()
    (last,) = await arrived(gate, 1)
    assert last.is_inside
    await last.leave()


async def test_a_turn_that_fails_to_begin_leaves_its_place():
    gate = Gate(1)
    with pytest.raises(ZeroDivisionError):
        async with gate.entered(uuid4()):
            raise ZeroDivisionError
    (guest,) = await arrived(gate, 1)
    assert guest.is_inside
    await guest.leave()


async def test_one_users_crowd_is_no_crowd_to_others(monkeypatch):
    monkeypatch.setattr(gates, "MAX_WAIT_S", 0.1)
    gate, eve = Gate(4), uuid4()
    crowd = await arrived(gate, 23, eve)  # the last of whom waits as long as one may
    assert [guest.is_inside for guest in crowd].count(True) == gates.OWN_PLACES
    with pytest.raises(errors.Overloaded):
        async with gate.entered(eve):
            raise AssertionError
    gate.refuse_if_full()
    (other,) = await arrived(gate, 1)
    assert other.is_inside
    for guest in [other, *crowd]:
        await guest.leave()
    assert gate._own == {}


async def test_who_has_a_crowd_of_his_own_waits_in_both_rows(monkeypatch):
    monkeypatch.setattr(gates, "MAX_WAIT_S", 0.12)
    gate, eve = Gate(1), uuid4()
    others = await arrived(gate, 6)
    crowd = await arrived(gate, 4, eve)  # two stand behind the others, and two behind these
    gate.refuse_if_full(uuid4())  # 70 ms
    with pytest.raises(errors.Overloaded):
        gate.refuse_if_full(eve)  # and 80 ms more, until two of his have been through the other row
    for guest in [*others, *crowd]:
        await guest.leave()
