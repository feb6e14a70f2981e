"""Which thread a user is in: resolve, create, list, change and delete sessions.

Keys and policies carry the user, so another user's session id is just an unused id here.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from chatServer import errors
from chatServer.conversation.excerpt import excerpt
from chatServer.memory.retire import retire_session
from chatServer.messages import searchable
from chatServer.records import Cursor, Hit, Page, Principal, Session, new_id
from chatServer.records.ids import is_spelt
from chatServer.records.quick import quick
from chatServer.store import jobs, said, user_events
from chatServer.store import sessions as store
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database

SESSION_ID = re.compile(r"^[A-Za-z0-9_.:-]{1,128}\Z")
MAX_SEARCH_WORDS = 16
DELETE_TIMEOUT_MS = 30_000  # a session of a million messages
_UUID = re.compile(r"^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\Z", re.I)


@quick
class SessionKey:
    """An id as a client writes it: a UUID in canonical spelling, or the client's own name for a session."""

    value: str
    is_uuid: bool

    @classmethod
    def parse(cls, text: str) -> "SessionKey":
        if is_spelt(text):
            return cls(text, is_uuid=True)
        if not SESSION_ID.match(text):
            raise errors.InvalidRequest(
                "A session id has 1 to 128 characters out of letters, digits, underscore, dot, colon and hyphen."
            )
        if _UUID.match(text):
            return cls(str(UUID(text)), is_uuid=True)
        return cls(text, is_uuid=False)


@dataclass(frozen=True, slots=True)
class Changes:
    """What a user wants changed; None leaves a thing as it is."""

    title: str | None = None
    set_title: bool = False
    memory: Literal["on", "off"] | None = None
    archived: bool | None = None


async def resolve(
    database: Database,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    hint: SessionKey | None,
) -> Session:
    """The hinted session, if it is the caller's with this agent and not archived, else the active or a new one."""
    async with database.transaction(principal) as connection:
        hinted = await store.find_session(connection, principal.user_id, hint.value) if hint else None
        if hinted and agent_name in (None, hinted.agent_name) and hinted.archived_at is None:
            entered = await _enter(connection, principal, hinted)
            if entered:
                await user_events.tell_session(connection, principal.user_id, entered, "entered")
            return entered or await _new(connection, principal, hinted.agent_name)
        return await _active_or_new(connection, principal, agent_name or default_agent)


async def create(
    database: Database,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    key: SessionKey | None,
    title: str | None = None,
    memory: Literal["on", "off"] = "on",
) -> tuple[Session, bool]:
    """A session that becomes the active one, and whether it is new: the same id again gives the same session."""
    async with database.transaction(principal) as connection:
        session, is_new = await _found_or_new(
            connection,
            principal,
            agent_name=agent_name,
            default_agent=default_agent,
            key=key,
            title=title,
            memory=memory,
        )
        if not is_new:
            await user_events.tell_session(connection, principal.user_id, session, "entered")
        return session, is_new


async def enter(
    connection: Connection,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    key: SessionKey | None,
) -> Session:
    """The session of a turn, active and locked: the named one, made if nobody has it; else the active or a new one."""
    if key is None:
        return await _active_or_new(connection, principal, agent_name or default_agent)
    session, _ = await _found_or_new(connection, principal, agent_name=agent_name, default_agent=default_agent, key=key)
    return session


async def look(
    connection: Connection,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    key: SessionKey | None,
) -> tuple[Session, bool]:
    """The session that `enter` would give, and whether it would be new; nothing is changed, and nothing made."""
    name, now = agent_name or default_agent, datetime.now(UTC)
    found = (
        await store.find_session(connection, principal.user_id, key.value)
        if key
        else await store.find_active(connection, principal.user_id, name)
    )
    if found and key and agent_name not in (None, found.agent_name):
        raise errors.SessionAgentMismatch(found.agent_name)
    new = Session(str(new_id()), name, None, None, memory="on", created_at=now, last_active_at=now, archived_at=None)
    return found or new, found is None


async def get(database: Database, principal: Principal, key: SessionKey) -> Session:
    """One of the caller's sessions."""
    async with database.transaction(principal) as connection:
        return await _owned(connection, principal, key)


async def find(
    database: Database,
    principal: Principal,
    *,
    limit: int,
    before: Cursor | None,
    agent_name: str | None,
    archived: bool,
    phrase: str | None,
) -> Page:
    """A page of the caller's sessions; with a phrase, those whose title holds it or that say all its words."""
    words = sorted(set(searchable(phrase or "").split()))
    if len(words) > MAX_SEARCH_WORDS:
        raise errors.InvalidRequest(f"Search for at most {MAX_SEARCH_WORDS} words at a time.")
    async with database.transaction(principal) as connection:
        found = await store.list_sessions(
            connection,
            principal.user_id,
            limit=limit + 1,
            before=before,
            agent_name=agent_name,
            archived=archived,
            phrase=phrase,
            words=words,
        )
        page = found[:limit]
        best = {each.place: each.session.session_id for each in page if each.place}
        found_there = await said.read_said(connection, principal.user_id, list(best)) if best else {}
    last = page[-1].session if len(found) > limit else None
    hits = {
        best[place]: Hit(str(message_id), excerpt(text, words)) for place, (message_id, text) in found_there.items()
    }
    more = Cursor(last.last_active_at, last.session_id) if last else None
    return Page([each.session for each in page], before=more, hits=hits)


