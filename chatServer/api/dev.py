"""Sign-in for development: anybody on this machine may be anybody."""

import re

from fastapi import APIRouter, Request

from chatServer import errors
from chatServer.api.auth import MAX_LIFETIME_S
from chatServer.api.deps import CurrentState
from chatServer.api.dev_key import dev_user_id
from chatServer.api.problems import A_BODY, documented
from chatServer.api.schemas import DevToken, DevTokenRequest
from chatServer.config import is_loopback

router = APIRouter(prefix="/api/dev", tags=["development"])

_LOCAL_HOST = re.compile(r"^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?\Z", re.I)
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")


@router.post("/token", responses=documented(403, 404, *A_BODY))
async def token(body: DevTokenRequest, request: Request, state: CurrentState) -> DevToken:
    """A token for a made-up user: with AUTH_MODE=dev, for requests that were made on this very machine."""
    if state.dev_key is None:
        raise errors.NotFound("Development sign-in is off: AUTH_MODE is not dev.")
    if not _is_local(request):
        raise errors.Forbidden("Development sign-in answers requests from this machine only.")
    user_id = dev_user_id(body.user)
    return DevToken(access_token=state.dev_key.sign(user_id), expires_in=MAX_LIFETIME_S, user_id=str(user_id))


def _is_local(request: Request) -> bool:
    """From loopback, to a loopback name (a page elsewhere may point its own name at us), and not through a proxy.

    A proxy on this machine that adds no header of its own cannot be told from a local client.
    """
    from_here = request.client is not None and is_loopback(request.client.host)
    hosts = request.headers.getlist("host")
    asked_for_us = len(hosts) == 1 and bool(_LOCAL_HOST.match(hosts[0]))
    origin = request.headers.get("origin", "http://localhost").partition("://")[2]
    from_our_page = bool(_LOCAL_HOST.match(origin))
    return from_here and asked_for_us and from_our_page and not any(name in request.headers for name in FORWARDED)
