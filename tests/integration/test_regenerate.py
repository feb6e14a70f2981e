"""An answer is given anew, whichever and whatever became of it; and edits and all else at the same time."""

import asyncio
import uuid

import pytest

from chatServer.messages import Message
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, owner_connection, rows, serving
from tests.tools.rewriting import (
    EXCHANGES,
    PICTURE,
    RULES,
    conversation,
    edit,
    is_running,
    listed,
    regenerate,
    reply_of,
    said,
    send,
    texts,
    turn_of,
)
from tests.tools.talking import chunks, spoken, talking, user_message, with_script
from tests.tools.turns import eventually


@pytest.fixture
async def chat(settings, as_ada):
    async with talking(settings, as_ada, *RULES, log=True) as client:
        yield client


async def retry(chat, text: str, name: str, **options):
    """As useChat's `regenerate()` does it: it names nothing, and comes with what the page shows."""
    body = {"id": "s", "messages": [user_message("one", "m0"), user_message(text, name)]}
    return await chat.post("/api/chat", json=body | {"trigger": "regenerate-message"}, **options)


# What never arrived ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"headers": {"Idempotency-Key": "k"}}])
async def test_a_message_that_was_refused_is_sent_by_asking_for_its_answer_anew(chat, options):
    await send(chat, "one", "m0")
    first = await retry(chat, "two", "m1", **options)
    assert spoken(first.text) == "You said: two"
    again = await retry(chat, "two", "m1", **options)
    assert (turn_of(again) == turn_of(first)) == bool(options), "by then it is here: its answer is given anew"
    assert await said(chat) == EXCHANGES[:4]


async def test_the_first_message_of_a_session_is_sent_so_too(chat):
    assert spoken((await retry(chat, "one", "m0")).text) == "You said: one"
    assert await said(chat) == EXCHANGES[:2]


async def test_what_came_without_an_id_is_answered_anew_and_what_is_said_twice_is_sent_twice(chat):
    await send(chat, "one", "m0")
    await chat.post("/api/chat", json={"message": "two", "session_id": "s"})
    assert spoken((await retry(chat, "two", "any")).text) == "You said: two"
    assert await said(chat) == EXCHANGES[:4]
    await send(chat, "three", "m2")
    assert spoken((await retry(chat, "three", "m3")).text) == "You said: three"
    assert await said(chat) == [*EXCHANGES, *EXCHANGES[4:]]


async def test_what_was_answered_anew_is_not_taken_for_the_same_words_that_never_arrived(chat):
    await send(chat, "one", "m0")
    await regenerate(chat)
    assert spoken((await retry(chat, "one", "m1")).text) == "You said: one"
    assert await said(chat) == EXCHANGES[:2] * 2


async def test_a_picture_that_never_arrived_is_not_taken_for_the_same_words_without_one(chat):
    await chat.post("/api/chat", json={"message": "one", "session_id": "s"})
    shown = {"type": "file", "mediaType": "image/png", "url": PICTURE}
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "one"}, shown]}
    await chat.post("/api/chat", json={"id": "s", "messages": [message], "trigger": "regenerate-message"})
    assert await said(chat) == EXCHANGES[:2] * 2


async def beside_a_picture_by_address(chat, name: str):
    odd = {"id": name, "role": "user", "parts": [{"type": "file", "url": "/etc/passwd", "mediaType": "image/png"}]}
    return await chat.post("/api/chat", json={"id": "s", "messages": [odd], "trigger": "regenerate-message"})


async def test_what_cannot_be_read_beside_a_regeneration_replaces_nothing(chat):
    await conversation(chat)
    for name in ("x", "x" * 201, "x\0"):
        assert (await beside_a_picture_by_address(chat, name)).status_code == 422
    assert await said(chat) == EXCHANGES


async def test_what_is_here_need_not_be_read_beside_a_regeneration(chat):
    await send(chat, "one", "m0")
    assert spoken((await beside_a_picture_by_address(chat, "m0")).text) == "You said: one"


# Regenerate ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "by"), [(0, "question"), (1, "answer"), (1, "client's question"), (2, "answer"), (2, "question")]
)
async def test_an_answer_is_given_anew_and_all_that_followed_is_replaced(chat, urls, place, by):
    replies = [reply_of(answer) for answer in await conversation(chat)]
    shown = (await listed(chat))["messages"]
    name = {"answer": replies[place], "question": shown[2 * place]["id"], "client's question": f"m{place}"}[by]
    answer = await regenerate(chat, name)
    kept = 2 * place + 1
    assert spoken(answer.text) == EXCHANGES[kept]
    assert reply_of(answer) not in replies
    now = (await listed(chat))["messages"]
    assert texts(now) == EXCHANGES[: kept + 1]
    assert [each["id"] for each in now] == [*(each["id"] for each in shown[:kept]), reply_of(answer)]
    assert now[kept - 1]["metadata"]["turn_id"] == now[kept]["metadata"]["turn_id"] == turn_of(answer)
    old = (await listed(chat, "superseded"))["messages"]
    assert [each["id"] for each in old] == [each["id"] for each in shown[kept:]]
    assert {each["metadata"]["superseded_by"] for each in old} == {turn_of(answer)}
    [[trigger, supersedes]] = rows(
        urls, f"select trigger, supersedes_turn_id from chat.turns where turn_id = '{turn_of(answer)}'"
    )
    assert (trigger, str(supersedes)) == ("regenerate", shown[kept]["metadata"]["turn_id"])


