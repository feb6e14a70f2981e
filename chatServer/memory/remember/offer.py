"""What a tool offers to be remembered, and the memory that it would become; nothing is looked up here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from chatServer.memory.edit import sound_tags
from chatServer.memory.facts.keys import key_of
from chatServer.memory.remember.classify import classify
from chatServer.memory.rules import WORKING_LIFE, begin_of, tier_of
from chatServer.records import Caller, Kind, Memory, Reason, Triple, new_id
from chatServer.store.memories import digest_of

ONCE = UUID("5b0f6c4e-6f0a-5d43-9a55-0c6d1a3f7d21")  # whatever a turn leaves has an id made of this, and of itself


@dataclass(frozen=True, slots=True)
class Offer:
    """What somebody wants to be kept."""

    kind: Kind
    text: str
    session_id: str | None = None  # in canonical spelling, or the client's own name for it
    importance: float | None = None
    tags: Sequence[str] = ()
    triple: Triple | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is kept: on which shelf, told to whom, in which session."""

    shelf: str
    agent_name: str
    session_id: str | None = None


def memory_of(caller: Caller, offer: Offer, place: Place, *, kind: Kind, said_at: datetime) -> Memory:
    rules = classify(offer.text)
    importance = rules.importance if offer.importance is None else round(min(max(offer.importance, 0.0), 1.0), 4)
    holds = offer.triple or Triple("", "", "")
    return Memory(
        memory_id=id_of(caller, offer.kind, offer.text),
        text=offer.text,
        kind=kind,
        category=rules.category,
        importance=importance,
        tags=sound_tags([*offer.tags, *rules.tags]),
        tier=tier_of(importance),
        shelf=place.shelf,
        agent_name=place.agent_name,
        session_id=place.session_id,
        origin=caller.origin,
        trust=caller.trust,
        valid_from=begin_of(said_at, holds.valid_from, holds.valid_to),
        valid_to=holds.valid_to,
        created_at=said_at,
        updated_at=said_at,
        triple=offer.triple,
        fact_key=key_of(offer.triple) if offer.triple else None,
        source_ids=caller.source_ids,
        turn_id=caller.turn_id,
        attempt=caller.attempt,
        expires_at=said_at + WORKING_LIFE if kind == "working" else None,
    )


def id_of(caller: Caller, kind: Kind, text: str) -> UUID:
    """The same for the same words of the same turn, so that a job that runs twice finds what it did."""
    if caller.turn_id is None:
        return new_id()
    return uuid5(ONCE, f"{caller.principal.user_id}:{caller.turn_id}:{kind}:{digest_of(text).hex()}")


def reason_of(caller: Caller) -> Reason:
    source = caller.source_ids[0] if caller.source_ids else None
    text = f"through MCP: {caller.client or 'a client without a name'}" if caller.origin == "mcp" else None
    return Reason("model", text, message_id=source, turn_id=caller.turn_id, attempt=caller.attempt)
