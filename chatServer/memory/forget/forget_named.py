"""Forgetting what somebody names in his own words, in a turn: the memories and messages that say it; taking it back."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from uuid import UUID

from chatServer.memory.facts import facts_in
from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.words import stem
from chatServer.memory.forget.forget import take_back, take_out, tell
from chatServer.memory.forget.pass_over import show
from chatServer.memory.forget.said import (
    Passages,
    Saying,
    Wanted,
    as_kept,
    let_go,
    messages_saying,
    naming,
    telling,
    to_look_for,
)
from chatServer.memory.forget.whose import is_of, tells_of, whose
from chatServer.memory.shelve import prefixes
from chatServer.records import Memory, MemoryFilter, Principal, Reason
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store import notes
from chatServer.store.pool import Connection, Database

MAX_FORGOTTEN = 10  # memories, or messages, at once: whoever names more of them names nothing
READ_CHARACTERS = 500
WHY = "it was asked for in a conversation"
MIN_ASKED = 2  # words: "where I live" is a fact of the user, or nothing
_ASKED = frozenset(map(stem, ("where", "what", "when", "who", "which", "how")))
_JOINT = re.compile(r"[.!?…;,\n]+|\s(?:and|but|und|aber|и|а|но|y|pero|et|mais)\s", re.IGNORECASE)


class TooMany(Exception):
    """What was named is said by more memories, or in more messages, than anybody means."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was let go: memories, and messages that recall passes over."""

    memories: list[Memory]
    messages: list[Saying]
    left: int = 0  # messages that say it, too, and are too many to be meant


async def forget_named(database: Database, principal: Principal, wanted: Wanted, *, attempt: int) -> Forgotten | None:
    """Forget the memories on an agent's shelves that say what is named, as `forget` does, and let recall pass over the
    other messages of the user that say it; each with an undo of its own. None: the turn is over, or in other hands."""
    user_id, reach, turn_id = principal.user_id, wanted.reach, wanted.turn_id
    reason = Reason("model", WHY, turn_id=turn_id, attempt=attempt)
    async with database.transaction(principal) as connection:
        if not await notes.lock_attempt(connection, user_id, turn_id, attempt):
            return None
        passages = Passages()
        found = await _named(connection, user_id, reach.shelves, wanted.what)
        if not await _said(connection, user_id, wanted, passages) and not found:
            return Forgotten([], [])
        await store.advance_head(connection, user_id)
        found = await _named(connection, user_id, reach.shelves, wanted.what)
        find = partial(_said, connection, user_id, wanted, passages, is_known=bool(found))
        known = {each.memory_id for each in found}
        found += [
            each for each in await _learned(connection, user_id, wanted, await find()) if each.memory_id not in known
        ]
        if len(found) > MAX_FORGOTTEN:
            raise TooMany
        for memory in found:
            await take_out(connection, user_id, memory, reason)
        said, left = await find(), 0  # what is hidden with a memory comes back with it
        if len(said) > MAX_FORGOTTEN:
            if not found:
                raise TooMany
            said, left = [], len(said)  # a memory was meant: "my dog Rex", of whom much was said
        await let_go(connection, user_id, reach, said, _needed(wanted), reason=reason)
        await tell(connection, user_id, deleted=[each.memory_id for each in found])
    return Forgotten(found, said, left)


async def revert_attempt(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int) -> None:
    """Bring back what a turn has forgotten in attempts up to this one, which is dead: whoever takes it over forgets it
    again. The caller has given the turn its next attempt, so that a late one is refused."""
    for changed_id in await changes.find_forgotten_in(connection, user_id, turn_id, attempt):
        await store.advance_head(connection, user_id)
        undoable = await changes.find_undoable(connection, user_id, changed_id)
        if undoable is None or undoable.change.turn_id != turn_id:
            continue
        message_id = undoable.change.message_id
        if message_id and changed_id == changes.id_of_message(message_id):
            await show(connection, user_id, message_id, undoable)
        else:
            await take_back(connection, user_id, undoable, await store.find_memory(connection, user_id, changed_id))


async def _said(
    connection: Connection, user_id: UUID, wanted: Wanted, passages: Passages, *, is_known: bool = False
) -> list[Saying]:
    """The messages that say it, and are not hidden with a memory by now; where it was only asked for, such as what
    somebody's number is, those are enough if there are any."""
    needed = _needed(wanted)
    if telling(wanted.what[:READ_CHARACTERS]) & _ASKED and (is_known or len(needed) < MIN_ASKED):
        return []
    said = await messages_saying(connection, user_id, wanted, needed, passages)
    meant = whose(wanted.what[:READ_CHARACTERS])
    return [each for each in said if tells_of(each.passage[:READ_CHARACTERS], meant, needed)] if meant else said


