"""A title that is made after what it says was forgotten: recall passes over it, too, until that is undone."""

import uuid

from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, rows, serving
from tests.integration.test_builtin_remembers import no_model

PHONE = "my phone number is 0151 23456789"


async def test_a_title_that_comes_late_tells_nothing_that_was_forgotten(settings, as_ada, database, urls):
    workshop = Workshop(database, no_model)
    async with serving(settings) as client:
        client.headers.update(as_ada)

        async def ask(text: str) -> dict:
            body = {"message": text, "session_id": str(uuid.uuid4())}
            return (await client.post("/api/chat", json=body)).json()

        told = await ask(PHONE)
        done = await ask("forget my phone number")
        [part] = [each for each in done["message"]["parts"] if each["type"] == "data-forgotten"]
        [message_id] = part["data"]["message_ids"]
        await workshop.after_turn(str(ADA.user_id), told["turn_id"])
        query = f"select is_hidden from chat.message_index where message_id = '{told['session_id']}'"
        assert rows(urls, query) == [(True,)]
        await client.post(f"/api/memories/messages/{message_id}/undo")
        assert rows(urls, query) == [(False,)]
