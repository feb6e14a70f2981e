"""Every request is counted and timed, under the template of its route."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatServer import metrics

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"  # whatever somebody asked for: his words are not ours to keep
BROKEN_OFF = "0"


class Traffic:
    """Measures; changes nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = BROKEN_OFF

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        began = time.perf_counter()
        try:
            await self.app(scope, receive, watched)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = getattr(scope.get("route"), "path", NO_ROUTE)
            metrics.request_seconds.labels(route, method, status).observe(time.perf_counter() - began)
