"""What nobody expected: one answer to the client, one line to the log, and no text of either's in the other."""

import logging
import traceback

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from chatServer import errors
from chatServer.api.edge import Edge
from chatServer.api.problems import problem

logger = logging.getLogger(__name__)


class LastResort(Edge):
    """Catches every exception that the routes let through.

    The framework's own handler would pass it on to the server's log with its message, and database drivers put the
    failing row into theirs.
    """

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as error:  # noqa: BLE001  the one place for what nobody expected
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error("the request failed with %s\n%s", type(error).__name__, where)
            if has_begun:
                raise RuntimeError("the answer broke off; see the line before") from None
            sorry = errors.ChatError("This is a bug of ours. Our log has it under the request's id.")
            await problem(Request(scope), sorry)(scope, receive, send)
