"""Sessions, turns, notes and two users against a plain model of them, whatever order things are done in."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test

from chatServer.api.auth import Authenticator
from chatServer.memory.notes import notebook
from chatServer.records import new_id
from chatServer.store import events, history, notes, sessions, superseded, turns
from chatServer.store.history import ChatMessageHistory
from chatServer.turn import before
from chatServer.turn.ask import Ask
from chatServer.turn.replaced import Replaced
from tests.tools.machine import Machine
from tests.tools.served import Server, served

EXAMPLES, STEPS = 15, 30
ENOUGH = 30  # in which each of the planted bugs is found
MANY = 300
# Without shrinking, which could take minutes: thirty steps can be read as they are.
QUIET: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.generate],
    "report_multiple_bugs": False,
}


@pytest.fixture
def server(settings, urls) -> Iterator[Server]:
    with served(settings, urls) as opened:
        yield opened


def run(server: Server, examples: int, *, steps: int = STEPS, **options: Any) -> int:
    """How many steps were done, each with its checks."""
    done = 0

    class Counted(Machine):
        def teardown(self) -> None:
            nonlocal done
            done += max(self.steps - 1, 0)  # the first look is before the first step
            super().teardown()

    Counted.server = server
    wanted = {"max_examples": examples, "stateful_step_count": steps, **QUIET, **options}
    run_state_machine_as_test(Counted, settings=hypothesis.settings(**wanted))
    return done


def test_two_users_always_find_what_a_plain_model_says(server):
    began = time.monotonic()
    done = run(server, EXAMPLES)
    print(f"{EXAMPLES} examples, {done} steps in {time.monotonic() - began:.0f} s")


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_two_users_always_find_what_a_plain_model_says_at_length(server):
    print(f"{MANY} examples, {run(server, MANY)} steps")


# Planted bugs --------------------------------------------------------------------------------------------

Patch = pytest.MonkeyPatch


def patched(patch: Patch, statements: dict[str, bytes], name: str, good: bytes, bad: bytes) -> None:
    assert good in statements[name]
    patch.setitem(statements, name, statements[name].replace(good, bad))


def one_active_session_for_all_agents(patch: Patch) -> None:
    claim = sessions.claim_active

    async def broken(connection, user_id, _, session_id):
        return await claim(connection, user_id, "assistant", session_id)

    patch.setattr(sessions, "claim_active", broken)


def every_message_is_stored_twice(patch: Patch) -> None:
    append = ChatMessageHistory.append

    async def broken(self, messages, tokens=None):
        await append(self, messages, tokens)
        await append(self, [replace(message, message_id=str(new_id())) for message in messages], tokens)

    patch.setattr(ChatMessageHistory, "append", broken)


def keys_are_not_looked_up(patch: Patch) -> None:
    find = turns.find_turns

    async def broken(connection, user_id, session_id, _):
        return await find(connection, user_id, session_id, None)

    patch.setattr(turns, "find_turns", broken)


def a_key_stands_for_any_body(patch: Patch) -> None:
    patch.setattr(Ask, "request_hash", None)


def failed_turns_are_sent(patch: Patch) -> None:
    patched(patch, history.SQL, "read_window", b"in ('done', 'stopped')", b"in ('done', 'stopped', 'failed')")


def the_window_is_one_short(patch: Patch) -> None:
    ask_ahead = ChatMessageHistory.ask_ahead

    async def broken(self, *, limit):
        await ask_ahead(self, limit=limit - 1)

    patch.setattr(ChatMessageHistory, "ask_ahead", broken)


def deleting_leaves_what_was_said(patch: Patch) -> None:
    async def broken(self):
        pass

    patch.setattr(ChatMessageHistory, "aclear", broken)


def an_archived_session_stays_active(patch: Patch) -> None:
    async def broken(*_):
        pass

    patch.setattr(sessions, "clear_active", broken)


def a_session_that_is_used_stays_archived(patch: Patch) -> None:
    patched(patch, sessions.SQL, "enter_session", b", archived_at = null", b"")


def stale_notes_are_written(patch: Patch) -> None:
    async def broken(connection, principal, agent_name, _):
        return await notes.lock_notes(connection, principal.user_id, agent_name)

    patch.setattr(notebook, "_locked", broken)


def agents_share_their_notes(patch: Patch) -> None:
    lock = notes.lock_notes

    async def broken(connection, user_id, _):
        return await lock(connection, user_id, "assistant")

    patch.setattr(notes, "lock_notes", broken)


def streams_begin_at_their_start(patch: Patch) -> None:
    read = events.read_events

    async def broken(connection, user_id, turn_id, _):
        return await read(connection, user_id, turn_id, 0)

    patch.setattr(events, "read_events", broken)


def notes_are_read_where_memory_is_off(patch: Patch) -> None:
    parts = before.parts_of

    def broken(agent, session, *given, **options):
        return parts(agent, replace(session, memory="on"), *given, **options)

    patch.setattr(before, "parts_of", broken)


def two_users_are_one(patch: Patch) -> None:
    met: list[str] = []
    principal_of = Authenticator.principal_of

    async def broken(self, token):
        if token not in met:
            met.append(token)
        place = met.index(token)
        return await principal_of(self, met[place - place % 2])

    patch.setattr(Authenticator, "principal_of", broken)


def an_edit_leaves_what_followed(patch: Patch) -> None:
    patched(patch, superseded.SQL, "supersede", b"id >= %(first)s", b"id = %(first)s")


def replaced_words_are_still_found(patch: Patch) -> None:
    patched(patch, superseded.SQL, "supersede", b"from held);", b"from held where false);")


def the_same_edit_is_made_twice(patch: Patch) -> None:
    patch.setattr(Replaced, "is_done_by", lambda *_: False)


def a_replaced_answer_can_still_be_named(patch: Patch) -> None:
    patched(patch, superseded.SQL, "find_question", b" and a.turn_id = asked.turn_id", b"")


PLANTED: list[Callable[[Patch], None]] = [
    every_message_is_stored_twice,
    keys_are_not_looked_up,
    two_users_are_one,
    an_edit_leaves_what_followed,
]
RARE: list[Callable[[Patch], None]] = [  # need several things to come together, or more time than there is each day
    one_active_session_for_all_agents,
    failed_turns_are_sent,
    agents_share_their_notes,
    streams_begin_at_their_start,
    deleting_leaves_what_was_said,
    a_key_stands_for_any_body,
    the_window_is_one_short,
    an_archived_session_stays_active,
    a_session_that_is_used_stays_archived,
    stale_notes_are_written,
    notes_are_read_where_memory_is_off,
    replaced_words_are_still_found,
    the_same_edit_is_made_twice,
    a_replaced_answer_can_still_be_named,
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found(server, monkeypatch, plant):
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        run(server, ENOUGH, derandomize=True)


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("plant", RARE, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found_at_length(server, monkeypatch, plant):
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        run(server, MANY, derandomize=True)
