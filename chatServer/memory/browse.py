"""Looking through what is remembered: a page of it, and one memory with its history."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chatServer import errors
from chatServer.records import Memory, MemoryChange, MemoryFilter, Principal
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.pool import Database

MAX_CHANGES = 50


async def browse(
    database: Database, principal: Principal, wanted: MemoryFilter, *, limit: int, before: int | None = None
) -> tuple[list[Memory], int | None]:
    """A page, the last changed first, and where the next one begins."""
    async with database.transaction(principal) as connection:
        found = await store.list_memories(connection, principal.user_id, wanted, limit=limit + 1, before=before)
    return found[:limit], found[limit - 1].seq if len(found) > limit else None


async def search(
    database: Database, principal: Principal, wanted: MemoryFilter, ranked: Sequence[UUID], *, limit: int
) -> list[Memory]:
    """What bears on the phrase, as recall has ranked it, then whatever has its words; all within the filter."""
    best = replace(wanted, phrase=None, ids=tuple(ranked))
    async with database.transaction(principal) as connection:
        near = await store.list_memories(connection, principal.user_id, best, limit=len(ranked)) if ranked else []
        literal = await store.list_memories(connection, principal.user_id, wanted, limit=limit)
    places = {memory_id: place for place, memory_id in enumerate(ranked)}
    near.sort(key=lambda memory: places[memory.memory_id])
    return list({each.memory_id: each for each in (*near, *literal)}.values())[:limit]


async def show(
    database: Database, principal: Principal, memory_id: UUID
) -> tuple[Memory, list[MemoryChange], list[Memory]]:
    """A memory, what was done to it, and what it has taken the place of; of both the newest first."""
    async with database.transaction(principal) as connection:
        memory = await store.find_memory(connection, principal.user_id, memory_id)
        if memory is None:
            raise errors.MemoryNotFound
        done = await changes.list_changes(connection, principal.user_id, memory_id, limit=MAX_CHANGES)
        return memory, done, await store.find_replaced_by(connection, principal.user_id, memory_id)
