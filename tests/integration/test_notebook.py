"""Pages in the database: the tool, writers at once, and what a dead attempt wrote."""

import asyncio
import itertools

import pytest

from chatServer.agent.tools import ToolContext
from chatServer.agent.tools.manage_long_term_memory import ManageLTMInput, manage_long_term_memory
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.memory.notes import notebook
from chatServer.records import Author, new_id
from chatServer.store import notes as store
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.turns import begin_turn

AGENT = "assistant"


async def context(database, turn_id=None, *, attempt=1, untrusted=False, user=ADA) -> ToolContext:
    """Of a turn that runs: this one, or one of its own."""
    turn_id = turn_id or await begin_turn(database, user, attempt=attempt)
    return ToolContext(database, user, AGENT, "session", turn_id, attempt, untrusted)


async def use(context: ToolContext, **said):
    return await manage_long_term_memory.run(context, ManageLTMInput(**said))


async def page_of(database, user=ADA):
    return await notebook.read(database, user, AGENT)


async def listed(database):
    found, _ = await notebook.versions(database, ADA, AGENT, limit=100, before=None)
    return [(each.version, each.operation, each.actor) for each in found]


async def overwrite(database, text: str) -> None:
    page = await page_of(database)
    await notebook.overwrite(database, ADA, AGENT, text, if_version=page.version)


async def revert(database, turn_id, attempt=1):
    async with database.transaction(ADA) as connection:
        return await notebook.revert_attempt(connection, ADA.user_id, turn_id, attempt)


async def change_turn(database, turn_id, change: str) -> None:
    async with database.transaction(ADA) as connection:
        await connection.execute(f"update chat.turns set {change} where turn_id = %s", (turn_id,))


# The tool ------------------------------------------------------------------------------------------------


def test_the_tool_is_the_seeds():
    assert TOOLS["manage_long_term_memory"] is manage_long_term_memory
    assert list(ManageLTMInput.model_fields) == ["operation", "content", "section_header"]
    assert ManageLTMInput() == ManageLTMInput(operation="read", content=None, section_header=None)
    assert manage_long_term_memory.is_untrusted is False


async def test_the_tool_edits_the_page_of_the_turns_user_and_agent(database):
    turn = await context(database)
    assert (await use(turn)).text == "The notes are empty."
    done = await use(turn, operation="append", content="# Food\n\n- tea")
    assert not done.is_error
    [event] = done.events
    assert (event.kind, event.name) == ("data", "notes")
    assert event.value == {
        "agent_name": AGENT,
        "operation": "append",
        "version": 1,
        "previous_version": 0,
        "untrusted": False,
    }
    await use(turn, operation="replace_section_by_header", section_header="Food", content="- coffee")
    read = await use(turn, operation="read")
    assert (read.text, read.events) == ("# Food\n\n- coffee", ())
    assert (await page_of(database)).notes == read.text
    assert (await page_of(database, EVE)).notes == ""


async def test_a_mistake_of_the_model_is_a_text_without_version_or_event(database):
    for said in (
        {"operation": "append"},
        {"operation": "delete_section_by_header", "section_header": "Nowhere"},
        {"operation": "overwrite", "content": "x" * 65_537},
    ):
        done = await use(await context(database), **said)
        assert done.is_error
        assert done.events == ()
    assert await listed(database) == []
    assert (await page_of(database)).version == 0


async def test_what_changes_nothing_makes_no_version_and_no_event(database):
    await use(await context(database), operation="overwrite", content="same")
    again = await use(await context(database), operation="overwrite", content="same")
    assert (again.is_error, again.events) == (False, ())
    assert await listed(database) == [(1, "overwrite", "agent"), (0, "found", "system")]


async def test_delete_all_leaves_an_empty_row_and_a_version(database):
    await use(await context(database), operation="overwrite", content="secret")
    [event] = (await use(await context(database), operation="delete_all_notes")).events
    assert (event.value["version"], event.value["previous_version"]) == (2, 1)
    page = await page_of(database)
    assert (page.notes, page.version) == ("", 2)
    assert (await notebook.version(database, ADA, AGENT, 1)).notes == "secret"


async def test_a_turn_that_read_untrusted_text_is_flagged(database):
    turn = await context(database, untrusted=True, attempt=3)
    [event] = (await use(turn, operation="append", content="x")).events
    assert event.value["untrusted"] is True
    kept = await notebook.version(database, ADA, AGENT, 1)
    assert (kept.untrusted_turn, kept.turn_id, kept.attempt) == (True, turn.turn_id, 3)


async def test_a_page_that_came_from_elsewhere_can_be_brought_back(database, urls):
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "insert into public.agent_long_term_memory (user_id, agent_name, notes) values (%s, %s, 'imported')",
            (ADA.user_id, AGENT),
        )
    await use(await context(database), operation="overwrite", content="new")
    assert await listed(database) == [(2, "overwrite", "agent"), (1, "found", "system")]
    assert (await notebook.restore(database, ADA, AGENT, 1, if_version=2)).notes == "imported"


async def test_no_update_is_lost_when_many_write_at_once(database):
    lines = [f"line {number}" for number in range(20)]
    turns = [await context(database) for _ in lines]
    writes = (use(turn, operation="append", content=line) for turn, line in zip(turns, lines, strict=True))
    await asyncio.gather(*writes)
    page = await page_of(database)
    assert sorted(page.notes.split("\n\n")) == sorted(lines)
    assert page.version == len(lines)
    texts = [(await notebook.version(database, ADA, AGENT, number)).notes for number in range(len(lines) + 1)]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))


