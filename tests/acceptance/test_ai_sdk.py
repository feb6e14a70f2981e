"""The AI SDK's own chat, in Node, against a real server: what useChat would hold after each of our streams."""

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.tools.node import node_with, told_by
from tests.tools.running import Running, agents_of_one_session, server
from tests.tools.running import upload as uploaded

SCRIPT = {
    "rules": [
        {"match": "^tell me a story", "reply": "Once upon a time there was a volcano.", "reasoning": "A short one."},
        {"match": "^slowly", "reply": " ".join(f"word{i}" for i in range(200)), "delay_ms": 50},
        {
            "match": "^remember (.+)",
            "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append", "content": "{1}"}}],
            "then": "Noted.",
        },
        {
            "match": "^use a tool badly",
            "tool_calls": [{"name": "manage_long_term_memory", "args": {"operation": "append"}}],
            "then": "That did not work.",
        },
        {
            "match": "^look up (.+)",
            "tool_calls": [{"name": "retrieve_context", "args": {"query": "{1}"}}],
            "then": "Found.",
        },
        {"match": "^recite", "reply": "{messages}"},
        {"match": "^break", "reply": "one two three four five", "fail_after_words": 3},
    ],
    "default": "I have nothing to say.",
}


@pytest.fixture(scope="module")
def node() -> str:
    return node_with("ai")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data_dir = tmp_path_factory.mktemp("sdk")
    script = data_dir / "script.json"
    script.write_text(json.dumps(SCRIPT))
    with server(data_dir, MODEL=f"script:{script}", AGENTS_DIR=agents_of_one_session(data_dir)) as started:
        yield started


@dataclass(frozen=True)
class Chat:
    """The AI SDK's chat in a session of its own."""

    node: str
    running: Running
    session: str

    def play(self, *steps: dict) -> list[dict]:
        """What the chat holds after each step."""
        token = self.running.headers()["Authorization"].removeprefix("Bearer ")
        asked = {"base": self.running.address, "token": token, "session": self.session, "steps": steps}
        return json.loads(told_by(self.node, "client.mjs", given=json.dumps(asked) + "\n"))

    def stored(self, what: str = "messages") -> list[dict]:
        return self.running.request("GET", f"/api/sessions/{self.session}/{what}").json()["messages"]


@pytest.fixture
def chat(node: str, running: Running) -> Chat:
    return Chat(node, running, str(uuid.uuid4()))


def parts(result: dict, kind: str) -> list[dict]:
    return [part for part in result["messages"][-1]["parts"] if part["type"] == kind]


def without_ids(parts: list[dict]) -> list[dict]:
    """But for data, whose id says of which turn it is."""
    return [
        {name: value for name, value in part.items() if name != "id" or part["type"].startswith("data-")}
        for part in parts
    ]


def test_text_and_reasoning_arrive_whole(chat):
    [told] = chat.play({"do": "send", "text": "tell me a story"})
    assert (told["status"], told["error"]) == ("ready", None)
    assert [part["text"] for part in parts(told, "text")] == ["Once upon a time there was a volcano."]
    assert [part["text"] for part in parts(told, "reasoning")] == ["A short one."]
    assert {part["state"] for part in parts(told, "text") + parts(told, "reasoning")} == {"done"}
    answer = told["messages"][-1]
    assert answer["metadata"]["state"] == "done"
    assert answer["metadata"]["usage"]["output_tokens"] > 0
    assert told["finishes"] == [{"isAbort": False, "isDisconnect": False, "isError": False}]
    stored = chat.stored()
    assert stored[-1]["id"] == answer["id"], "the id that the stream announced is the stored one"
    *drawn, revision = without_ids(answer["parts"])
    assert without_ids(stored[-1]["parts"]) == drawn, "a reload draws what the stream drew"
    assert revision == {
        "type": "data-memory-revision",
        "id": answer["metadata"]["turn_id"],
        "data": {"status": "starting", "session_id": chat.session},
    }, "what becomes of it stands in the metadata"


