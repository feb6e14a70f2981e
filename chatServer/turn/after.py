"""After the model: one transaction in which the answer is stored and the turn ends, or neither."""

import time
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from chatServer import errors
from chatServer.messages import Message
from chatServer.records import LARGER, RecallResult, Turn, TurnEvent, TurnState, Usage
from chatServer.records.quick import quick
from chatServer.store import events, jobs, sessions, turns, user_events
from chatServer.store import usage as daily
from chatServer.store.pool import Connection, Database
from chatServer.turn.before import history_of
from chatServer.turn.begun import Begun
from chatServer.turn.prompt import has_memory
from chatServer.turn.recalled import recalled_json

HAS_ENDED_WELL = ("done", "stopped")


@quick
class Outcome:
    """How a turn ended, and what of it stays."""

    state: TurnState
    messages: tuple[Message, ...] = field(default=(), hash=False)
    usage: Usage = field(default_factory=Usage)
    partial_text: str | None = None
    error: errors.ChatError | None = field(default=None, hash=False)
    recalled: RecallResult | None = field(default=None, hash=False)
    is_larger_model: bool = False  # that answered


async def finish(
    database: Database, begun: Begun, outcome: Outcome, unstored: tuple[int, Sequence[TurnEvent]], *, is_repeated: bool
) -> None:
    """Reply and tool messages, usage, state, the rest of the log and the after-work: all of it, or errors.Lost; in one
    round trip, since nothing here waits for an answer."""
    async with database.transaction(begun.principal) as connection:
        user_id, turn = begun.principal.user_id, begun.turn
        if is_repeated:
            await sessions.hold_session(connection, user_id, turn.session_id)
            await events.delete_events(connection, user_id, turn.turn_id, seq_from=unstored[0], seq_to=begun.last_seq)
        await turns.finish_turn(
            connection,
            user_id,
            turn,
            state=outcome.state,
            unstored=unstored,
            partial_text=outcome.partial_text,
            error_code=outcome.error.code if outcome.error else None,
            usage=usage_json(outcome),
            recalled=recalled_json(outcome.recalled, with_text=False),
            is_to_be_revised=is_to_be_revised(begun, outcome),
            is_anonymous=begun.principal.is_anonymous,
        )
        await begun.window.flush(history_of(connection, begun.principal, turn))
        await _add_usage(connection, begun, outcome.usage)
        if leaves_work(begun, outcome):
            await jobs.enqueue_after_turn(connection, turn.session_id, turn.turn_id)
        await user_events.tell_turn(connection, user_id, turn, outcome.state)


def leaves_work(begun: Begun, outcome: Outcome) -> bool:
    """What the user said before he stopped the answer is said. Where memory is off, nothing is left to do once there is
    a title: recall does not find what was said, and what it would find it by is made when memory is switched on."""
    is_wanted = begun.session.memory == "on" or begun.session.title is None
    return outcome.state in HAS_ENDED_WELL and is_wanted


def is_to_be_revised(begun: Begun, outcome: Outcome) -> bool:
    """Whether memory is to be made of what was said."""
    return outcome.state in HAS_ENDED_WELL and has_memory(begun.agent, begun.session)


async def charge(database: Database, begun: Begun, usage: Usage) -> None:
    """What an attempt took that left nothing else. Else whoever deletes a session while it is answered would have
    the answer for nothing; and so would whoever erases everything: of that the number stays, as of all his day."""
    user_id = begun.principal.user_id
    try:
        async with database.transaction(begun.principal) as connection:
            waited_s = time.monotonic() - begun.asked_at
            await _add_usage(connection, begun, usage)
            await user_events.be_in_time(connection, user_id, waited_s=waited_s)
    except errors.Erased:
        async with database.transaction(begun.principal) as connection:
            await daily.add_usage(connection, user_id, agent_name=daily.NO_AGENT, model="", usage=usage)
            await jobs.enqueue_forgetting(connection)


async def _add_usage(connection: Connection, begun: Begun, usage: Usage) -> None:
    turn = begun.turn
    await daily.add_usage(
        connection, begun.principal.user_id, agent_name=turn.agent_name, model=turn.model or "", usage=usage
    )


def ended(turn: Turn, outcome: Outcome) -> Turn:
    """The turn as its outcome leaves it in the database."""
    return replace(
        turn,
        state=outcome.state,
        partial_text=outcome.partial_text,
        error_code=outcome.error.code if outcome.error else None,
        usage=usage_json(outcome),
        recalled=recalled_json(outcome.recalled),
    )


def usage_json(outcome: Outcome) -> dict[str, Any]:
    """As clients read it: the tokens, and that they were a larger model's."""
    given, said = outcome.usage.input_tokens, outcome.usage.output_tokens
    tokens = {"input_tokens": given, "output_tokens": said, "total_tokens": given + said}
    return tokens | LARGER if outcome.is_larger_model else tokens
