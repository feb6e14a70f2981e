"""The queue and its worker on a real database: nothing lost, nothing doubled, and the server goes on without it."""

import asyncio
import re
import time
import uuid

import psutil
import psycopg
import pytest
from pydantic import SecretStr

from chatServer.errors import StartupError
from chatServer.main import running
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.store import jobs, queue
from chatServer.store.embedded import embedded_postgres
from chatServer.store.migrate import migrate
from chatServer.store.pool import Database
from chatServer.store.queue import MAX_RUNS, PLACES, QUEUE, Backoff, Pace, Queue
from chatServer.work import after_turn
from chatServer.work.after_turn import Workshop
from chatServer.work.worker import Worker, beside_the_server
from tests.conftest import ADA, EVE, owner_connection, serving
from tests.tools.memory_rows import memory, write
from tests.tools.remembering import kept, memory_events, revision_events
from tests.tools.turns import eventually, finish_turn, finished_turn, given_to_a_turn, queued, title_events, title_of
from tests.tools.working import QUICK, is_empty, no_model, working


@pytest.fixture
def at_once(monkeypatch) -> None:
    monkeypatch.setattr(queue, "BACKOFF_S", 0)


# Enqueuing -----------------------------------------------------------------------------------------------


async def test_a_job_is_there_when_the_reply_is_and_not_before(database, urls):
    async with database.transaction(ADA) as connection:
        await finish_turn(connection, ADA, str(uuid.uuid4()), "hello")
        assert queued(urls) == []
    assert queued(urls) == [("todo", 0)]


async def test_a_reply_that_is_rolled_back_leaves_no_job(database, urls):
    with pytest.raises(ZeroDivisionError):
        async with database.transaction(ADA) as connection:
            await finish_turn(connection, ADA, str(uuid.uuid4()), "hello")
            raise ZeroDivisionError
    assert queued(urls) == []


async def test_nothing_is_notified_inside_the_transaction(database, urls):
    with psycopg.connect(urls.owner, autocommit=True) as listener:
        listener.execute('listen "procrastinate_any_queue_v1"')
        listener.execute('listen "procrastinate_queue_v1#chat"')
        await finished_turn(database, ADA, "hello")
        assert list(listener.notifies(timeout=0.2)) == []
        listener.execute("alter table procrastinate.procrastinate_jobs enable trigger all")
        await finished_turn(database, ADA, "hello")
        assert len(list(listener.notifies(timeout=5, stop_after=2))) == 2, "the listener would have heard it"


# Working -------------------------------------------------------------------------------------------------


async def test_jobs_run_as_the_user_who_left_them_and_are_gone_afterwards(database, urls):
    seen = []

    async def task(user_id: str, turn_id: str) -> None:
        seen.append((user_id, turn_id))

    turns = [await finished_turn(database, user, "hello") for user in (ADA, EVE)]
    async with working(database, {"after_turn": task}):
        await eventually(lambda: is_empty(urls))
    assert sorted(seen) == sorted(
        (str(user.user_id), str(turn_id)) for user, (_, turn_id) in zip((ADA, EVE), turns, strict=True)
    )


async def test_a_delayed_job_waits_and_is_not_called_late(database, urls):
    session_id = str(uuid.uuid4())
    async with database.transaction(ADA) as connection:
        await jobs.enqueue_after_turn(connection, session_id, uuid.uuid4(), delay_s=3600)
    async with working(database):
        await finished_turn(database, ADA, "a second one")
        await eventually(lambda: one_is_left(urls))
    status = await jobs.read_status(database)
    assert (status.waiting, status.oldest_s) == (1, 0)


async def one_is_left(urls) -> bool:
    return len(queued(urls)) == 1


async def test_the_jobs_of_a_session_run_one_after_the_other_and_those_of_others_beside(database, urls):
    begun, release, order = asyncio.Event(), asyncio.Event(), []
    session_id = str(uuid.uuid4())
    async with database.transaction(ADA) as connection:
        first = await finish_turn(connection, ADA, session_id, "one")
        second = await finish_turn(connection, ADA, session_id, "two")
    async with database.transaction(EVE) as connection:
        other = await finish_turn(connection, EVE, session_id, "the same id, another user's")

    async def task(user_id: str, turn_id: str) -> None:
        order.append(turn_id)
        if turn_id == str(first):
            begun.set()
            await release.wait()

    async def other_is_done() -> bool:
        return str(other) in order

    async with working(database, {"after_turn": task}):
        await begun.wait()
        await eventually(other_is_done)
        await asyncio.sleep(4 * QUICK.poll_s)  # time enough to do it wrong
        assert str(second) not in order
        release.set()
        await eventually(lambda: is_empty(urls))
    assert order.index(str(first)) < order.index(str(second))


