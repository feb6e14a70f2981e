"""Which thread a user is in: resolve, create, list, change and delete sessions.

Keys and policies carry the user, so another user's session id is just an unused id here.
"""

import re
from dataclasses import dataclass
from uuid import UUID

from chatServer import errors
from chatServer.messages import searchable
from chatServer.records import Cursor, Page, Principal, Session, new_id
from chatServer.store import sessions as store
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database

SESSION_ID = re.compile(r"^[A-Za-z0-9_.:-]{1,128}\Z")
_UUID = re.compile(r"^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\Z", re.I)


@dataclass(frozen=True, slots=True)
class SessionKey:
    """An id as a client writes it: a UUID in canonical spelling, or the client's own name for a session."""

    value: str
    is_uuid: bool

    @classmethod
    def parse(cls, text: str) -> "SessionKey":
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
    memory: str | None = None
    archived: bool | None = None


async def resolve(
    database: Database,
    principal: Principal,
    *,
    agent_name: str | None,
    default_agent: str,
    hint: SessionKey | None,
) -> Session:
    """The hinted session if it is the caller's with this agent, else the active one, else a new one."""
    async with database.transaction(principal) as connection:
        hinted = await store.find_session(connection, principal.user_id, hint.value) if hint else None
        if hinted and agent_name in (None, hinted.agent_name):
            return await _enter(connection, principal, hinted)
        return await _active_or_new(connection, principal, agent_name or default_agent)


async def create(
    database: Database, principal: Principal, agent_name: str, key: SessionKey | None, changes: Changes
) -> tuple[Session, bool]:
    """A session that becomes the active one, and whether it is new: the same id again gives the same session."""
    async with database.transaction(principal) as connection:
        created = await store.insert_session(
            connection,
            principal.user_id,
            key.value if key and key.is_uuid else str(new_id()),
            agent_name,
            external_id=key.value if key and not key.is_uuid else None,
            title=changes.title,
            memory=changes.memory or "on",
        )
        session = created or await _owned(connection, principal, key)
        if session.agent_name != agent_name:
            raise errors.SessionAgentMismatch(session.agent_name)
        return await _enter(connection, principal, session), created is not None


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
    words = " & ".join(f"'{word[:64]}':*" for word in searchable(phrase or "").split()[:16])
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
    more = Cursor(page[-1].last_active_at, page[-1].session_id) if len(found) > limit else None
    return Page(page, before=more)


async def change(database: Database, principal: Principal, key: SessionKey, changes: Changes) -> Session:
    """Rename, archive, or switch memory; an archived session is no longer the active one."""
    async with database.transaction(principal) as connection:
        session = await _owned(connection, principal, key)
        changed = await store.update_session(
            connection,
            principal.user_id,
            session.session_id,
            title=changes.title,
            set_title=changes.set_title,
            memory=changes.memory,
            archived=changes.archived,
        )
        if changes.archived:
            await store.clear_active(connection, principal.user_id, session.session_id)
        return _still_there(changed)


async def delete(database: Database, principal: Principal, key: SessionKey) -> None:
    """The session and everything that was said in it."""
    async with database.transaction(principal) as connection:
        session = _still_there(await store.lock_session(connection, principal.user_id, key.value))
        await ChatMessageHistory(connection, principal.user_id, session.session_id).aclear()
        await store.clear_active(connection, principal.user_id, session.session_id)
        await store.delete_session(connection, principal.user_id, session.session_id)


async def _enter(connection: Connection, principal: Principal, session: Session) -> Session:
    await store.set_active(connection, principal.user_id, session.agent_name, session.session_id)
    return _still_there(await store.touch_session(connection, principal.user_id, session.session_id))


async def _active_or_new(connection: Connection, principal: Principal, agent_name: str) -> Session:
    active_id = await store.claim_active(connection, principal.user_id, agent_name, str(new_id()))
    await store.insert_session(connection, principal.user_id, active_id, agent_name)
    return _still_there(await store.touch_session(connection, principal.user_id, active_id))


async def _owned(connection: Connection, principal: Principal, key: SessionKey | None) -> Session:
    return _still_there(await store.find_session(connection, principal.user_id, key.value) if key else None)


def _still_there(session: Session | None) -> Session:
    if session is None:
        raise errors.SessionNotFound
    return session
