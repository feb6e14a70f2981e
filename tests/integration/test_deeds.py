"""What tools did to notes and memories stays among the parts of their answer, for as long as it can be taken back."""

import uuid

import psycopg
import pytest

from chatServer.messages import Message, to_ui_parts
from chatServer.messages.deeds import MOST_NAMED, deeds_in
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA
from tests.tools.talking import chunks, data_of, messages_of, talking

STREAM = {"Accept": "text/event-stream"}
NOTED = {"agent_name": "assistant", "operation": "append", "version": 1, "previous_version": 0, "untrusted": False}


def note(text: str) -> dict:
    return {"name": "manage_long_term_memory", "args": {"operation": "append", "content": text}}


async def test_every_change_of_the_notes_is_told_and_told_again(settings, as_ada, urls):
    rule = {"match": "^note", "tool_calls": [note("tea"), note("milk")], "then": "Noted."}
    ask = {"json": {"message": "note it", "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    async with talking(settings, as_ada, rule) as client:
        told = chunks((await client.post("/api/chat", **{**ask, "headers": ask["headers"] | STREAM})).text)
        streamed = data_of(told, "notes")
        assert len({part["id"] for part in streamed}) == 2, "of two under one id a client keeps the second"
        assert sorted(part["data"]["previous_version"] for part in streamed) == [0, 1]
        stored = data_of((await messages_of(client, "s"))[-1]["parts"], "notes")
        assert sorted(stored, key=str) == sorted(streamed, key=str)
        with psycopg.connect(urls.owner) as connection:
            connection.execute("delete from chat.turn_events")
        again = await client.post("/api/chat", **{**ask, "headers": ask["headers"] | STREAM})
        assert data_of(chunks(again.text), "notes") == stored, "also when its log is gone"
        whole = (await client.post("/api/chat", **ask)).json()["message"]["parts"]
        assert data_of(whole, "notes") == stored


async def test_what_was_forgotten_is_named_until_it_was_had_back(ada, database):
    async def post(text: str, session_id: str) -> dict:
        body = {"message": text, "session_id": session_id}
        return (await ada.post("/api/chat", json=body, headers={"Idempotency-Key": "k"})).json()

    async def ask(text: str) -> dict:
        answer = await post(text, str(uuid.uuid4()))
        await Workshop(database, lambda _: None).after_turn(str(ADA.user_id), answer["turn_id"])
        return answer

    await ask("I live in Berlin.")
    answer = await ask(wish := "Forget that I live in Berlin.")
    [told] = data_of(answer["message"]["parts"], "forgotten")
    [memory_id] = told["data"]["memory_ids"]
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == [told]
    assert (await ada.post(f"/api/memories/{memory_id}/undo")).status_code == 200
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == []
    again = await post(wish, answer["session_id"])
    assert (again["turn_id"], data_of(again["message"]["parts"], "forgotten")) == (answer["turn_id"], [])
    await ada.delete(f"/api/memories/{memory_id}")
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == [told]


@pytest.mark.parametrize(
    "kept",
    [
        {"notes": 1}, {"notes": {**NOTED, "version": "1"}}, {"other": NOTED}, {"forgotten": {"memory_ids": ["x"]}},
        {"forgotten": {"memory_ids": [], "message_ids": ["x"]}}, {"forgotten": {"message_ids": [str(uuid.uuid4())]}},
        {"forgotten": {"memory_ids": 1}}, {"forgotten": {"memory_ids": []}}, {"forgotten": {"memory_ids": [None]}},
        [], 1, None,
    ],
)  # fmt: skip
def test_what_another_writer_put_there_is_nothing_that_was_done(kept):
    message = Message("tool", "done", "1", tool_call_id="c", structured_data={"deeds": kept})
    assert deeds_in(message) == {}
    assert [part["type"] for part in to_ui_parts([message])] == ["dynamic-tool"]


def test_of_very_many_that_another_writer_names_only_some_are_told():
    many = [str(uuid.uuid4()) for _ in range(MOST_NAMED + 1)]
    kept = {"deeds": {"forgotten": {"memory_ids": many, "message_ids": many}}}
    told = deeds_in(Message("tool", "done", "1", structured_data=kept))["forgotten"]
    assert told == {"memory_ids": many[:MOST_NAMED], "message_ids": many[:MOST_NAMED]}


def test_only_tools_do_anything():
    assert deeds_in(Message("tool", "done", "1", structured_data={"deeds": {"notes": NOTED}})) == {"notes": NOTED}
    assert deeds_in(Message("assistant", "done", "1", structured_data={"deeds": {"notes": NOTED}})) == {}