async def test_a_failing_job_is_tried_again_later_each_time_and_then_kept(database, urls, at_once):
    tries = []

    async def task(user_id: str, turn_id: str) -> None:
        tries.append(turn_id)
        raise ValueError("what a driver would say")

    async def has_failed() -> bool:
        return queued(urls) == [("failed", MAX_RUNS)]

    await finished_turn(database, ADA, "hello")
    async with working(database, {"after_turn": task}):
        await eventually(has_failed)
    assert len(tries) == MAX_RUNS
    assert str(await jobs.read_status(database)) == "0 waiting, oldest 0 s, 1 failed"


def test_waits_grow_and_a_run_that_was_broken_off_does_not_wait():
    def waits(attempts: int, error: BaseException) -> float | None:
        job = queue.Job(
            id=1, queue="chat", lock=None, queueing_lock=None, task_name="after_turn", task_kwargs={}, attempts=attempts
        )
        decision = Backoff().get_retry_decision(exception=error, job=job)
        return decision and round(decision.retry_at.timestamp() - time.time())

    assert [waits(attempts, ValueError()) for attempts in range(5)] == [3, 9, 27, 81, None]
    assert waits(4, asyncio.CancelledError()) == 0


async def test_dead_letters_are_listed_by_id_and_begin_anew(database, urls, at_once):
    async def fails(user_id: str, turn_id: str) -> None:
        raise ValueError

    session_id, turn_id = await finished_turn(database, ADA, "Where do puffins breed?")

    async def has_failed() -> bool:
        return ("failed", MAX_RUNS) in queued(urls)

    async with working(database, {"after_turn": fails}):
        await eventually(has_failed)
    async with Queue(database.direct_url) as opened:
        [letter] = await opened.failed()
        assert letter.arguments == {"user_id": str(ADA.user_id), "turn_id": str(turn_id)}
        assert letter.failed_at is not None
        assert await opened.retry_failed(letter.job_id + 1) == 0
        assert await opened.retry_failed(letter.job_id) == 1
        assert (await opened.failed(), queued(urls)) == ([], [("todo", 0)])
    async with working(database):
        await eventually(lambda: is_empty(urls))
    assert await title_of(database, ADA, session_id) == "Where do puffins breed?"


async def test_a_job_that_takes_too_long_is_broken_off_and_tried_again(database, urls, at_once):
    broken_off, before = [], []  # before: how many runs were broken off when each began

    async def slow_at_first(user_id: str, turn_id: str) -> None:
        before.append(len(broken_off))
        if len(before) == 1:
            try:
                await asyncio.Event().wait()
            finally:
                broken_off.append(turn_id)

    await finished_turn(database, ADA, "hello")
    async with working(database, {"after_turn": slow_at_first}, pace=Pace(poll_s=0.05, job_s=0.2)):
        await eventually(lambda: is_empty(urls))
    assert before == [0, 1]


# Workers that die, databases that fail -------------------------------------------------------------------


def left_doing(urls, *, attempts: int = 0, heartbeat_s: int = 60, started_s: int = 0) -> None:
    """As a worker leaves its job that was killed."""
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        connection.execute(
            "insert into procrastinate_workers (last_heartbeat) values (now() - make_interval(secs => %s))",
            [heartbeat_s],
        )
        connection.execute(
            "update procrastinate_jobs set status = 'doing', attempts = %s, "
            "worker_id = (select max(id) from procrastinate_workers)",
            [attempts],
        )
        connection.execute(
            "update procrastinate_events set at = now() - make_interval(secs => %s) where type = 'started'", [started_s]
        )


