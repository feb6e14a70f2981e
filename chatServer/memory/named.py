"""Forgetting what somebody names in his own words, in a turn: the memories and messages that say it; taking it back."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.words import stem
from chatServer.memory.forget import take_back, take_out, tell
from chatServer.memory.pass_over import show
from chatServer.memory.said import Wanted, let_go, messages_saying, telling, to_look_for
from chatServer.memory.shelve import prefixes
from chatServer.records import Memory, MemoryFilter, Principal, Reason
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store import notes
from chatServer.store.pool import Connection, Database
from chatServer.store.said import Reach, Said

MAX_FORGOTTEN = 10  # memories, or messages, at once: whoever names more of them names nothing
READ_CHARACTERS = 500
WHY = "it was asked for in a conversation"
MIN_ASKED = 2  # words: "where I live" is a fact of the user, or nothing
_ASKED = frozenset(map(stem, ("where", "what", "when", "who", "which", "how")))


class TooMany(Exception):
    """What was named is said by more memories, or in more messages, than anybody means."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was let go: memories, and messages that recall passes over."""

    memories: list[Memory]
    messages: list[Said]
    left: int = 0  # messages that say it, too, and are too many to be meant


async def forget_named(
    database: Database, principal: Principal, reach: Reach, wanted: Wanted, *, turn_id: UUID, attempt: int
) -> Forgotten | None:
    """Forget the memories on an agent's shelves that say what is named, as `forget` does, and let recall pass over the
    other messages of the user that say it; each with an undo of its own. None: the turn is over, or in other hands."""
    user_id, reason = principal.user_id, Reason("model", WHY, turn_id=turn_id, attempt=attempt)
    async with database.transaction(principal) as connection:
        if not await notes.lock_attempt(connection, user_id, turn_id, attempt):
            return None
        found = await _named(connection, user_id, reach.shelves, wanted.what)
        if not found and not await _said(connection, user_id, reach, wanted, turn_id=turn_id):
            return Forgotten([], [])
        await store.advance_head(connection, user_id)
        found = await _named(connection, user_id, reach.shelves, wanted.what)
        find = partial(_said, connection, user_id, reach, wanted, turn_id=turn_id, is_known=bool(found))
        found += await _learned(connection, user_id, reach, wanted, await find(), besides=found)
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
    connection: Connection, user_id: UUID, reach: Reach, wanted: Wanted, *, turn_id: UUID, is_known: bool = False
) -> list[Said]:
    """The messages that say it, and are not hidden with a memory by now; where it was only asked for, such as what
    somebody's number is, those are enough if there are any."""
    needed = _needed(wanted)
    if telling(wanted.what[:READ_CHARACTERS]) & _ASKED and (is_known or len(needed) < MIN_ASKED):
        return []
    return await messages_saying(connection, user_id, reach, needed, wanted, turn_id=turn_id)


async def _learned(
    connection: Connection,
    user_id: UUID,
    reach: Reach,
    wanted: Wanted,
    said: Sequence[Said],
    *,
    besides: Collection[Memory],
) -> list[Memory]:
    """What was learned from messages that say it, and says it, too: it is no fact that could be asked for."""
    if not said:
        return []
    known, needed = {each.memory_id for each in besides}, _needed(wanted)
    learned = await store.find_said_by(connection, user_id, [each.message_id for each in said])
    there = [each for each in learned if each.memory_id not in known and each.shelf in reach.shelves]
    return [each for each in there if needed <= telling(each.text)]


def _needed(wanted: Wanted) -> frozenset[str]:
    return to_look_for(telling(wanted.what[:READ_CHARACTERS]) - _ASKED, wanted)


async def _named(connection: Connection, user_id: UUID, shelves: Collection[str], what: str) -> list[Memory]:
    what = what[:READ_CHARACTERS]
    words = telling(what)
    named = words - _ASKED
    near = [each for shelf in shelves for each in await store.find_near(connection, user_id, shelf, prefixes(what))]
    if named != words:  # "how I work" is a fact of the user, not that a printer works, nor where his sister does
        is_his = "my" in what.lower().split()
        near = [each for each in near if each.triple and (is_his or is_the_user(each.triple.subject))]
    found = [each for each in near if named and says(each, named)]
    return found or await _over(connection, user_id, shelves, named)


async def _over(connection: Connection, user_id: UUID, shelves: Collection[str], named: frozenset[str]) -> list[Memory]:
    """Where nothing that holds says it, what held once: who has moved may want it forgotten where he lived."""
    if not named:
        return []
    wanted = MemoryFilter(shelves=tuple(shelves), phrase=" ".join(named), ever=True)
    ever = await store.list_memories(connection, user_id, wanted, limit=MAX_FORGOTTEN + 1)
    return [each for each in ever if each.valid_to and says(each, named)]


def says(memory: Memory, named: frozenset[str]) -> bool:
    """Whether one of them says all that the other does; or they share what a fact is about, and most of the rest."""
    words = telling(memory.text)
    if named <= words or (words and words <= named):
        return True
    about = telling(memory.triple.object) if memory.triple else frozenset()
    return bool(about) and about <= named and 2 * len(named & words) > len(named)
