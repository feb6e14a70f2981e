"""Real worker processes: killed in the middle of a job, told to end, asked for dead letters."""

import asyncio
import os
import re
import signal
import time

import httpx
import psycopg
import pytest

from chatServer.config import Settings
from tests.conftest import ADA, Urls, owner_connection
from tests.tools.running import bury, chatserver, server, worker
from tests.tools.turns import finished_turn, queued, title_events
from tests.tools.waiting import WITHIN_S, wait_until


@pytest.fixture
def environment(urls: Urls, tmp_path) -> dict[str, str]:
    return {
        "DATABASE_URL": urls.app,
        "DATABASE_DIRECT_URL": urls.app,
        "CHAT_DATA_DIR": str(tmp_path),
        "DATABASE_STATEMENT_TIMEOUT_MS": "60000",
        "LOG_LEVEL": "WARNING",
    }


async def test_a_job_whose_worker_is_killed_is_finished_by_another_and_done_once(database, urls, environment):
    with worker(environment) as killed:
        with psycopg.connect(urls.owner) as lock:
            lock.execute("lock table chat.user_events in access exclusive mode")
            session_id, _ = await finished_turn(database, ADA, "Where do puffins breed?")
            waits = "select count(*) from pg_locks where not granted and relation = 'chat.user_events'::regclass"
            wait_until(lambda: queued(urls) == [("doing", 0)] and lock.execute(waits).fetchone() != (0,))
            bury(killed, urls)
            assert queued(urls) == [("doing", 0)], "it died before it heard whether its title was stored"
    began = time.monotonic()
    with worker(environment, is_prepared=False) as other:
        assert os.getpriority(os.PRIO_PROCESS, other.pid) > os.getpriority(os.PRIO_PROCESS, 0), "servers go first"
        while queued(urls):
            assert time.monotonic() - began < 60
            await asyncio.sleep(0.1)
        print(f"taken over after {time.monotonic() - began:.1f} s")
        began = time.monotonic()
        other.send_signal(signal.SIGTERM)
        assert other.wait(WITHIN_S) == 0
        assert time.monotonic() - began < 20, "it was idle: not the grace of 25 s"
        assert other.stdout is not None
        assert other.stdout.read() == "Stopped.\n"
    assert title_events(urls) == [{"session_id": session_id, "title": "Where do puffins breed?"}]


async def test_dead_letters_by_command(database, urls, environment, tmp_path):
    _, turn_id = await finished_turn(database, ADA, "Where do puffins breed?")
    with owner_connection(urls.owner) as connection:
        connection.execute("set search_path = procrastinate")
        connection.execute("update procrastinate_jobs set status = 'doing'")
        connection.execute("select procrastinate_finish_job_v1(id, 'failed', false) from procrastinate_jobs")
    listed = chatserver(tmp_path, "worker", "failed", **environment)
    assert (listed.returncode, str(turn_id) in listed.stdout, "puffins" in listed.stdout) == (0, True, False)
    assert chatserver(tmp_path, "worker", "retry", **environment).stdout == "Jobs that begin anew: 1.\n"
    for wrong, said in ((("retry", "999"), "No job 999"), (("failed", "5"), "chatserver worker retry 5")):
        refused = chatserver(tmp_path, "worker", *wrong, **environment)
        assert (refused.returncode, said in refused.stderr) == (1, True), refused
    assert queued(urls) == [("todo", 0)]


def test_a_worker_without_a_direct_address_says_what_to_do(urls, environment, tmp_path):
    pooled = {name: value for name, value in environment.items() if name != "DATABASE_DIRECT_URL"}
    done = chatserver(tmp_path, "worker", **pooled)
    assert (done.returncode, done.stderr.startswith("A worker needs the database itself")) == (1, True)


def test_the_default_is_a_worker_beside_the_server(tmp_path):
    assert Settings(_env_file=None).worker == "inprocess"
    with server(tmp_path) as running:
        wait_until(lambda: "chatserver worker" in backends(tmp_path))
        ready = httpx.get(f"{running.address}/readyz").json()
        assert ready["checks"]["queue"]["ok"]
        assert re.fullmatch(r"[01] waiting, oldest 0 s", ready["checks"]["queue"]["detail"]), "the sweep at most"
        began = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(WITHIN_S) == 0
        assert time.monotonic() - began < 20, "not the grace of 25 s"
    with server(tmp_path, WORKER="off") as running:
        assert running.resolve()
        assert "chatserver worker" not in backends(tmp_path)


def backends(data_dir) -> set[str]:
    with psycopg.connect(f"postgresql://postgres@/chat?host={data_dir / 'postgres'}") as connection:
        return {row[0] for row in connection.execute("select application_name from pg_stat_activity").fetchall()}
