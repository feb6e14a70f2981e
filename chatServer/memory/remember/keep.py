"""keep: what a tool offers to be remembered, by one policy whoever calls it.

Every text passes the guard and the gate; nothing is kept twice, and nobody but the user overrules the user. How a thing
is done (a procedure) is kept as such only in the user's own words. What is kept says where it comes from.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from chatServer import errors, metrics
from chatServer.memory.forget.forget import tell
from chatServer.memory.guard import guard
from chatServer.memory.remember.offer import Offer, Place, memory_of, reason_of
from chatServer.memory.remember.own_words import are_own_words
from chatServer.memory.rules import MAX_PER_MINUTE, MIN_CHARACTERS
from chatServer.memory.shelve import Shelved, shelve
from chatServer.messages import clean_text, text_of
from chatServer.records import EVERY_AGENT, Caller, Kind, Scopes, Session
from chatServer.store import jobs, learned, sessions
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database

Outcome = Literal["created", "repeated", "superseded", "known", "outranked", "refused"]
OWN_MESSAGES = 200  # the newest of a session, among which the user's own words are looked for
NOT_HIS_WORDS = (
    "Kept as an episode: only what the user has said himself in this session is kept as a procedure. "
    "He can make it one with PATCH /api/memories/{id}."
)
WHY = {
    "created": "",
    "superseded": "It takes the place of what was remembered before.",
    "repeated": "It was remembered already, and has one more reason now.",
    "known": "It was remembered already.",
    "outranked": "The user himself said something else, and only he can correct that.",
}


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of it, and why; the row that stands for it, if any does."""

    outcome: Outcome
    kind: Kind
    memory_id: UUID | None = None
    why: str = ""


class Refused(Exception):
    """Nothing is kept; the text says why, the name is counted."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


async def keep(database: Database, caller: Caller, offer: Offer, *, scopes: Scopes) -> Kept:
    """Keep it, unless it was kept before or may not be. Another user's session is simply unknown."""
    try:
        offer = await _guarded(offer)
        kind = await _kind(database, caller, offer)
        async with database.transaction(caller.principal) as connection:
            shelved = await _shelved(connection, caller, offer, scopes, kind=kind)
    except Refused as refusal:
        metrics.memories_refused.labels(refusal.name).inc()
        return Kept("refused", offer.kind, why=str(refusal))
    metrics.memories.labels(shelved.outcome).inc()
    outcome: Outcome = "outranked" if shelved.outcome == "nothing_to_deny" else shelved.outcome
    why = NOT_HIS_WORDS if kind != offer.kind and outcome == "created" else WHY[outcome]
    return Kept(outcome, shelved.memory.kind, shelved.memory.memory_id, why)


async def _guarded(offer: Offer) -> Offer:
    """What the deployment's guard lets pass: a tag and a triple only as they are, and neither beside a text that it has
    rewritten, whose words they may repeat."""
    given = clean_text(offer.text).strip()
    text = _sound(await guard(given))
    if text != given:
        return replace(offer, text=text, tags=(), triple=None)
    triple = offer.triple
    parts = (triple.subject, triple.predicate, triple.object) if triple else ()
    tags = [tag for tag in offer.tags if await guard(tag) == tag]
    is_unchanged = [await guard(part) == part for part in parts]
    return replace(offer, text=text, tags=tags, triple=triple if all(is_unchanged) else None)


def _sound(passed: str | None) -> str:
    if passed is None:
        raise Refused("guard", "The guard of this server does not let it be kept.")
    if len(passed) < MIN_CHARACTERS:
        raise Refused("too_short", f"A memory has at least {MIN_CHARACTERS} characters.")
    if len(passed.encode()) > store.MAX_TEXT:
        raise Refused("too_long", f"A memory has at most {store.MAX_TEXT:,} bytes. Keep the point of it.")
    return passed


async def _kind(database: Database, caller: Caller, offer: Offer) -> Kind:
    """Without the user's own words a procedure is an episode: somebody did it, or said so."""
    if offer.kind != "procedure":
        return offer.kind
    if offer.session_id is None or (caller.turn_id and caller.trust == "untrusted"):
        return "episode"
    async with database.transaction(caller.principal) as connection:
        session = _there(await sessions.find_session(connection, caller.principal.user_id, offer.session_id))
        page = await ChatMessageHistory(connection, caller.principal.user_id, session.session_id).page(OWN_MESSAGES)
    # Those of turns only: what a client has put there is no word of the user's.
    said = [text_of(each.message) for each in page if each.message.role == "user" and each.turn_id and each.is_readable]
    return "procedure" if await asyncio.to_thread(are_own_words, offer.text, said) else "episode"


async def _shelved(connection: Connection, caller: Caller, offer: Offer, scopes: Scopes, *, kind: Kind) -> Shelved:
    """Under the locks of the session, of the turn and of the head: so nobody deletes meanwhile what it is learned from,
    and nobody keeps the same."""
    user_id, turn_id, sources = caller.principal.user_id, caller.turn_id, caller.source_ids
    place = await _place(connection, caller, offer.session_id, scopes)
    if turn_id and not await learned.hold_turn(connection, user_id, turn_id, caller.attempt, sources):
        raise Refused("done_or_replaced", "The turn from which this was learned is gone.")
    await store.advance_head(connection, user_id)
    said_at = await store.last_said(connection, user_id, sources) if sources else None
    memory = memory_of(caller, offer, place, kind=kind, said_at=said_at or datetime.now(UTC))
    if turn_id and await changes.list_changes(connection, user_id, memory.memory_id, limit=1):
        return Shelved("known", memory)  # done before, whatever the user has made of it since
    if await changes.count_created(connection, user_id) >= MAX_PER_MINUTE:
        raise Refused("too_many", f"Only {MAX_PER_MINUTE} memories a minute are kept. Wait a little.")
    shelved = await shelve(connection, user_id, memory, reason_of(caller))
    if shelved.outcome in ("created", "superseded"):
        ended = [shelved.ended.memory_id] if shelved.ended else []
        await tell(connection, user_id, created=[memory.memory_id], ended=ended)
        if turn_id is None:  # else the turn's own after-work does it
            await jobs.enqueue_noticing(connection)
    elif shelved.outcome == "repeated":
        await tell(connection, user_id, changed=[shelved.memory.memory_id])
    return shelved


async def _place(connection: Connection, caller: Caller, session_key: str | None, scopes: Scopes) -> Place:
    """Where the session's agent, or the caller's, keeps what it is told; without either, where every agent looks."""
    session = None
    if session_key is not None:
        session = _there(await sessions.lock_session(connection, caller.principal.user_id, session_key))
    agent_name = session.agent_name if session else caller.agent_name
    if agent_name is None:
        return Place(EVERY_AGENT, EVERY_AGENT)
    session_id = session.session_id if session else None
    if session and session.memory == "off":
        raise Refused("off", "Memory is switched off in this session.")
    shelf = store.shelf_of(scopes(agent_name), agent_name, session_id or "")
    if not shelf:
        raise Refused("off", "This agent remembers nothing, or only within a session: name one.")
    return Place(shelf, agent_name, session_id)


def _there(session: Session | None) -> Session:
    if session is None:
        raise errors.SessionNotFound
    return session
