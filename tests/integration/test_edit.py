"""An edit takes the place of a message and of all that followed; what is replaced is forgotten, and still listed."""

import asyncio
import uuid

import pytest
from langchain_postgres import PostgresChatMessageHistory
from psycopg import AsyncConnection

from chatServer.messages import Message
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, EVE, bearer, owner_connection, rows, serving
from tests.tools.rewriting import (
    EVERYTHING,
    EXCHANGES,
    PICTURE,
    RULES,
    conversation,
    edit,
    listed,
    regenerate,
    reply_of,
    said,
    send,
    texts,
    turn_of,
)
from tests.tools.talking import calls, chunks, spoken, talking, user_message, with_script
from tests.tools.turns import eventually


@pytest.fixture
async def chat(settings, as_ada):
    async with talking(settings, as_ada, *RULES, log=True) as client:
        yield client


# Edit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "is_reloaded"), [(0, False), (1, True), (1, False), (2, True)])
async def test_an_edit_replaces_the_message_and_all_that_followed(chat, urls, place, is_reloaded):
    await conversation(chat)
    shown = (await listed(chat))["messages"]
    answer = await edit(chat, "other", shown[2 * place]["id"] if is_reloaded else f"m{place}")
    assert spoken(answer.text) == "You said: other"
    kept = 2 * place
    assert await said(chat) == [*EXCHANGES[:kept], "other", "You said: other"]
    old = (await listed(chat, "superseded"))["messages"]
    assert [{**each, "metadata": None} for each in old] == [{**each, "metadata": None} for each in shown[kept:]]
    for each in old:
        assert each["metadata"]["superseded_by"] == turn_of(answer)
        assert each["metadata"]["superseded_at"] > each["metadata"]["created_at"]
        assert each["metadata"]["turn_id"] != turn_of(answer)
    [edited] = rows(urls, "select turn_id, supersedes_turn_id from chat.turns where trigger = 'edit'")
    assert str(edited[0]) == turn_of(answer)
    assert str(edited[1]) == shown[kept]["metadata"]["turn_id"]
    assert rows(urls, "select count(*) from chat.turns") == [(4,)]


async def test_the_model_is_sent_the_conversation_up_to_the_edited_message(chat):
    await conversation(chat)
    answer = await edit(chat, "recite", "m1")
    assert spoken(answer.text) == "user: one\nassistant: You said: one\nuser: recite"


async def test_a_message_is_edited_again_and_again_under_the_id_that_the_tab_knows(chat):
    await conversation(chat)
    await edit(chat, "a", "m1")
    reloaded = (await listed(chat))["messages"][2]["id"]
    await edit(chat, "b", reloaded)
    await edit(chat, "c", reloaded)
    await edit(chat, "d", "m0")
    assert await said(chat) == ["d", "You said: d"]
    assert len(await said(chat, "superseded")) == 6 + 2 + 2 + 2


async def test_a_message_is_found_by_its_client_also_when_that_sends_keys_of_its_own(chat):
    body = {"id": "s", "messages": [user_message("one", "m0")]}
    await chat.post("/api/chat", json=body, headers={"Idempotency-Key": "k1"})
    asked = {"headers": {"Idempotency-Key": "k2"}}
    first, again = await edit(chat, "other", "m0", **asked), await edit(chat, "other", "m0", **asked)
    assert chunks(first.text) == chunks(again.text)
    mismatch = await edit(chat, "another", "m0", **asked)
    assert (mismatch.status_code, mismatch.json()["code"]) == (422, "idempotency_mismatch")
    assert await said(chat) == ["other", "You said: other"]


async def test_the_same_edit_again_is_replayed(chat, urls, settings):
    await conversation(chat)
    first = await edit(chat, "other", "m1")
    before = rows(urls, EVERYTHING.replace("to_jsonb(c)", "c.session_id"))
    again = await edit(chat, "other", "m1")
    assert chunks(again.text) == chunks(first.text)
    assert rows(urls, EVERYTHING.replace("to_jsonb(c)", "c.session_id")) == before
    assert len([call for call in calls(settings) if call["state"] == "started"]) == 4


