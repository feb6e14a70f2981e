"""What the pieces of middleware have in common: they mind HTTP, and let everything else (the lifespan) pass."""

from abc import ABC, abstractmethod

from starlette.types import ASGIApp, Receive, Scope, Send


class Edge(ABC):
    """A layer around the app; main.add_edges says in which order they lie."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        pass_on = self.request if scope["type"] == "http" else self.app
        await pass_on(scope, receive, send)

    @abstractmethod
    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request on its way in, its answer on its way out."""
