"""Articles over HTTP: uploaded, read by a worker, replaced, listed, deleted; and nobody else's."""

import asyncio
import uuid
from datetime import timedelta

import pytest

from chatServer import errors
from chatServer.knowledge import ingest as ingesting
from chatServer.knowledge import shelf
from chatServer.knowledge.ingest import ingest
from chatServer.memory.reembed import reembed
from chatServer.records import NOBODY
from tests.conftest import ADA, EVE, bearer, owner_connection, rows
from tests.tools.embedding import Stand
from tests.tools.files import pdf
from tests.tools.knowledge import left_behind, library_of, read_all, text_of, upload
from tests.tools.turns import eventually
from tests.tools.working import is_empty, working

GUIDE = b"# Guide\n\nBadges open the gate.\n\n## Lunch\n\nLunch is at noon.\n"
JOBS = "select args ->> 'article_id' from procrastinate.procrastinate_jobs where task_name = 'ingest' order by id"


async def articles_of(client, headers) -> list[dict]:
    return (await client.get("/api/knowledge", headers=headers)).json()["articles"]


async def test_an_upload_is_accepted_read_and_answers(client, database, urls, as_ada):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    assert answer.status_code == 202
    article = answer.json()["article"]
    assert article["state"] == "waiting"
    assert (article["name"], article["media_type"], article["chunks"]) == ("guide.md", "text/markdown", 0)
    assert rows(urls, JOBS) == [(article["id"],)]
    await read_all(database, ADA, answer)
    (read,) = await articles_of(client, as_ada)
    assert (await client.get(f"/api/knowledge/{article['id']}", headers=as_ada)).json() == read
    assert (read["state"], read["title"], read["chunks"], read["error"]) == ("ready", "Guide", 1, None)
    assert read["tokens"] > 0
    assert text_of(urls, "guide.md") == GUIDE.decode()
    assert left_behind(urls) == (0, 1)
    assert rows(urls, "select embed_model, vec is not null, tsv @@ 'badg' from chat.article_chunks") == [
        ("wordllama", True, True)
    ]


async def test_several_files_come_at_once_and_each_is_what_it_is(client, database, urls, as_ada):
    page = b"<html><head><title>Hours</title></head><body><h1>Open</h1><p>From nine to five.</p></body></html>"
    files = [
        ("a.pdf", pdf("First page.", "Second page.", title="Two pages")),
        ("b.html", page),
        ("c", "Grüße".encode()),
    ]
    answer = await upload(client, as_ada, *files)
    await read_all(database, ADA, answer)
    found = {each["name"]: each for each in await articles_of(client, as_ada)}
    assert {name: (each["title"], each["media_type"], each["pages"]) for name, each in found.items()} == {
        "a.pdf": ("Two pages", "application/pdf", 2),
        "b.html": ("Hours", "text/html", None),
        "c": ("c", "text/plain", None),
    }
    assert rows(urls, "select page, text from chat.article_chunks where page is not null order by position") == [
        (1, "First page.\n\n"),
        (2, "Second page."),
    ]
    assert (text_of(urls, "b.html"), text_of(urls, "c")) == ("# Open\n\nFrom nine to five.", "Grüße")


async def test_a_worker_reads_it_and_tells_how_far_it_is(client, database, urls, as_ada):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    async with working(database):
        await eventually(lambda: is_empty(urls))
    told = [data for (data,) in rows(urls, "select data from chat.user_events where kind = 'knowledge' order by seq")]
    article_id = answer.json()["article"]["id"]
    assert [(each["article_id"], each["state"]) for each in told] == [
        (article_id, state) for state in ("waiting", "reading", "ready")
    ]
    assert (told[-1]["done"], told[-1]["total"]) == (1, 1)


async def test_a_charset_that_is_none_is_said(client, as_ada):
    headers = as_ada | {"content-type": "multipart/form-data; boundary=b; charset=undefined"}
    content = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n'
    answer = await client.post("/api/knowledge", headers=headers, content=content)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


async def test_a_body_that_is_cut_off_is_refused_whole(client, urls, as_ada):
    headers = as_ada | {"content-type": "multipart/form-data; boundary=b"}
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="%d.txt"\r\n\r\nhello\r\n'
    whole = part % 1 + part % 2 + b"--b--\r\n"
    for size in range(len(part % 1), len(whole) - 2, 9):
        answer = await client.post("/api/knowledge", headers=headers, content=whole[:size])
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), size
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]
    for end in (b"--b--\r\n", b"--b--", b"--b--\r\nwhatever comes then"):
        answer = await client.post("/api/knowledge", headers=headers, content=part % 1 + end)
        assert answer.status_code == 202, end


