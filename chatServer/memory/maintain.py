"""Looking after the memories of one user: what has earned it is kept for good, what is over or too much goes.

Nothing is lost at once: whatever goes leaves a change that `undo` takes back for thirty days, and what somebody has
brought back is neither merged nor pushed out again.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field, replace
from uuid import UUID

from chatServer import metrics
from chatServer.memory import rules
from chatServer.memory.duplicates import AMONG, alike_groups
from chatServer.memory.edit import MAX_TAGS
from chatServer.memory.forget.forget import tell
from chatServer.memory.shelve import as_lasting_as
from chatServer.records import Memory, Principal, Reason
from chatServer.store import memories as store
from chatServer.store import upkeep
from chatServer.store.memory_changes import UNDO_FOR
from chatServer.store.pool import Connection, Database

MAX_BATCHES = 100  # of one step; the rest comes next time
GROUPS = 50  # of near-duplicates in one transaction
REHEARSAL_MS = 60_000

Begin = Callable[[], AbstractAsyncContextManager[Connection]]
Step = Callable[[Connection, UUID], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How many memories were, or would be, ..."""

    promoted: int = 0  # from the short tier to the long one
    expired: int = 0  # at the end of their time
    unused: int = 0  # let go after RETENTION_DAYS in which nobody needed them
    merged: int = 0  # into another that says the same
    dropped: int = 0  # beyond the room of the short tier
    pruned: int = 0  # changes that can no longer be undone


class _Rehearsed(Exception):
    """Thrown so that nothing of a dry run stays."""


@dataclass(frozen=True, slots=True)
class Retention:
    """After how many days without use a memory goes: of what some agents were told, and of all else; None: never."""

    days: int | None = None
    by_agent: Mapping[str, int] = field(default_factory=dict, hash=False)

    def of(self, agent_name: str) -> int | None:
        return self.by_agent.get(agent_name, self.days)


FOR_EVER = Retention()


async def maintain(
    database: Database, principal: Principal, *, retention: Retention = FOR_EVER, dry_run: bool = False
) -> Upkeep:
    """Do all that is due, in transactions of a few hundred rows; or all in one that is taken back, to see what is."""
    user_id = principal.user_id
    if not dry_run:
        async with database.transaction(principal) as connection:
            await upkeep.mark_begun(connection, user_id)
        done = await _keep(lambda: database.transaction(principal), user_id, retention)
        for name, count in asdict(done).items():
            metrics.memories_maintained.labels(name).inc(count)
        return done
    try:
        async with database.transaction(principal, timeout_ms=REHEARSAL_MS) as connection:
            done = await _keep(lambda: contextlib.nullcontext(connection), user_id, retention)
            raise _Rehearsed
    except _Rehearsed:
        return done


async def _keep(begin: Begin, user_id: UUID, retention: Retention) -> Upkeep:
    """First what is kept for good, so that it is not among what goes."""
    async with begin() as connection:
        seq = await store.read_head(connection, user_id)
    done = Upkeep(
        promoted=await _in_batches(begin, user_id, _promote),
        expired=await _in_batches(begin, user_id, _expire),
        unused=0 if retention == FOR_EVER else await _in_batches(begin, user_id, _unused_for(retention)),
        merged=await _merge_alike(begin, user_id),
        dropped=await _in_batches(begin, user_id, _drop_tail),
        pruned=await _in_batches(begin, user_id, _prune),
    )
    async with begin() as connection:
        await upkeep.mark_kept(connection, user_id, seq)
    return done


async def _in_batches(begin: Begin, user_id: UUID, step: Step) -> int:
    total = 0
    for _ in range(MAX_BATCHES):
        async with begin() as connection:
            count = await step(connection, user_id)
        total += count
        if not count:
            break
    return total


async def _promote(connection: Connection, user_id: UUID) -> int:
    async def earned() -> list[UUID]:
        return await upkeep.find_promotable(
            connection, user_id, importance=rules.PROMOTE_IMPORTANCE, recalls=rules.PROMOTE_RECALLS
        )

    found = await _held(connection, user_id, earned)
    for memory in found:
        reason = Reason("maintenance", "important" if memory.recalls < rules.PROMOTE_RECALLS else "often recalled")
        await store.write(connection, user_id, replace(memory, tier="long"), "promoted", reason, before=memory)
    if found:
        await tell(connection, user_id, changed=[memory.memory_id for memory in found])
    return len(found)


