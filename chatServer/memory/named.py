"""Forgetting what somebody names in his own words, in a turn: the memories that say it, and taking that back."""

import re
from collections.abc import Collection
from uuid import UUID

from chatServer.memory.alike import signature
from chatServer.memory.facts.keys import is_the_user
from chatServer.memory.facts.words import stem
from chatServer.memory.forget import take_back, take_out, tell
from chatServer.memory.shelve import prefixes
from chatServer.records import Memory, MemoryFilter, Principal, Reason
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store import notes
from chatServer.store.pool import Connection, Database

MAX_FORGOTTEN = 10  # memories at once: whoever names more of them names nothing
READ_CHARACTERS = 500
WHY = "it was asked for in a conversation"
_WHOSE = frozenset(("i", "we", "our", "you", "your", "user"))  # the user's, as all of it
_PAST = re.compile(r"(?<=\w{3})(?<!e)ed$")
_ASKED = frozenset(map(stem, ("where", "what", "when", "who", "which", "how")))


class TooMany(Exception):
    """What was named is said by more memories than anybody means."""


async def forget_named(
    database: Database, principal: Principal, shelves: Collection[str], what: str, *, turn_id: UUID, attempt: int
) -> list[Memory] | None:
    """Forget the memories on some shelves that say what is named, as `forget` does, each with an undo of its own;
    None: the turn is over, or in other hands."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        if not await notes.lock_attempt(connection, user_id, turn_id, attempt):
            return None
        found = await _named(connection, user_id, shelves, what)
        if not found:
            return []
        await store.advance_head(connection, user_id)
        found = await _named(connection, user_id, shelves, what)
        if len(found) > MAX_FORGOTTEN:
            raise TooMany
        for memory in found:
            await take_out(connection, user_id, memory, Reason("model", WHY, turn_id=turn_id, attempt=attempt))
        await tell(connection, user_id, deleted=[each.memory_id for each in found])
    return found


async def revert_attempt(connection: Connection, user_id: UUID, turn_id: UUID, attempt: int) -> None:
    """Bring back what a turn has forgotten in attempts up to this one, which is dead: whoever takes it over forgets it
    again. The caller has given the turn its next attempt, so that a late one is refused."""
    for memory_id in await changes.find_forgotten_in(connection, user_id, turn_id, attempt):
        await store.advance_head(connection, user_id)
        undoable = await changes.find_undoable(connection, user_id, memory_id)
        if undoable and undoable.change.turn_id == turn_id:
            await take_back(connection, user_id, undoable, await store.find_memory(connection, user_id, memory_id))


async def _named(connection: Connection, user_id: UUID, shelves: Collection[str], what: str) -> list[Memory]:
    what = what[:READ_CHARACTERS]
    words = _telling(what)
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
    words = _telling(memory.text)
    if named <= words or (words and words <= named):
        return True
    about = _telling(memory.triple.object) if memory.triple else frozenset()
    return bool(about) and about <= named and 2 * len(named & words) > len(named)


def _telling(text: str) -> frozenset[str]:
    """Whoever wants it forgotten that he lived somewhere means what says that he lives there."""
    words = (word.removeprefix("not ") for word in signature(text).words)
    return frozenset(_PAST.sub("", word) for word in words) - _WHOSE
