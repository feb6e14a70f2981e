"""What the process keeps of articles is never shown, only looked through: it follows every change, and what Postgres
itself finds is the same."""

import asyncio
import threading
from uuid import uuid4

import pytest

from chatServer import errors
from chatServer.knowledge import retrieve, stacks
from chatServer.knowledge.stacks import Stacks
from chatServer.main import running
from chatServer.records import NOBODY, Chunk
from chatServer.store import articles, bring_in
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.shelved import delete_article, put_article, retriever_of

WINDOW = 20_000


async def names(retriever, question: str, who=ADA) -> set[str]:
    return {each.name for each in await retriever.retrieve(who, question, 50, 0, window_tokens=WINDOW)}


async def test_it_follows_what_comes_changes_and_goes(database, urls):
    retriever = retriever_of(database)
    assert await names(retriever, "walrus") == set()
    first = await put_article(urls.owner, ADA.user_id, "first.txt", ["The walrus swims."])
    assert await names(retriever, "walrus") == {"first.txt"}
    second = await put_article(urls.owner, ADA.user_id, "second.txt", ["A walrus and an otter.", "And more."])
    await put_article(urls.owner, NOBODY.user_id, "shared.txt", ["Everybody's walrus."])
    assert await names(retriever, "walrus") == {"first.txt", "second.txt", "shared.txt"}
    with owner_connection(urls.owner) as owner:
        owner.execute("delete from chat.article_chunks where article_id = %s", [first])
        owner.execute("update chat.articles set chunks = 0, updated_at = now() where article_id = %s", [first])
    assert await names(retriever, "walrus") == {"second.txt", "shared.txt"}
    delete_article(urls.owner, second)
    assert await names(retriever, "walrus") == {"shared.txt"}
    assert await names(retriever, "otter") == set()
    assert await names(retriever, "walrus", EVE) == {"shared.txt"}


async def test_a_chunk_that_was_deleted_since_is_not_shown(database, urls):
    retriever = retriever_of(database)
    article = await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    assert await names(retriever, "walrus") == {"a.txt"}
    with owner_connection(urls.owner) as owner:  # as if it happened after the list was read
        owner.execute("delete from chat.article_chunks where article_id = %s", [article])
    assert await names(retriever, "walrus") == set()


@pytest.mark.parametrize("question", ["the walrus of Lisbon", "насосами", "sea animals", "Grüße", "1911"])
async def test_postgres_finds_the_same_where_nothing_is_kept(database, urls, question, monkeypatch):
    texts = [
        "The walrus swims near Lisbon.",
        "Насос стоит в подвале.",
        "Viele Grüße aus Köln.",
        "Laid in 1911.",
        "Cod.",
    ]
    for number, text in enumerate(texts):
        await put_article(urls.owner, ADA.user_id, f"{number}.txt", [text, f"Something else {number}."])
    await put_article(urls.owner, NOBODY.user_id, "all.txt", ["Whales and walruses are animals of the sea."])
    retriever = retriever_of(database)
    kept = await retriever.retrieve(ADA, question, 50, 0, window_tokens=WINDOW)
    monkeypatch.setattr(retrieve, "MAX_KEPT_CHUNKS", 0)
    asked = await retriever.retrieve(ADA, question, 50, 0, window_tokens=WINDOW)
    assert kept
    assert [each.name for each in asked] == [each.name for each in kept]
    assert [each.score for each in asked] == pytest.approx([each.score for each in kept], abs=0.02)


async def test_it_keeps_no_more_than_there_is_room_for(database, urls, monkeypatch):
    retriever = retriever_of(database)
    retriever._stacks = Stacks(database, max_bytes=1)
    for who, name in ((ADA, "ada"), (EVE, "eve"), (NOBODY, "all")):
        await put_article(urls.owner, who.user_id, f"{name}.txt", [f"The walrus of {name}."] * 20)
    for _ in range(2):
        assert await names(retriever, "walrus") == {"ada.txt", "all.txt"}
        assert await names(retriever, "walrus", EVE) == {"eve.txt", "all.txt"}
    assert set(retriever._stacks._kept) == {EVE.user_id, NOBODY.user_id}  # everybody's serve every question


async def test_questions_at_once_wait_for_one_load(database, urls, monkeypatch):
    await put_article(urls.owner, NOBODY.user_id, "all.txt", ["Everybody's walrus."])
    loads, load = [], stacks.store.load_chunks

    async def counted(connection, owner, ids, **rest):
        loads.append(owner)
        return await load(connection, owner, ids, **rest)

    monkeypatch.setattr(stacks.store, "load_chunks", counted)
    retriever = retriever_of(database)
    answers = await asyncio.gather(*(names(retriever, "walrus", who) for who in (ADA, EVE) * 4))
    assert answers == [{"all.txt"}] * 8
    assert loads == [NOBODY.user_id]


