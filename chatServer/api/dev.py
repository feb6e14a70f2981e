"""Sign-in for development: anybody on this machine may be anybody."""

from fastapi import APIRouter, Request

from chatServer import errors
from chatServer.api.auth import MAX_LIFETIME_S
from chatServer.api.deps import CurrentState
from chatServer.api.dev_users import dev_user_id
from chatServer.api.local import is_local
from chatServer.api.problems import A_BODY, documented
from chatServer.api.schemas import DevToken, DevTokenRequest

router = APIRouter(prefix="/api/dev", tags=["development"])


@router.post("/token", responses=documented(403, 404, *A_BODY))
async def token(body: DevTokenRequest, request: Request, state: CurrentState) -> DevToken:
    """A token for a made-up user: with AUTH_MODE=dev, for requests that were made on this very machine."""
    if state.dev_key is None:
        raise errors.NotFound("Development sign-in is off: AUTH_MODE is not dev.")
    if not is_local(request):
        raise errors.Forbidden("Development sign-in answers requests from this machine only.")
    user_id = dev_user_id(body.user)
    return DevToken(access_token=state.dev_key.sign(user_id), expires_in=MAX_LIFETIME_S, user_id=str(user_id))
