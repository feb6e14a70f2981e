"""A turn as heard from elsewhere: by its log while that lives, else by the messages that it left."""

import asyncio
from collections.abc import AsyncIterator

from chatServer import errors
from chatServer.messages import Message
from chatServer.records import Principal, Turn
from chatServer.store import deeds, events, superseded, turns
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from chatServer.turn import replay
from chatServer.turn.events import BATCH, ENDINGS, HEARTBEAT_S, Numbered

POLL_EVERY_S = 0.25
MAX_FAILURES = 10


async def follow(database: Database, principal: Principal, turn: Turn, after_seq: int) -> AsyncIterator[list[Numbered]]:
    """Read the log until it says how the turn ended, or until nobody runs the turn any more."""
    seen, quiet_s, failures = after_seq, 0.0, 0
    while True:
        try:
            now, found = await _look(database, principal, turn, seen)
        except errors.DatabaseUnavailable:
            failures += 1
            if failures > MAX_FAILURES:
                return  # without an ending: the client may resume
            await asyncio.sleep(POLL_EVERY_S * failures)
            continue
        for place in range(0, len(found), BATCH):
            yield found[place : place + BATCH]
        if found:
            seen, quiet_s = found[-1][0], 0.0
            if found[-1][1].kind in ENDINGS:
                return
        elif now is None or now.state != "running":
            if now is not None and seen == 0 and now.state != "interrupted":  # it ended a while ago
                yield await _told_again(database, principal, now)
            return
        elif quiet_s >= HEARTBEAT_S:
            quiet_s = 0.0
            yield []
        await asyncio.sleep(POLL_EVERY_S)
        quiet_s += POLL_EVERY_S


async def _look(database: Database, principal: Principal, turn: Turn, seen: int) -> tuple[Turn | None, list[Numbered]]:
    async with database.transaction(principal) as connection:
        # In this order: whatever the turn said before it ended is in the log by the time we see that it has.
        now = (await turns.read_turns(connection, principal.user_id, [turn.turn_id])).get(turn.turn_id)
        found = await events.read_events(connection, principal.user_id, turn.turn_id, seen)
    return now, found


async def _told_again(database: Database, principal: Principal, ended: Turn) -> list[Numbered]:
    said = await read_answer(database, principal, ended)
    return list(enumerate(replay.events_of(ended, said), 1))


async def read_answer(database: Database, principal: Principal, turn: Turn) -> list[Message]:
    """The messages that a turn left as its answer."""
    if turn.user_message_id is None:
        return []
    async with database.transaction(principal) as connection:
        history = ChatMessageHistory(connection, principal.user_id, turn.session_id)
        stored = await history.of_turn(turn.turn_id, turn.user_message_id)
        if not stored:  # somebody has asked something else in its place since
            stored = await superseded.read_turn(connection, principal.user_id, turn.session_id, turn.turn_id)
        stored = await deeds.without_taken_back(connection, principal.user_id, stored)
    return [each.message for each in stored if each.message.role in ("assistant", "tool")]
