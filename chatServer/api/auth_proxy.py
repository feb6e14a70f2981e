"""/auth/v1/*: the issuer behind our own origin, so that a browser needs only one."""

import asyncio
import re

import httpx
from fastapi import APIRouter, Request, Response

from chatServer import errors
from chatServer.api.deps import CurrentState

router = APIRouter(prefix="/auth/v1", tags=["identity"])

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
TOTAL_S = 15
MAX_ANSWER_BYTES = 1_000_000
FORWARDED = frozenset(
    b"accept accept-language apikey authorization content-type cookie origin prefer referer user-agent x-client-info "
    b"x-supabase-api-version".split()
)
RETURNED = frozenset(
    b"cache-control content-type etag link location retry-after set-cookie vary www-authenticate x-total-count "
    b"x-supabase-api-version".split()
)
_PATH = re.compile(r"^[A-Za-z0-9_./-]{0,200}\Z")


@router.api_route("/{path:path}", methods=METHODS, include_in_schema=False)
async def forward(path: str, request: Request, state: CurrentState) -> Response:
    """Pass a request on to AUTH_INTERNAL_URL, and its answer back."""
    base = state.settings.auth_internal_url
    if base is None or not _PATH.match(path) or ".." in path:
        raise errors.NotFound("There is nothing at this address.")
    url = httpx.URL(f"{base.rstrip('/')}/{path}").copy_with(query=request.scope["query_string"] or None)
    outgoing = state.http.build_request(
        request.method, url, headers=_outgoing_headers(request), content=await request.body()
    )
    try:
        async with asyncio.timeout(TOTAL_S):
            return await _answer(state.http, outgoing)
    except (httpx.HTTPError, TimeoutError, ValueError) as error:
        raise errors.IssuerUnavailable from error


async def _answer(client: httpx.AsyncClient, outgoing: httpx.Request) -> Response:
    """The whole answer, bounded: what is small is read at once, and nothing is left open."""
    answer = await client.send(outgoing, stream=True)
    try:
        body = b""
        async for piece in answer.aiter_raw():
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise ValueError("the issuer's answer is too large")
    finally:
        await answer.aclose()
    if not 200 <= answer.status_code <= 599 or "content-encoding" in answer.headers:
        raise ValueError("the issuer's answer is not one that we can pass on")
    response = Response(body, answer.status_code)
    response.raw_headers += [(name.lower(), value) for name, value in answer.headers.raw if name.lower() in RETURNED]
    return response


def _outgoing_headers(request: Request) -> list[tuple[bytes, bytes]]:
    """Only what the issuer needs; who is asking is ours to say, not the client's."""
    # Blanks around a value are no part of it; some clients send them, and httpx refuses to.
    kept = [(name, value.strip(b" \t")) for name, value in request.headers.raw if name in FORWARDED]
    client = request.client.host if request.client else "unknown"
    return [*kept, (b"x-forwarded-for", client.encode()), (b"accept-encoding", b"identity")]
