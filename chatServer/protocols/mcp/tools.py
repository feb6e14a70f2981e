"""The tools of memory, for clients of MCP and for our own memory agent: what each is called, told, given and does."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from chatServer import errors
from chatServer.agent.summary import session_summary
from chatServer.conversation import put as puts
from chatServer.conversation import sessions
from chatServer.conversation.sessions import SessionKey
from chatServer.memory import graph
from chatServer.memory.guard import guard
from chatServer.memory.notes import notebook
from chatServer.memory.remember.keep import keep
from chatServer.memory.remember.offer import Offer
from chatServer.memory.remember.own_words import sources_of
from chatServer.protocols.graph import GraphAnswer
from chatServer.protocols.mcp import shapes
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Author, Caller, Kind

SEARCH_TOKENS = 8_000
NOWHERE = ""  # the session of a search that is made from none


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """`run` gets checked arguments; what it refuses it raises as one of our errors, whose sentence the caller reads."""

    name: str
    title: str
    description: str
    arguments: type[shapes.Arguments]
    result: type[BaseModel]
    run: Callable[[Desk, Caller, Any], Awaitable[BaseModel]]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = True


class NotYours(errors.Forbidden):
    """A tool serves the user of the token, whoever else is named."""

    def __init__(self) -> None:
        super().__init__("user_id is not the user of this token. Leave it out.")


def check_user(caller: Caller, arguments: shapes.Arguments) -> None:
    """The seed's tools are told whom they serve; here the token says it, and nothing else can."""
    given = arguments.user_id
    if given is not None and given.strip().lower() != str(caller.principal.user_id):
        raise NotYours


async def store_session_message(desk: Desk, caller: Caller, given: shapes.StoreMessage) -> shapes.Stored:
    text = await guard(given.content)
    if text is None:
        raise errors.Forbidden("The guard of this server does not let it be stored.")
    said = puts.Said(given.role, text, given.importance_score, given.message_type, given.message_id)
    key = SessionKey.parse(given.session_id)
    done = await puts.put(desk.database, caller, key, said, default_agent=desk.agents.default)
    return shapes.Stored(stored=done.is_stored, message_id=done.message_id, session_id=done.session_id)


async def summarize_session(desk: Desk, caller: Caller, given: shapes.SummarizeSession) -> shapes.Summarized:
    session = await sessions.get(desk.database, caller.principal, SessionKey.parse(given.session_id))
    occasion = session_summary.Occasion(is_forced=given.force_update)
    found = await session_summary.summarize_session(
        desk.database, caller.principal, session.session_id, advisers=desk.advisers, occasion=occasion
    )
    text, count = (found.summary.text, found.summary.messages) if found.summary else ("", 0)
    return shapes.Summarized(updated=found.is_updated, summary=text, covers_messages=count)


def store_as(kind: Kind) -> Callable[[Desk, Caller, Any], Awaitable[BaseModel]]:
    async def store(desk: Desk, caller: Caller, given: shapes.Store) -> shapes.Remembered:
        where = SessionKey.parse(given.session_id).value if given.session_id is not None else None
        offer = Offer(kind, given.content, where, given.importance, given.tags, given.triple())
        if caller.said:
            sources = await asyncio.to_thread(sources_of, given.content, caller.said)
            caller = replace(caller, source_ids=sources)
        scopes = desk.agents.memory_scope
        return shapes.Remembered.of(await keep(desk.database, caller, offer, scopes=scopes))

    return store


async def search_memories(desk: Desk, caller: Caller, given: shapes.Search) -> shapes.FoundItems:
    if desk.recaller is None:
        raise errors.ModelNotConfigured("Nothing can be searched here.")
    agent = desk.agents.get(given.agent_name or caller.agent_name or desk.agents.default)
    found = await desk.recaller.recall(
        caller.principal, agent, NOWHERE, given.query, budget_tokens=SEARCH_TOKENS, limit=given.limit
    )
    return shapes.FoundItems.of(found)


async def memory_graph(desk: Desk, caller: Caller, given: shapes.ReadGraph) -> GraphAnswer:
    return GraphAnswer.of(await graph.graph(desk.database, caller.principal, entity=given.entity, at=given.at))


async def read_notes(desk: Desk, caller: Caller, given: shapes.ReadNotes) -> shapes.NotesPage:
    page = await notebook.read(desk.database, caller.principal, _page_of(desk, caller, given.agent_name))
    return shapes.NotesPage(agent_name=page.agent_name, notes=page.notes, version=page.version)


async def manage_notes(desk: Desk, caller: Caller, given: shapes.ManageNotes) -> shapes.NotesChange:
    done = await notebook.change(
        desk.database,
        caller.principal,
        _page_of(desk, caller, given.agent_name),
        given.operation,
        content=given.content,
        section_header=given.section_header,
        author=_author(caller, given),
        after_turn=caller.turn_id is not None,
    )
    if done.is_error:
        raise errors.InvalidRequest(done.text)
    return shapes.NotesChange(result=done.text, version=done.page.version)


def _page_of(desk: Desk, caller: Caller, agent_name: str | None) -> str:
    return desk.agents.get(agent_name or caller.agent_name or desk.agents.default).name


def _author(caller: Caller, given: shapes.ManageNotes) -> Author:
    """What is done after a turn is done once: the reason tells the same change from another one."""
    if caller.turn_id is None:
        reason = f"through MCP: {caller.client or 'a client without a name'}"
        return Author("agent", reason=reason, untrusted_turn=caller.trust == "untrusted")
    digest = hashlib.sha256(given.model_dump_json().encode()).hexdigest()[:16]
    reason, untrusted = f"after the turn: {digest}", caller.trust == "untrusted"
    return Author("agent", caller.turn_id, caller.attempt, reason=reason, untrusted_turn=untrusted)
