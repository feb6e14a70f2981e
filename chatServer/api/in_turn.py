"""Few costly requests of one user are answered at once: his others wait for their turn, and everybody else for none of
them. What costs little is not looked at."""

from collections.abc import Awaitable
from functools import partial

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from chatServer import errors
from chatServer.api.at_once import SOON_S
from chatServer.api.auth import sender
from chatServer.api.edge import Edge
from chatServer.api.problems import problem
from chatServer.store.shares import Shares

AT_ONCE = 2
WAITING = 30  # beside them: each may hold a body
WAIT_S = 5.0
READS, EXPORTS = "parallel_reads", "parallel_exports"
# By the limit that they count for: a download takes as long as its reader likes, and keeps nobody from searching.
COSTLY = {
    ("GET", "/api/account/export"): EXPORTS,
    ("GET", "/api/memories"): READS,
    ("GET", "/api/memories/audit"): READS,
    ("GET", "/api/memories/graph"): READS,
    ("POST", "/mcp"): READS,
}
SEARCH = ("GET", "/api/sessions")  # costs much with a phrase alone
DETAIL = f"{AT_ONCE} such requests of yours are being answered, and others wait. Send this one in a moment."


class InTurn(Edge):
    """The limit of COSTLY, in this process; behind whoever reads bodies, since one that is on its way costs nothing."""

    def __init__(self, app: ASGIApp, wait_s: float = WAIT_S) -> None:
        super().__init__(app)
        self.rows = {
            limit: Shares(AT_ONCE, wait_s, waiting=WAITING, refusal=partial(_refusal, limit))
            for limit in (READS, EXPORTS)
        }

    def request(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        limit = _limit(scope)
        return self._in_turn(limit, scope, receive, send) if limit else self.app(scope, receive, send)

    async def _in_turn(self, limit: str, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            user = await sender(scope)
            async with self.rows[limit].one_of(user.user_id):
                await self.app(scope, receive, send)
        except errors.ChatError as error:  # the routes' own are answered by then
            await problem(Request(scope), error)(scope, receive, send)


def _limit(scope: Scope) -> str | None:
    asked = scope["method"], scope["path"]
    if asked == SEARCH:
        return READS if QueryParams(scope["query_string"]).get("q") else None
    return COSTLY.get(asked)


def _refusal(limit: str) -> errors.RateLimited:
    return errors.RateLimited(DETAIL, limit=limit, retry_after_s=SOON_S)