async def test_without_an_id_the_last_answer_is_given_anew_each_time(chat):
    await conversation(chat)
    answers = [await regenerate(chat) for _ in range(3)]
    assert [spoken(answer.text) for answer in answers] == ["You said: three"] * 3
    assert len({reply_of(answer) for answer in answers}) == 3
    assert await said(chat) == EXCHANGES
    assert await said(chat, "superseded") == ["You said: three"] * 3


async def test_the_model_is_sent_what_was_said_before_the_question_and_nothing_of_the_old_answer(chat):
    await send(chat, "one", "m0")
    first = await send(chat, "recite", "m1")
    await send(chat, "three", "m2")
    again = await regenerate(chat, reply_of(first))
    assert spoken(again.text) == spoken(first.text) == "user: one\nassistant: You said: one\nuser: recite"
    followed = await send(chat, "recite again", "m3")
    assert spoken(followed.text).splitlines()[2:4] == ["user: recite", "assistant: user: one"]


async def test_the_same_regeneration_again_is_replayed(chat, urls):
    replies = [reply_of(answer) for answer in await conversation(chat)]
    first = await regenerate(chat, replies[1])
    again = await asyncio.gather(*(regenerate(chat, replies[1].upper()) for _ in range(10)))
    assert all(chunks(each.text) == chunks(first.text) for each in again)
    assert rows(urls, "select count(*) from chat.turns") == [(4,)]
    second = await regenerate(chat, reply_of(first))
    late = await regenerate(chat, replies[1])
    assert (turn_of(late), spoken(late.text)) == (turn_of(first), "You said: two")
    assert (await listed(chat))["messages"][-1]["id"] == reply_of(second)


async def test_a_failed_answer_is_given_anew(chat, settings):
    await send(chat, "one", "m0")
    failed = await send(chat, "fail", "m1")
    assert chunks(failed.text)[-1]["type"] == "error"
    file = settings.chat_data_dir / "script.json"
    file.write_text(file.read_text().replace("^fail", "^never"))
    async with serving(settings.model_copy(update={"model": f"script:{file}"})) as other:
        other.headers.update(chat.headers)
        for name in (reply_of(failed), None):
            again = await regenerate(other, name)
            assert spoken(again.text) == "You said: fail"
        assert await said(other) == ["one", "You said: one", "fail", "You said: fail"]
        recited = await send(other, "recite", "m2")
    assert "fail" in spoken(recited.text), "the question is an answered one now, and so is sent"


async def test_a_stopped_answer_is_given_anew_and_edited(chat):
    running = asyncio.create_task(send(chat, "slowly", "m0"))
    await eventually(lambda: is_running(chat))
    for refused in (await regenerate(chat), await edit(chat, "other", "m0")):
        assert (refused.status_code, refused.json()["code"]) == (409, "turn_in_progress")
    assert (await chat.post("/api/chat/s/stop")).status_code == 202
    stopped = spoken((await running).text)
    again = await regenerate(chat, reply_of(await running))
    assert spoken(again.text) == RULES[2]["reply"]
    assert await said(chat, "superseded") == ([stopped] if stopped else [])


async def test_tools_of_the_old_answer_are_replaced_with_it(chat, urls):
    first = await send(chat, "remember tea", "m0")
    again = await regenerate(chat)
    assert spoken(again.text) == spoken(first.text)
    kinds = "select array_agg(message ->> 'type' order by id) from "
    assert rows(urls, kinds + "chat_message_history") == [(["human", "ai", "tool", "ai"],)]
    assert rows(urls, kinds + "chat.message_superseded") == [(["ai", "tool", "ai"],)]
    [old] = (await listed(chat, "superseded"))["messages"]
    assert [part["type"] for part in old["parts"]] == ["step-start", "dynamic-tool", "step-start", "text"]


async def test_nothing_to_answer_anew_is_not_found_and_makes_no_session(chat, urls):
    for name in (None, "unknown", str(uuid.uuid4())):
        answer = await regenerate(chat, name)
        assert (answer.status_code, answer.json()["code"]) == (404, "message_not_found")
    assert rows(urls, "select count(*) from chat.sessions") == [(0,)]