async def _expire(connection: Connection, user_id: UUID) -> int:
    async def over() -> list[UUID]:
        return await upkeep.find_expired(connection, user_id, working_life=rules.WORKING_LIFE)

    return await _let_go(connection, user_id, await _held(connection, user_id, over), "its time was over")


def _unused_for(retention: Retention) -> Step:
    async def step(connection: Connection, user_id: UUID) -> int:
        async def unused() -> list[UUID]:
            return await upkeep.find_unused(connection, user_id, days=retention.days, by_agent=retention.by_agent)

        found = await _held(connection, user_id, unused)
        for days in sorted({retention.of(each.agent_name) or 0 for each in found}):
            of_age = [each for each in found if (retention.of(each.agent_name) or 0) == days]
            await _let_go(connection, user_id, of_age, f"nobody needed it for {days} days")
        return len(found)

    return step


async def _drop_tail(connection: Connection, user_id: UUID) -> int:
    async def beyond() -> list[UUID]:
        return await upkeep.find_tail(connection, user_id, room=rules.MAX_SHORT_ITEMS, half_life=rules.FADING_HALF_LIFE)

    found = await _held(connection, user_id, beyond)
    return await _let_go(connection, user_id, found, f"{rules.MAX_SHORT_ITEMS} others matter more")


async def _prune(connection: Connection, user_id: UUID) -> int:
    return await upkeep.prune_before(connection, user_id, kept_for=UNDO_FOR)


async def _held(connection: Connection, user_id: UUID, find: Callable[[], Awaitable[list[UUID]]]) -> list[Memory]:
    """What is found once the user's head is held; who has nothing to be done waits for nobody."""
    if not await find():
        return []
    await store.advance_head(connection, user_id)
    return await store.read_memories(connection, user_id, await find())


async def _let_go(connection: Connection, user_id: UUID, found: Sequence[Memory], why: str) -> int:
    """It comes back without its end, else it would go again."""
    for memory in found:
        kept = replace(memory, expires_at=None)
        await store.delete(connection, user_id, kept, "expired", Reason("maintenance", why))
    if found:
        await tell(connection, user_id, deleted=[memory.memory_id for memory in found])
    return len(found)


async def _merge_alike(begin: Begin, user_id: UUID) -> int:
    async with begin() as connection:
        texts = await upkeep.find_texts(connection, user_id, limit=AMONG)
    groups = await asyncio.to_thread(alike_groups, texts)
    read = {each.memory_id: each.text for each in texts}
    merged = 0
    for start in range(0, len(groups), GROUPS):
        async with begin() as connection:
            await store.advance_head(connection, user_id)
            for group in groups[start : start + GROUPS]:
                found = await store.read_memories(connection, user_id, group)
                same = [each for each in found if each.text == read[each.memory_id] and each.valid_to is None]
                merged += await _merge(connection, user_id, same)
    return merged


async def _merge(connection: Connection, user_id: UUID, alike: Sequence[Memory]) -> int:
    """One stays, with the sources, the tags and the longest time of all: the user's own word, then the more important,
    then the older."""
    if len(alike) < 2:  # somebody was faster
        return 0
    by_age = sorted(alike, key=lambda each: each.created_at)
    stays = max(by_age, key=lambda each: (each.origin == "user", each.trust == "user", each.importance))
    others = [each for each in by_age if each is not stays]
    sources = dict.fromkeys(source for each in by_age for source in each.source_ids)
    tags = dict.fromkeys(tag for each in (stays, *others) for tag in each.tags)
    whole = replace(
        as_lasting_as(stays, others),
        importance=max(each.importance for each in alike),
        tags=tuple(tags)[:MAX_TAGS],
        tier="long" if any(each.tier == "long" for each in alike) else "short",
        source_ids=tuple(sources),
    )
    await store.write(connection, user_id, whole, "repeated", Reason("maintenance", "others said the same"))
    for each in others:
        reason = Reason("maintenance", f"says the same as {stays.memory_id}")
        await store.delete(connection, user_id, each, "merged", reason)
    gone = [each.memory_id for each in others]
    await tell(connection, user_id, changed=[stays.memory_id], deleted=gone)
    return len(gone)