async def test_progress_is_told_while_it_is_embedded(client, database, urls, as_ada, monkeypatch):
    monkeypatch.setattr(ingesting, "TELL_EVERY_S", 0)
    monkeypatch.setattr(ingesting, "BATCH", 1)
    answer = await upload(client, as_ada, ("long.txt", b"A sentence of some words. " * 200))
    await read_all(database, ADA, answer)
    told = [data for (data,) in rows(urls, "select data from chat.user_events order by seq")]
    shown = [(each["done"], each["total"]) for each in told if each["state"] == "reading" and each["total"]]
    assert shown == [(done, shown[0][1]) for done in range(shown[0][1])]
    assert len(shown) > 2


async def test_the_same_name_replaces_and_the_old_text_answers_until_then(client, database, urls, as_ada):
    first = await upload(client, as_ada, ("guide.md", GUIDE))
    await read_all(database, ADA, first)
    second = await upload(client, as_ada, ("guide.md", b"# Guide\n\nKeys open the gate."))
    article = second.json()["article"]
    assert article["id"] == first.json()["article"]["id"]
    assert (article["state"], article["chunks"]) == ("waiting", 1)
    assert text_of(urls, "guide.md") == GUIDE.decode()
    await read_all(database, ADA, second)
    assert text_of(urls, "guide.md") == "# Guide\n\nKeys open the gate."
    assert len(await articles_of(client, as_ada)) == 1


async def test_a_replacement_that_cannot_be_read_leaves_the_old_text(client, database, urls, as_ada):
    await read_all(database, ADA, await upload(client, as_ada, ("a.pdf", pdf("Good."))))
    answer = await upload(client, as_ada, ("a.pdf", pdf("Bad.", password="secret")))
    await read_all(database, ADA, answer)
    (article,) = await articles_of(client, as_ada)
    assert (article["state"], article["error_code"], article["chunks"]) == ("failed", "encrypted_file", 1)
    assert text_of(urls, "a.pdf") == "Good."
    await read_all(database, ADA, await upload(client, as_ada, ("a.pdf", pdf("Better."))))
    (article,) = await articles_of(client, as_ada)
    assert (article["state"], article["error"], text_of(urls, "a.pdf")) == ("ready", None, "Better.")


async def test_the_same_file_again_is_nothing_new(client, database, urls, as_ada):
    first = await upload(client, as_ada, ("guide.md", GUIDE))
    again = await upload(client, as_ada, ("guide.md", GUIDE))
    assert again.status_code == 202
    assert again.json() == first.json()
    assert len(rows(urls, JOBS)) == 1
    await read_all(database, ADA, first)
    assert (await upload(client, as_ada, ("guide.md", GUIDE))).json()["article"]["state"] == "ready"
    assert len(rows(urls, JOBS)) == 1


async def test_the_same_file_again_is_read_when_the_last_one_waits_in_vain(client, urls, as_ada, monkeypatch):
    numbers = JOBS.replace("args ->> 'article_id'", "id")
    await upload(client, as_ada, ("guide.md", GUIDE))
    [(first,)] = rows(urls, numbers)
    monkeypatch.setattr(shelf, "WAITS_FOR", timedelta(seconds=-60))
    await upload(client, as_ada, ("guide.md", GUIDE))
    [(second,)] = rows(urls, numbers)
    assert second > first, "another job, in the place of that"
    assert left_behind(urls) == (1, 0)


async def test_the_same_file_again_is_read_when_no_text_of_it_is_there(client, database, urls, as_ada):
    await read_all(database, ADA, await upload(client, as_ada, ("guide.md", GUIDE)))
    document = (await client.get("/api/account/export", headers=as_ada)).json() | {"article_chunks": []}
    (article,) = document["articles"]
    await client.delete(f"/api/knowledge/{article['article_id']}", headers=as_ada)
    assert (await client.post("/api/account/import", json=document, headers=as_ada)).status_code == 200
    (found,) = await articles_of(client, as_ada)
    assert (found["state"], found["error_code"], found["chunks"]) == ("failed", "not_read", 0)
    with owner_connection(urls.owner) as owner:  # as imports left it before they said so
        owner.execute("update chat.articles set state = 'ready', error_code = null, error = null")
    await read_all(database, ADA, await upload(client, as_ada, ("guide.md", GUIDE)))
    assert text_of(urls, "guide.md") == GUIDE.decode()


