"""The audit of a user's memories: what deserves a look, and what can be done about it."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from chatServer.memory.duplicates import AMONG, alike_groups
from chatServer.records import Memory, Principal
from chatServer.store import audit as store
from chatServer.store import memories, memory_changes, upkeep
from chatServer.store.audit import MAX_MEMBERS, Hidden
from chatServer.store.memory_changes import Forgotten
from chatServer.store.pool import Database

SAME = "They say the same: delete all but one; those of one shelf maintenance merges."
UNUSED = "Nobody has needed it for a month: delete it if it no longer matters."
OUTSIDE = "It comes from a tool or a page, not from you: edit it to make it your word, or delete it."
DIFFERENT = "They say different things of one subject: delete what is wrong; if both are true, leave them."
HIDDEN = (
    "Recall passes it over since you have forgotten or corrected it, or a memory that it says:"
    " undo that to have it back."
)
FORGOTTEN = "You have forgotten it: for 30 days undo brings it back, with the messages that said it."

Entry = tuple[Memory, ...]  # one memory, or several that belong together


@dataclass(frozen=True, slots=True)
class Audit:
    """How many of each there are, and the first of them."""

    counts: dict[str, int]
    duplicates: tuple[Entry, ...]
    never_recalled: tuple[Entry, ...]
    untrusted: tuple[Entry, ...]
    contradicted: tuple[Entry, ...]
    hidden_messages: tuple[Hidden, ...]
    forgotten: tuple[Forgotten, ...]


async def audit(database: Database, principal: Principal, *, limit: int) -> Audit:
    """Read only, and of everything at most `limit` entries."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        counts = await store.count_memories(connection, user_id)
        unused = await store.find_never_recalled(connection, user_id, limit=limit)
        untrusted = await store.find_untrusted(connection, user_id, limit=limit)
        different, differing = await store.find_contradicted(connection, user_id, limit=limit)
        hidden = await store.find_hidden(connection, user_id, limit=limit)
        forgotten = await memory_changes.list_forgotten(connection, user_id, limit=limit)
        texts = await upkeep.find_texts(connection, user_id, limit=AMONG)
    alike = await asyncio.to_thread(alike_groups, texts, is_across=True)
    same = [group[:MAX_MEMBERS] for group in alike[:limit]]
    named = {each for group in (*same, *different, unused, untrusted) for each in group}
    async with database.transaction(principal) as connection:
        found = {each.memory_id: each for each in await memories.read_memories(connection, user_id, named)}
    return Audit(
        counts={**counts._asdict(), "duplicates": len(alike), "contradicted": differing},
        duplicates=_entries(same, found),
        never_recalled=_entries(([each] for each in unused), found),
        untrusted=_entries(([each] for each in untrusted), found),
        contradicted=_entries(different, found),
        hidden_messages=tuple(hidden),
        forgotten=tuple(forgotten),
    )


def _entries(groups: Iterable[Sequence[UUID]], found: dict[UUID, Memory]) -> tuple[Entry, ...]:
    """What is gone meanwhile is passed over."""
    whole = (tuple(found[each] for each in group if each in found) for group in groups)
    return tuple(entry for entry in whole if entry)
