"""However much was said, a page of it ends at a size, what is not shown is not read, and nobody else waits for it."""

import base64
import random
import threading
from uuid import UUID, uuid4

import pytest

from chatServer.conversation import budget
from chatServer.conversation import pages as page_sizes
from chatServer.conversation import window as window_memory
from chatServer.conversation.window import WindowMemory
from chatServer.messages import Message, rows
from chatServer.store import history as history_store
from chatServer.store import images, superseded
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA
from tests.tools.transcripts import read, store_turn


async def pages_of(client, headers, session_id: str, **query) -> list[list[dict]]:
    """All of them, the newest first."""
    pages, before = [], None
    for _ in range(100):
        page = await read(client, headers, session_id, **query, **({"before": before} if before else {}))
        pages.append(page["messages"])
        before = page["before"]
        if before is None:
            return pages
    raise AssertionError("the pages do not end")


def letters(pages: list[list[dict]]) -> list[int]:
    return [sum(len(part.get("text", "")) for each in page for part in each["parts"]) for page in pages]


async def test_a_page_that_would_be_too_large_is_a_smaller_one(client, as_ada, database, session_id, monkeypatch):
    monkeypatch.setattr(page_sizes, "LARGEST_PAGE", 1_000)
    png = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 600).decode()
    for number in range(5):
        asked = Message(role="user", content=f"question {number}", images=[png])
        await store_turn(database, session_id, [asked, Message(role="assistant", content=f"answer {number}")])
    await store_turn(database, session_id, [Message(role="user", content="x" * 5_000)])
    pages = await pages_of(client, as_ada, session_id, limit=50)
    seen = [message for page in reversed(pages) for message in page]
    assert [len(page) for page in pages] == [1, 2, 2, 2, 2, 2], "one turn each, and one that is too large by itself"
    assert [message["role"] for message in seen] == ["user", "assistant"] * 5 + ["user"]
    assert len({message["id"] for message in seen}) == 11


async def test_a_page_without_any_beginning_ends_all_the_same(client, as_ada, database, session_id, monkeypatch):
    monkeypatch.setattr(page_sizes, "LARGEST_PAGE", 10_000)
    monkeypatch.setattr(page_sizes, "LARGEST_TURN", 20_000)
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="assistant", content=f"{number} {'x' * 6_000}") for number in range(12)])
    pages = await pages_of(client, as_ada, session_id, limit=50)
    assert max(letters(pages)) < 20_000
    assert len(pages) == 4
    said = [
        part["text"].split()[0] for page in reversed(pages) for each in page for part in each["parts"] if "text" in part
    ]
    assert said == [str(number) for number in range(12)]


@pytest.mark.parametrize("text", ["x" * 30_000, "".join(chr(0x4E00 + i * 7 % 20_000) for i in range(10_000))])
async def test_what_a_page_does_not_show_is_not_read(client, as_ada, database, session_id, monkeypatch, text):
    """However well it is compressed where it is stored."""
    monkeypatch.setattr(page_sizes, "LARGEST_PAGE", 90_000)
    monkeypatch.setattr(history_store, "STRETCH_BYTES", 100_000)
    for number in range(20):
        await store_turn(database, session_id, [Message(role="user", content=f"{number} {text}")])
    rows, decode = [], history_store.stored_messages

    async def counted(given):
        rows.append(sum(len(row[4]) for row in given))
        return await decode(given)

    monkeypatch.setattr(history_store, "stored_messages", counted)
    page = await read(client, as_ada, session_id, limit=50)
    assert 0 < sum(len(each["parts"][0]["text"]) for each in page["messages"]) < 90_000
    assert page["before"]
    assert sum(rows) < 150_000, f"{sum(rows)} characters of {20 * len(text)}"
    monkeypatch.undo()
    assert len((await read(client, as_ada, session_id, limit=50))["messages"]) == 20


async def test_what_turns_left_unfinished_counts_for_the_size_of_a_page(
    client, as_ada, database, session_id, monkeypatch
):
    monkeypatch.setattr(page_sizes, "LARGEST_PAGE", 10_000)
    for number in range(5):
        asked = Message(role="user", content=f"question {number}")
        await store_turn(database, session_id, [asked], state="interrupted", partial_text="y" * 6_000)
    pages = await pages_of(client, as_ada, session_id, limit=50)
    assert letters(pages) == [6_010] * 5


@pytest.mark.parametrize(("letters", "is_beside"), [(2_000, False), (200_000, True)])
async def test_long_messages_are_decoded_beside_the_event_loop(database, session_id, monkeypatch, letters, is_beside):
    threads, decode = set(), rows.message_of

    def noted(*given):
        threads.add(threading.current_thread())
        return decode(*given)

    monkeypatch.setattr(rows, "message_of", noted)
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="x" * letters)])
        [read_back] = await history.window(20)
    assert read_back.message.content == "x" * letters
    assert (threading.main_thread() not in threads) is is_beside


