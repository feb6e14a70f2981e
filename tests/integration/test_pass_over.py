"""A message that recall is to show no longer, by the user's word, and the way back."""

import uuid

import pytest

from chatServer.memory.embed import NoEmbedder
from chatServer.memory.forget.pass_over import pass_over, show_again
from tests.conftest import ADA, owner_connection
from tests.tools.problems import assert_problem
from tests.tools.recalling import asked, recaller_of, said, texts
from tests.tools.remembering import hidden_texts, memory_events

HIVES = "I keep bees in the orchard, three hives"
QUESTION = "How many hives are there?"
URL = "/api/memories/messages/{}"


@pytest.mark.parametrize("is_recent", [True, False])
async def test_a_message_is_recalled_no_longer_and_again_after_undo(database, urls, is_recent):
    _, (message_id,) = await said(database, ADA, HIVES)
    if not is_recent:  # then it is found in the index of the process, not among the news
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.message_index set said_at = said_at - interval '1 day'")
        await said(database, ADA, "hello")
    async with recaller_of(database, NoEmbedder()) as recaller:
        assert texts(await asked(recaller, ADA, QUESTION)) == [HIVES]
        for _ in range(2):  # a second time is not a second hiding, which one undo would leave
            await pass_over(database, ADA, message_id)
            assert texts(await asked(recaller, ADA, QUESTION)) == []
        assert hidden_texts(urls) == [HIVES]
        await show_again(database, ADA, message_id)
        await asked(recaller, ADA, QUESTION)  # the index learns of it after it has answered
        assert texts(await asked(recaller, ADA, QUESTION)) == [HIVES]
        assert hidden_texts(urls) == []
    assert memory_events(urls) == [{"what": "memories", "changed": []}] * 2


async def test_the_routes_are_for_ones_own_messages(client, as_ada, as_eve, database):
    _, (message_id,) = await said(database, ADA, HIVES)
    own, back = URL.format(message_id), URL.format(message_id) + "/undo"
    assert_problem(await client.delete(own), 401, "unauthenticated")
    assert_problem(await client.post(back), 401, "unauthenticated")
    for each in (message_id, uuid.uuid4(), "msg-1"):
        assert_problem(await client.delete(URL.format(each), headers=as_eve), 404, "message_not_found")
    assert_problem(await client.post(back, headers=as_ada), 404, "message_not_found")
    assert (await client.delete(own, headers=as_ada)).status_code == 204
    audit = (await client.get("/api/memories/audit", headers=as_ada)).json()
    assert [each["message_id"] for each in audit["hidden_messages"]] == [str(message_id)]
    assert_problem(await client.post(back, headers=as_eve), 404, "message_not_found")
    assert (await client.post(back, headers=as_ada)).status_code == 204
    assert (await client.get("/api/memories/audit", headers=as_ada)).json()["hidden_messages"] == []


async def test_what_was_passed_over_twice_a_month_apart_comes_back_with_one_undo(database, urls):
    _, (message_id,) = await said(database, ADA, HIVES)
    await pass_over(database, ADA, message_id)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.memory_changes set created_at = created_at - interval '31 days'")
    await pass_over(database, ADA, message_id)
    await show_again(database, ADA, message_id)
    assert hidden_texts(urls) == []


async def test_a_session_is_no_message_and_keeps_its_title(client, as_ada, database, urls):
    made = await client.post("/api/sessions", json={"title": "Bees and hives"}, headers=as_ada)
    session_id = made.json()["session_id"]
    assert_problem(await client.delete(URL.format(session_id), headers=as_ada), 404, "message_not_found")
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat.message_index where is_hidden").fetchone() == (0,)
