"""What a user makes of his memories himself: new ones, and others of those that are there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from chatServer import errors
from chatServer.memory.alike import signature
from chatServer.memory.facts import Fact, facts_in
from chatServer.memory.forget.forget import hide_saying, tell
from chatServer.memory.remember.classify import classify
from chatServer.memory.rules import WORKING_LIFE, kind_of, tier_of
from chatServer.memory.shelve import overrule, shelve
from chatServer.messages import clean_text
from chatServer.records import EVERY_AGENT, Category, Kind, Memory, Principal, Reason, Tier, Triple, new_id
from chatServer.store import jobs
from chatServer.store import memories as store
from chatServer.store.pool import Database

Removable = Literal["valid_to", "expires_at", "triple"]
MAX_FACT = 200  # characters of a sentence that may be one
MAX_TAGS = 16
MAX_TAG = 64
USER = Reason("user")
AHEAD = timedelta(minutes=5)  # of our clock may be that of whoever says that it is over by now


@dataclass(frozen=True, slots=True)
class Edit:
    """What is wanted of a memory; None leaves a thing as it is, or to the rules."""

    text: str | None = None
    kind: Kind | None = None
    category: Category | None = None
    importance: float | None = None
    tags: Sequence[str] | None = None
    tier: Tier | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    triple: Triple | None = None
    without: frozenset[Removable] = frozenset()  # what is to be taken away


async def create(
    database: Database,
    principal: Principal,
    wanted: Edit,
    *,
    shelf: str,
    agent_name: str,
    session_id: str | None = None,
) -> tuple[Memory, bool]:
    """A memory of the user's own making, and whether it is new: what is known already is not kept twice, and what it
    contradicts is over."""
    made = _made(wanted, shelf=shelf, agent_name=agent_name, session_id=session_id)
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, principal.user_id)
        shelved = await shelve(connection, principal.user_id, made, USER)
        known, is_new = shelved.memory, shelved.outcome in ("created", "superseded")
        if is_new:
            ended = [shelved.ended] if shelved.ended else []
            if shelf == EVERY_AGENT:
                ended += await overrule(connection, principal.user_id, made, USER)
            over = {"ended": [each.memory_id for each in ended]} if ended else {}
            await tell(connection, principal.user_id, created=[made.memory_id], **over)
            await jobs.enqueue_noticing(connection)
        elif shelved.outcome == "repeated":  # it lasts longer now, or is no longer hearsay
            await tell(connection, principal.user_id, changed=[known.memory_id])
        return await store.find_memory(connection, principal.user_id, known.memory_id) or known, is_new


def _made(wanted: Edit, *, shelf: str, agent_name: str, session_id: str | None) -> Memory:
    """As the user wants it; what he leaves open, rules say."""
    text, now = _sound_text(wanted.text or ""), datetime.now(UTC)
    rules = classify(text)
    category = wanted.category or rules.category
    importance = rules.importance if wanted.importance is None else wanted.importance
    kind = wanted.kind or kind_of(category)
    fact = _fact_in(text, now) if wanted.triple is None and kind != "working" else None
    return Memory(
        memory_id=new_id(),
        text=text,
        kind=kind,
        category=category,
        importance=importance,
        tags=sound_tags(rules.tags if wanted.tags is None else wanted.tags),
        tier=wanted.tier or tier_of(importance),
        shelf=shelf,
        agent_name=agent_name,
        session_id=session_id,
        origin="user",
        trust="user",
        valid_from=now,
        valid_to=wanted.valid_to,
        created_at=now,
        updated_at=now,
        expires_at=wanted.expires_at or (now + WORKING_LIFE if kind == "working" else None),
        triple=Triple(fact.subject, fact.predicate, fact.object) if fact else wanted.triple,
        fact_key=fact.key if fact else None,
    )


def _fact_in(text: str, now: datetime) -> Fact | None:
    """What the rules learn from a sentence of the user's, where that is all that it says and holds for good."""
    told = facts_in(text, said_at=now) if len(text) <= MAX_FACT else []
    is_one = len(told) == 1 and not told[0].is_negation and told[0].valid_to is None
    return told[0] if is_one else None