async def test_a_session_and_an_answer_are_enough_to_ask_for_another(chat):
    first = await send(chat, "one", "m0")
    body = {"id": "s", "trigger": "regenerate-message", "messageId": reply_of(first)}
    assert spoken((await chat.post("/api/chat", json=body)).text) == "You said: one"


async def test_rows_that_no_turn_wrote_can_be_edited_and_answered_anew(chat, database, urls):
    session_id = str(uuid.uuid4())
    await chat.post("/api/sessions", json={"session_id": session_id})
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append(
            [Message(role, text) for role, text in [("user", "one"), ("assistant", "1"), ("user", "2")]]
        )
    shown = (await listed(chat, session=session_id))["messages"]
    again = await regenerate(chat, shown[1]["id"], session_id)
    assert chunks((await regenerate(chat, shown[0]["id"], session_id)).text) != chunks(again.text)
    assert await said(chat, session=session_id) == ["one", "You said: one"]
    await edit(chat, "other", shown[0]["id"], session_id)
    assert await said(chat, session=session_id) == ["other", "You said: other"]


# Interrupted, and at the same time ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["edit", "regenerate"])
async def test_an_interrupted_one_is_taken_over_by_the_same_request(chat, urls, how):
    replies = [reply_of(answer) for answer in await conversation(chat)]

    async def ask():
        return await (edit(chat, "other", "m1") if how == "edit" else regenerate(chat, replies[1]))

    dead = await ask()
    with owner_connection(urls.owner) as connection:
        lost = f"turn_id = '{turn_of(dead)}'"
        connection.execute(f"delete from chat_message_history where {lost} and message ->> 'type' = 'ai'")
        connection.execute(f"delete from chat.turn_events where {lost}")
        connection.execute(
            "delete from chat.message_index where message_id not in (select message_id from chat_message_history)"
        )
        connection.execute(
            f"update chat.turns set state = 'running', lease_until = now() - interval '1 s' where {lost}"
        )
    before = rows(urls, "select id from chat.message_superseded order by id")
    again = await ask()
    assert (turn_of(again), spoken(again.text)) == (turn_of(dead), spoken(dead.text))
    assert rows(urls, f"select state, attempt from chat.turns where {lost}") == [("done", 2)]
    assert rows(urls, "select id from chat.message_superseded order by id") == before
    assert await said(chat) == [*EXCHANGES[:2], *(["other", "You said: other"] if how == "edit" else EXCHANGES[2:4])]


async def test_an_interrupted_answer_is_replaced_for_good(chat, urls):
    await send(chat, "one", "m0")
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat_message_history where message ->> 'type' = 'ai'")
        connection.execute("update chat.turns set state = 'running', lease_until = now() - interval '1 s'")
    again = await regenerate(chat)
    assert spoken(again.text) == "You said: one"
    late = await chat.post(
        "/api/chat",
        json={"id": "s", "messages": [user_message("one", "m0")]},
        headers={"Accept": "application/json"},
    )
    assert (late.status_code, late.json()["code"]) == (502, "model_failed")
    assert await said(chat) == ["one", "You said: one"]


async def test_edits_submits_and_regenerations_at_once_leave_whole_turns(settings, as_ada, urls):
    settings = with_script(settings, *RULES)
    async with serving(settings) as one, serving(settings) as two:
        for client in (one, two):
            client.headers.update(as_ada)
        await conversation(one)

        async def insist(number: int) -> None:
            client = (one, two)[number % 2]
            for _ in range(500):
                match number % 3:
                    case 0:
                        answer = await send(client, f"sent {number}", f"n{number}")
                    case 1:
                        answer = await edit(client, f"edited {number}", "m1")
                    case _:
                        answer = await regenerate(client)
                if answer.status_code == 200:
                    return
                assert (answer.status_code, answer.json()["code"]) == (409, "turn_in_progress"), answer.text
                await asyncio.sleep(0.005 * (1 + number % 5))
            pytest.fail("it was never its turn")

        await asyncio.gather(*(insist(number) for number in range(18)))
        shown = (await listed(one, limit=200))["messages"]
    assert [each["role"] for each in shown] == ["user", "assistant"] * (len(shown) // 2)
    for question, answer in zip(shown[::2], shown[1::2], strict=True):
        assert texts([answer]) == [f"You said: {texts([question])[0]}"]
        assert question["metadata"]["turn_id"] == answer["metadata"]["turn_id"]
    assert rows(urls, "select distinct state from chat.turns") == [("done",)]
    stored = (
        "select count(*) from (select id from chat_message_history union all select id from chat.message_superseded)"
    )
    # Three before; a submit and an edit add a question and an answer, a regeneration an answer.
    assert rows(urls, f"{stored} as everything") == [(6 + 6 * 2 + 6 * 2 + 6,)]
    indexed = "select count(*) from chat.message_index i where not exists (select from chat_message_history h"
    assert rows(urls, f"{indexed} where h.message_id = i.message_id)") == [(0,)]
