"""The history on real rows: by LIMIT, in the caller's transaction, and one table with LangChain's stock class."""

import asyncio
import uuid
from collections.abc import AsyncIterator

import psycopg
import pytest
from langchain_classic.memory import ConversationBufferWindowMemory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_postgres import PostgresChatMessageHistory

from chatServer import errors
from chatServer.conversation.window import WindowMemory
from chatServer.messages import Message, from_langchain, text_of
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from tests.conftest import ADA, EVE, Urls, owner_connection

CALL = {"name": "add", "args": {"a": 1, "b": [2, {"c": None}]}, "id": "call_1", "type": "tool_call"}
CONVERSATION: list[BaseMessage] = [
    SystemMessage("Be kind."),
    HumanMessage([{"type": "text", "text": "What is 1+2?"}, {"type": "text", "text": " Please."}]),
    AIMessage([{"type": "reasoning", "reasoning": "easy"}, {"type": "text", "text": "Let me see"}], tool_calls=[CALL]),
    ToolMessage("3", tool_call_id="call_1", name="add", artifact={"raw": 3}),
    AIMessage("It is 3. 😀", usage_metadata={"input_tokens": 5, "output_tokens": 4, "total_tokens": 9}),
]


@pytest.fixture
async def stock_connection(urls: Urls) -> AsyncIterator[psycopg.AsyncConnection]:
    """A connection of its own, as somebody would use the stock class with: it commits by itself."""
    async with await psycopg.AsyncConnection.connect(urls.app, autocommit=True) as connection:
        await connection.execute("set role chat_user")
        await connection.execute("select set_config('request.jwt.claims', %s, false)", (f'{{"sub":"{ADA.user_id}"}}',))
        await connection.set_autocommit(False)
        yield connection


def stock(connection: psycopg.AsyncConnection, session_id: str) -> PostgresChatMessageHistory:
    return PostgresChatMessageHistory("chat_message_history", session_id, async_connection=connection)


def comparable(messages: list[BaseMessage]) -> list[dict]:
    return [message.model_dump(exclude={"id"}) for message in messages]


async def test_the_stock_class_reads_exactly_what_we_write(database, stock_connection, session_id):
    async with database.transaction(ADA) as connection:
        await ChatMessageHistory(connection, ADA.user_id, session_id).aadd_messages(CONVERSATION)
    found = await stock(stock_connection, session_id).aget_messages()
    assert comparable(found) == comparable(CONVERSATION)


async def test_we_read_exactly_what_the_stock_class_writes(database, stock_connection, session_id):
    await stock(stock_connection, session_id).aadd_messages(CONVERSATION)
    async with database.transaction(ADA) as connection:
        found = await ChatMessageHistory(connection, ADA.user_id, session_id).aget_messages()
    assert comparable(found) == comparable(CONVERSATION)


async def test_the_stock_class_clears_what_we_wrote(database, stock_connection, session_id):
    async with database.transaction(ADA) as connection:
        await ChatMessageHistory(connection, ADA.user_id, session_id).aadd_messages(CONVERSATION)
    await stock(stock_connection, session_id).aclear()
    async with database.transaction(ADA) as connection:
        assert await ChatMessageHistory(connection, ADA.user_id, session_id).aget_messages() == []


async def test_a_cleared_session_is_still_found_by_its_title_and_no_longer_by_its_words(client, as_ada, database):
    made = await client.post("/api/sessions", json={"title": "Volcanoes of Iceland"}, headers=as_ada)
    session_id = made.json()["session_id"]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="Tell me about glaciers")])

    async def found(words: str) -> list[str]:
        listed = (await client.get("/api/sessions", params={"q": words}, headers=as_ada)).json()["sessions"]
        return [each["session_id"] for each in listed]

    # Both words, but not side by side: only the index finds them, not the look into titles.
    assert await found("Iceland Volcanoes") == await found("glaciers") == [session_id]
    async with database.transaction(ADA) as connection:
        await ChatMessageHistory(connection, ADA.user_id, session_id).aclear()
    assert (await found("Iceland Volcanoes"), await found("glaciers")) == ([session_id], [])
    assert (await client.delete(f"/api/sessions/{session_id}", headers=as_ada)).status_code == 204
    async with database.transaction(ADA) as connection:
        rows = await (await connection.execute("select message_id from chat.message_index")).fetchall()
    assert rows == []


async def test_another_user_reads_nothing_through_either_class(database, stock_connection, session_id):
    await stock(stock_connection, session_id).aadd_messages(CONVERSATION)
    async with database.transaction(EVE) as connection:
        assert await ChatMessageHistory(connection, EVE.user_id, session_id).aget_messages() == []
        assert await ChatMessageHistory(connection, ADA.user_id, session_id).aget_messages() == []


async def test_only_the_newest_messages_are_read(database, session_id):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id, limit=3)
        await history.append([Message(role="user", content=str(n)) for n in range(10)])
        assert [message.content for message in await history.aget_messages()] == ["7", "8", "9"]