async def test_two_files_of_one_name_are_refused_together(client, urls, as_ada):
    files = ("a.txt", b"One."), ("b.txt", b"Two."), ("notes/a.txt", b"Three.")
    answer = await upload(client, as_ada, *files)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert 'the document "a.txt"' in answer.json()["detail"]
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]


async def test_a_job_that_runs_again_does_it_once(client, database, urls, as_ada):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    article_id = uuid.UUID(answer.json()["article"]["id"])
    async with database.transaction(ADA) as connection:  # as a worker that was killed in the middle left it
        await connection.execute("update chat.articles set state = 'reading'")
    for _ in range(3):
        await ingest(library_of(database), ADA, article_id)
    states = [data["state"] for (data,) in rows(urls, "select data from chat.user_events order by seq")]
    assert states == ["waiting", "reading", "ready"]
    assert left_behind(urls) == (0, 1)


async def test_what_is_uploaded_while_the_last_is_read_wins(client, database, urls, as_ada, monkeypatch):
    first = await upload(client, as_ada, ("guide.md", GUIDE))
    make = ingesting.make

    async def made_slowly(*given):
        found = await make(*given)
        await upload(client, as_ada, ("guide.md", b"Newer."))
        return found

    monkeypatch.setattr(ingesting, "make", made_slowly)
    await read_all(database, ADA, first)
    assert text_of(urls, "guide.md") == ""  # the older one came too late
    monkeypatch.setattr(ingesting, "make", make)
    await read_all(database, ADA, first)
    assert text_of(urls, "guide.md") == "Newer."


async def test_deleting_takes_chunks_and_vectors_along_also_while_it_reads(client, database, urls, as_ada, monkeypatch):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    await read_all(database, ADA, answer)
    address = f"/api/knowledge/{answer.json()['article']['id']}"
    assert (await client.delete(address, headers=as_ada)).status_code == 204
    assert left_behind(urls) == (0, 0)
    assert (await client.delete(address, headers=as_ada)).json()["code"] == "article_not_found"
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    make = ingesting.make

    async def deleted_meanwhile(*given):
        await client.delete(f"/api/knowledge/{answer.json()['article']['id']}", headers=as_ada)
        return await make(*given)

    monkeypatch.setattr(ingesting, "make", deleted_meanwhile)
    await read_all(database, ADA, answer)
    assert left_behind(urls) == (0, 0)
    assert rows(urls, "select count(*) from chat.articles") == [(0,)]


async def test_nobody_reads_or_deletes_anothers_article(client, database, urls, as_ada, as_eve):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    await read_all(database, ADA, answer)
    address = f"/api/knowledge/{answer.json()['article']['id']}"
    unknown = f"/api/knowledge/{uuid.uuid4()}"
    for method in ("GET", "DELETE"):
        assert (await client.request(method, address)).status_code == 401
        foreign, missing = [await client.request(method, each, headers=as_eve) for each in (address, unknown)]
        assert foreign.status_code == missing.status_code == 404
        bodies = [{**each.json(), "request_id": ""} for each in (foreign, missing)]
        assert bodies[0] == bodies[1]
        assert bodies[0]["code"] == "article_not_found"
    assert await articles_of(client, as_eve) == []
    await ingest(library_of(database), EVE, uuid.UUID(answer.json()["article"]["id"]))
    assert text_of(urls, "guide.md") == GUIDE.decode()


async def test_a_name_of_ones_own_is_not_anothers(client, database, urls, as_ada, as_eve):
    await read_all(database, ADA, await upload(client, as_ada, ("a.txt", b"Ada's.")))
    answer = await upload(client, as_eve, ("a.txt", b"Eve's."))
    await read_all(database, EVE, answer)
    assert sorted(rows(urls, "select text from chat.article_chunks")) == [("Ada's.",), ("Eve's.",)]


async def test_shared_articles_are_everybodys_to_read_and_nobodys_to_change(client, database, urls, as_ada, tmp_path):
    path = tmp_path / "rules.txt"
    path.write_bytes(b"Everybody may read this.")

    async def nothing(*_) -> None: ...

    with path.open("rb") as file:
        await shelf.add(library_of(database), NOBODY, shelf.look_at("rules.txt", file), file, nothing)
    (article,) = await articles_of(client, as_ada)
    assert (article["shared"], article["state"]) == (True, "ready")
    address = f"/api/knowledge/{article['id']}"
    assert (await client.get(address, headers=as_ada)).json() == article
    assert (await client.delete(address, headers=as_ada)).status_code == 403
    own = await upload(client, as_ada, ("rules.txt", b"My own rules."))
    await read_all(database, ADA, own)
    assert {each["shared"] for each in await articles_of(client, as_ada)} == {True, False}
    async with database.transaction(ADA) as connection:
        for statement in ("delete from chat.article_chunks", "update chat.article_chunks set text = 'hacked'"):
            await connection.execute(f"{statement} where user_id = '{NOBODY.user_id}'")
    assert "Everybody may read this." in [text for (text,) in rows(urls, "select text from chat.article_chunks")]


