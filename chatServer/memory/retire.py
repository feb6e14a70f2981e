"""What was learned from messages goes when they go: replaced by an edit, or deleted with their session."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from uuid import UUID

from chatServer.memory.forget.forget import reopen, tell
from chatServer.records import Memory, Reason
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.pool import Connection

THEIR_OWN = ("user", "import", "mcp")  # origins of memories that need no message to stand on; a client's, its session
REPLACED = Reason("rules", "the message that said it was replaced")
DELETED = Reason("rules", "the session in which it was said was deleted")


async def retire_replaced(connection: Connection, user_id: UUID, session_id: str, *, first: int) -> None:
    """Unlearn what was learned only from the messages of a session from a place on, before others take their place.
    `undo` can bring it back: the messages are kept, too.

    The caller holds the session's row, and so does whoever learns from its messages: one of them is first. It comes
    before the messages and their index are touched: whoever forgets holds the head when he hides messages.
    """
    gone = await store.find_sources_in(connection, user_id, session_id, first=first)
    if gone:
        await _retire(connection, user_id, gone, REPLACED)


async def retire_session(connection: Connection, user_id: UUID, session_id: str) -> None:
    """Unlearn what was learned only in a session, and all that is its own, before its messages are deleted; the caller
    holds its row. Nothing of it is kept, nor of what was forgotten before."""
    gone = await store.find_sources_in(connection, user_id, session_id)
    retired = await _retire(connection, user_id, gone, DELETED, shelf=session_id)
    await changes.drop_before(connection, user_id, retired, session_id=session_id)


async def _retire(
    connection: Connection, user_id: UUID, gone: Collection[UUID], reason: Reason, *, shelf: str | None = None
) -> list[UUID]:
    """The memories that are no longer there."""
    if not await store.find_said_by(connection, user_id, gone, shelf=shelf):
        return []  # nothing was learned there, and nobody else can: no reason to wait for the head
    await store.advance_head(connection, user_id)
    said = await store.find_said_by(connection, user_id, gone, shelf=shelf)
    groundless = [each for each in said if each.shelf == shelf or _is_groundless(each, gone, shelf)]
    for memory in said:
        if memory not in groundless:
            left = tuple(each for each in memory.source_ids if each not in gone)
            await store.write(connection, user_id, replace(memory, source_ids=left), "repeated", reason)
    for memory in groundless:
        await store.delete(connection, user_id, memory, "deleted", reason)
    retired = {each.memory_id: each for each in groundless}
    for memory in reversed(groundless):
        await reopen(connection, user_id, _ending(memory, retired), reason)
    if retired:
        await tell(connection, user_id, deleted=list(retired))
    return list(retired)


def _ending(memory: Memory, retired: Mapping[UUID, Memory]) -> Memory:
    """As it would have ended without what goes with it: who says Rome, then Oslo, in one session lives with neither
    where he lived before."""
    last, left = memory, dict(retired)
    while last.superseded_by in left:
        last = left.pop(last.superseded_by)
    return replace(memory, valid_to=last.valid_to, superseded_by=last.superseded_by)


def _is_groundless(memory: Memory, gone: Collection[UUID], session_id: str | None) -> bool:
    was_kept_there = memory.origin == "mcp" and session_id is not None and memory.session_id == session_id
    return (was_kept_there or memory.origin not in THEIR_OWN) and not set(memory.source_ids) - set(gone)
