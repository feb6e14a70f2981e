"""The row of a turn: who takes it over begins anew, who no longer counts cannot end it, the dead are not stopped."""

from dataclasses import replace

import pytest

from chatServer import errors
from chatServer.store import turns
from tests.conftest import ADA, owner_connection, rows
from tests.tools.turns import begin_turn


async def end(database, turn_id, attempt: int, **how) -> None:
    async with database.transaction(ADA) as connection:
        turn = (await turns.read_turns(connection, ADA.user_id, [turn_id]))[turn_id]
        await turns.finish_turn(connection, ADA.user_id, replace(turn, attempt=attempt), **how)


async def test_an_attempt_begins_without_what_the_interrupted_one_had_said(database, urls):
    turn_id = await begin_turn(database, ADA)
    await end(database, turn_id, 1, state="interrupted", partial_text="You sa", error_code="model_failed")
    async with database.transaction(ADA) as connection:
        dead = (await turns.read_turns(connection, ADA.user_id, [turn_id]))[turn_id]
        assert (dead.state, dead.partial_text) == ("interrupted", "You sa")
        assert await turns.take_over(connection, ADA.user_id, dead, model="m") == 2
    told = "select state, partial_text, error_code, finished_at from chat.turns"
    assert rows(urls, told) == [("running", None, None, None)]


async def test_only_the_attempt_that_counts_ends_a_turn_and_only_once(database, urls):
    turn_id = await begin_turn(database, ADA, attempt=2)
    with pytest.raises(errors.Lost):
        await end(database, turn_id, 1, state="failed")
    await end(database, turn_id, 2, state="done")
    with pytest.raises(errors.Lost):
        await end(database, turn_id, 2, state="stopped")
    assert rows(urls, "select state from chat.turns") == [("done",)]


@pytest.mark.parametrize(("lease_s", "stopped"), [(30, 1), (-1, 0), (86_400, 0)])
async def test_a_turn_is_told_to_stop_within_its_lease_only(database, urls, lease_s, stopped):
    """Past it nobody runs who could stop, and whoever takes it over is meant to answer; the last of them was begun
    before the clock was set back by a day."""
    await begin_turn(database, ADA)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set lease_until = now() + make_interval(secs => %s)", [lease_s])
    [(session_id,)] = rows(urls, "select session_id from chat.turns")
    async with database.transaction(ADA) as connection:
        assert (await turns.request_stop(connection, ADA.user_id, session_id) is not None) == bool(stopped)
        assert await turns.request_all_stops(connection, ADA.user_id) == stopped
    assert rows(urls, "select count(stop_requested_at) from chat.turns") == [(stopped,)]
