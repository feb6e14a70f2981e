"""Reading an article leaves alone what it has no business with: the loop, later uploads, what is gone; and it ends."""

import io
import threading
import time
import uuid

import pytest

from chatServer import errors
from chatServer.account.erase import erase
from chatServer.knowledge import ingest as ingesting
from chatServer.knowledge import read as reading
from chatServer.knowledge import shelf
from chatServer.knowledge.ingest import ingest
from chatServer.store.pool import asked_at
from tests.conftest import ADA, rows
from tests.tools.embedding import Stand
from tests.tools.knowledge import left_behind, library_of, read_all, upload

GUIDE = b"# Guide\n\nBadges open the gate.\n"


def article_of(answer) -> uuid.UUID:
    return uuid.UUID(answer.json()["article"]["id"])


async def test_what_was_read_is_taken_in_beside_the_loop(client, database, as_ada, monkeypatch):
    clean_text, threads = reading.clean_text, set()

    def watched(text):
        threads.add(threading.current_thread())
        return clean_text(text)

    monkeypatch.setattr(reading, "clean_text", watched)
    await read_all(database, ADA, await upload(client, as_ada, ("guide.md", GUIDE)))
    assert threads
    assert threading.main_thread() not in threads


async def test_an_article_that_is_gone_lacks_no_vectors(client, database, urls, as_ada, monkeypatch):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    make = ingesting.make

    async def deleted_meanwhile(*given):
        await client.delete(f"/api/knowledge/{article_of(answer)}", headers=as_ada)
        return await make(*given)

    monkeypatch.setattr(ingesting, "make", deleted_meanwhile)
    library = ingesting.Library(database, library_of(database).count, Stand(fails=True))
    await ingest(library, ADA, article_of(answer))  # a job that failed would run again, for nothing
    assert left_behind(urls) == (0, 0)


async def test_of_an_article_that_comes_back_while_it_is_deleted_nobody_says_that_it_is_everybodys(
    client, as_ada, monkeypatch
):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))

    async def not_there(*_):
        return False

    monkeypatch.setattr(shelf.articles, "delete_article", not_there)
    deleted = await client.delete(f"/api/knowledge/{article_of(answer)}", headers=as_ada)
    assert (deleted.status_code, deleted.json()["code"]) == (404, "article_not_found")


async def test_progress_of_an_older_upload_leaves_the_newer_one_waiting(client, database, urls, as_ada, monkeypatch):
    monkeypatch.setattr(ingesting, "TELL_EVERY_S", 0)
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    read = ingesting.read

    async def replaced_meanwhile(*given):
        await upload(client, as_ada, ("guide.md", b"Newer."))
        return await read(*given)

    monkeypatch.setattr(ingesting, "read", replaced_meanwhile)
    await read_all(database, ADA, answer)
    assert rows(urls, "select state, version from chat.articles") == [("waiting", 2)]


async def test_an_upload_that_began_before_an_erasure_is_refused(database, urls):
    token = asked_at.set(time.monotonic())  # as every request does when it comes
    try:
        await erase(database, ADA)
        with io.BytesIO(GUIDE) as file, pytest.raises(errors.Erased):
            await shelf.put(library_of(database), ADA, (shelf.look_at("guide.md", file), file))
    finally:
        asked_at.reset(token)
    assert (rows(urls, "select name from chat.articles"), left_behind(urls)) == ([], (0, 0))


async def test_of_several_files_all_are_stored_or_none(client, urls, as_ada, monkeypatch):
    monkeypatch.setattr(shelf, "MAX_WAITING_BYTES", 20)
    answer = await upload(client, as_ada, ("c.txt", b"3" * 9), ("b.txt", b"2" * 9), ("a.txt", b"1" * 9))
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert rows(urls, "select name from chat.articles") == []
    answer = await upload(client, as_ada, ("c.txt", b"3" * 9), ("b.txt", b"2" * 9))
    assert [each["name"] for each in answer.json()["articles"]] == ["c.txt", "b.txt"]
    answer = await upload(client, as_ada, ("d.txt", b"4"), ("e.txt", b"5" * 2))
    assert answer.status_code == 429
    assert rows(urls, "select name from chat.articles order by name") == [("b.txt",), ("c.txt",)]
    assert left_behind(urls) == (2, 0)
