"""One line per request: which route and how it went; never the address itself, which holds ids and search phrases."""

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

UNKNOWN = "(none)"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
CLIENT_GONE = 499  # nobody was there to be answered


class AccessLog:
    """Writes the line when the answer is complete."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = CLIENT_GONE
        began = time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            fields = {
                "method": scope["method"] if scope["method"] in METHODS else UNKNOWN,
                "route": route_template(scope),
                "status": status,
                "duration_ms": round((time.perf_counter() - began) * 1000, 1),
            }
            logger.info("answered", extra={"fields": fields})


def route_template(scope: Scope) -> str:
    """The route as it was declared, with {names} for what the client wrote; none for what was refused before."""
    template = getattr(scope.get("route"), "path", None)
    return template if isinstance(template, str) else UNKNOWN