def test_tools_and_what_they_tell_arrive(chat):
    [told] = chat.play({"do": "send", "text": "remember that I like volcanoes"})
    [call] = parts(told, "dynamic-tool")
    assert (call["toolName"], call["state"]) == ("manage_long_term_memory", "output-available")
    assert call["input"] == {"operation": "append", "content": "that I like volcanoes"}
    assert [part["text"] for part in parts(told, "text")] == ["Noted."]
    [noted] = parts(told, "data-notes")
    assert noted["data"]["version"] == 1
    assert [part["type"] for part in told["data"]] == ["data-notes", "data-memory-revision"]


def test_sources_arrive_and_are_drawn_again_after_a_reload(chat, running):
    name = f"{uuid.uuid4()}.txt"
    article_id = uploaded(running, name, b"The volcano sleeps.").rpartition("/")[2]
    [told] = chat.play({"do": "send", "text": "look up the volcano"})
    source = {"type": "source-document", "sourceId": article_id, "mediaType": "text/plain", "title": name}
    assert parts(told, "source-document") == [source | {"filename": name}]
    [named] = told["messages"][-1]["metadata"]["sources"]
    assert (named["article_id"], named["name"], named["is_whole"]) == (article_id, name, True)
    stored = chat.stored()[-1]
    assert [part for part in stored["parts"] if part["type"] == "source-document"] == parts(told, "source-document")
    assert stored["metadata"]["sources"] == [named]
    running.request("DELETE", f"/api/knowledge/{article_id}")


def test_a_tool_that_fails_is_shown_as_failed(chat):
    [told] = chat.play({"do": "send", "text": "use a tool badly"})
    [call] = parts(told, "dynamic-tool")
    assert call["state"] == "output-error"
    assert call["errorText"]
    assert told["status"] == "ready"


def test_an_error_in_mid_stream_is_an_error_with_a_sentence(chat):
    [told] = chat.play({"do": "send", "text": "break"})
    assert told["status"] == "error"
    assert re.search(r"model", told["error"])
    assert told["messages"][-1]["parts"][-1]["text"].startswith("one two three")


def test_a_refusal_is_shown_as_its_sentence(chat):
    [told] = chat.play({"do": "send", "text": "   "})
    assert told["status"] == "error"
    assert "The message is empty." in told["error"]


def test_stopping_on_the_server_ends_the_stream_and_keeps_the_text(chat):
    [told] = chat.play({"do": "send-and-stop", "text": "slowly", "after": 20})
    assert told["note"] == 202
    assert (told["status"], told["error"]) == ("ready", None)
    assert told["messages"][-1]["metadata"]["state"] == "stopped"
    text = parts(told, "text")[0]["text"]
    assert 20 <= len(text) < 1_000
    stored = chat.stored()
    assert stored[-1]["metadata"]["state"] == "stopped"
    assert [part["text"] for part in stored[-1]["parts"] if part["type"] == "text"] == [text]


def test_a_closed_tab_resumes_where_the_server_is(chat):
    left, resumed = chat.play({"do": "send-and-leave", "text": "slowly", "after": 20}, {"do": "resume"})
    assert [message["role"] for message in left["messages"]] == ["user"]
    assert [part["text"] for part in parts(resumed, "text")] == [" ".join(f"word{i}" for i in range(200))]
    assert resumed["status"] == "ready"


def test_nothing_to_resume_changes_nothing(chat):
    told, resumed = chat.play({"do": "send", "text": "tell me a story"}, {"do": "resume"})
    assert resumed["messages"] == told["messages"]
    assert (resumed["status"], resumed["error"]) == ("ready", None)


def test_the_same_message_again_is_replayed_from_the_log(chat):
    [first] = chat.play({"do": "send", "text": "tell me a story", "id": "msg-1"})
    [again] = chat.play({"do": "send", "text": "tell me a story", "id": "msg-1"})
    *drawn, revision = first["messages"][-1]["parts"]
    *replayed, later = again["messages"][-1]["parts"]
    assert replayed == drawn
    assert later["id"] == revision["id"], "memory may be revised by now"
    assert len(chat.stored()) == 2


