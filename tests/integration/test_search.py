"""A search over sessions says which message of each was found, and what it says there."""

from uuid import uuid4

import pytest

from chatServer.messages import Message, ToolCallMsg
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, EVE


async def said(database, *texts: str, user=ADA, title: str | None = None) -> tuple[str, list[str]]:
    """A session in which this was said, by turns, and the ids of its messages."""
    session_id, ids = str(uuid4()), [str(uuid4()) for _ in texts]
    roles = ("user", "assistant")
    async with database.transaction(user) as connection:
        session = await sessions.insert_session(connection, user.user_id, session_id, "assistant", title=title)
        await sessions.index_title(connection, user.user_id, session)
        await ChatMessageHistory(connection, user.user_id, session_id, agent_name="assistant").append(
            [
                Message(role=roles[place % 2], content=text, message_id=ids[place])  # type: ignore[arg-type]
                for place, text in enumerate(texts)
            ]
        )
    return session_id, ids


async def search(client, headers, q: str, **query) -> dict[str, dict | None]:
    answer = await client.get("/api/sessions", params={"q": q, **query}, headers=headers)
    assert answer.status_code == 200, answer.text
    return {each["session_id"]: each["hit"] for each in answer.json()["sessions"]}


async def test_a_search_names_the_newest_message_with_all_words_else_the_newest_with_any(client, as_ada, database):
    first, ids = await said(database, "I keep bees.", "Bees and honey, in the garden?", "honey", "Good.", "bees again")
    second, others = await said(database, "Honey is sweet.", "It is.")
    assert await search(client, as_ada, "bees honey") == {
        first: {"message_id": ids[1], "text": "Bees and honey, in the garden?"}
    }
    assert await search(client, as_ada, "keep sweet") == {}
    assert await search(client, as_ada, "keep again") == {first: {"message_id": ids[4], "text": "bees again"}}
    assert await search(client, as_ada, "bee") == {first: {"message_id": ids[4], "text": "bees again"}}
    assert await search(client, as_ada, "honey") == {
        second: {"message_id": others[0], "text": "Honey is sweet."},
        first: {"message_id": ids[2], "text": "honey"},
    }


async def test_what_only_a_title_has_is_found_without_a_message(client, as_ada, database):
    session_id, ids = await said(database, "Which ones erupt?", "Some.", title="Mein Vulkan")
    assert await search(client, as_ada, "vulkan") == {session_id: None}
    assert await search(client, as_ada, "ulk") == {session_id: None}
    assert await search(client, as_ada, "vulkan erupt") == {
        session_id: {"message_id": ids[0], "text": "Which ones erupt?"}
    }


async def test_a_list_without_a_search_names_no_messages(client, as_ada, database):
    session_id, _ = await said(database, "Which ones erupt?")
    [listed] = (await client.get("/api/sessions", headers=as_ada)).json()["sessions"]
    assert (listed["session_id"], listed["hit"]) == (session_id, None)


async def test_a_hit_deep_in_a_long_message_shows_the_words_around_it(client, as_ada, database):
    far = "and so on " * 900
    session_id, [message_id] = await said(database, f"{far} the needle lies here {far}")
    hit = (await search(client, as_ada, "needle"))[session_id]
    assert hit is not None
    assert hit["message_id"] == message_id
    assert "the needle lies here" in hit["text"]
    assert len(hit["text"]) < 200


async def test_what_was_found_leads_to_its_page(client, as_ada, database):
    texts = [text for number in range(60) for text in (f"question {number}", f"answer {number}")]
    texts[20] = "Where did we bury the treasure?"
    session_id, ids = await said(database, *texts)
    hit = (await search(client, as_ada, "treasure"))[session_id]
    assert hit == {"message_id": ids[20], "text": texts[20]}
    url = f"/api/sessions/{session_id}/messages"
    page = (await client.get(url, params={"around": hit["message_id"], "limit": 10}, headers=as_ada)).json()
    assert ids[20] in [each["id"] for each in page["messages"]]


async def test_pictures_and_tools_around_the_words_are_no_obstacle(client, as_ada, database, session_id):
    call = ToolCallMsg(id="c", call_id="c", type="function", name="add", arguments="{}")
    png = "data:image/png;base64,iVBORw0KGgo="
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id, agent_name="assistant")
        await history.append(
            [
                Message(role="user", content="Look at this heron", images=[png]),
                Message(role="assistant", content="A heron, I look it up.", tool_calls=[call]),
            ]
        )
    for q, text in (("heron look up", "A heron, I look it up."), ("this", "Look at this heron")):
        hit = (await search(client, as_ada, q))[session_id]
        assert hit is not None
        assert hit["text"] == text


@pytest.mark.parametrize("q", ["treasure", "tre", "Buried treasure"])
async def test_nobody_finds_what_another_has_said(client, as_ada, as_eve, database, q):
    hers, _ = await said(database, "Buried treasure!", user=EVE)
    assert await search(client, as_ada, q) == {}
    assert list(await search(client, as_eve, q)) == [hers]
    mine, _ = await said(database, "Buried treasure?")
    assert list(await search(client, as_ada, q)) == [mine]
