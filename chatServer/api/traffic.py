"""Every request is named, timed, counted and logged in one line: which route and how it went; never the address itself,
which holds ids and search phrases."""

import logging
import time
from collections.abc import Awaitable
from functools import cache

from prometheus_client import Histogram
from starlette.types import Message, Receive, Scope, Send

from chatServer import logs, metrics
from chatServer.api import headers
from chatServer.api.edge import Edge, raw_headers
from chatServer.api.request_id import id_of
from chatServer.store.pool import asked_at

logger = logging.getLogger(__name__)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
NO_ROUTE = "none"  # refused before there was one: what was asked for is not ours to keep
CLIENT_GONE = 499  # nobody was there to be answered


class Traffic(Edge):
    """The outermost layer, and the only one through which each piece of an answer goes: five of them, one in the other,
    and FastAPI's own two took 110 more of the 7,340 calls of functions in a turn (2026-11-18)."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, came = time.perf_counter(), asked_at.set(time.monotonic())
        request_id = id_of(raw_headers(scope))
        named = logs.request_id.set(request_id)
        state = scope.setdefault("state", {})
        state |= {"request_id": request_id, "status": None}

        def sent(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                message["headers"] = headers.completed(message["headers"], request_id, scope["scheme"])
            return send(message)

        try:
            await self.app(scope, receive, sent)
        finally:
            _note(scope, state["status"] or CLIENT_GONE, time.perf_counter() - began)
            logs.request_id.reset(named)
            asked_at.reset(came)


def _note(scope: Scope, status: int, seconds: float) -> None:
    method = scope["method"] if scope["method"] in METHODS else OTHER
    route = getattr(scope.get("route"), "path", NO_ROUTE)  # as declared, {names} for what the client wrote
    _timer(route, method, status).observe(seconds)
    if logger.isEnabledFor(logging.INFO):
        fields = {"method": method, "route": route, "status": status, "duration_ms": round(seconds * 1000, 1)}
        logger.info("answered", extra={"fields": fields})


@cache
def _timer(route: str, method: str, status: int) -> Histogram:
    return metrics.request_seconds.labels(route, method, str(status))