async def _learned(connection: Connection, user_id: UUID, wanted: Wanted, said: Sequence[Saying]) -> list[Memory]:
    """What was learned from messages that say it, and says it, too, or is what was learned from saying it."""
    if not said:
        return []
    needed, shelves = _needed(wanted), wanted.reach.shelves
    learned = await store.find_said_by(connection, user_id, [each.message_id for each in said])
    going = said if len(said) <= MAX_FORGOTTEN else ()
    meant = whose(wanted.what[:READ_CHARACTERS])
    there = [each for each in learned if each.shelf in shelves and is_of(each, meant)]
    return [each for each in there if needed <= telling(each.text) or _goes_with(each, going, needed)]


def _goes_with(memory: Memory, going: Sequence[Saying], needed: frozenset[str]) -> bool:
    """Whether a memory would tell what messages that go have told: they say nothing else, and no other has said it; or
    it is learned from the part of them that names it, or is about what is named and not from another part."""
    its_own = [_parts(each.text) for each in going if each.message_id in memory.source_ids]
    if len(its_own) == len(memory.source_ids) and all(len(parts) == 1 for parts in its_own):
        told = _told_of(needed, chain.from_iterable(its_own))
        return bool(its_own) and (not told or memory.text in told)
    about = telling(memory.triple.object) if memory.triple else frozenset()
    is_named = bool(about) and about <= needed
    for parts in its_own:
        naming_it = [part for part in parts if needed <= telling(part)]
        if memory.text in (_told_of(needed, naming_it) or _told_in(naming_it)):
            return True
        if is_named and memory.text not in _told_in(part for part in parts if part not in naming_it):
            return True
    return False


def _told_of(needed: frozenset[str], parts: Iterable[str]) -> set[str]:
    """The facts that name it themselves: where somebody works is not as what."""
    return {told for told in _told_in(parts) if as_kept(needed) <= as_kept(telling(told))}


def _parts(message: str) -> list[str]:
    """What it says one after the other."""
    return [part for part in _JOINT.split(message[:READ_CHARACTERS]) if telling(part)]


def _told_in(parts: Iterable[str]) -> set[str]:
    now = datetime.now(UTC)
    return {fact.text for part in parts for fact in facts_in(part, said_at=now)}


def _needed(wanted: Wanted) -> frozenset[str]:
    return words_to_find(wanted.what, wanted.common)


def words_to_find(what: str, common: Collection[str]) -> frozenset[str]:
    """The words of what is to be forgotten that a message must have, if they name anything; `common` ones do not."""
    return to_look_for(telling(what[:READ_CHARACTERS]) - _ASKED, common)


async def _named(connection: Connection, user_id: UUID, shelves: Collection[str], what: str) -> list[Memory]:
    what = what[:READ_CHARACTERS]
    words = telling(what)
    named = naming(words - _ASKED)
    near = [each for shelf in shelves for each in await store.find_near(connection, user_id, shelf, prefixes(what))]
    if words & _ASKED:  # "how I work" is a fact of the user, not that a printer works, nor where his sister does
        is_his = "my" in what.lower().split()
        near = [each for each in near if each.triple and (is_his or is_the_user(each.triple.subject))]
    meant = whose(what)
    found = [each for each in near if named and says(each, named) and is_of(each, meant)]
    ended = [each for each in await _ending(connection, user_id, shelves, named) if is_of(each, meant)]
    now = datetime.now(UTC)
    coming = [each for each in ended if each.valid_to and each.valid_to > now]
    return [*found, *coming] if found else ended


async def _ending(
    connection: Connection, user_id: UUID, shelves: Collection[str], named: frozenset[str]
) -> list[Memory]:
    """What holds until a day, as appointments do; and what held once, where nothing else says it: who has moved may
    want it forgotten where he lived."""
    if not named:
        return []
    wanted = MemoryFilter(shelves=tuple(shelves), phrase=" ".join(named), ever=True)
    ever = await store.list_memories(connection, user_id, wanted, limit=MAX_FORGOTTEN + 1)
    return [each for each in ever if each.valid_to and says(each, named)]


def says(memory: Memory, named: frozenset[str]) -> bool:
    """Whether one of them says all that the other does; or they share what a fact is about, and most of the rest."""
    words, named = as_kept(telling(memory.text)), as_kept(named)
    if named <= words or (words and words <= named):
        return True
    about = as_kept(telling(memory.triple.object)) if memory.triple else frozenset()
    return bool(about) and about <= named and 2 * len(named & words) > len(named)