@pytest.mark.parametrize("ago_s", [3600, -86_400], ids=["an hour ago", "before the clock was set back"])
async def test_what_a_dead_worker_was_doing_is_done_by_another(database, urls, ago_s):
    session_id, _ = await finished_turn(database, ADA, "Where do puffins breed?")
    left_doing(urls, heartbeat_s=ago_s, started_s=ago_s)
    async with working(database):
        await eventually(lambda: is_empty(urls))
    assert await title_of(database, ADA, session_id) == "Where do puffins breed?"


@pytest.mark.parametrize(("started_s", "left"), [(0, ("doing", 0)), (3600, ("todo", 1))], ids=["lately", "long ago"])
async def test_what_a_living_worker_is_doing_is_left_alone_unless_it_has_forgotten_it(database, urls, started_s, left):
    await finished_turn(database, ADA, "hello")
    left_doing(urls, heartbeat_s=0, started_s=started_s)
    async with Queue(database.direct_url) as opened:
        await opened.rescue()
    assert queued(urls) == [left]


async def test_a_job_that_kills_every_worker_ends_as_a_dead_letter(database, urls):
    await finished_turn(database, ADA, "hello")
    left_doing(urls, attempts=MAX_RUNS - 1)
    async with Queue(database.direct_url) as opened:
        assert await opened.rescue() == 1
        assert len(await opened.failed()) == 1
    assert queued(urls) == [("failed", MAX_RUNS)]


async def test_a_job_that_runs_is_not_left_a_second_time_by_the_sweep(database, urls):
    await write(database, memory("Puffins nest on cliffs."))
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        connection.execute("update chat.memory_heads set kept_at = now() - interval '8 days'")
        connection.execute(
            "insert into procrastinate_jobs (queue_name, task_name, args, status)"
            " values ('files', 'ingest', jsonb_build_object('user_id', %s::text, 'article_id', 'one'), 'doing')",
            [str(ADA.user_id)],
        )
        async with Queue(database.direct_url, Workshop(database, no_model).tasks(), QUICK) as opened:
            for _ in range(2):
                connection.execute("update procrastinate_jobs set status = 'failed' where task_name = 'ingest'")
                await opened._sweep(0)
                left_doing(urls)
        left = connection.execute("select task_name, queueing_lock from procrastinate_jobs order by id").fetchall()
    assert left == [("ingest", None), ("maintain_memories", None), ("give_up_article", None)]


async def test_jobs_of_an_older_server_that_share_a_lock_keep_nobody_from_being_rescued(database, urls):
    await finished_turn(database, ADA, "hello")
    left_doing(urls)
    same_lock(urls, "doing", "todo")
    async with Queue(database.direct_url) as opened:
        assert await opened.rescue() == 2
    assert queued(urls) == [("todo", 1), ("todo", 1), ("todo", 0)]


async def test_dead_letters_of_an_older_server_that_share_a_lock_all_begin_anew(database, urls):
    same_lock(urls, "failed", "failed", "todo")
    async with Queue(database.direct_url) as opened:
        assert await opened.retry_failed() == 2
    assert queued(urls) == [("todo", 0)] * 3


def same_lock(urls, *states: str) -> None:
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        for state in states:
            connection.execute(
                "insert into procrastinate_jobs (queue_name, task_name, queueing_lock, args, status)"
                " values ('chat', 'maintain_memories', 'the same', jsonb_build_object('user_id', %s::text), %s)",
                [str(ADA.user_id), state],
            )


async def test_a_rescue_that_is_refused_stops_nobody_who_works(database, urls, caplog, monkeypatch):
    monkeypatch.setitem(queue.SQL, "rescue_stalled", "select 1 / 0")
    begun, release, ends = asyncio.Event(), asyncio.Event(), []

    async def task(user_id: str, turn_id: str) -> None:
        begun.set()
        try:
            await release.wait()
            ends.append("done")
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def was_refused_twice() -> bool:
        return sum("cannot be rescued" in line for line in caplog.messages) >= 2 or bool(ends)

    await finished_turn(database, ADA, "hello")
    async with working(database, {"after_turn": task}, grace_s=0.2):
        await begun.wait()
        await eventually(was_refused_twice)
        release.set()
        await eventually(lambda: is_empty(urls))
    assert ends == ["done"]


def worker_backends(urls) -> list[int]:
    with owner_connection(urls.owner) as connection:
        query = "select pid from pg_stat_activity where application_name = %s and datname = current_database()"
        return [row[0] for row in connection.execute(query, [queue.APPLICATION])]


