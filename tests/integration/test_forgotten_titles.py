"""A title that is made after what it says was forgotten: recall passes over it, too, until that is undone."""

import asyncio
import uuid

from chatServer.agent.title import give_title
from chatServer.memory.forget.forget import forget
from chatServer.memory.forget.pass_over import BY_USER, hide, pass_over, show
from chatServer.store import memories, memory_changes
from chatServer.store.titles import set_missing_title
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, rows, serving
from tests.tools.remembering import kept, learn
from tests.tools.turns import eventually, finished_turn
from tests.tools.waiting import waiting_for_locks
from tests.tools.working import no_model

TICKET = "my ticket number is 0151 23456789"


async def test_a_title_that_comes_late_tells_nothing_that_was_forgotten(settings, as_ada, database, urls):
    workshop = Workshop(database, no_model)
    async with serving(settings) as client:
        client.headers.update(as_ada)

        async def ask(text: str) -> dict:
            body = {"message": text, "session_id": str(uuid.uuid4())}
            return (await client.post("/api/chat", json=body)).json()

        told = await ask(TICKET)
        done = await ask("forget my ticket number")
        [part] = [each for each in done["message"]["parts"] if each["type"] == "data-forgotten"]
        [message_id] = part["data"]["message_ids"]
        await workshop.after_turn(str(ADA.user_id), told["turn_id"])
        assert is_hidden(urls, told["session_id"])
        await client.post(f"/api/memories/messages/{message_id}/undo")
        assert not is_hidden(urls, told["session_id"])


async def test_a_title_waits_for_whoever_forgets(database, urls):
    session_id, turn_id = await finished_turn(database, ADA, TICKET)
    async with database.transaction(ADA) as connection:
        await memories.advance_head(connection, ADA.user_id)
        await hide(connection, ADA.user_id, question_of(urls, turn_id), BY_USER)
        naming = await begun(urls, give_title(database, ADA, turn_id, no_model))
    await naming
    assert is_hidden(urls, session_id)


async def test_a_title_waits_for_whoever_takes_that_back(database, urls):
    session_id, turn_id = await finished_turn(database, ADA, TICKET)
    question_id = question_of(urls, turn_id)
    await pass_over(database, ADA, question_id)
    async with database.transaction(ADA) as connection:
        await memories.advance_head(connection, ADA.user_id)
        change_id = memory_changes.id_of_message(question_id)
        undoable = await memory_changes.find_undoable(connection, ADA.user_id, change_id)
        await show(connection, ADA.user_id, question_id, undoable)
        naming = await begun(urls, give_title(database, ADA, turn_id, no_model))
    await naming
    assert not is_hidden(urls, session_id)


async def test_whoever_forgets_waits_for_a_title(database, urls):
    session_id, turn_id = await finished_turn(database, ADA, "I live in Berlin.")
    await learn(database, turn_id)
    [memory] = await kept(database)
    async with database.transaction(ADA) as connection:
        about = [question_of(urls, turn_id)]
        assert await set_missing_title(connection, ADA.user_id, session_id, "I live in Berlin", about=about)
        await connection.flush()  # its entry is written, and nobody else sees it
        forgetting = await begun(urls, forget(database, ADA, memory.memory_id))
    await forgetting
    assert is_hidden(urls, session_id)


async def begun(urls, work) -> asyncio.Task:
    """As far as it comes while the caller's transaction is open."""
    task = asyncio.create_task(work)
    await eventually(lambda: task.done() or waiting_for_locks(urls))
    return task


def question_of(urls, turn_id: uuid.UUID) -> uuid.UUID:
    [[message_id]] = rows(urls, f"select user_message_id from chat.turns where turn_id = '{turn_id}'")
    return message_id


def is_hidden(urls, session_id: str) -> bool:
    [[found]] = rows(urls, f"select is_hidden from chat.message_index where message_id = '{session_id}'")
    return found