async def test_the_same_edit_ten_times_at_once_is_one_turn(settings, as_ada, urls):
    settings = with_script(settings, *RULES, log=True)
    async with serving(settings) as one, serving(settings) as two:
        for client in (one, two):
            client.headers.update(as_ada)
        await conversation(one)
        answers = await asyncio.gather(*(edit((one, two)[i % 2], "slowly", "m1") for i in range(10)))
        assert {answer.status_code for answer in answers} == {200}
        assert len({turn_of(answer) for answer in answers}) == 1
        assert {spoken(answer.text) for answer in answers} == {RULES[2]["reply"]}
        assert await said(one) == [*EXCHANGES[:2], "slowly", RULES[2]["reply"]]
        assert await said(one, "superseded") == EXCHANGES[2:]
    assert rows(urls, "select count(*) from chat.turns where trigger = 'edit'") == [(1,)]
    assert len([call for call in calls(settings) if call["state"] == "started"]) == 4


async def test_an_edit_that_runs_is_joined_though_a_program_has_written_meanwhile(chat, database, urls):
    await send(chat, "one", "m0")
    first = asyncio.create_task(edit(chat, "slowly", "m0"))
    [[session_id]] = await eventually(lambda: rows(urls, "select session_id from chat.turns where state = 'running'"))
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id, agent_name="assistant")
        await history.append([Message(role="assistant", content="by the way")])
    again = await edit(chat, "slowly", "m0")
    assert turn_of(again) == turn_of(await first)


async def test_an_edit_back_to_a_former_text_is_a_new_one(chat):
    await send(chat, "one", "m0")
    turns = [turn_of(await edit(chat, text, "m0")) for text in ("a", "b", "a", "a")]
    assert len(set(turns)) == 3
    assert turns[2] == turns[3]
    assert await said(chat) == ["a", "You said: a"]


async def test_the_same_edit_goes_back_there_when_the_conversation_has_gone_on(chat):
    await send(chat, "one", "m0")
    first = await edit(chat, "a", "m0")
    await send(chat, "two", "m1")
    again = await edit(chat, "a", "m0")
    assert turn_of(again) != turn_of(first)
    assert await said(chat) == ["a", "You said: a"]


async def test_the_same_edit_is_tried_again_after_a_failure(chat, settings):
    await send(chat, "one", "m0")
    for _ in range(2):
        failed = await edit(chat, "fail", "m0", headers={"Accept": "application/json"})
        assert failed.status_code == 502
    assert len([call for call in calls(settings) if call["state"] == "started"]) == 3
    old = (await listed(chat, "superseded"))["messages"]
    assert texts(old) == ["one", "You said: one", "fail", "half an "], "what a failed turn had said is listed too"
    assert old[-1]["metadata"]["superseded_by"]


async def test_the_first_submit_again_after_an_edit_is_told_as_it_was(chat, urls):
    first = await send(chat, "one", "m0")
    await edit(chat, "other", "m0")
    assert chunks((await send(chat, "one", "m0")).text) == chunks(first.text)
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.turn_events")
    assert spoken((await send(chat, "one", "m0")).text) == "You said: one"
    assert await said(chat) == ["other", "You said: other"]


async def test_an_edit_that_cannot_be_answered_changes_nothing(chat, urls):
    await conversation(chat)
    before = rows(urls, EVERYTHING)
    answer = await edit(chat, "word " * 150_000, "m1")
    assert (answer.status_code, answer.json()["code"]) == (422, "context_too_large")
    for name in ("unknown", str(uuid.uuid4()), (await listed(chat))["messages"][1]["id"]):
        answer = await edit(chat, "other", name)
        assert (answer.status_code, answer.json()["code"]) == (404, "message_not_found")
    assert rows(urls, EVERYTHING) == before


async def test_an_edit_keeps_its_pictures_and_the_old_ones_are_still_listed(chat, urls):
    message = user_message("look", "m0")
    message["parts"].append({"type": "file", "mediaType": "image/png", "url": PICTURE})
    for text in ("look", "look here"):
        message["parts"][0]["text"] = text
        body = {"id": "s", "messages": [message]} | ({"messageId": "m0"} if text == "look here" else {})
        assert (await chat.post("/api/chat", json=body)).status_code == 200
    for what, text in (("messages", "look here"), ("superseded", "look")):
        [question, _] = (await listed(chat, what))["messages"]
        assert question["parts"] == [
            {"type": "text", "text": text},
            {"type": "file", "mediaType": "image/png", "url": PICTURE},
        ]
    again = await regenerate(chat)
    assert spoken(again.text) == "You said: look here"


# What must forget it -----------------------------------------------------------------------------------------


