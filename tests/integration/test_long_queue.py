"""A queue in which many wait: neither to fetch one of them nor to look at it costs the square of their number."""

from collections.abc import Iterator

import psycopg
import pytest

from chatServer.store.queue import OPTIONS
from tests.conftest import Urls, owner_connection

WAITING = 1_000
FETCH = "select id from procrastinate_fetch_job_v2('{chat}'::varchar[], null)"
READ = """
select sum(idx_tup_fetch + seq_tup_read)::integer from pg_stat_xact_user_tables where schemaname = 'procrastinate'
"""
# Each came a minute after the one before.
AGE = """
update procrastinate_events e set at = now() - interval '1 minute' * places.place
from (select id, row_number() over (order by id desc) as place from procrastinate_jobs) places
where places.id = e.job_id
"""
STATUS = "select waiting, oldest_s, failed, revision_s from chat.queue_status()"
LEAVE = """
insert into procrastinate_jobs (queue_name, task_name, lock, args)
select 'chat', 'after_turn', 'user ' || number %% (%(count)s / 2), '{}' from generate_series(1, %(count)s) number
"""


@pytest.fixture
def owner(urls: Urls) -> Iterator[psycopg.Connection]:
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        yield connection


@pytest.fixture(params=["", "analyze", "vacuum analyze"], ids=["as it is", "counted", "tidied"])
def emptied(request, owner) -> None:
    """As workers leave the queue, and autovacuum finds it."""
    owner.execute(LEAVE, {"count": 100})
    owner.execute("delete from procrastinate_jobs")
    if request.param:
        for table in ("procrastinate_jobs", "procrastinate_events"):
            owner.execute(f"{request.param} {table}")


@pytest.mark.usefixtures("emptied")
def test_a_worker_that_knew_an_empty_queue_fetches_from_a_long_one(urls, owner):
    with psycopg.connect(urls.app, autocommit=True, options=OPTIONS) as worker:
        for _ in range(10):  # until Postgres keeps the plan
            assert worker.execute(FETCH).fetchone() == (None,)
        owner.execute(LEAVE, {"count": WAITING})
        fetched = []
        for _ in range(3):
            with worker.transaction():
                fetched.append(worker.execute(FETCH).fetchone()[0])
                (read,) = worker.execute(READ).fetchone()
            assert read < 10 * WAITING
    assert fetched == sorted(fetched), "the oldest first"
    assert len(set(fetched)) == 3


@pytest.mark.usefixtures("emptied")
def test_who_knew_an_empty_queue_is_told_how_a_long_one_does(urls, owner):
    with psycopg.connect(urls.app, autocommit=True, options="-c role=chat_user") as server:
        for _ in range(10):
            assert server.execute(STATUS).fetchone() == (0, 0, 0, 0)
        owner.execute(LEAVE, {"count": WAITING})
        owner.execute(AGE)
        with server.transaction():
            waiting, oldest_s, failed, revision_s = server.execute(STATUS).fetchone()
            (read,) = server.execute(READ).fetchone()
    assert (waiting, failed) == (WAITING, 0)
    assert oldest_s == pytest.approx(60 * WAITING, abs=30), "since the first of them came"
    assert revision_s == pytest.approx(60 * WAITING, abs=30)
    assert read < 10 * WAITING