async def test_a_writer_waits_for_the_one_who_holds_the_page(database):
    turn = await context(database)
    async with database.transaction(ADA) as connection:
        page = await store.lock_notes(connection, ADA.user_id, AGENT)
        waiting = asyncio.create_task(use(turn, operation="append", content="second"))
        await asyncio.wait({waiting}, timeout=0.2)
        assert not waiting.done()
        await store.write_notes(connection, ADA.user_id, page, "first", operation="overwrite", author=Author("user"))
    await waiting
    assert (await page_of(database)).notes == "first\n\nsecond"


# Taking over ---------------------------------------------------------------------------------------------


async def test_what_a_dead_attempt_wrote_is_taken_back(database):
    await overwrite(database, "before")
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    await use(await context(database, turn_id), operation="append", content="two")
    [page] = await revert(database, turn_id)
    assert (page.notes, page.version) == ("before", 4)
    kept = await notebook.version(database, ADA, AGENT, 4)
    assert (kept.operation, kept.actor, kept.turn_id, kept.reason) == ("revert", "system", turn_id, "version 1")
    assert (await notebook.version(database, ADA, AGENT, 3)).notes == "before\n\none\n\ntwo", "and it can be looked at"


async def test_the_first_words_on_a_page_are_taken_back_too(database):
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    [page] = await revert(database, turn_id)
    assert (page.notes, page.version) == ("", 2)


async def test_reverting_twice_is_reverting_once(database):
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    await revert(database, turn_id)
    assert await revert(database, turn_id) == []
    assert (await page_of(database)).version == 2


async def test_the_next_attempt_can_die_as_well(database):
    await overwrite(database, "before")
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    await revert(database, turn_id, 1)
    await change_turn(database, turn_id, "attempt = 2")
    await use(await context(database, turn_id, attempt=2), operation="append", content="two")
    assert await revert(database, turn_id, 1) == [], "the living attempt's work stays"
    [page] = await revert(database, turn_id, 2)
    assert page.notes == "before"


@pytest.mark.parametrize("by", ["person", "turn"])
async def test_a_page_that_somebody_changed_since_stays_as_it_is(database, by):
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    if by == "person":
        await overwrite(database, "one, corrected")
    else:
        await use(await context(database), operation="append", content="other")
    page = await page_of(database)
    assert await revert(database, turn_id) == []
    assert await page_of(database) == page


async def test_only_what_was_written_on_top_is_taken_back(database):
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    await overwrite(database, "corrected")
    await use(await context(database, turn_id), operation="append", content="two")
    [page] = await revert(database, turn_id)
    assert page.notes == "corrected"


async def test_an_attempt_that_undid_itself_needs_no_revert(database):
    await overwrite(database, "before")
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    await use(await context(database, turn_id), operation="overwrite", content="before")
    assert await revert(database, turn_id) == []
    assert (await page_of(database)).version == 3


async def test_a_turn_that_wrote_nothing_and_another_users_turn(database):
    assert await revert(database, new_id()) == []
    turn_id = await begin_turn(database, EVE)
    await use(await context(database, turn_id, user=EVE), operation="append", content="hers")
    assert await revert(database, turn_id) == []
    assert (await page_of(database, EVE)).notes == "hers"


async def test_a_late_write_of_a_dead_attempt_is_refused(database):
    turn_id = await begin_turn(database, ADA, attempt=2)
    late = await use(await context(database, turn_id, attempt=1), operation="append", content="late")
    assert late.is_error
    assert "Nothing was changed" in late.text
    assert not (await use(await context(database, turn_id, attempt=2), operation="append", content="mine")).is_error
    assert (await page_of(database)).notes == "mine"


@pytest.mark.parametrize("state", ["done", "failed", "stopped", "interrupted"])
async def test_a_turn_that_has_ended_writes_no_more(database, state):
    turn_id = await begin_turn(database, ADA)
    await change_turn(database, turn_id, f"state = '{state}'")
    late = await use(await context(database, turn_id), operation="overwrite", content="late")
    assert (late.text, late.is_error, late.events) == (notebook.TURN_IS_OVER, True, ())
    assert (await page_of(database)).version == 0
    assert not (await use(await context(database, turn_id))).is_error, "and may still read"


async def test_a_turn_whose_session_was_deleted_writes_no_more(database):
    turn_id = await begin_turn(database, ADA)
    async with database.transaction(ADA) as connection:
        await connection.execute(
            "delete from chat.sessions s using chat.turns t where t.turn_id = %s and t.session_id = s.session_id",
            (turn_id,),
        )
    assert (await use(await context(database, turn_id), operation="append", content="late")).is_error
    assert (await page_of(database)).version == 0


async def test_another_users_turn_is_nobodys_permission(database):
    hers = await begin_turn(database, EVE)
    assert (await use(await context(database, hers), operation="append", content="mine")).is_error


async def test_a_write_in_the_moment_of_taking_over_is_reverted_or_refused(database):
    """The late writer waits for the one who takes over, and then finds that its attempt is over."""
    turn_id = await begin_turn(database, ADA)
    await use(await context(database, turn_id), operation="append", content="one")
    async with database.transaction(ADA) as connection:
        await connection.execute("update chat.turns set attempt = 2 where turn_id = %s", (turn_id,))
        await connection.flush()
        late = asyncio.create_task(use(await context(database, turn_id), operation="append", content="late"))
        await asyncio.wait({late}, timeout=0.2)
        assert not late.done()
        await notebook.revert_attempt(connection, ADA.user_id, turn_id, 1)
    assert (await late).is_error
    assert (await page_of(database)).notes == ""
