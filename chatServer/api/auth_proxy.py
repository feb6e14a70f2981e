"""/auth/v1/*: the issuer behind our own origin, so that a browser needs only one."""

import re

import httpx
from fastapi import APIRouter, Request, Response

from chatServer import errors
from chatServer.api.deps import CurrentState

router = APIRouter(prefix="/auth/v1", tags=["identity"])

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
# What belongs to one connection, or is ours to say.
NOT_FORWARDED = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
    "upgrade", "host", "content-length", "accept-encoding", "forwarded", "x-real-ip",
}  # fmt: skip
NOT_RETURNED = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "server", "date"}
OURS_TO_SAY = "access-control-"  # the issuer lets every origin in; CORS_ORIGINS decides for this one
_PATH = re.compile(r"^[A-Za-z0-9_./-]{0,200}\Z")


@router.api_route("/{path:path}", methods=METHODS, include_in_schema=False)
async def forward(path: str, request: Request, state: CurrentState) -> Response:
    """Pass a request on to AUTH_INTERNAL_URL, and its answer back."""
    base = state.settings.auth_internal_url
    if base is None or not _PATH.match(path) or ".." in path:
        raise errors.NotFound("There is nothing at this address.")
    url = httpx.URL(f"{base.rstrip('/')}/{path}").copy_with(query=request.scope["query_string"])
    outgoing = state.http.build_request(
        request.method, url, headers=_outgoing_headers(request), content=await request.body()
    )
    try:
        answer = await state.http.send(outgoing)  # whole: the issuer's answers are small, and nothing is left open
    except httpx.HTTPError as error:
        raise errors.IssuerUnavailable from error
    response = Response(answer.content, answer.status_code)
    for name, value in answer.headers.multi_items():  # cookies may come several at a time
        if _is_returned(name.lower()):
            response.headers.append(name, value)
    return response


def _is_returned(name: str) -> bool:
    return name not in NOT_RETURNED and not name.startswith(OURS_TO_SAY)


def _outgoing_headers(request: Request) -> list[tuple[str, str]]:
    kept = [(name, value) for name, value in request.headers.items() if name not in NOT_FORWARDED]
    client = request.client.host if request.client else "unknown"
    seen = [value for name, value in kept if name == "x-forwarded-for"]
    return [each for each in kept if each[0] != "x-forwarded-for"] + [("x-forwarded-for", ", ".join([*seen, client]))]
