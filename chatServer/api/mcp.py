"""/mcp: the tools of memory for clients of the Model Context Protocol, with the user's token."""

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.messages import clean_text
from chatServer.protocols import mcp
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Caller

router = APIRouter()

MAX_CLIENT = 100  # characters of what a client calls itself


class Exchange(Response):
    """Whoever speaks MCP answers: JSON-RPC has shapes of its own, and its own ways to say no."""

    def __init__(self, desk: Desk, caller: Caller) -> None:
        super().__init__()
        self._desk = desk
        self._caller = caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        served = await mcp.load()
        await served(self._desk, self._caller).answer(scope, receive, send)


@router.post("/mcp", include_in_schema=False)
async def exchange(request: Request, state: CurrentState, user: CurrentUser) -> Response:
    """One message of the protocol; docs/mcp.md."""
    client = clean_text(request.headers.get("user-agent", "")).strip()[:MAX_CLIENT] or None
    return Exchange(state.desk, Caller(user, client=client))