async def test_writes_belong_to_the_callers_transaction(database, session_id):
    with pytest.raises(RuntimeError, match="changed my mind"):
        async with database.transaction(ADA) as connection:
            await ChatMessageHistory(connection, ADA.user_id, session_id).aadd_messages(CONVERSATION)
            raise RuntimeError("changed my mind")
    async with database.transaction(ADA) as connection:
        assert await ChatMessageHistory(connection, ADA.user_id, session_id).aget_messages() == []


async def test_langchains_window_memory_works_on_our_history(database, session_id):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        for n in range(4):
            await history.append([Message(role="user", content=f"q{n}"), Message(role="assistant", content=f"a{n}")])
        await history.aload()
        with pytest.warns(DeprecationWarning, match="deprecated"):
            memory = ConversationBufferWindowMemory(
                chat_memory=history, k=2, memory_key="chat_history", input_key="input", return_messages=True
            )
        found = memory.load_memory_variables({})["chat_history"]
        assert [message.content for message in found] == ["q2", "a2", "q3", "a3"]
        memory.save_context({"input": "q4"}, {"output": "a4"})
        await memory.asave_context({"input": "q5"}, {"output": "a5"})
        await history.aflush()
        found = memory.load_memory_variables({})["chat_history"]
        assert [message.content for message in found] == ["q4", "a4", "q5", "a5"]
    async with database.transaction(ADA) as connection:
        stored = await ChatMessageHistory(connection, ADA.user_id, session_id).window(4)
    assert [text_of(each.message) for each in stored] == ["q4", "a4", "q5", "a5"]


async def test_the_windowed_memory_reads_once_and_writes_once(database, session_id):
    memory = WindowMemory(k=4, memory_key="chat_history", input_key="input", return_messages=True)
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="q0"), Message(role="assistant", content="a0")])
        await memory.load(history)
    # No connection is held here, as while a model runs.
    assert [m.content for m in memory.load_memory_variables({})["chat_history"]] == ["q0", "a0"]
    memory.save_context({"input": "q1"}, {"output": "a1"})
    assert [m.content for m in memory.load_memory_variables({})["chat_history"]] == ["q0", "a0", "q1", "a1"]
    with pytest.raises(RuntimeError, match="lost"):
        async with database.transaction(ADA) as connection:
            await memory.flush(ChatMessageHistory(connection, ADA.user_id, session_id))
            raise RuntimeError("the connection was lost")
    for _ in range(2):  # the second time there is nothing left to write
        async with database.transaction(ADA) as connection:
            await memory.flush(ChatMessageHistory(connection, ADA.user_id, session_id))
        memory.conversation.mark_stored()
    async with database.transaction(ADA) as connection:
        stored = await ChatMessageHistory(connection, ADA.user_id, session_id).window(10)
    assert [text_of(each.message) for each in stored] == ["q0", "a0", "q1", "a1"]


async def test_the_windowed_memory_can_be_one_text():
    memory = WindowMemory(return_messages=False)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    assert memory.load_memory_variables({}) == {"chat_history": "Human: hi\nAI: hello"}
    assert memory.memory_variables == ["chat_history"]


@pytest.mark.parametrize("state", ["running", "failed", "interrupted"])
async def test_a_window_leaves_out_turns_that_did_not_finish(database: Database, session_id, state):
    async with database.transaction(ADA) as connection:
        for content, turn_state in [("kept", "done"), ("left out", state), ("partly", "stopped")]:
            turn_id = uuid.uuid4()
            await connection.execute(
                "insert into chat.turns (turn_id, session_id, agent_name, state) values (%s, %s, 'assistant', %s)",
                (turn_id, session_id, turn_state),
            )
            history = ChatMessageHistory(connection, ADA.user_id, session_id, turn_id=turn_id)
            await history.append([Message(role="user", content=content)])
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        assert [each.message.content for each in await history.window(10)] == ["kept", "partly"]
        assert len(await history.page(10)) == 3, "people still see it"


async def test_nul_and_lone_surrogates_are_cleaned_and_no_message_is_lost(database, session_id):
    hard = ["a\0b", "lone \ud800 surrogate", "\udfff", "fine 😀", "\0"]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content=text) for text in hard])
        await history.aadd_messages([AIMessage("x", additional_kwargs={"k\0": "\ud800", "n": float("nan")})])
        stored = await history.window(10)
    texts = [text_of(each.message) for each in stored]
    assert texts == ["a\ufffdb", "lone \ufffd surrogate", "\ufffd", "fine 😀", "\ufffd", "x"]