def texts(messages: list[dict]) -> list[str]:
    return [part["text"] for message in messages for part in message["parts"] if part["type"] == "text"]


STORY, NOTHING = "Once upon a time there was a volcano.", "I have nothing to say."


def test_an_edit_in_the_middle_goes_on_from_there(chat):
    *_, told = chat.play(
        {"do": "send", "text": "tell me a story"},
        {"do": "send", "text": "hm"},
        {"do": "send", "text": "well"},
        {"do": "edit", "place": 2, "text": "recite"},
    )
    assert (told["status"], told["error"]) == ("ready", None)
    recited = f"user: tell me a story\nassistant: {STORY}\nuser: recite"
    assert texts(told["messages"]) == texts(chat.stored()) == ["tell me a story", STORY, "recite", recited]
    assert texts(chat.stored("superseded")) == ["hm", NOTHING, "well", NOTHING]


def test_an_edited_message_is_edited_again_before_and_after_a_reload(chat):
    *_, told = chat.play(
        {"do": "send", "text": "tell me a story"},
        {"do": "edit", "place": 0, "text": "hm"},
        {"do": "edit", "place": 0, "text": "well"},
        {"do": "reload"},
        {"do": "edit", "place": 0, "text": "so"},
        {"do": "edit", "place": 0, "text": "recite"},
    )
    assert texts(told["messages"]) == texts(chat.stored()) == ["recite", "user: recite"]
    assert len(chat.stored("superseded")) == 8


def test_answers_are_given_anew_the_last_one_and_one_in_the_middle(chat):
    first, last, middle = chat.play(
        {"do": "send", "text": "tell me a story"},
        {"do": "send", "text": "hm"},
        {"do": "regenerate"},
        {"do": "regenerate", "place": 1},
    )[1:]
    assert texts(last["messages"]) == ["tell me a story", STORY, "hm", NOTHING]
    assert [each["id"] for each in last["messages"][:3]] == [each["id"] for each in first["messages"][:3]]
    assert last["messages"][3]["id"] != first["messages"][3]["id"]
    assert texts(middle["messages"]) == texts(chat.stored()) == ["tell me a story", STORY]
    assert middle["messages"][1]["id"] == chat.stored()[1]["id"]
    assert texts(chat.stored("superseded")) == [STORY, "hm", NOTHING, NOTHING]


@pytest.mark.parametrize("step", [{"do": "regenerate"}, {"do": "edit", "place": 0, "text": "break again"}])
def test_an_answer_that_broke_off_is_tried_again(chat, step):
    broken, again = chat.play({"do": "send", "text": "break"}, step)
    assert (broken["status"], again["status"]) == ("error", "error")
    assert [each["role"] for each in again["messages"]] == ["user", "assistant"]
    assert again["messages"][1]["id"] != broken["messages"][1]["id"]
    assert again["messages"][1]["id"] == chat.stored()[1]["id"]


def test_the_parser_refuses_what_it_does_not_know(node):
    """Else none of the above could fail: the same client, fed with a chunk that the AI SDK has not."""
    planted = 'data: {"type":"start"}\n\ndata: {"type":"no-such-chunk"}\n\ndata: [DONE]\n\n'
    program = """
        import { DefaultChatTransport } from "ai";
        const fetch = async () => new Response(PLANTED);
        const transport = new DefaultChatTransport({ api: "http://127.0.0.1/", fetch });
        const stream = await transport.sendMessages({ chatId: "x", messages: [], trigger: "submit-message" });
        try {
            for await (const chunk of stream) {}
            console.log("accepted");
        } catch (error) {
            console.log(error.name);
        }
    """.replace("PLANTED", json.dumps(planted))
    assert told_by(node, "--input-type=module", given=program).strip() == "AI_TypeValidationError"
