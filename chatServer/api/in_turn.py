"""Few reads of one user are made at once: his others wait for their turn, and everybody else for none of them. Those
that cost much, downloads and all the others wait in rows of their own."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Coroutine
from functools import partial

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatServer import errors
from chatServer.api.at_once import SOON_S
from chatServer.api.auth import sender
from chatServer.api.edge import Edge
from chatServer.api.problems import problem
from chatServer.store.shares import Shares

AT_ONCE = 2
WAITING = 30  # beside them: each may hold a body
WAIT_S = 5.0
READS, EXPORTS, LISTS = "parallel_reads", "parallel_exports", "parallel_lists"
# By the limit that they count for: a download takes as long as its reader likes, and keeps nobody from searching.
COSTLY = {
    ("GET", "/api/account/export"): EXPORTS,
    ("GET", "/api/memories"): READS,
    ("GET", "/api/memories/audit"): READS,
    ("GET", "/api/memories/graph"): READS,
    ("POST", "/mcp"): READS,
}
SEARCH = ("GET", "/api/sessions")  # costs much with a phrase alone
# What else is read here counts for LISTS: each costs little, and 16 at once made another user's turn ten times as long.
LISTED = ("/api/agents", "/api/knowledge", "/api/memories/", "/api/sessions", "/api/usage")
DETAIL = f"{AT_ONCE} such requests of yours are being answered, and others wait. Send this one in a moment."


class InTurn(Edge):
    """The limits of reads, in this process; behind whoever reads bodies, since one that is on its way costs nothing."""

    def __init__(self, app: ASGIApp, wait_s: float = WAIT_S) -> None:
        super().__init__(app)
        self.rows = {
            limit: Shares(AT_ONCE, wait_s, waiting=WAITING, refusal=partial(_refusal, limit))
            for limit in (READS, EXPORTS)
        }
        self.rows[LISTS] = Shares(AT_ONCE, wait_s, refusal=partial(_refusal, LISTS))

    def request(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        limit = limit_of(scope)
        return self._in_turn(limit, scope, receive, send) if limit else self.app(scope, receive, send)

    async def _in_turn(self, limit: str, scope: Scope, receive: Receive, send: Send) -> None:
        heard: deque[Message] = deque()
        place = contextlib.AsyncExitStack()

        async def received() -> Message:
            return heard.popleft() if heard else await receive()

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                await place.aclose()  # the work is done: a reader who stalls is in the way of no other device
            await send(message)

        try:
            user = await sender(scope)
            row = self.rows[limit]
            async with place:
                has_room = row.has_room(user.user_id)
                entering = place.enter_async_context(row.one_of(user.user_id))
                if has_room:  # at once, and without the tasks that waiting takes
                    await entering
                elif not await _still_there(entering, receive, heard):
                    return
                await self.app(scope, received, sent)
        except errors.ChatError as error:  # the routes' own are answered by then
            await problem(Request(scope), error)(scope, receive, send)


async def _still_there(waiting: Coroutine[None, None, None], receive: Receive, heard: deque[Message]) -> bool:
    """Wait, for as long as the client does: who has left takes nobody's turn. What he says meanwhile is `heard`."""
    entering, leaving = asyncio.ensure_future(waiting), asyncio.ensure_future(_left(receive, heard))
    try:
        await asyncio.wait({entering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        has_left = leaving.done()
    finally:
        entering.cancel()
        leaving.cancel()
        await asyncio.wait({entering, leaving})
    if not has_left:
        entering.result()
    return not has_left


async def _left(receive: Receive, heard: deque[Message]) -> None:
    while (message := await receive())["type"] != "http.disconnect":
        heard.append(message)


def limit_of(scope: Scope) -> str | None:
    """Which limit a request counts for."""
    asked = method, path = scope["method"], scope["path"]
    if asked == SEARCH:
        return READS if QueryParams(scope["query_string"]).get("q") else LISTS
    return COSTLY.get(asked) or (LISTS if method == "GET" and path.startswith(LISTED) else None)


def _refusal(limit: str) -> errors.RateLimited:
    return errors.RateLimited(DETAIL, limit=limit, retry_after_s=SOON_S)