async def test_a_worker_whose_connections_are_ended_comes_back(settings, urls, as_ada):
    own = settings.model_copy(update={"worker": "inprocess"})
    async with running(own) as state, serving(own, state) as client:
        await eventually(lambda: asyncio.to_thread(worker_backends, urls))
        for _ in range(3):
            before = worker_backends(urls)
            with owner_connection(urls.owner) as connection:
                for pid in before:
                    connection.execute("select pg_terminate_backend(%s)", [pid])
            session_id, _ = await finished_turn(state.database, ADA, "Where do puffins breed?")
            assert (await client.get("/api/sessions", headers=as_ada)).status_code == 200
            await eventually(lambda: is_empty(urls))
            assert await title_of(state.database, ADA, session_id) == "Where do puffins breed?"
            assert not set(before) & set(worker_backends(urls))


async def test_a_server_that_is_busy_does_not_stop_its_worker(settings, urls, caplog):
    """Nobody gets a connection of the server's; the job that runs goes on, and so does the next."""
    busy = settings.model_copy(update={"database_pool_size": 1, "database_pool_wait_ms": 300})
    begun, release, ends = asyncio.Event(), asyncio.Event(), []

    async def task(user_id: str, turn_id: str) -> None:
        begun.set()
        try:
            await release.wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        ends.append("done")

    async def numbers_are_missed_twice() -> bool:
        return sum("numbers of the job queue" in line for line in caplog.messages) >= 2 or "cancelled" in ends

    async with Database(urls.app, busy) as database:
        await finished_turn(database, ADA, "one")
        async with working(database, {"after_turn": task}, grace_s=0.2):
            await begun.wait()
            async with database.transaction(ADA):
                await eventually(numbers_are_missed_twice)
            release.set()
            await finished_turn(database, ADA, "two")
            await eventually(lambda: is_empty(urls))
    assert ends == ["done", "done"]


async def test_the_server_goes_on_without_a_queue_and_the_worker_waits_for_it(settings, urls, as_ada):
    own = settings.model_copy(update={"worker": "inprocess"})
    with owner_connection(urls.owner) as connection:
        connection.execute("alter schema procrastinate rename to elsewhere")
    async with running(own) as state, serving(own, state) as client:
        ready = (await client.get("/readyz")).json()
        assert (ready["checks"]["queue"]["ok"], ready["checks"]["database"]["ok"]) == (False, True)
        assert (await client.get("/api/sessions", headers=as_ada)).status_code == 200
        with owner_connection(urls.owner) as connection:
            connection.execute("alter schema elsewhere rename to procrastinate")
        await finished_turn(state.database, ADA, "hello")
        await eventually(lambda: is_empty(urls))
        assert (await client.get("/readyz")).status_code == 200


# The end, and what the operator sees ---------------------------------------------------------------------


async def test_a_worker_that_is_told_to_stop_while_it_starts_does_so(database):
    """At whichever moment: a cancellation can be lost there, and it was waited for as long as jobs may take."""
    for moment in range(100):
        stopping, worker = asyncio.Event(), Worker(database, Workshop(database, no_model).tasks(), grace_s=60)
        task = asyncio.create_task(worker.run(stopping))
        await asyncio.sleep(moment * 0.0006)
        stopping.set()
        await asyncio.wait_for(task, 30)


async def test_its_connections_come_back_and_who_is_cancelled_is(database, monkeypatch):
    """At any moment, as when a server ends while its queue is looked at: a lost connection is a place less for good."""
    monkeypatch.setitem(PLACES, QUEUE, 1)

    async def lent(freed: asyncio.Event) -> None:
        async with opened._pool.connection():
            await freed.wait()

    async with Queue(database.direct_url) as opened:
        assert await opened.failed() == []
        for ticks in range(20):
            freed = asyncio.Event()
            ahead = asyncio.create_task(lent(freed))
            await asyncio.sleep(0.01)
            waiting = asyncio.create_task(opened.failed())
            await asyncio.sleep(0.01)
            freed.set()
            await asyncio.wait({ahead})
            for _ in range(ticks):
                await asyncio.sleep(0)
            has_ended = waiting.done()
            waiting.cancel()
            await asyncio.wait({waiting})
            assert has_ended or waiting.cancelled(), f"{ticks} steps later"
        lending = asyncio.create_task(lent(asyncio.Event()))
        await eventually(lambda: opened._pool.get_stats()["pool_available"] == 0)
        async with opened._pool._lock:
            lending.cancel()
            await eventually(lambda: opened._pool._lock._waiters)  # it wants to be returned
            lending.cancel()
            await asyncio.sleep(0.01)
        await asyncio.wait({lending})
        assert await opened.failed() == []