async def test_search_no_longer_finds_what_was_replaced(chat):
    async def finds(word: str) -> bool:
        return bool((await chat.get("/api/sessions", params={"q": word})).json()["sessions"])

    await send(chat, "volcano", "m0")
    await send(chat, "glacier", "m1")
    assert await finds("glacier")
    await edit(chat, "river", "m1")
    assert [await finds(word) for word in ("volcano", "glacier", "river")] == [True, False, True]
    await regenerate(chat, "m0")
    assert [await finds(word) for word in ("volcano", "glacier", "river")] == [True, False, False]


async def test_the_stock_class_sees_the_current_conversation(chat, urls):
    await conversation(chat)
    await edit(chat, "other", "m1")
    await regenerate(chat)
    session_id = rows(urls, "select session_id from chat.sessions")[0][0]
    async with await AsyncConnection.connect(urls.owner) as connection:
        stock = PostgresChatMessageHistory("chat_message_history", session_id, async_connection=connection)
        found = [message.content for message in await stock.aget_messages()]
    assert found == ["one", "You said: one", "other", "You said: other"]


@pytest.mark.parametrize(
    ("covered", "replace", "stays"),
    [(2, "edit", True), (3, "edit", False), (5, "edit", False), (2, "regenerate", True), (3, "regenerate", False)],
)
async def test_a_summary_goes_when_it_covers_what_is_replaced(chat, urls, covered, replace, stays):
    """Rows 1 and 2 are the first exchange, 3 and 4 the one that is replaced."""
    await conversation(chat)
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "insert into chat.summaries (user_id, session_id, summary, covers_to, tokens) select user_id, session_id,"
            " 'summed up', id, 2 from chat_message_history order by id offset %s limit 1",
            (covered - 1,),
        )
    if replace == "edit":
        recited = spoken((await edit(chat, "recite", "m1")).text)
        assert "You said: one" in recited, "whatever a summary covers, the window has it"
        assert "summed up" not in recited
    else:
        await regenerate(chat, "m1")
    assert rows(urls, "select count(*) from chat.summaries") == [(int(stays),)]


async def test_deleting_the_session_deletes_what_was_replaced(chat, urls):
    await conversation(chat)
    await edit(chat, "other", "m1")
    assert (await chat.delete("/api/sessions/s")).status_code == 204
    for table in ("chat.message_superseded", "chat_message_history", "chat.turns", "chat.message_index"):
        assert rows(urls, f"select count(*) from {table}") == [(0,)], table


# The list, and whose it is ------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3, 5])
async def test_pages_of_what_was_replaced_split_no_message_and_together_are_everything(chat, limit):
    for i in range(3):
        await send(chat, f"remember {i}", f"m{i}")
    for _ in range(4):
        await regenerate(chat)
    await edit(chat, "other", "m1")
    everything = (await listed(chat, "superseded", limit=200))["messages"]
    assert len(everything) == 4 + 4
    collected: list[dict] = []
    before: dict[str, str] = {}
    for _ in range(30):
        page = await listed(chat, "superseded", limit=limit, **before)
        collected = page["messages"] + collected
        if page["before"] is None:
            break
        before = {"before": page["before"]}
    assert collected == everything
    refused = await chat.get("/api/sessions/s/superseded", params={"before": str(uuid.uuid4())})
    assert refused.status_code == 422


async def test_another_users_messages_are_unknown(chat, settings, urls):
    replies = [reply_of(answer) for answer in await conversation(chat)]
    ids = [each["id"] for each in (await listed(chat))["messages"]]
    session_id = rows(urls, "select session_id from chat.sessions")[0][0]
    before = rows(urls, EVERYTHING)
    eve = {"headers": bearer(settings, EVE.user_id)}

    def about(answer) -> tuple:
        return answer.status_code, {k: v for k, v in answer.json().items() if k != "request_id"}

    unknown = about(await regenerate(chat, "unknown", "elsewhere", **eve))
    assert unknown[0] == 404
    for session in ("s", session_id):
        assert (await chat.get(f"/api/sessions/{session}/superseded", **eve)).status_code == 404
        for name in ("m1", replies[1], *ids):
            assert about(await regenerate(chat, name, session, **eve)) == unknown
            assert about(await edit(chat, "mine now", name, session, **eve)) == unknown
        assert about(await regenerate(chat, None, session, **eve)) == unknown
    assert rows(urls, EVERYTHING) == before


async def test_a_message_of_another_session_is_unknown(chat):
    first = await send(chat, "one", "m0", "s")
    await send(chat, "two", "m1", "t")
    for answer in (await regenerate(chat, reply_of(first), "t"), await edit(chat, "other", "m0", "t")):
        assert (answer.status_code, answer.json()["code"]) == (404, "message_not_found")