async def test_long_messages_without_a_count_are_counted_once_and_beside_the_event_loop(
    database, session_id, monkeypatch
):
    threads, count = [], window_memory.count_message

    def noted(message):
        threads.append(threading.current_thread())
        return count(message)

    monkeypatch.setattr(window_memory, "count_message", noted)
    monkeypatch.setattr(budget, "count_message", noted)
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="word " * 20_000) for _ in range(3)])
        window = WindowMemory()
        await window.load(history)
    budget.last_exchanges(window.stored, messages=3, room=10**9, max_result=1_000)
    assert len(threads) == 3
    assert threading.main_thread() not in threads
    assert all(each.tokens == count(each.message) for each in window.stored)


async def test_what_lies_behind_more_than_the_model_takes_is_not_counted(database, session_id, monkeypatch):
    counted, count = [], window_memory.count_message
    monkeypatch.setattr(window_memory, "count_message", lambda message: counted.append(message) or count(message))
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        await history.append([Message(role="user", content="word " * 20_000) for _ in range(6)])
        window = WindowMemory(most_tokens=30_000)
        await window.load(history)
    assert [each.message for each in window.stored[-2:]] == counted[::-1]
    assert all((each.tokens or 0) > 15_000 for each in window.stored)


@pytest.mark.parametrize("is_replaced", [False, True])
async def test_of_a_turn_that_says_more_than_can_be_held_the_ends_are_read(
    database, session_id, monkeypatch, is_replaced
):
    monkeypatch.setattr(history_store, "STRETCH_BYTES", 100_000)
    monkeypatch.setattr(superseded, "STRETCH_BYTES", 100_000)
    noise = "".join(chr(0x4E00 + i * 7 % 20_000) for i in range(10_000))
    said = [Message(role="assistant", content=f"{number} {noise}") for number in range(20)]
    asked = Message(role="user", content="question", message_id=str(uuid4()))
    turn_id, _ = await store_turn(database, session_id, [asked, *said])
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        if is_replaced:
            values = {"user_id": ADA.user_id, "session_id": session_id, "first": 0, "superseded_by": UUID(turn_id)}
            await connection.execute(superseded.SQL["supersede"], values)
            found = await superseded.read_turn(connection, ADA.user_id, session_id, UUID(turn_id))
        else:
            found = await history.of_turn(UUID(turn_id), UUID(asked.message_id))
    contents = [each.message.content for each in found]
    assert [contents[0], contents[1], contents[-1]] == ["question", said[0].content, said[-1].content]
    assert len(contents) < 8


async def test_a_turn_with_long_results_that_are_stored_small_is_read_whole(database, session_id):
    """Sixteen of a server of tools, each as long as one may be."""
    text = " ".join(map(str, random.Random(1).choices(range(1_000), k=50_000)))
    said = [Message(role="assistant", content=text) for _ in range(16)]
    asked = Message(role="user", content="question", message_id=str(uuid4()))
    turn_id, _ = await store_turn(database, session_id, [asked, *said])
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        assert len(await history.of_turn(UUID(turn_id), UUID(asked.message_id))) == 17
        values = {"user_id": ADA.user_id, "session_id": session_id, "first": 0, "superseded_by": UUID(turn_id)}
        await connection.execute(superseded.SQL["supersede"], values)
        assert len(await superseded.read_turn(connection, ADA.user_id, session_id, UUID(turn_id))) == 17


async def test_of_the_pictures_of_a_window_the_last_are_shown_that_fit(database, session_id, monkeypatch):
    monkeypatch.setattr(history_store, "WINDOW_IMAGE_BYTES", 1_500)
    pictures = [b"\x89PNG\r\n\x1a\n" + bytes([number]) * 1_000 for number in range(4)]
    uris = ["data:image/png;base64," + base64.b64encode(each).decode() for each in pictures]
    async with database.transaction(ADA) as connection:
        history = ChatMessageHistory(connection, ADA.user_id, session_id)
        said = [Message(role="user", content=f"look {number}", images=[uri]) for number, uri in enumerate(uris)]
        await history.append(said, tokens=[1_000] * 4)
        shown = await history.window(20)
        whole = await images.put_images_back(connection, ADA.user_id, session_id, await history.page(20))
    assert [each.message.images for each in shown] == [None, None, [uris[2]], [uris[3]]]
    assert shown[0].message.content == "look 0\n\n(pictures that are not shown again: 1)"
    assert [each.tokens for each in shown] == [None, None, 1_000, 1_000], "what is not shown is not counted"
    assert [each.message.images for each in whole] == [[uri] for uri in uris]
