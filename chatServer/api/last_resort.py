"""What nobody expected: one answer to the client, one line to the log, and no text of either's in the other."""

import logging
import traceback

from chatServer import errors

logger = logging.getLogger(__name__)


def what_is_said_of(error: Exception) -> errors.ChatError:
    """Of an exception that the routes let through.

    The framework's own handler would pass it on to the server's log with its message, and database drivers put the
    failing row into theirs.
    """
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("the request failed with %s\n%s", type(error).__name__, where)
    return errors.ChatError("This is a bug of ours. Our log has it under the request's id.")
