"""Every request has an id: in its answer's headers, in its errors, in every line that it logs; and a time at which it
came."""

import re
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from chatServer import logs
from chatServer.api.edge import Edge
from chatServer.records import new_id
from chatServer.store.pool import asked_at

HEADER = "X-Request-Id"
_ACCEPTABLE = re.compile(r"^[A-Za-z0-9_.:-]{1,64}\Z")


class RequestId(Edge):
    """Take the caller's id when it is harmless, else make one."""

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get(HEADER, "")
        request_id = given if _ACCEPTABLE.match(given) else str(new_id())
        scope.setdefault("state", {})["request_id"] = request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        token, came = logs.request_id.set(request_id), asked_at.set(time.monotonic())
        try:
            await self.app(scope, receive, send_with_id)
        finally:
            logs.request_id.reset(token)
            asked_at.reset(came)
