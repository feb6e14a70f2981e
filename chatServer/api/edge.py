"""What the pieces of middleware have in common: they mind HTTP, and let everything else (the lifespan) pass."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable

from starlette.types import ASGIApp, Receive, Scope, Send

CHAT = ("POST", "/api/chat")
HEADERS = "chat.headers"  # of a scope


class Edge(ABC):
    """A layer around the app; main.add_edges says in which order they lie."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        # Not a coroutine of its own: of those there is one for each layer already, and all wake up with a request.
        pass_on = self.request if scope["type"] == "http" else self.app
        return pass_on(scope, receive, send)

    @abstractmethod
    def request(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """One request on its way in, its answer on its way out."""


def raw_headers(scope: Scope) -> dict[bytes, bytes]:
    """By their names, which are in small letters; of those that came twice the first. Made once for a request."""
    headers: dict[bytes, bytes] | None = scope.get(HEADERS)
    if headers is None:
        headers = scope[HEADERS] = dict(reversed(scope["headers"]))
    return headers
