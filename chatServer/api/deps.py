"""What routes ask for by type: the server's state, the user, an id in canonical form."""

from typing import Annotated, cast
from uuid import UUID

from fastapi import Depends, Path, Request, Security
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette.types import Scope

from chatServer import errors
from chatServer.api.auth import sender
from chatServer.api.scopes import check_scope
from chatServer.api.state import State
from chatServer.conversation.sessions import SessionKey
from chatServer.records import Principal


async def current_state(request: Request) -> State:
    return cast(State, request.state.chat)


class SignedIn(SecurityBase):
    """The user whose token came with the request, if it may be used here. It reads the header and the state itself: as
    dependencies of its own they took FastAPI 160 more calls of functions for each request (2026-11-18)."""

    model = HTTPBearer(description="The user's access token")
    scheme_name = "HTTPBearer"

    async def __call__(self, request: Request) -> Principal:
        return await signed_in(request.scope)


async def signed_in(scope: Scope) -> Principal:
    """The user, at the route that was found."""
    principal = await sender(scope)
    check_scope(principal, scope["route"].path)
    return principal


CurrentState = Annotated[State, Depends(current_state)]
CurrentUser = Annotated[Principal, Security(SignedIn())]


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
