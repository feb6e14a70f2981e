"""summarize_session(): a session's summary brought up to date, read and stored in short transactions, made in none."""

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from chatServer import errors
from chatServer.agent.purposes import NO_ADVISERS, Advisers, NamedModel
from chatServer.agent.summary.compact import TIMEOUT_S, Reason
from chatServer.agent.summary.unsummarised import Compacted, claimed, letting_go, read_if_due, store_compacted
from chatServer.records import Principal, Session, Summary, Usage
from chatServer.store import sessions, summaries, usage
from chatServer.store.pool import Connection, Database

LOOK_S = 0.2  # how often a turn looks whether another is through


@dataclass(frozen=True, slots=True)
class Summarised:
    """The summary that a session has, and whether this call has changed it; if so, how that is told."""

    is_updated: bool
    summary: Summary | None
    told: dict[str, Any] = field(default_factory=dict, hash=False)
    is_awaited: bool = False  # somebody else is making a newer one


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why a session is summarised, and how: what stays as it is, and how long a model may take."""

    is_forced: bool = False
    reason: Reason = "asked"
    kept_from: int | None = None
    within_s: float = TIMEOUT_S
    wait_s: float = 0.0  # for another who is at it
    turn_id: UUID | None = None


WHEN_DUE = Occasion()


async def summarize_session(
    database: Database,
    principal: Principal,
    session_id: str,
    *,
    advisers: Advisers = NO_ADVISERS,
    occasion: Occasion = WHEN_DUE,
) -> Summarised:
    """Bring a session's summary up to date when it is time for that, or when it is asked for; SessionNotFound. Whoever
    comes second, here or in another process, waits as long as the occasion allows and goes on from what the first has
    made; or takes what is there."""
    ends_at = time.monotonic() + occasion.wait_s
    done = await _summarised(database, principal, session_id, advisers, occasion)
    while done.is_awaited and await _is_through(database, principal, session_id, done.summary, ends_at):
        occasion = replace(occasion, within_s=min(occasion.within_s, max(ends_at - time.monotonic(), 0.0)))
        done = await _summarised(database, principal, session_id, advisers, occasion)
    return done


async def _is_through(
    database: Database, principal: Principal, session_id: str, known: Summary | None, ends_at: float
) -> bool:
    """Whether the one who is at it has made a summary or let go, before a moment."""
    while (left_s := ends_at - time.monotonic()) > 0:
        await asyncio.sleep(min(LOOK_S, left_s))
        async with database.transaction(principal) as connection:
            standing = await summaries.look(connection, principal.user_id, session_id)
        if standing is None or standing != (True, known.covers_to if known else 0):
            return True
    return False


async def _summarised(
    database: Database, principal: Principal, session_id: str, advisers: Advisers, occasion: Occasion
) -> Summarised:
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        session = await _found(connection, user_id, session_id)
        how = advisers.compression(session.agent_name)
        known = await summaries.read_summary(connection, user_id, session.session_id)
        standing = await summaries.look(connection, user_id, session.session_id)
        if standing and standing.is_claimed:  # before a thousand messages are read for nothing
            return Summarised(False, known, is_awaited=True)
        due = await read_if_due(
            connection, user_id, session.session_id, is_forced=occasion.is_forced, how=how, kept_from=occasion.kept_from
        )
        spent = await usage.read_today(connection, user_id) if due else (0, 0)
        ours = await claimed(connection, user_id, due, within_s=occasion.within_s) if due else None
    if ours is None:
        return Summarised(False, known, is_awaited=due is not None)
    ours = replace(ours, reason=occasion.reason) if occasion.is_forced else ours
    async with letting_go(database, principal, ours):
        model = None
        if occasion.within_s > 0:
            model = await advisers.model(session.agent_name, "summary", spent, is_anonymous=principal.is_anonymous)
        new = await ours.compacted(model, within_s=occasion.within_s)
        return await _stored(database, principal, session, new, model, turn_id=occasion.turn_id)


async def _found(connection: Connection, user_id: UUID, session_id: str) -> Session:
    session = await sessions.find_session(connection, user_id, session_id)
    if session is None:
        raise errors.SessionNotFound
    return session


async def _stored(
    database: Database,
    principal: Principal,
    session: Session,
    new: Compacted,
    model: NamedModel | None,
    *,
    turn_id: UUID | None,
) -> Summarised:
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        if await sessions.lock_session(connection, user_id, session.session_id) is None:
            raise errors.SessionNotFound
        kept = await store_compacted(connection, user_id, new, turn_id=turn_id)
        there = kept or await summaries.read_summary(connection, user_id, session.session_id)
        if model and new.summary.usage != Usage():
            told = {"agent_name": session.agent_name, "model": model[0]}
            await usage.add_revision(connection, user_id, usage=new.summary.usage, **told)
    return Summarised(kept is not None, there, new.told() if kept else {})
