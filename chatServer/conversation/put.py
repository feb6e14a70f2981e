"""put: a message that comes from elsewhere, into a session of the caller's; it belongs to no turn."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from chatServer import errors
from chatServer.conversation import sessions
from chatServer.conversation.sessions import SessionKey
from chatServer.conversation.tokens import count_apart
from chatServer.messages import Message, clean_text
from chatServer.records import Caller, new_id
from chatServer.store import sessions as store
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database

MAX_PER_MINUTE = 120  # of one user
Role = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class Said:
    """A message as somebody brings it; a kind is what he calls its class."""

    role: Role
    text: str
    importance: float
    kind: str = ""
    message_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Where it is now; not stored: the message was after a turn, and is gone."""

    session_id: str
    message_id: UUID
    is_stored: bool = True


async def put(database: Database, caller: Caller, key: SessionKey, said: Said, *, default_agent: str) -> Put:
    """Say how important a message is that is there, or add it: into a session that is made if nobody has it.

    A program of ours that works after a turn adds nothing: what it brings is stored, or was deleted meanwhile.
    """
    message = _message(caller, said)
    tokens = await count_apart(message)
    async with database.transaction(caller.principal) as connection:
        found = await _weighed(connection, caller, key, said) if said.message_id else None
        if found:
            return found
        if caller.turn_id:
            return Put(key.value, UUID(message.message_id), is_stored=False)
        session = await sessions.enter(
            connection, caller.principal, agent_name=None, default_agent=default_agent, key=key
        )
        history = ChatMessageHistory(
            connection, caller.principal.user_id, session.session_id, agent_name=session.agent_name
        )
        if said.message_id and await history.is_taken(said.message_id):
            if found := await _weighed(connection, caller, key, said):  # somebody was first with the same
                return found
            raise errors.MessageNotFound
        if await history.count_put() >= MAX_PER_MINUTE:
            detail = f"Only {MAX_PER_MINUTE} messages a minute can be added. Wait a little."
            raise errors.RateLimited(detail, limit="messages_per_minute", retry_after_s=60)
        await history.append([message], tokens=[tokens])
        await history.weigh(UUID(message.message_id), said.importance)
    return Put(session.session_id, UUID(message.message_id))


async def _weighed(connection: Connection, caller: Caller, key: SessionKey, said: Said) -> Put | None:
    assert said.message_id is not None  # nosec B101 # narrows a type
    session = await store.find_session(connection, caller.principal.user_id, key.value)
    if session is None:
        return None
    history = ChatMessageHistory(connection, caller.principal.user_id, session.session_id)
    is_there = await history.weigh(said.message_id, said.importance)
    return Put(session.session_id, said.message_id) if is_there else None


def _message(caller: Caller, said: Said) -> Message:
    """As what it says it is, with where it comes from beside it."""
    about = {"through": caller.origin, "client": caller.client, "message_type": clean_text(said.kind)}
    return Message(
        role=said.role,
        content=clean_text(said.text),
        message_id=str(said.message_id or new_id()),
        structured_data={name: value for name, value in about.items() if value},
    )
