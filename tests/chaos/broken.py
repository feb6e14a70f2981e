"""Servers that break one promise each: the checker must notice every one of them, or it proves nothing.

Nothing of this is in the product: one function or one statement is replaced before the server starts.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from chatServer.api import chat_body
from chatServer.store import notes, sessions, turns
from chatServer.store.queries import IS_ALIVE
from chatServer.turn import before, record

PAST_ITS_LEASE = f"not {IS_ALIVE}".encode()


def commit_at_the_end() -> None:
    """The question is stored with the reply, and not before the model is asked."""
    kept: dict[Any, list[Callable[[Any], Any]]] = {}
    insert_turn, history_of, finish_turn = turns.insert_turn, before.history_of, turns.finish_turn

    async def insert_later(connection: Any, user_id: Any, turn: Any, **options: Any) -> None:
        kept[turn.turn_id] = [lambda later: insert_turn(later, user_id, turn, **options)]

    def history_later(connection: Any, principal: Any, turn: Any) -> Any:
        history = history_of(connection, principal, turn)
        if turn.turn_id in kept:

            async def append(messages: Any, **options: Any) -> None:
                kept[turn.turn_id].append(lambda later: history_of(later, principal, turn).append(messages, **options))

            history.append = append
        return history

    async def finish_with_it(connection: Any, user_id: Any, turn: Any, **options: Any) -> None:
        for write in kept.pop(turn.turn_id, []):
            await write(connection)
        await finish_turn(connection, user_id, turn, **options)

    async def keep_nothing(self: Any, over: asyncio.Event, end: Any) -> None:
        await over.wait()

    turns.insert_turn, turns.finish_turn = insert_later, finish_with_it
    before.history_of = history_later
    record.Record.keep = keep_nothing


def no_key() -> None:
    """Every request is a new turn."""
    ask = chat_body.ChatRequest.ask
    chat_body.ChatRequest.ask = lambda self, own_key: ask(self, None)


def no_lock() -> None:
    """Nobody waits for a session, or for its place among the active ones."""
    where = b"where user_id = %(user_id)s and session_id = %(session_id)s"
    columns = b"session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at"
    sessions.SQL["touch_session"] = b"select " + columns + b" from chat.sessions " + where
    sessions.SQL["lock_session"] = sessions.SQL["find_session"]
    sessions.SQL["hold_session"], _, _ = sessions.SQL["hold_session"].partition(b"for update")
    sessions.SQL["enter_session"] = b"select " + columns + b" from chat.sessions where false"  # then by the other two
    upsert, _, _ = sessions.SQL["set_active"].partition(b"do update")
    sessions.SQL["set_active"] = upsert + b"do nothing"


def no_notes_lock() -> None:
    """Two writers of one page of notes read it at once; the moment is longer, so that a short run meets it."""
    lock_notes = notes.lock_notes
    _replace(notes.SQL, b"for update", b"")

    async def read_slowly(*given: Any) -> Any:
        page = await lock_notes(*given)
        await asyncio.sleep(0.5)
        return page

    notes.lock_notes = read_slowly


def no_lease() -> None:
    """A running turn is taken over at once, whether or not somebody still runs it."""
    _replace(turns.SQL, PAST_ITS_LEASE, b"true")


def endless_lease() -> None:
    """A running turn is never taken over."""
    _replace(turns.SQL, PAST_ITS_LEASE, b"false")


def own_clock(skew_s: float) -> None:
    """The lease is measured by the clock of whoever looks, as `time.time()` would be, and not by the database's."""
    _replace(turns.SQL, b"now()", f"(now() + interval '{skew_s} s')".encode())


def no_second_look() -> None:
    """A COMMIT whose answer was lost counts as one that failed."""

    async def never(self: Any, outcome: Any) -> bool:
        return False

    record.Record._was_stored = never


def _replace(statements: dict[str, bytes], old: bytes, new: bytes) -> None:
    """Wherever it stands; a bug that changes nothing would be caught by nobody."""
    if not any(old in statement for statement in statements.values()):
        raise LookupError(f"no statement holds {old!r} any more")
    for name, statement in statements.items():
        statements[name] = statement.replace(old, new)


BUGS = (commit_at_the_end, no_key, no_lock, no_notes_lock, no_lease, endless_lease, no_second_look)


def plant(name: str, skew_s: float) -> None:
    if name == "own_clock":
        own_clock(skew_s)
    else:
        {bug.__name__: bug for bug in BUGS}[name]()
