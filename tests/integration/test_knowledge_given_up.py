"""An article that no job will read any more says so; one whose vectors take long is stored without them."""

import asyncio
import uuid

import pytest

from chatServer import errors
from chatServer.knowledge import ingest as ingesting
from chatServer.knowledge.ingest import ingest
from chatServer.store import queue as queues
from chatServer.store.queue import Queue
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, rows
from tests.tools.embedding import Stand
from tests.tools.knowledge import left_behind, library_of, upload
from tests.tools.turns import eventually
from tests.tools.working import QUICK, no_model, working

FAILED = "select count(*) from procrastinate.procrastinate_jobs where task_name = 'ingest' and status = 'failed'"
GIVING_UP = "select count(*) from procrastinate.procrastinate_jobs where task_name = 'give_up_article'"
STATES = "select name, state, error_code from chat.articles order by name"


async def sweep(database, urls, tasks) -> None:
    async with Queue(urls.app, tasks, QUICK) as queue:
        await queue._sweep(0)


async def test_what_could_not_be_read_in_all_its_runs_says_so_and_lets_its_file_go(
    client, database, urls, as_ada, monkeypatch
):
    monkeypatch.setattr(queues, "BACKOFF_S", 0)
    monkeypatch.setattr(queues, "MAX_RUNS", 1)
    answer = await upload(client, as_ada, ("a.txt", b"One."), ("b.txt", b"Two."))

    async def breaks(**_: str) -> None:
        raise RuntimeError

    async def has_failed(count: int) -> bool:
        return rows(urls, FAILED) == [(count,)]

    tasks = dict(Workshop(database, no_model).tasks()) | {"ingest": breaks}
    async with working(database, tasks):
        await eventually(lambda: has_failed(2))
    await upload(client, as_ada, ("b.txt", b"Anew."))  # it has a job of its own
    await sweep(database, urls, tasks)  # as the worker may have done before

    async def reads_nothing(**_: str) -> None:
        pass

    async with working(database, tasks | {"ingest": reads_nothing}):
        await eventually(lambda: is_given_up(urls))
    assert rows(urls, STATES) == [("a.txt", "failed", "gave_up"), ("b.txt", "waiting", None)]
    assert left_behind(urls) == (1, 0)
    told = (await client.get(f"/api/knowledge/{answer.json()['article']['id']}", headers=as_ada)).json()
    assert told["error"].endswith("Upload it again.")


async def is_given_up(urls) -> bool:
    return rows(urls, GIVING_UP) == [(0,)]


async def test_what_was_uploaded_after_the_failure_is_not_given_up(client, database, urls, as_ada):
    answer = await upload(client, as_ada, ("a.txt", b"One."))
    [(before,)] = rows(urls, "select updated_at - interval '1 s' from chat.articles")
    await ingesting.give_up(database, ADA, uuid.UUID(answer.json()["article"]["id"]), before)
    assert rows(urls, STATES) == [("a.txt", "waiting", None)]


async def test_while_the_embedder_is_away_no_file_waits_for_the_vectors_of_another(client, database, urls, as_ada):
    await upload(client, as_ada, ("a.txt", b"One."), ("b.txt", b"Two."), ("c.txt", b"Three."))
    embedder = Stand(fails=True)

    async def all_are(state: str) -> bool:
        return rows(urls, STATES) == [(name, state, None) for name in ("a.txt", "b.txt", "c.txt")]

    async def none_lacks_a_vector() -> bool:
        return rows(urls, "select count(*), count(vec) from chat.article_chunks") == [(3, 3)]

    async with working(database, Workshop(database, no_model, embedder=embedder).tasks()):
        await eventually(lambda: all_are("ready"), within_s=15)  # a minute and more, if they waited
        embedder.fails = False
        await eventually(none_lacks_a_vector)


async def test_a_slow_embedder_does_not_keep_an_article_from_being_stored(client, database, urls, as_ada, monkeypatch):
    monkeypatch.setattr(ingesting, "EMBED_S", 0.1)

    class Slow(Stand):
        async def embed(self, texts):
            await asyncio.sleep(60)

    answer = await upload(client, as_ada, ("a.txt", b"One."))
    library = ingesting.Library(database, library_of(database).count, Slow())
    with pytest.raises(errors.EmbedderFailed):  # the next run goes on with the vectors alone
        await ingest(library, ADA, uuid.UUID(answer.json()["article"]["id"]))
    assert rows(urls, STATES) == [("a.txt", "ready", None)]
    assert left_behind(urls) == (0, 1)