async def test_an_idle_worker_stops_at_once_and_signs_off(settings, urls, caplog):
    async def have_begun() -> bool:  # who is stopped while he signs on leaves his name, until others strike it out
        return sum(record.message.startswith("Starting worker") for record in caplog.records) == len(PLACES)

    caplog.set_level("INFO", "procrastinate")
    async with running(settings.model_copy(update={"worker": "inprocess"})) as state:
        await eventually(have_begun)
        assert await registered_workers(urls) == len(PLACES)
        began = time.monotonic()
        state.shutdown.begin()
    assert time.monotonic() - began < 15, "not the grace of 25 s"
    assert not await registered_workers(urls)


async def registered_workers(urls) -> int:
    with owner_connection(urls.owner) as connection:
        [(count,)] = connection.execute("select count(*) from procrastinate.procrastinate_workers").fetchall()
    return count


@pytest.mark.parametrize(("grace_s", "left"), [(20, []), (0.2, [("todo", 1)])], ids=["finished", "broken off"])
async def test_a_running_job_has_the_grace_to_finish_and_is_not_lost_afterwards(database, urls, grace_s, left):
    begun, release = asyncio.Event(), asyncio.Event()

    async def task(user_id: str, turn_id: str) -> None:
        begun.set()
        await release.wait()

    await finished_turn(database, ADA, "hello")
    stopping = asyncio.Event()
    worker = asyncio.create_task(Worker(database, {"after_turn": task}, grace_s=grace_s, pace=QUICK).run(stopping))
    await begun.wait()
    stopping.set()
    if not left:
        await asyncio.sleep(0.2)
        assert not worker.done()
        release.set()
    await asyncio.wait_for(worker, 10)
    assert queued(urls) == left


async def test_a_worker_on_a_database_that_hangs_stops_in_time(settings, tmp_path):
    with embedded_postgres(tmp_path / "own") as server:
        migrate(server.owner_url)
        url = SecretStr(server.app_url)
        own = settings.model_copy(update={"database_url": url, "database_direct_url": url})
        async with Database(server.app_url, own) as database:
            stopping = asyncio.Event()
            worker = asyncio.create_task(Worker(database, {}, grace_s=0, pace=QUICK).run(stopping))
            await asyncio.sleep(1)
            processes = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
            for process in processes:
                process.suspend()
            try:
                await asyncio.sleep(0.3)
                began = time.monotonic()
                stopping.set()
                await asyncio.wait_for(asyncio.shield(worker), 20)
                print(f"stopped after {time.monotonic() - began:.1f} s")
                assert time.monotonic() - began < 15
            finally:
                for process in processes:
                    process.resume()
                await worker


async def test_readiness_and_metrics_tell_how_the_queue_does(settings, urls):
    async with running(settings) as state, serving(settings, state) as client:
        assert (await client.get("/readyz")).json()["checks"]["queue"] == {
            "ok": True,
            "detail": "0 waiting, oldest 0 s",
        }
        await finished_turn(state.database, ADA, "hello")
        with owner_connection(urls.owner) as connection:
            connection.execute("update procrastinate.procrastinate_events set at = now() - interval '90 s'")
        async with asyncio.timeout(20):
            while (answer := await client.get("/readyz")).status_code != 200:
                await asyncio.sleep(0.05)
        assert re.fullmatch(
            r"1 waiting, oldest 9\d s, revision 9\d s behind", answer.json()["checks"]["queue"]["detail"]
        )
        text = (await client.get("/metrics")).text
        assert "\nchat_jobs_waiting 1.0" in text
        assert "\nchat_jobs_failed 0.0" in text
        assert re.search(r"\nchat_revision_late_seconds 9\d\.", text)


