"""When more turns arrive than can begin, the next ones are turned away at the door, before their body is read and their
token checked: whoever is inside has that time."""

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from chatServer import errors
from chatServer.api.edge import Edge
from chatServer.api.problems import problem

CHAT = ("POST", "/api/chat")


class Crowd(Edge):
    """Looks before anything is read or checked; it tells a stranger nothing but that there is a crowd."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (scope["method"], scope["path"]) == CHAT:
            try:
                scope["state"]["chat"].turns.gate.refuse_if_full()
            except errors.Overloaded as error:
                await problem(Request(scope), error)(scope, receive, send)
                return
        await self.app(scope, receive, send)
