"""A session as people read it: one UIMessage per user message and one per answer, in pages that split no turn."""

import uuid
from uuid import UUID

import pytest

from chatServer.memory import guard
from chatServer.messages import Message, ToolCallMsg
from chatServer.records import TurnEvent
from chatServer.store import events, turns
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from tests.conftest import ADA
from tests.tools.transcripts import read, store_turn, tool_turn


async def test_an_answer_with_its_tools_is_one_message_with_the_turns_metadata(client, as_ada, database, session_id):
    turn_id, reply_id = await store_turn(database, session_id, tool_turn(1))
    question, answer = (await read(client, as_ada, session_id))["messages"]
    assert question["role"] == "user"
    assert question["parts"] == [{"type": "text", "text": "question 1"}]
    assert question["metadata"]["turn_id"] == turn_id
    assert (answer["id"], answer["role"]) == (reply_id, "assistant")
    kinds = [part["type"] for part in answer["parts"]]
    assert kinds == ["step-start", "dynamic-tool", "step-start", "text"]
    assert answer["parts"][1]["state"] == "output-error"
    metadata = answer["metadata"]
    assert (metadata["state"], metadata["model"], metadata["usage"]) == ("done", "script", {"output_tokens": 4})
    assert metadata["turn_id"] == turn_id


async def test_rows_that_no_turn_wrote_are_grouped_too(client, as_ada, database, session_id):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append(
            [*tool_turn(1), Message(role="user", content="and?"), Message(role="user", content="hello?")]
        )
    shown = (await read(client, as_ada, session_id))["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant", "user", "user"]


async def test_what_a_failed_turn_had_said_is_shown_as_unfinished(client, as_ada, database, session_id):
    question = [Message(role="user", content="tell me")]
    _, reply_id = await store_turn(
        database, session_id, question, state="failed", partial_text="Once upon", error_code="model_failed"
    )
    shown = (await read(client, as_ada, session_id))["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant"]
    assert shown[1]["id"] == reply_id
    assert shown[1]["parts"][0]["text"] == "Once upon"
    assert shown[1]["metadata"]["state"] == "failed"
    assert shown[1]["metadata"]["error_code"] == "model_failed"


async def test_a_running_turn_past_its_lease_reads_as_interrupted(client, as_ada, database, session_id):
    question = [Message(role="user", content="tell me")]
    await store_turn(
        database, session_id, question, state="running", partial_text="Once", lease_until="2020-01-01T00:00:00Z"
    )
    shown = (await read(client, as_ada, session_id))["messages"]
    assert shown[1]["metadata"]["state"] == "interrupted"


async def cut_off(database: Database, session_id: str, said: list[TurnEvent]) -> UUID:
    """A turn whose process was killed: its lease is over, and all that is left of it is its log."""
    past = "2020-01-01T00:00:00Z"
    question = [Message(role="user", content="tell me")]
    turn_id = UUID((await store_turn(database, session_id, question, state="running", lease_until=past))[0])
    async with database.transaction(ADA) as connection:
        for seq_from in (1, len(said) + 1):
            await events.append_events(connection, ADA.user_id, turn_id, said, attempt=1, seq_from=seq_from)
    return turn_id


async def test_what_a_turn_said_before_its_process_was_killed_is_shown_from_its_log(
    client, as_ada, database, session_id
):
    words = [TurnEvent("text-delta", id="t", text=text) for text in ("Once ", "upon ", "a time")]
    tool = TurnEvent("tool-output", id="c", value="not said")
    spoke = await cut_off(database, session_id, [TurnEvent("start"), TurnEvent("step-start"), *words, tool])
    async with database.transaction(ADA) as connection:
        assert await turns.mark_interrupted(connection, ADA.user_id, spoke), "as the next message in its session does"
    await cut_off(database, session_id, [TurnEvent("start"), TurnEvent("step-start")])
    _, answer, _, silent = (await read(client, as_ada, session_id))["messages"]
    assert answer["metadata"]["state"] == silent["metadata"]["state"] == "interrupted"
    assert answer["parts"] == [
        {"type": "text", "text": "Once upon a time\n\nOnce upon a time", "state": "done"},
    ]
    assert silent["parts"] == []


async def test_the_log_of_a_turn_that_was_killed_is_shown_as_the_guard_lets_it_pass(
    client, as_ada, database, session_id, monkeypatch
):
    monkeypatch.setattr(guard, "_guard", lambda text: text.replace("Porto", "[a city]"))
    words = [TurnEvent("text-delta", id="t", text=text) for text in ("To Por", "to.")]
    await cut_off(database, session_id, [TurnEvent("step-start"), *words])
    _, answer = (await read(client, as_ada, session_id))["messages"]
    assert answer["parts"][0]["text"] == "To [a city].\n\nTo [a city]."


