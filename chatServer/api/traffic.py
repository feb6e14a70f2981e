"""Every request is timed, counted and logged in one line: which route and how it went; never the address itself,
which holds ids and search phrases."""

import logging
import time

from starlette.types import Message, Receive, Scope, Send

from chatServer import metrics
from chatServer.api.edge import Edge

logger = logging.getLogger(__name__)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
NO_ROUTE = "none"  # refused before there was one: what was asked for is not ours to keep
CLIENT_GONE = 499  # nobody was there to be answered


class Traffic(Edge):
    """Measures when the answer is complete; changes nothing."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            seconds = time.perf_counter() - began
            method = scope["method"] if scope["method"] in METHODS else OTHER
            route = getattr(scope.get("route"), "path", NO_ROUTE)  # as declared, {names} for what the client wrote
            metrics.request_seconds.labels(route, method, str(status)).observe(seconds)
            fields = {"method": method, "route": route, "status": status, "duration_ms": round(seconds * 1000, 1)}
            logger.info("answered", extra={"fields": fields})
