"""Threads over HTTP: resolve, list, create, read, change, delete."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response, status

from chatServer import errors
from chatServer.api.deps import CurrentState, CurrentUser, MessageInPath, SessionInPath
from chatServer.api.problems import A_BODY, documented
from chatServer.api.schemas import (
    ChangeSessionRequest,
    CreateSessionRequest,
    MessagesAnswer,
    ResolveRequest,
    SessionAnswer,
    SessionsAnswer,
    UIMessageAnswer,
    parse_cursor,
)
from chatServer.conversation import sessions, transcript
from chatServer.conversation.sessions import Changes, SessionKey
from chatServer.protocols.fields import Text

router = APIRouter(prefix="/api/sessions", tags=["sessions"], responses=documented(401, 403, 503))

Limit = Annotated[int, Query(ge=1, le=200)]


@router.post("/resolve", responses=documented(404, *A_BODY))
async def resolve(state: CurrentState, user: CurrentUser, body: ResolveRequest | None = None) -> SessionAnswer:
    """The session to go on with: the hinted one if it is yours, else the active one, else a new one."""
    body = body or ResolveRequest()
    if body.agent_name is not None:
        state.agents.get(body.agent_name)
    session = await sessions.resolve(
        state.database,
        user,
        agent_name=body.agent_name,
        default_agent=state.agents.default,
        hint=SessionKey.parse(body.hint) if body.hint is not None else None,
    )
    return SessionAnswer.of(session)


@router.get("", responses=documented(422, 429))
async def find(
    *,
    state: CurrentState,
    user: CurrentUser,
    q: Annotated[Text | None, Query(max_length=500, description="Words in titles and messages")] = None,
    agent_name: Annotated[Text | None, Query(max_length=64)] = None,
    archived: bool = False,
    limit: Limit = 30,
    before: Annotated[Text | None, Query(max_length=200)] = None,
) -> SessionsAnswer:
    """Your sessions, the most recently used first."""
    page = await sessions.find(
        state.database,
        user,
        limit=limit,
        before=parse_cursor(before) if before else None,
        agent_name=agent_name,
        archived=archived,
        phrase=q.strip() or None if q else None,
    )
    return SessionsAnswer.of(page)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={200: {"model": SessionAnswer, "description": "It was there"}, **documented(404, 409, *A_BODY)},
)
async def create(
    state: CurrentState, user: CurrentUser, response: Response, body: CreateSessionRequest | None = None
) -> SessionAnswer:
    """A new session, which becomes the active one. An id of your own may be given; the same id again is the
    same session (200)."""
    body = body or CreateSessionRequest()
    if body.agent_name is not None:
        state.agents.get(body.agent_name)
    session, is_new = await sessions.create(
        state.database,
        user,
        agent_name=body.agent_name,
        default_agent=state.agents.default,
        key=SessionKey.parse(body.session_id) if body.session_id is not None else None,
        title=body.title,
        memory=body.memory,
    )
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return SessionAnswer.of(session)


@router.get("/{session_id}", responses=documented(404, 422, 429))
async def get(key: SessionInPath, state: CurrentState, user: CurrentUser) -> SessionAnswer:
    """One session."""
    return SessionAnswer.of(await sessions.get(state.database, user, key))


@router.patch("/{session_id}", responses=documented(404, *A_BODY))
async def change(
    key: SessionInPath, body: ChangeSessionRequest, state: CurrentState, user: CurrentUser
) -> SessionAnswer:
    """Rename (null takes the title away), archive, or switch memory on and off."""
    given = body.model_fields_set
    if not given:
        raise errors.InvalidRequest("Say what to change: title, archived or memory.")
    changes = Changes(
        title=body.title,
        set_title="title" in given,
        memory=body.memory if "memory" in given else None,
        archived=body.archived if "archived" in given else None,
    )
    changed = await sessions.change(state.database, user, key, changes)
    if changes.memory is not None:
        state.recaller.registers.drop(user.user_id)  # what the session said is there again, or no longer
    return SessionAnswer.of(changed)


@router.delete(
    "/{session_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def delete(key: SessionInPath, state: CurrentState, user: CurrentUser) -> None:
    """The session and everything that was said in it."""
    await sessions.delete(state.database, user, key)
    state.recaller.registers.drop(user.user_id)


@router.get("/{session_id}/messages", responses=documented(404, 422, 429))
async def messages(
    *,
    key: SessionInPath,
    state: CurrentState,
    user: CurrentUser,
    limit: Limit = 50,
    before: UUID | None = None,
    after: UUID | None = None,
    around: Annotated[UUID | None, Query(description="A message: the page on which it is")] = None,
) -> MessagesAnswer:
    """What was said, oldest to newest, the newest page first; a page never splits a turn."""
    points = {"before": before, "after": after, "around": around}
    return MessagesAnswer.of(await transcript.read(state.database, user, key, limit=limit, **points))


@router.get("/{session_id}/messages/{message_id}", responses=documented(404, 422, 429))
async def message(
    message_id: MessageInPath, key: SessionInPath, state: CurrentState, user: CurrentUser
) -> UIMessageAnswer:
    """One message of it: what a memory was learned from, or what was recalled."""
    return UIMessageAnswer.model_validate(await transcript.read_one(state.database, user, key, message_id))


@router.get("/{session_id}/superseded", responses=documented(404, 422, 429))
async def superseded(
    key: SessionInPath,
    state: CurrentState,
    user: CurrentUser,
    limit: Limit = 50,
    before: UUID | None = None,
) -> MessagesAnswer:
    """What edits and regenerations replaced, in the order in which it was said, the newest page first."""
    return MessagesAnswer.of(await transcript.read_superseded(state.database, user, key, limit=limit, before=before))
