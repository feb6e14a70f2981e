"""erase: everything of a user, so that nothing which began before it can come after."""

import asyncio
import logging

from chatServer import errors
from chatServer.messages.rows import forget_rows
from chatServer.messages.terms import forget_words
from chatServer.records import Principal, Receipt
from chatServer.store import erasure, turns
from chatServer.store.pool import Database

STOP_S = 8.0  # for turns to end in whichever process runs them; the rows of one that does not end go under it
LOOK_EVERY_S = 0.1
ERASE_TIMEOUT_MS = 120_000  # a user of a million messages
TRIES = 3  # two who wait for each other: one of them begins anew

logger = logging.getLogger(__name__)


async def erase(database: Database, principal: Principal) -> Receipt:
    """Stop the user's turns, then delete every row of his in one transaction.

    Whatever is still under way finds that its rows are gone: a turn has no session to answer in, a job no turn to learn
    from. What would add rows of its own is refused, if it began before: store/user_events.py.
    """
    await _stop_turns(database, principal)
    for tries_left in reversed(range(TRIES)):
        try:
            async with database.transaction(principal, timeout_ms=ERASE_TIMEOUT_MS) as connection:
                receipt = await erasure.erase_all(connection, principal.user_id)
            break
        except errors.DatabaseUnavailable:
            if not tries_left:
                raise
            await asyncio.sleep(LOOK_EVERY_S)
    forget_rows()
    forget_words()
    logger.info("all data of a user was erased", extra={"fields": {"rows": sum(receipt.counts.values())}})
    return receipt


async def receipts(database: Database, principal: Principal) -> list[Receipt]:
    """Of what was erased before, the newest first."""
    async with database.transaction(principal) as connection:
        return await erasure.list_receipts(connection, principal.user_id)


async def _stop_turns(database: Database, principal: Principal) -> None:
    """Those of every process: each looks now and then whether somebody wants it to stop."""
    for _ in range(round(STOP_S / LOOK_EVERY_S)):
        async with database.transaction(principal) as connection:
            running = await turns.request_all_stops(connection, principal.user_id)
        if not running:
            return
        await asyncio.sleep(LOOK_EVERY_S)
    logger.warning("turns did not stop in time: what they say next has nowhere to go")