async def test_no_token_makes_anybody_the_one_to_whom_shared_articles_belong(client, settings):
    answer = await upload(client, bearer(settings, NOBODY.user_id), ("a.txt", b"Everybody, obey."))
    assert answer.status_code == 401


async def test_pages_follow_each_other(client, database, as_ada):
    for number in range(5):
        await upload(client, as_ada, (f"{number}.txt", b"x"))
    names, before = [], None
    while True:
        params = {"limit": 2} | ({"before": before} if before else {})
        page = (await client.get("/api/knowledge", headers=as_ada, params=params)).json()
        names += [each["name"] for each in page["articles"]]
        before = page["before"]
        if before is None:
            break
    assert names == ["4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]


# Limits --------------------------------------------------------------------------------------------------


async def test_a_user_has_so_many_articles_and_chunks(database, urls, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"Some words of text. " * 100)
    library = library_of(database, max_articles=2, max_chunks=2)
    with path.open("rb") as file:
        for name in ("a.txt", "b.txt", "a.txt"):
            (article,) = await shelf.put(library, ADA, (shelf.look_at(name, file), file))
            await ingest(library, ADA, article.article_id)
        with pytest.raises(errors.TooManyArticles):
            await shelf.put(library, ADA, (shelf.look_at("c.txt", file), file))
    assert rows(urls, "select name, state, error_code, chunks from chat.articles order by name") == [
        ("a.txt", "ready", None, 2),
        ("b.txt", "failed", "too_many_chunks", 0),
    ]
    assert left_behind(urls) == (0, 2)


async def test_a_user_has_so_much_that_waits(client, urls, as_ada, monkeypatch):
    monkeypatch.setattr(shelf, "MAX_WAITING_BYTES", 100)
    assert (await upload(client, as_ada, ("a.txt", b"x" * 90))).status_code == 202
    answer = await upload(client, as_ada, ("b.txt", b"x" * 90))
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (429, "rate_limited", "30")
    assert left_behind(urls) == (1, 0)


# Embedding -----------------------------------------------------------------------------------------------


async def test_an_embedder_that_fails_leaves_words_and_the_next_run_makes_vectors(client, database, urls, as_ada):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    article_id = uuid.UUID(answer.json()["article"]["id"])
    library = library_of(database)
    with pytest.raises(errors.EmbedderFailed):
        await ingest(ingesting.Library(database, library.count, Stand(fails=True)), ADA, article_id)
    assert rows(urls, "select state from chat.articles") == [("ready",)]
    assert rows(urls, "select vec is null, embed_model from chat.article_chunks") == [(True, None)]
    await ingest(library, ADA, article_id)
    assert rows(urls, "select vec is null, embed_model from chat.article_chunks") == [(False, "wordllama")]


async def test_reembedding_makes_the_vectors_of_articles_anew_shared_ones_too(client, database, urls, as_ada, tmp_path):
    await read_all(database, ADA, await upload(client, as_ada, ("guide.md", GUIDE)))
    path = tmp_path / "rules.txt"
    path.write_bytes(b"Everybody may read this.")

    async def nothing(*_) -> None: ...

    with path.open("rb") as file:
        await shelf.add(library_of(database), NOBODY, shelf.look_at("rules.txt", file), file, nothing)
    done = await reembed(database, Stand())
    assert done.chunks == 2
    assert rows(urls, "select distinct embed_model from chat.article_chunks") == [("stand:in",)]


async def test_nothing_holds_a_connection_while_a_file_is_read(client, database, as_ada, monkeypatch):
    answer = await upload(client, as_ada, ("guide.md", GUIDE))
    read, free = ingesting.read, []

    async def watched(*given):
        await asyncio.sleep(0)
        free.append(database.usage().size - database.usage().free)
        return await read(*given)

    monkeypatch.setattr(ingesting, "read", watched)
    await read_all(database, ADA, answer)
    assert free == [0]