async def edit(database: Database, principal: Principal, memory_id: UUID, wanted: Edit) -> Memory:
    """Change what is given. From then on the memory is the user's word, whoever made it: no source takes it away, and
    recall no longer shows the messages that said what he has put right. `undo` brings them back."""
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, principal.user_id)
        known = await store.find_memory(connection, principal.user_id, memory_id)
        if known is None:
            raise errors.MemoryNotFound
        edited = _edited(known, wanted)
        held = await store.find_held(
            connection, principal.user_id, edited.shelf, text=edited.text, fact_key=edited.fact_key
        )
        if any(each.memory_id != memory_id and each.valid_to is None and edited.valid_to is None for each in held):
            raise errors.InvalidRequest("Another memory says exactly this already.")
        hidden = await hide_saying(connection, principal.user_id, known) if _is_put_right(known, edited) else ()
        await store.write(connection, principal.user_id, edited, "edited", USER, before=known, hidden=hidden)
        await tell(connection, principal.user_id, changed=[memory_id])
        if edited.text != known.text:
            await jobs.enqueue_noticing(connection)
        found = await store.find_memory(connection, principal.user_id, memory_id)
    assert found is not None  # nosec B101 # it was written just now
    return found


def _is_put_right(known: Memory, edited: Memory) -> bool:
    """Whether what it said is so no longer: it is over by now, or its text has lost a word that tells."""
    now = datetime.now(UTC)
    if edited.valid_to and edited.valid_to <= now and (known.valid_to is None or known.valid_to > now):
        return True
    return not set(signature(known.text).words) <= set(signature(edited.text).words)


def _edited(known: Memory, wanted: Edit) -> Memory:
    given: dict[str, Any] = {
        "kind": wanted.kind,
        "category": wanted.category,
        "importance": wanted.importance,
        "tier": wanted.tier,
        "valid_to": wanted.valid_to and _by_our_clock(wanted.valid_to),
        "expires_at": wanted.expires_at,
        "tags": None if wanted.tags is None else sound_tags(wanted.tags),
    }
    changed = replace(known, **{name: value for name, value in given.items() if value is not None})
    if wanted.text is not None:
        changed = _reworded(changed, _sound_text(wanted.text))
        if wanted.tags is None:
            changed = replace(changed, tags=_tags_of(known, changed.text))
    if wanted.triple is not None:
        is_same_fact = changed.triple and _about(changed.triple) == _about(wanted.triple)
        changed = replace(changed, triple=wanted.triple, fact_key=changed.fact_key if is_same_fact else None)
    taken: dict[str, Any] = dict.fromkeys(wanted.without)
    if "triple" in taken:
        taken["fact_key"] = None
    if "valid_to" in taken:  # it holds again
        taken["superseded_by"] = None
    return replace(changed, origin="user", trust="user", **taken)


def _tags_of(known: Memory, text: str) -> tuple[str, ...]:
    """Those that rules took from the words follow them: what somebody takes out of a text is not found by its tag
    either. The category and whatever else was given stay."""
    kept = set(known.tags) - set(classify(known.text).tags[1:])
    return sound_tags([*(tag for tag in known.tags if tag in kept), *classify(text).tags[1:]])


def _by_our_clock(moment: datetime) -> datetime:
    now = datetime.now(UTC)
    return now if now < moment <= now + AHEAD else moment


def _about(triple: Triple) -> tuple[str, str]:
    return triple.subject, triple.predicate


def _reworded(known: Memory, text: str) -> Memory:
    """With another object in the same sentence it is the same fact with another value; else it is another statement,
    which has no part in the graph and replaces nothing."""
    if text == known.text:
        return known
    if known.triple:
        start, object_, end = _around(known.triple.object, known.text)
        is_fact = object_ and text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end)
        if is_fact:
            named = text[len(start) : len(text) - len(end)].strip()
            return replace(known, text=text, triple=replace(known.triple, object=named) if named else None)
    return replace(known, text=text, triple=None, fact_key=None)


def _around(what: str, text: str) -> tuple[str, str, str]:
    """What stands before it, itself, and what stands behind it: as a word where it is one, for of "was 11 years old on
    2026-11-18" the month is not meant."""
    word = re.match(rf"(.*(?<![\w-]))({re.escape(what)})((?![\w-]).*)", text, re.DOTALL)
    return (word[1], word[2], word[3]) if word else text.rpartition(what)


def _sound_text(text: str) -> str:
    text = clean_text(text).strip()
    if not text:
        raise errors.InvalidRequest("A memory needs a text.")
    if len(text.encode()) > store.MAX_TEXT:
        raise errors.InvalidRequest(f"A memory may have {store.MAX_TEXT:,} bytes at most.")
    return text


def sound_tags(tags: Sequence[str]) -> tuple[str, ...]:
    named = dict.fromkeys(clean_text(tag).strip()[:MAX_TAG] for tag in tags)
    return tuple(tag for tag in named if tag)[:MAX_TAGS]
