"""POST /api/chat: the three bodies, the two answers, and everything that is refused."""

import base64
import json
import uuid

import pytest
from pydantic import SecretStr

from chatServer.api.schemas import ChatAnswer
from chatServer.turn import heard
from tests.conftest import ADA, owner_connection, serving
from tests.tools.talking import chunks, spoken, talking, user_message

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 32).decode()
PICTURE = f"data:image/png;base64,{PNG}"
JSON = {"Accept": "application/json"}
STREAM = {"Accept": "text/event-stream"}
SEES = {"match": "what is this", "reply": "{messages}"}


@pytest.fixture
async def chat(settings, as_ada):
    async with talking(settings, as_ada, SEES, {"match": "^fail", "reply": "a b c", "fail_after_words": 2}) as client:
        yield client


async def test_a_plain_body_is_answered_in_json(chat):
    answer = (await chat.post("/api/chat", json={"message": "hello"})).json()
    assert ChatAnswer.model_validate(answer, strict=True).model_dump() == answer, "as /openapi.json says"
    assert set(answer) == {"session_id", "turn_id", "state", "response", "message", "usage", "memory"}
    assert (answer["state"], answer["response"]) == ("done", "You said: hello")
    assert answer["message"]["role"] == "assistant"
    assert answer["message"]["metadata"]["turn_id"] == answer["turn_id"]
    assert answer["usage"]["total_tokens"] == answer["usage"]["input_tokens"] + answer["usage"]["output_tokens"] > 0
    shown = (await chat.get(f"/api/sessions/{answer['session_id']}/messages")).json()["messages"]
    assert shown[-1]["id"] == answer["message"]["id"]
    assert shown[-1]["parts"] == answer["message"]["parts"]


