"""The door: who is let in, and what becomes of a request that came to no end of its own."""

import asyncio

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from chatServer import errors, metrics
from chatServer.api.edge import CHAT, Edge
from chatServer.api.last_resort import what_is_said_of
from chatServer.api.problems import problem
from chatServer.api.state import State

REFUSED_AT_THE_END = ("/api/", "/mcp")


class Door(Edge):
    """Refuses before anything is read or checked, counts who is inside, and answers whatever the routes let through."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        state: State = scope["state"]["chat"]
        try:
            _refuse_what_is_too_much(scope, state)
        except errors.ChatError as error:
            await problem(Request(scope), error)(scope, receive, send)
            return
        state.shutdown.enter()
        metrics.requests_running.inc()
        try:
            await self.app(scope, receive, send)
        except asyncio.CancelledError:
            if _has_begun(scope) or not state.shutdown.is_overdue:
                raise
            # The server cancels what outlives the grace: a sentence is better than a closed socket.
            await problem(Request(scope), errors.ShuttingDown())(scope, receive, send)
        except Exception as error:  # noqa: BLE001  the one place for what nobody expected
            sorry = what_is_said_of(error)
            if _has_begun(scope):
                raise RuntimeError("the answer broke off; see the line before") from None
            await problem(Request(scope), sorry)(scope, receive, send)
        finally:
            metrics.requests_running.dec()
            state.shutdown.leave()


def _refuse_what_is_too_much(scope: Scope, state: State) -> None:
    """What comes too late, and more turns than can begin: whoever is inside has that time. A stranger learns nothing
    but that there is a crowd."""
    if state.shutdown.has_begun and scope["path"].startswith(REFUSED_AT_THE_END):
        raise errors.ShuttingDown
    if (scope["method"], scope["path"]) == CHAT:
        state.turns.gate.refuse_if_full()


def _has_begun(scope: Scope) -> bool:
    """Whether there is an answer already: Traffic, which sees it leave, has its status then."""
    return scope["state"]["status"] is not None
