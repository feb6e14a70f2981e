"""Forgetting, and taking back whatever was done to a memory."""

from dataclasses import replace
from uuid import UUID

from chatServer import errors
from chatServer.memory.alike import signature
from chatServer.records import Memory, Principal, Reason, Undoable
from chatServer.store import jobs, user_events
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.pool import Connection, Database

UNDO = Reason("user", "undo")
WE_CALL_HIM = "user"  # who speaks of himself says "I"
MAX_TELLING = 16  # words of a long memory by which messages that say it are found
MIN_NAME = 4  # letters: by a shorter word alone ("Al", "30") nobody is sure what an answer speaks of


async def forget(database: Database, principal: Principal, memory_id: UUID, *, why: str | None = None) -> Memory:
    """Delete a memory, and let recall no longer show the messages that said it: those from which it was learned, those
    of the user that have all its words, and answers that quoted it. `undo` brings all of them back.
    Returns what it was."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        memory = _there(await store.find_memory(connection, user_id, memory_id))
        await take_out(connection, user_id, memory, Reason("user", why))
        await tell(connection, user_id, deleted=[memory_id])
    return memory


async def take_out(connection: Connection, user_id: UUID, memory: Memory, reason: Reason) -> None:
    """The same under a head that is held."""
    hidden = await hide_saying(connection, user_id, memory)
    await store.delete(connection, user_id, memory, "deleted", reason, hidden=hidden)


async def hide_saying(connection: Connection, user_id: UUID, memory: Memory) -> list[UUID]:
    """Let recall no longer show the messages that said it; those are named with the change that does so, so that
    `undo` shows them again."""
    saying = await _messages_saying(connection, user_id, memory)
    return await store.hide_messages(connection, user_id, {*memory.source_ids, *saying}, titles=True)


async def undo(
    database: Database, principal: Principal, memory_id: UUID, *, only_deletion: bool = False
) -> Memory | None:
    """Take back the last change that was not taken back; the memory as it is then, or None when it is gone. Who only
    wants back what was deleted may ask twice."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        memory = await store.find_memory(connection, user_id, memory_id)
        if memory and only_deletion:
            return memory
        undoable = await changes.find_undoable(connection, user_id, memory_id)
        if undoable is None or (only_deletion and undoable.before is None):
            _there(memory)
            raise errors.InvalidRequest("Nothing was done to this memory that could be taken back.")
        await take_back(connection, user_id, undoable, memory)
        await tell(connection, user_id, changed=[memory_id])
        now = await store.find_memory(connection, user_id, memory_id)
        if now and (memory is None or memory.text != now.text):
            await jobs.enqueue_noticing(connection)
        return now


async def take_back(connection: Connection, user_id: UUID, undoable: Undoable, now: Memory | None) -> None:
    """Undo one change to a memory, which is `now` what it is, under a head that is held."""
    await changes.mark_undone(connection, user_id, undoable.change)
    if undoable.before is None:
        await _take_away(connection, user_id, now)
    else:
        await _put_back(connection, user_id, undoable, now)


async def tell(connection: Connection, user_id: UUID, **ids: list[UUID]) -> None:
    """Let the user's tabs know which memories to look at again."""
    told = {name: [str(each) for each in found] for name, found in ids.items()}
    await user_events.tell(connection, user_id, "memory", {"what": "memories", **told})


async def reopen(connection: Connection, user_id: UUID, gone: Memory, reason: Reason) -> None:
    """What a memory that is gone had taken the place of holds again, or ends with what took the place of that one."""
    for old in await store.find_replaced_by(connection, user_id, gone.memory_id):
        ends = replace(old, valid_to=gone.valid_to, superseded_by=gone.superseded_by)
        if ends.valid_to is not None or not await _holders_beside(connection, user_id, ends):
            await store.write(connection, user_id, ends, "restored", reason)


async def _take_away(connection: Connection, user_id: UUID, memory: Memory | None) -> None:
    """It was made: now it is gone, and what it replaced holds again. That, too, can be undone."""
    if memory is not None:
        await store.delete(connection, user_id, memory, "deleted", UNDO)
        await reopen(connection, user_id, memory, UNDO)


async def _put_back(connection: Connection, user_id: UUID, undoable: Undoable, now: Memory | None) -> None:
    """It is again what it was, but for the messages that have said it since. What has taken its place meanwhile is
    gone, or no longer holds."""
    before = undoable.before
    assert before is not None  # nosec B101 # narrows a type
    if now:
        before = replace(before, source_ids=now.source_ids)
    if undoable.change.operation == "superseded" and now and now.superseded_by:
        successor = await store.find_memory(connection, user_id, now.superseded_by)
        if successor:
            await store.delete(connection, user_id, successor, "deleted", UNDO)
    if before.valid_to is None:
        await _make_room(connection, user_id, before)
    await store.write(connection, user_id, before, "restored", UNDO)
    if undoable.hidden:
        await store.show_messages(connection, user_id, undoable.hidden)


async def _make_room(connection: Connection, user_id: UUID, memory: Memory) -> None:
    """Of one key, and of one text, a single memory holds: now this one."""
    for other in await _holders_beside(connection, user_id, memory):
        ended = replace(other, valid_to=max(other.valid_from, memory.valid_from), superseded_by=memory.memory_id)
        await store.write(connection, user_id, ended, "superseded", UNDO, before=other)


async def _holders_beside(connection: Connection, user_id: UUID, memory: Memory) -> list[Memory]:
    """The others that hold what this one would."""
    held = await store.find_held(connection, user_id, memory.shelf, text=memory.text, fact_key=memory.fact_key)
    return [each for each in held if each.valid_to is None and each.memory_id != memory.memory_id]


async def _messages_saying(connection: Connection, user_id: UUID, memory: Memory) -> list[UUID]:
    """By the words that tell: of a fact what it is about and what is said of it, of other texts nearly all."""
    words = [word for word in _stems(memory.text) if not WE_CALL_HIM.startswith(word)][:MAX_TELLING]
    quoted = _stems(memory.triple.object)[:MAX_TELLING] if memory.triple else words
    if not quoted:
        return []
    is_sure = not memory.triple or any(len(word) >= MIN_NAME for word in quoted)
    beside = None if is_sure else [word for word in words if word not in quoted]
    return await store.find_saying(connection, user_id, memory.shelf, [*words, *quoted], quoted=quoted, beside=beside)


def _stems(text: str) -> list[str]:
    return [word.removeprefix("not ") for word in signature(text).words]


def _there(memory: Memory | None) -> Memory:
    if memory is None:
        raise errors.MemoryNotFound
    return memory
