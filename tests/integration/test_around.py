"""A page around a message, wherever in its session it was said, and from there on in both directions."""

from uuid import uuid4

import pytest

from chatServer.conversation import pages as page_sizes
from chatServer.messages import Message
from chatServer.store import history as history_store
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA
from tests.tools.transcripts import read, store_turn, tool_turn


async def row_ids(database, session_id: str) -> list[str]:
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        return [each.message.message_id for each in await history.page(1_000)]


async def walked(client, headers, session_id: str, page: dict, limit: int) -> list[dict]:
    """The page, with all that its cursors lead to."""
    shown = page["messages"]
    before, after = page["before"], page["after"]
    for _ in range(100):
        if before:
            older = await read(client, headers, session_id, limit=limit, before=before)
            assert older["after"], "there is what it was read before"
            shown, before = older["messages"] + shown, older["before"]
        if after:
            newer = await read(client, headers, session_id, limit=limit, after=after)
            assert newer["before"] or not newer["messages"], "there is what it was read after"
            shown, after = shown + newer["messages"], newer["after"]
        if before is None and after is None:
            return shown
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limit", [1, 4, 7, 50])
async def test_a_page_around_any_message_has_it_splits_no_turn_and_leads_to_everything(
    client, as_ada, database, session_id, limit
):
    for number in range(6):
        await store_turn(database, session_id, tool_turn(number))
    everything = (await read(client, as_ada, session_id, limit=200))["messages"]
    assert len(everything) == 12
    for place, message_id in enumerate(await row_ids(database, session_id)):
        page = await read(client, as_ada, session_id, limit=limit, around=message_id)
        assert page["messages"][0]["role"] == "user"
        assert page["messages"][-1]["role"] == "assistant"
        turn = everything[place // 4 * 2 :][:2]
        assert all(each in page["messages"] for each in turn), "the whole of its turn"
        assert page["around"] == turn[place % 4 > 0]["id"]
        assert len(page["messages"]) <= max(2 * limit, 4)
        assert await walked(client, as_ada, session_id, page, limit) == everything


async def test_a_step_that_no_turn_wrote_is_shown_in_its_answer(client, as_ada, database, session_id):
    async with database.transaction(ADA) as connection:
        await ChatMessageHistory(connection, ADA.user_id, session_id).append([*tool_turn(1), *tool_turn(2)])
    shown = (await read(client, as_ada, session_id))["messages"]
    for place, message_id in enumerate(await row_ids(database, session_id)):
        page = await read(client, as_ada, session_id, around=message_id)
        assert page["around"] == shown[place // 4 * 2 + (place % 4 > 0)]["id"]


async def test_only_the_newest_page_has_nothing_after_it(client, as_ada, database, session_id):
    for number in range(3):
        await store_turn(database, session_id, tool_turn(number))
    newest = await read(client, as_ada, session_id, limit=4)
    assert newest["before"]
    assert newest["after"] is None
    older = await read(client, as_ada, session_id, limit=4, before=newest["before"])
    again = await read(client, as_ada, session_id, limit=4, after=older["after"])
    assert again["messages"] == newest["messages"]
    assert again["after"] is None
    last = (await row_ids(database, session_id))[-1]
    assert (await read(client, as_ada, session_id, after=last))["messages"] == []


async def test_what_is_looked_for_is_on_its_page_however_much_is_said_beside_it(
    client, as_ada, database, session_id, monkeypatch
):
    monkeypatch.setattr(page_sizes, "LARGEST_PAGE", 10_000)
    monkeypatch.setattr(page_sizes, "LARGEST_TURN", 20_000)
    monkeypatch.setattr(history_store, "STRETCH_BYTES", 12_000)
    noise = "".join(chr(0x4E00 + i * 7 % 20_000) for i in range(4_000))
    for number in range(12):
        answer = Message(role="assistant", content=f"answer {number} {noise}")
        await store_turn(database, session_id, [Message(role="user", content=f"question {number}"), answer])
    everything = await walked(client, as_ada, session_id, await read(client, as_ada, session_id), 50)
    assert len(everything) == 24
    for place, message_id in enumerate(await row_ids(database, session_id)):
        page = await read(client, as_ada, session_id, limit=50, around=message_id)
        assert everything[place] in page["messages"]
        assert len(page["messages"]) < 14
        assert await walked(client, as_ada, session_id, page, 50) == everything


async def test_a_page_is_around_a_message_of_this_session_and_of_nobody_else(
    client, as_ada, as_eve, database, session_id
):
    elsewhere = str(uuid4())
    async with database.transaction(ADA) as connection:
        await sessions.insert_session(connection, ADA.user_id, elsewhere, "assistant")
    await store_turn(database, session_id, tool_turn(1))
    await store_turn(database, elsewhere, tool_turn(2))
    mine, other = (await row_ids(database, session_id))[0], (await row_ids(database, elsewhere))[0]
    url = f"/api/sessions/{session_id}/messages"

    async def refused(headers, **query) -> tuple[int, str]:
        answer = await client.get(url, params=query, headers=headers)
        return answer.status_code, answer.json()["code"]

    assert await refused({}, around=mine) == (401, "unauthenticated")
    assert await refused(as_eve, around=mine) == (404, "session_not_found")
    for unknown in (other, uuid4()):
        assert await refused(as_ada, around=unknown) == (404, "message_not_found")
        assert await refused(as_ada, after=unknown) == (422, "invalid_request")
    assert await refused(as_ada, around="msg-1") == (422, "invalid_request")
    assert await refused(as_ada, around=mine, before=mine) == (422, "invalid_request")
    assert [each["role"] for each in (await read(client, as_ada, session_id, around=mine))["messages"]] == [
        "user",
        "assistant",
    ]
