"""What follows a turn costs no more than it has to: no job with nothing to do, and few conversations with Postgres."""

import uuid

import psycopg

from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.store import jobs, sessions
from chatServer.store.pool import Database
from chatServer.store.queue import OPTIONS
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, rows
from tests.tools.remembering import say
from tests.tools.talking import talking
from tests.tools.turns import eventually, queued, title_of
from tests.tools.working import is_empty, no_model, working

DOG = "The user's dog is named Biscuit."
NOTED = "select text from chat.memories where embed_model = 'wordllama'"
FETCH = "select id from procrastinate_fetch_job_v2('{chat}'::varchar[], null)"
EMBEDDED = "select count(*) from chat.message_index where place is not null and embed_model = 'wordllama'"


async def test_where_memory_is_off_a_turn_leaves_a_job_for_the_title_and_else_none(settings, as_ada, urls):
    async with talking(settings, as_ada, worker="off") as client:
        for title, left in (("Plans", 0), (None, 1)):
            made = await client.post("/api/sessions", json={"memory": "off", "title": title})
            body = {"session_id": made.json()["session_id"], "message": "I keep bees."}
            assert (await client.post("/api/chat", json=body)).status_code == 200
            assert len(queued(urls)) == left
        made = await client.post("/api/sessions", json={"title": "Memories"})
        await client.post("/api/chat", json={"session_id": made.json()["session_id"], "message": "I keep bees."})
        assert len(queued(urls)) == 2, "with memory there is something to do"


async def test_what_was_said_without_memory_gets_vectors_when_it_is_switched_on(settings, as_ada, database, urls):
    async with talking(settings, as_ada, worker="off") as client:
        made = await client.post("/api/sessions", json={"memory": "off", "title": "Plans"})
        url, body = f"/api/sessions/{made.json()['session_id']}", {"session_id": made.json()["session_id"]}
        for number in range(10):
            assert (await client.post("/api/chat", json=body | {"message": f"I keep {number} bees."})).is_success
        for memory, left in (("off", 0), ("on", 1), ("on", 1)):
            assert (await client.patch(url, json={"memory": memory})).is_success
            assert len(queued(urls)) == left, "once, when it changes"
    assert rows(urls, EMBEDDED) == [(0,)]
    async with working(database, Workshop(database, no_model, embedder=WordLlamaEmbedder()).tasks()):
        await eventually(lambda: is_empty(urls))
    assert rows(urls, EMBEDDED) == [(20,)]


async def test_what_somebody_notes_or_corrects_himself_is_found_by_its_meaning_before_he_says_anything(
    settings, as_ada, database, urls
):
    async def made_vectors() -> list[str]:
        async with working(database, Workshop(database, no_model, embedder=WordLlamaEmbedder()).tasks()):
            await eventually(lambda: is_empty(urls))
        return [text for (text,) in rows(urls, NOTED)]

    async with talking(settings, as_ada, worker="off") as client:
        url = f"/api/memories/{(await client.post('/api/memories', json={'text': DOG})).json()['id']}"
        assert rows(urls, NOTED) == []
        assert await made_vectors() == [DOG]
        for other, left in (({"text": "The user's bird is named Pip."}, 1), ({"importance": 0.9}, 0)):
            assert (await client.patch(url, json=other)).is_success
            assert len(queued(urls)) == left
            assert await made_vectors() == ["The user's bird is named Pip."]
        for text in ("The user's bird is named Pip.", DOG):
            assert (await client.post(f"{url}/undo")).json()["text"] == text
            assert await made_vectors() == [text]
        assert (await client.post(f"{url}/undo")).status_code == 204, "that it was made"
        assert queued(urls) == []


async def test_however_often_somebody_changes_something_between_turns_one_job_waits(settings, as_ada, urls):
    async with talking(settings, as_ada, worker="off") as client:
        memory = f"/api/memories/{(await client.post('/api/memories', json={'text': DOG})).json()['id']}"
        for number in range(5):
            assert (await client.patch(memory, json={"text": f"The user has {number} birds."})).is_success
        assert len(queued(urls)) == 1
        session = f"/api/sessions/{(await client.post('/api/sessions', json={'memory': 'off'})).json()['session_id']}"
        for change in ("on", "off") * 3:
            assert (await client.patch(session, json={"memory": change})).is_success
        assert len(queued(urls)) == 2, "one after the session's own"


async def test_a_job_that_waits_is_not_fetched_before_what_is_left_to_it_is_there(database, urls):
    async with database.transaction(ADA) as connection:
        await jobs.enqueue_noticing(connection)
    with psycopg.connect(urls.app, options=OPTIONS) as worker:
        async with database.transaction(ADA) as connection:
            await jobs.enqueue_noticing(connection)
            await connection.flush()
            assert worker.execute(FETCH).fetchone() == (None,)
        assert worker.execute(FETCH).fetchone() == (1,)
        async with database.transaction(ADA) as connection:  # that worker may have looked already
            await jobs.enqueue_noticing(connection)
    assert queued(urls) == [("doing", 0), ("todo", 0)]


async def test_after_a_turn_all_is_looked_at_in_one_transaction_and_written_in_another(database, urls, monkeypatch):
    begun, begin = [], Database.transaction

    def counted(*given, **how):
        begun.append(given)
        return begin(*given, **how)

    work, session_id, taken = Workshop(database, no_model, embedder=WordLlamaEmbedder()), str(uuid.uuid4()), []
    monkeypatch.setattr(Database, "transaction", counted)
    for number in range(6):
        turn_id = await say(database, f"What about puffins, part {number}?", session_id=session_id)
        begun.clear()
        await work.after_turn(str(ADA.user_id), str(turn_id))
        taken.append(len(begun))
    # The first gives a title, and a summary is made with the third and the fifth. Short questions have one more: they
    # may correct what was told before.
    assert taken[1:] == [3, 5, 3, 5, 3], taken
    assert rows(urls, "select count(*) from chat.turns where revision_state = 'done'") == [(6,)]
    assert rows(urls, EMBEDDED) == [(12,)]
    assert await title_of(database, ADA, session_id)


async def test_what_was_looked_at_is_read_though_the_pool_has_closed_its_connection(urls, settings):
    """As it does with each that is an hour old; here with all. How a moment is written, only an open one tells."""
    database, session_id = Database(urls.app, settings), str(uuid.uuid4())
    database._pool.max_lifetime = 0
    async with database:
        async with database.transaction(ADA) as connection:
            await sessions.insert_session(connection, ADA.user_id, session_id, "assistant", memory="off")
        turn_id = await say(database, "What about puffins?", session_id=session_id)
        async with database.transaction(ADA) as connection:  # as the turn's own end leaves it there
            await connection.execute("update chat.turns set revision_state = 'none'")
        work = Workshop(database, no_model, embedder=WordLlamaEmbedder())
        await work.after_turn(str(ADA.user_id), str(turn_id))
    assert rows(urls, EMBEDDED) == [(2,)]