@pytest.mark.parametrize("limit", [1, 3, 4, 5, 7, 50])
async def test_pages_split_no_turn_and_together_are_everything(client, as_ada, database, session_id, limit):
    for number in range(6):
        await store_turn(database, session_id, tool_turn(number))
    everything = (await read(client, as_ada, session_id, limit=200))["messages"]
    collected: list[dict] = []
    before = None
    for _ in range(30):
        page = await read(client, as_ada, session_id, limit=limit, **({"before": before} if before else {}))
        assert page["messages"][0]["role"] == "user", "a page begins with what the user said"
        collected = page["messages"] + collected
        before = page["before"]
        if before is None:
            break
    assert collected == everything
    assert len(everything) == 12


async def test_a_page_of_as_many_as_there_are_is_all_of_them(client, as_ada, database, session_id):
    for number in range(2):
        await store_turn(database, session_id, tool_turn(number))
    page = await read(client, as_ada, session_id, limit=2 * len(tool_turn(0)))
    assert (len(page["messages"]), page["before"]) == (4, None)


async def test_an_empty_session_has_no_messages(client, as_ada, session_id):
    assert await read(client, as_ada, session_id) == {"messages": [], "before": None, "after": None, "around": None}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("volcano", True),
        ("VOLC", True),
        ("erupts volcano", True),
        ("volcano glacier", False),
        ("火山", True),
        ("山火", True),
        ("naïve", True),
        ("example.com", True),
        ("titel", True),
        ("itel", True),
        ("Titel mein", True),
        ("volcano titel", True),
        ("nothing", False),
    ],
)
async def test_search_finds_words_of_messages_and_parts_of_titles(client, as_ada, database, session_id, query, found):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id, agent_name="assistant")
        await history.append(
            [
                Message(role="user", content="Which volcano erupts next? see https://example.com/a_b"),
                Message(role="assistant", content="naïve answer: 富士山は火山です"),
                Message(role="tool", content="nothing to be found here", name="t", tool_call_id="c"),
            ]
        )
    await client.patch(f"/api/sessions/{session_id}", json={"title": "Mein Titel"}, headers=as_ada)
    answer = (await client.get("/api/sessions", params={"q": query}, headers=as_ada)).json()["sessions"]
    assert [session["session_id"] for session in answer] == ([session_id] if found else [])


DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ('{"a": "\\ud800"}', "fine"),
        ('{"a": ' + DEEP + "}", "fine"),
        ("{}", '{"tool_call_id": "c1", "output": "\\ud800"}'),
        ("{}", '{"tool_call_id": "c1", "output": ' + DEEP + "}"),
        ('{"a": ' + "9" * 6_000 + "}", "fine"),
    ],
)
async def test_no_text_of_a_tool_makes_a_session_unreadable(client, as_ada, database, session_id, arguments, output):
    call = ToolCallMsg(id="c1", call_id="c1", type="function", name="t", arguments=arguments)
    result = Message(role="tool", content=output, name="t", tool_call_id="c1")
    messages = [Message(role="user", content="q"), Message(role="assistant", tool_calls=[call]), result]
    async with database.transaction(ADA) as connection:
        await ChatMessageHistory(connection, ADA.user_id, session_id).append(messages)
    assert [message["role"] for message in (await read(client, as_ada, session_id))["messages"]] == [
        "user",
        "assistant",
    ]


@pytest.mark.parametrize(
    "row",
    [
        '{"type": "human", "data": {"content": ' + "[" * 2_000 + "]" * 2_000 + "}}",
        '{"type": "human", "data": {"content": "x", "n": ' + "9" * 6_000 + "}}",
        '{"type": "ai", "data": {"content": "", "tool_calls": [{"name": "t", "id": "1", "args": {"a": '
        + DEEP
        + "}}]}}",
        '{"type": "AIMessageChunk", "data": {"content": "half", "tool_call_chunks": [{"name": "t", "args": "'
        + "[" * 20_000
        + '", "id": "1", "index": 0, "type": "tool_call_chunk"}]}}',
    ],
)
async def test_no_row_of_another_writer_makes_a_session_unreadable(client, as_ada, database, session_id, row):
    async with database.transaction(ADA) as connection:
        await connection.execute(
            "insert into public.chat_message_history (session_id, message) values (%s, %s::jsonb)", (session_id, row)
        )
    [shown] = (await read(client, as_ada, session_id))["messages"]
    assert shown["parts"]


async def test_one_message_is_read_by_itself_and_only_by_its_owner(client, as_ada, as_eve, database, session_id):
    await store_turn(database, session_id, tool_turn(1))
    await store_turn(database, session_id, [Message(role="user", content="question 2")])
    first, *_, last = (await read(client, as_ada, session_id))["messages"]
    url = f"/api/sessions/{session_id}/messages"
    for each in (first, last):
        assert (await client.get(f"{url}/{each['id']}", headers=as_ada)).json() == each
    for name in (uuid.uuid4(), "msg-1"):
        unknown = await client.get(f"{url}/{name}", headers=as_ada)
        assert (unknown.status_code, unknown.json()["code"]) == (404, "message_not_found")
    assert (await client.get(f"{url}/msg-1")).status_code == 401
    foreign = await client.get(f"{url}/{first['id']}", headers=as_eve)
    assert (foreign.status_code, foreign.json()["code"]) == (404, "session_not_found")
