"""A queue in which many wait: what one of them costs to fetch does not grow with the square of their number."""

from collections.abc import Iterator

import psycopg
import pytest

from chatServer.store.queue import OPTIONS
from tests.conftest import Urls, owner_connection

WAITING = 1_000
FETCH = "select id from procrastinate_fetch_job_v2('{chat}'::varchar[], null)"
READ = "select idx_tup_fetch + seq_tup_read from pg_stat_xact_user_tables where relname = 'procrastinate_jobs'"
LEAVE = """
insert into procrastinate_jobs (queue_name, task_name, lock, args)
select 'chat', 'after_turn', 'user ' || number %% (%(count)s / 2), '{}' from generate_series(1, %(count)s) number
"""


@pytest.fixture
def owner(urls: Urls) -> Iterator[psycopg.Connection]:
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        yield connection


@pytest.mark.parametrize("tidied", ["", "analyze", "vacuum analyze"])
def test_a_worker_that_knew_an_empty_queue_fetches_from_a_long_one(urls, owner, tidied):
    owner.execute(LEAVE, {"count": 100})
    owner.execute("delete from procrastinate_jobs")
    if tidied:  # as autovacuum does now and then
        owner.execute(f"{tidied} procrastinate_jobs")
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
