"""What routes ask for by type: the server's state, the user, an id in canonical form."""

from typing import Annotated, cast
from uuid import UUID

from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from chatServer import errors
from chatServer.api.auth import NEEDS_SIGN_IN
from chatServer.api.scopes import check_scope
from chatServer.api.state import State
from chatServer.conversation.sessions import SessionKey
from chatServer.records import Principal

_bearer = HTTPBearer(auto_error=False, description="The user's access token")


async def current_state(request: Request) -> State:
    return cast(State, request.state.chat)


async def current_principal(
    request: Request,
    state: Annotated[State, Depends(current_state)],
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Principal:
    """The user whose token came with the request, if it may be used here."""
    if credentials is None:
        raise errors.Unauthenticated(NEEDS_SIGN_IN)
    principal = await state.authenticator.principal_of(credentials.credentials)
    check_scope(principal, request.scope["route"].path)
    return principal


CurrentState = Annotated[State, Depends(current_state)]
CurrentUser = Annotated[Principal, Depends(current_principal)]


async def session_key(_: CurrentUser, session_id: Annotated[str, Path()]) -> SessionKey:
    """Parsed after the token: who is nobody learns nothing about ids either."""
    return SessionKey.parse(session_id)


async def message_in_path(_: CurrentUser, message_id: Annotated[str, Path()]) -> UUID:
    """Every message has an id of ours. By a client's own, which may be any text and come twice, none is found."""
    try:
        return UUID(message_id)
    except ValueError as error:
        raise errors.MessageNotFound from error


SessionInPath = Annotated[SessionKey, Depends(session_key)]
MessageInPath = Annotated[UUID, Depends(message_in_path)]