async def change(database: Database, principal: Principal, key: SessionKey, changes: Changes) -> Session:
    """Rename, archive, or switch memory; an archived session is no longer the active one."""
    async with database.transaction(principal) as connection:
        session = await _owned(connection, principal, key)
        if changes.archived:
            await store.clear_active(connection, principal.user_id, session.session_id)
        changed = await store.update_session(
            connection,
            principal.user_id,
            session.session_id,
            title=changes.title,
            set_title=changes.set_title,
            memory=changes.memory,
            archived=changes.archived,
        )
        changed = _there(changed)
        if changes.set_title:
            await store.index_title(connection, principal.user_id, changed)
        if changes.memory == "on" != session.memory:
            await jobs.enqueue_indexing(connection, session.session_id)
        await user_events.tell_session(connection, principal.user_id, changed, "changed")
        return changed


async def delete(database: Database, principal: Principal, key: SessionKey) -> None:
    """The session, everything that was said in it, and what was learned from that alone."""
    async with database.transaction(principal, timeout_ms=DELETE_TIMEOUT_MS) as connection:
        session = await _owned(connection, principal, key)
        await store.clear_active(connection, principal.user_id, session.session_id)
        _there(await store.lock_session(connection, principal.user_id, session.session_id))
        await store.delete_turns(connection, principal.user_id, session.session_id)
        await retire_session(connection, principal.user_id, session.session_id)
        await ChatMessageHistory(connection, principal.user_id, session.session_id).aclear()
        await store.delete_session(connection, principal.user_id, session.session_id)
        await user_events.forget_title(connection, principal.user_id, session.session_id)
        await user_events.tell_session(connection, principal.user_id, session, "deleted")


async def _found_or_new(
    connection: Connection,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    key: SessionKey | None,
    title: str | None = None,
    memory: Literal["on", "off"] = "on",
) -> tuple[Session, bool]:
    """The named session, or a new one. Always the active row first: then nobody waits for us while we wait for them."""
    session_id, external_id = (key.value, None) if key and key.is_uuid else (str(new_id()), key.value if key else None)
    name = agent_name or default_agent
    # Almost always it is there: then one question does it. What follows finds out why it does not.
    if key:
        by_name = not key.is_uuid
        entered = await store.enter_session(connection, principal.user_id, key.value, agent_name, by_name=by_name)
        if entered:
            return entered, False
    for _ in range(3):  # in this very moment somebody may delete one that is there, or make one that is not
        found = await store.find_session(connection, principal.user_id, key.value) if key else None
        if found and agent_name not in (None, found.agent_name):
            raise errors.SessionAgentMismatch(found.agent_name)
        if found and (entered := await _enter(connection, principal, found)):
            return entered, False
        await store.set_active(connection, principal.user_id, name, session_id)
        created = await store.insert_session(
            connection, principal.user_id, session_id, name, external_id=external_id, title=title, memory=memory
        )
        if created:
            if title:
                await store.index_title(connection, principal.user_id, created)
            await user_events.tell_session(connection, principal.user_id, created, "created")
            return created, True
    raise errors.SessionNotFound


async def _enter(connection: Connection, principal: Principal, session: Session) -> Session | None:
    """Make it the active one; None when somebody deleted it meanwhile."""
    await store.set_active(connection, principal.user_id, session.agent_name, session.session_id)
    return await store.touch_session(connection, principal.user_id, session.session_id)


async def _active_or_new(connection: Connection, principal: Principal, agent_name: str) -> Session:
    offered = str(new_id())
    active_id = await store.claim_active(connection, principal.user_id, agent_name, offered)
    await store.ensure_session(connection, principal.user_id, active_id, agent_name)
    touched = await store.touch_session(connection, principal.user_id, active_id)
    if touched and active_id == offered:
        await user_events.tell_session(connection, principal.user_id, touched, "created")
    return touched or await _new(connection, principal, agent_name)


async def _new(connection: Connection, principal: Principal, agent_name: str) -> Session:
    """Instead of one that was deleted in this very moment."""
    session_id = str(new_id())
    await store.set_active(connection, principal.user_id, agent_name, session_id)
    created = _there(await store.insert_session(connection, principal.user_id, session_id, agent_name))
    await user_events.tell_session(connection, principal.user_id, created, "created")
    return created


async def _owned(connection: Connection, principal: Principal, key: SessionKey) -> Session:
    return _there(await store.find_session(connection, principal.user_id, key.value))


def _there(session: Session | None) -> Session:
    if session is None:
        raise errors.SessionNotFound
    return session