async def test_an_upload_that_is_not_read_yet_loads_nothing_anew(database, urls):
    article_id = await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    retriever = retriever_of(database)
    assert await names(retriever, "walrus") == {"a.txt"}
    kept = retriever._stacks._kept[ADA.user_id]
    async with database.transaction(ADA) as connection:
        await articles.put_article(connection, ADA.user_id, uuid4(), articles.Unread("a.txt", "text/plain", 1, "y"))
    async with database.transaction(ADA) as connection:
        reading = await articles.begin_reading(connection, ADA.user_id, article_id)
    assert await names(retriever, "walrus") == {"a.txt"}
    assert retriever._stacks._kept[ADA.user_id] is kept
    otters = Chunk(0, "The otter swims.", 5)
    found = articles.Found("a.txt", None, [otters], [articles.words_of("a.txt", otters)], None, [])
    async with database.transaction(ADA) as connection:
        assert await articles.make_ready(connection, ADA.user_id, reading, found)
    assert await names(retriever, "otter") == {"a.txt"}


async def test_more_text_of_an_article_that_is_imported_is_found_at_once(database, urls):
    article_id = await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    retriever = retriever_of(database)
    assert await names(retriever, "walrus") == {"a.txt"}
    row = {"article_id": str(article_id), "content_hash": "x", "position": 1, "page": None, "heading": "", "whole": 0}
    async with database.transaction(ADA) as connection:
        rows = [row | {"text": "An otter.", "tokens": 3, "words": ["otter"]}]
        assert await bring_in.add_rows(connection, ADA.user_id, "article_chunks", rows) == 1
    assert await names(retriever, "otter") == {"a.txt"}


async def test_a_load_that_fails_is_tried_again_by_the_next_question(database, urls, monkeypatch):
    await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    retriever, load = retriever_of(database), stacks.store.load_chunks

    async def fails(*_, **__):
        raise errors.DatabaseUnavailable

    monkeypatch.setattr(stacks.store, "load_chunks", fails)
    with pytest.raises(errors.DatabaseUnavailable):
        await names(retriever, "walrus")
    monkeypatch.setattr(stacks.store, "load_chunks", load)
    assert await names(retriever, "walrus") == {"a.txt"}


async def test_no_connection_is_held_while_passages_are_counted(database, urls, monkeypatch):
    monkeypatch.setattr(retrieve, "LONG_CHARS", 0)
    await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    counts, go_on = threading.Event(), threading.Event()

    def as_read(text: str) -> str:
        counts.set()
        go_on.wait(30)
        return text

    asked = asyncio.create_task(retriever_of(database).retrieve(ADA, "walrus", window_tokens=WINDOW, as_read=as_read))
    try:
        assert await asyncio.to_thread(counts.wait, 30)
        used = database.usage()
        assert used.free == used.size
    finally:
        go_on.set()
    assert [each.name for each in await asked] == ["a.txt"]


async def test_many_chunks_are_made_numbers_of_with_no_connection_held(database, urls, monkeypatch):
    await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    held, of = [], retrieve.Seen.of

    def watched(*given):
        held.append(database.usage().size - database.usage().free)
        return of(*given)

    monkeypatch.setattr(retrieve, "MAX_KEPT_CHUNKS", 0)
    monkeypatch.setattr(retrieve.Seen, "of", watched)
    assert await names(retriever_of(database), "walrus") == {"a.txt"}
    assert held == [0]


async def test_what_is_being_loaded_ends_when_the_server_does(database, urls, monkeypatch):
    await put_article(urls.owner, ADA.user_id, "a.txt", ["The walrus swims."])
    retriever, loading = retriever_of(database), asyncio.Event()

    async def never(*_, **__):
        loading.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(stacks.store, "load_chunks", never)
    asking = asyncio.create_task(names(retriever, "walrus"))
    await asyncio.wait_for(loading.wait(), 30)
    await retriever.close()
    assert [task for task in asyncio.all_tasks() if task.get_name() == "retrieval's load"] == []
    with pytest.raises(asyncio.CancelledError):
        await asking
    async with asyncio.timeout(30):  # the pool may just be making one more connection
        while (usage := database.usage()).size != usage.free:
            await asyncio.sleep(0.05)


async def test_a_server_that_ends_loads_nothing_any_more(settings, monkeypatch):
    close, closed = Stacks.close, []

    async def watched(self):
        closed.append(self)
        await close(self)

    monkeypatch.setattr(Stacks, "close", watched)
    async with running(settings):
        assert closed == []
    assert len(closed) == 1