async def test_a_row_that_is_not_a_message_is_shown_and_not_dropped(database, session_id, urls):
    with owner_connection(urls.owner) as connection:
        for row in ('{"type": "martian", "data": {}}', '"text"', "{}", '{"type": "human"}', "null"):
            connection.execute(
                "insert into public.chat_message_history (user_id, session_id, message) values (%s, %s, %s)",
                (ADA.user_id, session_id, row),
            )
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        stored = await history.page(10)
        assert await history.window(10) == await history.aget_messages() == [], "no model sees it"
    assert len(stored) == 5
    assert "martian" in text_of(stored[0].message)


async def test_an_id_that_the_row_has_is_not_in_its_message_too(database, session_id, urls):
    ids = [str(uuid.uuid4()) for _ in range(2)]
    said = [HumanMessage("a", id=ids[0]), AIMessage("b", id="run-1"), AIMessage("", id=ids[1], tool_calls=[CALL])]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.aadd_messages(said)
        stored = await history.page(10)
    with owner_connection(urls.owner) as connection:
        query = "select message #>> '{data,id}' from public.chat_message_history order by id"
        assert connection.execute(query).fetchall() == [(None,), ("run-1",), (None,)]
    assert [stored[0].message.message_id, stored[2].message.message_id] == ids


async def test_providers_ids_do_not_disturb_ours(database, session_id):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.aadd_messages([AIMessage("a", id="run-1"), AIMessage("b", id="run-1")])
        stored = await history.page(10)
    assert [text_of(each.message) for each in stored] == ["a", "b"]
    assert len({uuid.UUID(each.message.message_id) for each in stored}) == 2


PNG = "iVBORw0KGgo="
PICTURE = f"data:image/png;base64,{PNG}"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": PICTURE}},
        {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}},
        {"type": "image_url", "image_url": PICTURE},
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "input_image", "image_url": PICTURE},
    ],
)
async def test_pictures_are_kept_beside_the_rows_in_whatever_shape_they_come(database, session_id, urls, block):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.aadd_messages([HumanMessage([{"type": "text", "text": "look"}, block])])
        [stored] = await history.window(1)
    assert text_of(stored.message) == "look"
    with owner_connection(urls.owner) as connection:
        [row] = connection.execute("select message::text from public.chat_message_history").fetchall()
        assert PNG not in row[0]
        assert "image:" in row[0]
        assert connection.execute("select media_type, bytes from chat.message_images").fetchall() == [
            ("image/png", b"\x89PNG\r\n\x1a\n")
        ]


async def test_a_picture_that_cannot_be_read_stays_in_its_message(database, session_id):
    odd = ["data:image/svg+xml,<svg/>", "data:image/png;base64,!!!", "image:unknown"]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="look", images=odd)])
        [stored] = await history.window(1)
    assert stored.message.images == odd


async def test_nothing_is_appended_to_a_session_that_is_gone(database, session_id):
    async with database.transaction(ADA) as connection:
        await sessions.delete_session(connection, ADA.user_id, session_id)
    with pytest.raises(errors.SessionNotFound):
        async with database.transaction(ADA) as connection:
            await ChatMessageHistory(connection, ADA.user_id, session_id).append([Message(role="user", content="x")])


async def test_two_writers_of_a_session_take_turns(database, session_id):
    """Ids are the order in which the writers committed: the second waits for the first."""

    async def write(name: str) -> None:
        async with database.transaction(ADA) as connection:
            history = ChatMessageHistory(connection, ADA.user_id, session_id)
            for number in range(5):
                await history.append([Message(role="user", content=f"{name}{number}")])
                await asyncio.sleep(0.002)

    await asyncio.gather(*(write(name) for name in "abcd"))
    async with database.transaction(ADA) as connection:
        stored = await ChatMessageHistory(connection, ADA.user_id, session_id).window(100)
    texts = [text_of(each.message) for each in stored]
    blocks = [texts[i : i + 5] for i in range(0, 20, 5)]
    assert sorted(blocks) == [[f"{name}{number}" for number in range(5)] for name in "abcd"]


async def test_counts_are_kept_with_their_messages(database, stock_connection, session_id):
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content=text) for text in "ab"], tokens=[5, None])
        await history.append([Message(role="user", content="c")])
        with pytest.raises(ValueError, match="2 messages"):
            await history.append([Message(role="user", content=text) for text in "de"], tokens=[1])
    await stock(stock_connection, session_id).aadd_messages([HumanMessage("f")])
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        for found in (await history.window(10), await history.page(10)):
            assert [(each.message.content, each.tokens) for each in found] == [
                ("a", 5),
                ("b", None),
                ("c", None),
                ("f", None),
            ]


async def test_a_message_that_lost_a_call_is_counted_anew(database, session_id):
    calls = [{**CALL, "id": call_id} for call_id in ("c1", "c2")]
    asked = [from_langchain(AIMessage("hm", tool_calls=calls)), Message(role="tool", content="3", tool_call_id="c1")]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="q"), *asked], tokens=[5, 60, 7])
        found = await history.window(10)
    assert [each.tokens for each in found] == [5, None, 7]
    assert [call.call_id for call in found[1].message.tool_calls] == ["c1"]