async def test_runs_are_counted_by_task_and_outcome(settings, urls):
    own = settings.model_copy(update={"worker": "inprocess"})
    async with running(own) as state, serving(own, state) as client:
        await finished_turn(state.database, ADA, "hello")
        await eventually(lambda: is_empty(urls))
        assert 'chat_job_seconds_count{outcome="done",task="after_turn"}' in (await client.get("/metrics")).text


async def test_without_a_direct_address_there_is_no_worker_and_the_server_says_so(settings, urls, caplog):
    pooled = settings.model_copy(update={"worker": "inprocess", "database_direct_url": None})
    async with running(pooled) as state:
        assert worker_backends(urls) == []
        with pytest.raises(StartupError, match="DATABASE_DIRECT_URL"):
            Worker(state.database, {}, grace_s=1)
    assert "set DATABASE_DIRECT_URL" in caplog.text


# Again and again -----------------------------------------------------------------------------------------


async def test_after_work_that_runs_many_times_at_once_is_done_once(database, urls):
    session_id, turn_id = await finished_turn(database, ADA, "Where do puffins breed? I live in Oslo.")
    recalled = memory("Puffins nest on cliffs.")
    await write(database, recalled)
    async with database.transaction(ADA) as connection:
        given = await given_to_a_turn(connection, recalled.memory_id)
    work = Workshop(database, no_model, embedder=WordLlamaEmbedder())
    await asyncio.gather(*(work.after_turn(str(ADA.user_id), str(each)) for _ in range(8) for each in (turn_id, given)))
    found = {each.memory_id: each for each in await kept(database, ever=True)}
    assert found.pop(recalled.memory_id).recalls == 1
    assert title_events(urls) == [{"session_id": session_id, "title": "Where do puffins breed?"}]
    [event] = memory_events(urls)
    assert [str(memory_id) for memory_id in found] == event["created"]
    with owner_connection(urls.owner) as connection:
        embedded = connection.execute("select embed_model from chat.message_index where place is not null").fetchall()
    assert embedded == [("wordllama",)] * 2
    assert [each["turn_id"] for each in revision_events(urls)] == [str(turn_id)]
    done = (after_turn.count_recalls, after_turn.remember, after_turn.index_turn, after_turn.revise)
    assert done == after_turn.AFTER_TURN, "a verb that is added here is added to this test"


async def test_after_work_of_a_turn_that_is_gone_or_of_another_user_does_nothing(database, urls):
    session_id, turn_id = await finished_turn(database, ADA, "Where do puffins breed?")
    await Workshop(database, no_model).after_turn(str(EVE.user_id), str(turn_id))
    await Workshop(database, no_model).after_turn(str(ADA.user_id), str(uuid.uuid4()))
    assert (await title_of(database, ADA, session_id), title_events(urls)) == (None, [])


async def test_what_fails_while_the_server_starts_ends_the_worker_and_is_told(settings, database):
    beside = beside_the_server(settings.model_copy(update={"worker": "inprocess"}), database, {}, asyncio.Event())
    async with asyncio.timeout(20):
        with pytest.raises(ZeroDivisionError):
            async with beside:
                raise ZeroDivisionError


async def test_a_job_with_arguments_that_no_task_takes_fails_once_and_says_so_once(database, urls, caplog):
    odd = ["[]", '"x"', "7", "{}", '{"user_id": "a"}', '{"user_id": "a", "turn_id": "b", "more": 1}']
    leave = "insert into procrastinate_jobs (queue_name, task_name, args) values ('chat', 'after_turn', %s)"
    with owner_connection(urls.owner) as owner:
        owner.execute("set search_path = procrastinate")
        for arguments in odd:
            owner.execute(leave, [arguments])
    patient = Pace(poll_s=0.05, heartbeat_s=0.2, stalled_s=60, job_s=180)
    async with working(database, pace=patient):
        await eventually(lambda: [state for state, _ in queued(urls)] == ["failed"] * len(odd))
        await finished_turn(database, ADA, "others are worked off all the same")
        await eventually(lambda: len(queued(urls)) == len(odd))
    assert queued(urls) == [("failed", 1)] * len(odd)
    told = [each.getMessage() for each in caplog.records if each.name == queue.logger.name]
    assert len([each for each in told if "given up" in each]) == 3
    assert told.count("the job after_turn failed: Misfit") == 3
