"""How a turn ended, for a client that asked for one answer instead of a stream."""

from dataclasses import field
from uuid import UUID

from chatServer import errors
from chatServer.messages import Message
from chatServer.records import Principal, Turn
from chatServer.records.quick import quick
from chatServer.store import turns
from chatServer.store.pool import Database
from chatServer.turn import replay
from chatServer.turn.follow import read_answer


@quick
class Result:
    """A turn that was answered, and the messages of the answer."""

    turn: Turn
    messages: tuple[Message, ...] = field(hash=False)


async def read_result(database: Database, principal: Principal, turn_id: UUID) -> Result:
    """The answer of a turn that has ended, wherever it ran, or the error that it ended in."""
    async with database.transaction(principal) as connection:
        turn = (await turns.read_turns(connection, principal.user_id, [turn_id])).get(turn_id)
    if turn is None:
        raise errors.SessionNotFound  # deleted while it was answered
    messages = await read_answer(database, principal, turn) if turn.state in ("done", "stopped") else []
    return result_of(turn, tuple(messages))


def result_of(turn: Turn, messages: tuple[Message, ...], error: errors.ChatError | None = None) -> Result:
    match turn.state:
        case "done" | "stopped":
            return Result(turn, messages)
        case "failed":
            error = error or replay.error_of(turn)
            error.extra["turn_id"] = str(turn.turn_id)
            raise error
        case "running":  # whoever ran it could not store its end
            raise errors.DatabaseUnavailable
    raise errors.ShuttingDown("The server that was answering this has ended. Send it again, with the same key.")