@pytest.mark.parametrize(
    "body",
    [
        {"id": "thread", "message": user_message("hello")},
        {"id": "thread", "messages": [user_message("hello")], "trigger": "submit-message", "messageId": None},
        {
            "id": "thread",
            "messages": [
                user_message("never said", "m0"),
                {"id": "a0", "role": "assistant", "parts": [{"type": "text", "text": "invented"}]},
                user_message("hello"),
            ],
            "anything": "that the page adds",
        },
    ],
)
async def test_the_bodies_of_usechat_are_streamed_and_only_the_last_message_counts(chat, body):
    answer = await chat.post("/api/chat", json=body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert answer.headers["cache-control"] == "no-store, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert spoken(answer.text) == "You said: hello"
    assert [chunk["type"] for chunk in chunks(answer.text)][:2] == ["start", "start-step"]
    assert answer.text.endswith("data: [DONE]\n\n")
    shown = (await chat.get("/api/sessions/thread/messages")).json()["messages"]
    assert [part["text"] for message in shown for part in message["parts"] if part["type"] == "text"] == [
        "hello",
        "You said: hello",
    ]


async def test_every_chunk_has_its_number(chat):
    answer = await chat.post("/api/chat", json={"message": "hello"}, headers=STREAM)
    ids = [line[4:] for line in answer.text.splitlines() if line.startswith("id: ")]
    turn_id = chunks(answer.text)[0]["messageMetadata"]["turn_id"]
    assert ids == [f"{turn_id}:{number}" for number in range(1, len(chunks(answer.text)) + 1)]


@pytest.mark.parametrize(
    ("body", "accept", "kind"),
    [
        ({"message": "hi"}, {}, "application/json"),
        ({"message": "hi"}, STREAM, "text/event-stream"),
        ({"message": "hi"}, {"Accept": "*/*"}, "application/json"),
        ({"message": user_message("hi")}, {}, "text/event-stream"),
        ({"message": user_message("hi")}, {"Accept": "*/*"}, "text/event-stream"),
        ({"message": user_message("hi")}, JSON, "application/json"),
        ({"message": user_message("hi")}, {"Accept": "application/json, text/event-stream"}, "text/event-stream"),
    ],
)
async def test_accept_decides_between_json_and_stream(chat, body, accept, kind):
    assert (await chat.post("/api/chat", json=body, headers=accept)).headers["content-type"].startswith(kind)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": ""},
        {"message": " \n\t"},
        {"message": None},
        {"message": 7},
        {"message": ["hi"]},
        {"messages": []},
        {"messages": [{"role": "assistant", "parts": []}]},
        {"messages": "hi"},
        {"messages": [user_message("")]},
        {"message": {"role": "assistant", "parts": [{"type": "text", "text": "hi"}]}},
        {"message": {"role": "user", "parts": []}},
        {"message": {"role": "user", "parts": [{"type": "text", "text": 1}]}},
        {"message": {"role": "user", "parts": [{"type": "tool-x"}]}},
        {"message": user_message("hi", "x" * 201)},
        {"message": user_message("hi", "a\0b")},
        {"message": user_message("hi", "line\nbreak")},
        {"message": user_message("hi", "\ud83d")},
        {"message": "hi", "messages": [user_message("hi")]},
        {"message": "hi", "sesion_id": "typo"},
        {"message": "hi", "session_id": "not an id"},
        {"message": "hi", "session_id": ""},
        {"message": "hi", "agent_id": "a", "agent_name": "b"},
        {"message": user_message("hi"), "id": "a", "session_id": "b"},
        {"message": "hi", "images": ["/etc/passwd"]},
        {"message": "hi", "images": ["file:///etc/passwd"]},
        {"message": "hi", "images": ["http://127.0.0.1:1/x.png"]},
        {"message": "hi", "images": ["data:image/svg+xml;base64,PHN2Zz4="]},
        {"message": "hi", "images": ["data:text/html;base64,PHN2Zz4="]},
        {"message": "hi", "images": ["data:image/png;base64,not base64"]},
        {"message": "hi", "images": ["data:image/png;base64,AAAA"]},
        {"message": "hi", "images": [PICTURE] * 11},
        {"message": user_message("hi"), "images": [PICTURE]},
        {"message": {"role": "user", "parts": [{"type": "file", "url": "https://x.example/a.png"}]}},
        {"message": "a" * 1_000_001},
        {"message": {"role": "user", "parts": [{"type": "text", "text": "a"}] * 101}},
        {"message": user_message("hi"), **{f"field{i}": 1 for i in range(100)}},
        {"message": "hi", "trigger": "something"},
        {"message": "hi", "trigger": "regenerate-message"},
        {"message": "hi", "messageId": "m1"},
        {"messages": [user_message("hi", "m2")], "messageId": "m1"},
        {"messages": [user_message("hi", "m1")], "messageId": ""},
        {"messages": [], "trigger": "regenerate-message", "messageId": "line\nbreak"},
    ],
)
async def test_what_cannot_be_answered_is_refused_and_leaves_nothing(chat, urls, body):
    answer = await chat.post("/api/chat", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), answer.text
    with owner_connection(urls.owner) as connection:
        for table in ("chat.sessions", "chat.turns", "chat_message_history", "chat.message_images"):
            assert connection.execute(f"select count(*) from {table}").fetchone() == (0,), table


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"mesage": "hi"}, "Send either message or messages; there is no field mesage."),
        ({"message": "hi", "sesion_id": "x"}, "and nothing else; there is no field sesion_id."),
        ({"message": "hi", "id": "x"}, "and images, and nothing else; its session is session_id, not id."),
        (
            {"id": "x", "message": {"role": "user", "parts": [{"type": "file", "url": "data:text/plain;base64,aGk="}]}},
            "Only pictures can be sent with a message. Documents are uploaded: POST /api/knowledge.",
        ),
        ({"<b>hi</b>": 1}, "Send either message or messages."),
        ({"secret-4711": 1, "x" * 41: 1}, "Send either message or messages."),
    ],
)
async def test_a_misspelt_field_is_named_and_no_text_is_repeated(chat, body, said):
    answer = await chat.post("/api/chat", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert answer.json()["detail"].endswith(said)


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there"])
async def test_a_key_that_cannot_be_kept_is_refused(chat, key):
    answer = await chat.post("/api/chat", json={"message": "hi"}, headers={"Idempotency-Key": key})
    assert answer.status_code == 422


async def test_an_unknown_agent_is_named_and_nothing_is_stored(chat):
    answer = await chat.post("/api/chat", json={"message": "hi", "agent_id": "nobody"})
    assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")
    assert (await chat.get("/api/sessions")).json()["sessions"] == []


async def test_a_session_of_another_agent_is_a_conflict(chat):
    first = (await chat.post("/api/chat", json={"message": "hi", "session_id": "mine", "agent_id": "coder"})).json()
    again = await chat.post("/api/chat", json={"message": "hi", "session_id": "mine", "agent_id": "assistant"})
    assert (again.status_code, again.json()["code"]) == (409, "session_agent_mismatch")
    unsaid = (await chat.post("/api/chat", json={"message": "hi", "session_id": "mine"})).json()
    assert unsaid["session_id"] == first["session_id"]


async def test_without_a_session_it_is_the_active_one(chat):
    first = (await chat.post("/api/chat", json={"message": "one"})).json()["session_id"]
    assert (await chat.post("/api/chat", json={"message": "two"})).json()["session_id"] == first
    other = (await chat.post("/api/chat", json={"message": "three", "session_id": str(uuid.uuid4())})).json()
    assert other["session_id"] != first
    assert (await chat.post("/api/chat", json={"message": "four"})).json()["session_id"] == other["session_id"]


async def test_another_users_session_id_is_an_unused_id(chat, as_eve):
    hers = (await chat.post("/api/chat", json={"message": "secret", "session_id": "shared-name"})).json()
    answer = await chat.post(
        "/api/chat", json={"message": "what is this", "session_id": hers["session_id"]}, headers=as_eve
    )
    assert answer.status_code == 200
    assert "secret" not in answer.text
    assert (await chat.get(f"/api/chat/{hers['session_id']}/stream", headers=as_eve)).status_code == 204
    assert (await chat.post(f"/api/chat/{hers['session_id']}/stop", headers=as_eve)).status_code == 204


async def test_a_text_that_looks_like_a_picture_is_a_text(chat):
    for body in ({"message": PICTURE, "session_id": "s"}, {"id": "s", "message": user_message(PICTURE, "m2")}):
        await chat.post("/api/chat", json=body)
    shown = (await chat.get("/api/sessions/s/messages")).json()["messages"]
    assert [message["parts"] for message in shown[::2]] == [[{"type": "text", "text": PICTURE}]] * 2
    assert {part["text"] for message in shown[1::2] for part in message["parts"] if part["type"] == "text"} == {
        f"You said: {PICTURE}"
    }


async def test_a_flood_of_messages_is_not_even_looked_at(chat):
    body = {"id": "s", "messages": [*([[]] * 200_000), user_message("hello")]}
    answer = await chat.post("/api/chat", json=body)
    assert spoken(answer.text) == "You said: hello"


async def test_a_model_that_does_not_come_to_an_end_is_cut_off(settings, as_ada, monkeypatch):
    monkeypatch.setattr(heard, "MAX_CHARACTERS", 50)
    async with talking(settings, as_ada, {"match": "on and on", "reply": "word " * 100}) as client:
        answer = await client.post("/api/chat", json={"message": "on and on", "session_id": "s"})
        assert (answer.status_code, answer.json()["code"]) == (502, "model_failed")
        assert "cut off" in answer.json()["detail"], "and JSON says why, as the stream does"
        shown = (await client.get("/api/sessions/s/messages")).json()["messages"]
        assert 50 <= len(shown[-1]["parts"][0]["text"]) <= 60


async def test_pictures_reach_the_model_and_are_kept_beside_the_message(chat, urls):
    body = {"message": "what is this", "session_id": "s", "images": [PICTURE]}
    assert (await chat.post("/api/chat", json=body)).status_code == 200
    only_a_picture = {"role": "user", "parts": [{"type": "file", "mediaType": "image/png", "url": PICTURE}]}
    assert (await chat.post("/api/chat", json={"message": only_a_picture, "id": "s"})).status_code == 200
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat.message_images").fetchone() == (2,)
        assert connection.execute(
            "select count(*) from chat_message_history where message::text like '%base64%'"
        ).fetchone() == (0,)
    shown = (await chat.get("/api/sessions/s/messages")).json()["messages"]
    assert [part["url"] for part in shown[0]["parts"] if part["type"] == "file"] == [PICTURE]


async def test_a_model_that_fails_is_a_502_and_what_it_had_said_is_shown(chat):
    answer = await chat.post("/api/chat", json={"message": "fail", "session_id": "s"})
    assert (answer.status_code, answer.json()["code"]) == (502, "model_failed")
    shown = (await chat.get("/api/sessions/s/messages")).json()["messages"]
    assert shown[-1]["metadata"]["turn_id"] == answer.json()["turn_id"]
    assert shown[-1]["metadata"]["state"] == "failed"
    assert shown[-1]["parts"][0]["text"].startswith("a b")
    assert (await chat.post("/api/chat", json={"message": "again", "session_id": "s"})).status_code == 200


async def test_a_failed_turn_is_shown_and_not_sent(chat):
    await chat.post("/api/chat", json={"message": "fail", "session_id": "s"})
    told = (await chat.post("/api/chat", json={"message": "what is this", "session_id": "s"})).json()["response"]
    assert "fail" not in told


async def test_a_stream_ends_in_the_error_of_its_model(chat):
    answer = await chat.post("/api/chat", json={"message": user_message("fail"), "id": "s"})
    assert answer.status_code == 200
    assert chunks(answer.text)[-1]["type"] == "error"
    assert answer.text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize(("name", "word"), [("openai:gpt-5-mini", "key"), ("nonsense", "model"), ("a:b", "model")])
async def test_a_model_that_is_not_set_up_is_said_before_anything_is_stored(settings, as_ada, urls, name, word):
    async with serving(settings.model_copy(update={"model": name})) as client:
        answer = await client.post("/api/chat", json={"message": "hi"}, headers=as_ada)
    assert (answer.status_code, answer.json()["code"]) == (503, "model_not_configured")
    assert word in answer.json()["detail"].lower()
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat_message_history").fetchone() == (0,)


async def test_odd_letters_come_back_as_they_went_or_replaced(chat):
    for text in ("\U0001f30b Vulkan 火山 извержение", "a\0b", "\ud83d alone"):
        answer = await chat.post(
            "/api/chat", content=json.dumps({"message": text}).encode(), headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 200, answer.text
        assert answer.json()["response"].startswith("You said: ")


async def test_the_model_is_never_sent_what_cannot_be_written_as_utf_8(chat):
    for message in ("what is this \0 \ud83d?", user_message("what is this \0 \ud83d?", "")):
        answer = await chat.post(
            "/api/chat",
            content=json.dumps({"message": message}),
            headers={"Content-Type": "application/json", **JSON},
        )
        assert "what is this \ufffd \ufffd?" in answer.json()["response"]


async def test_usage_is_added_to_the_users_day(chat, urls):
    for _ in range(2):
        await chat.post("/api/chat", json={"message": "hi"})
    with owner_connection(urls.owner) as connection:
        rows = connection.execute(
            "select user_id, agent_name, turns, input_tokens > 0, output_tokens > 0 from chat.usage_daily"
        ).fetchall()
    assert rows == [(ADA.user_id, "assistant", 2, True, True)]


async def test_counts_are_stored_with_every_message(chat, urls):
    await chat.post("/api/chat", json={"message": "hello there"})
    with owner_connection(urls.owner) as connection:
        counts = connection.execute("select tokens from chat_message_history order by id").fetchall()
    assert len(counts) == 2
    assert all(count > 0 for (count,) in counts)


async def test_a_question_larger_than_the_model_is_refused_and_leaves_nothing(chat, urls):
    answer = await chat.post("/api/chat", json={"message": "word " * 200_000})
    assert (answer.status_code, answer.json()["code"]) == (422, "context_too_large")
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(*) from chat_message_history").fetchone() == (0,)


async def test_what_a_provider_finds_too_long_is_said_and_can_be_answered_anew(settings, as_ada, provider):
    asks = {"model": "openai:context", "model_base_url": provider.base_url, "model_api_key": SecretStr("hush")}
    async with serving(settings.model_copy(update=asks)) as client:
        answer = await client.post("/api/chat", json={"message": "hello", "session_id": "long"}, headers=as_ada)
        shown = (await client.get("/api/sessions/long/messages", headers=as_ada)).json()["messages"]
    assert (answer.status_code, answer.json()["code"]) == (422, "context_too_large")
    async with serving(settings) as client:
        body = {"id": "long", "trigger": "regenerate-message", "messageId": shown[0]["id"]}
        anew = await client.post("/api/chat", json=body, headers=as_ada | JSON)
    assert [[part["text"] for part in each["parts"]] for each in shown] == [["hello"], []]
    assert (shown[1]["metadata"]["state"], shown[1]["metadata"]["error_code"]) == ("failed", "context_too_large")
    assert shown[0]["metadata"]["turn_id"] == answer.json()["turn_id"]
    assert anew.status_code == 200
