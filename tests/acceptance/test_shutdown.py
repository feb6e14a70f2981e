"""A real process is told to end: what runs is finished, what comes is sent on, and nothing hangs."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from tests.conftest import Urls
from tests.tools.running import CHATSERVER, START_S, Running, server
from tests.tools.typing_in import terminal
from tests.tools.waiting import WITHIN_S, wait_until


@pytest.fixture
def locked_sessions(urls: Urls) -> Iterator[tuple[dict[str, str], psycopg.Connection]]:
    """A database whose sessions nobody can read until the lock is given back."""
    environment = {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app, "DATABASE_STATEMENT_TIMEOUT_MS": "60000"}
    with psycopg.connect(urls.owner) as connection:
        connection.execute("lock table chat.sessions in access exclusive mode")
        yield environment, connection


@contextlib.contextmanager
def slow_request(running: Running, connection: psycopg.Connection) -> Iterator[list[httpx.Response | Exception]]:
    """A request that is in the server, and stands before the lock; its answer, once it is there."""
    answers: list[httpx.Response | Exception] = []

    def ask() -> None:
        try:
            answers.append(running.request("GET", "/api/sessions"))
        except httpx.HTTPError as error:
            answers.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    waits = """select count(*) from pg_locks join pg_stat_activity a using (pid)
        where not granted and a.query like '%order by last_active_at%'"""  # the worker may stand there, too

    def is_waiting() -> bool:
        connection.execute("select pg_stat_clear_snapshot()")  # a transaction keeps its first view of the others
        return connection.execute(waits).fetchone() == (1,)

    wait_until(is_waiting)
    try:
        yield answers
    finally:
        thread.join(WITHIN_S)
        assert not thread.is_alive()


@pytest.fixture
def with_a_terminal() -> Iterator[None]:
    """Else a server of tests that run under nohup would do so too, and not care for a closed terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def ready(running: Running) -> httpx.Response:
    return httpx.get(f"{running.address}/readyz", timeout=5)


@pytest.mark.usefixtures("with_a_terminal")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_request_in_flight_is_answered_and_new_ones_are_sent_on(tmp_path, locked_sessions, sent):
    environment, connection = locked_sessions
    with server(tmp_path, is_prepared=False, **environment) as running:
        with slow_request(running, connection) as answers:
            token = httpx.post(f"{running.address}/api/dev/token", json={"user": "eve"}).json()["access_token"]
            running.process.send_signal(sent)
            wait_until(lambda: not ready(running).json()["checks"]["shutting_down"]["ok"])
            assert ready(running).status_code == 503
            refused = httpx.get(f"{running.address}/api/agents", headers={"Authorization": f"Bearer {token}"})
            assert (refused.status_code, refused.json()["code"]) == (503, "shutting_down")
            assert int(refused.headers["retry-after"]) > 0
            assert httpx.get(f"{running.address}/healthz").status_code == 200
            assert running.process.poll() is None
            connection.rollback()
        (answer,) = answers
        assert isinstance(answer, httpx.Response)
        assert (answer.status_code, answer.json()["sessions"]) == (200, [])
        assert running.process.wait(WITHIN_S) == 0


def test_what_outlives_the_grace_is_told_so_and_the_process_ends_well(tmp_path, locked_sessions):
    environment, connection = locked_sessions
    with server(tmp_path, SHUTDOWN_GRACE_S="1", **environment) as running:
        with slow_request(running, connection) as answers:
            began = time.monotonic()
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(WITHIN_S) == 0
            assert 1 <= time.monotonic() - began < 20
        (answer,) = answers
        assert isinstance(answer, httpx.Response)
        assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")


def test_a_server_with_nothing_to_do_ends_at_once(tmp_path):
    with server(tmp_path, is_prepared=False) as running:
        assert running.resolve()
        began = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(WITHIN_S) == 0
        assert time.monotonic() - began < 20, "not the grace of 25 s"
        assert running.process.stdout.read().endswith("Stopped.\n")


def test_whoever_listens_to_events_is_sent_elsewhere_at_once(tmp_path):
    with server(tmp_path) as running:
        address = f"{running.address}/api/events"
        with httpx.stream("GET", address, headers=running.headers(), timeout=WITHIN_S) as stream:
            lines = stream.iter_lines()
            assert [next(lines).partition(": ")[0] for _ in range(3)] == ["id", "event", "data"]
            began = time.monotonic()
            running.process.send_signal(signal.SIGTERM)
            assert [line for line in lines if line] == [], "it ends without a word, and well"
            assert time.monotonic() - began < 20, "and not with the grace of 25 s"
        assert running.process.wait(WITHIN_S) == 0
        assert time.monotonic() - began < 20


@pytest.mark.parametrize(("command", "shown"), [("serve", "is at http"), ("worker", "Working off")])
def test_what_runs_in_a_terminal_that_is_closed_ends_well(tmp_path, command, shown):
    environment = {"CHAT_DATA_DIR": str(tmp_path), "PORT": "0"}
    with terminal([CHATSERVER, command], tmp_path, is_prepared=True, **environment) as person:
        person.until(shown)
        person.close()
        assert person.process.wait(WITHIN_S) == 0


SIGNALLED_AT_ITS_START = """
import signal, sys
from chatServer import cli, main

class Dying:
    def __del__(self):
        signal.raise_signal(getattr(signal, sys.argv[1]))

def load_agents(*given, load=main.load_agents):
    Dying()
    return load(*given)

main.load_agents = load_agents
cli.main(["serve"])
"""


@pytest.mark.parametrize("sent", ["SIGTERM", "SIGINT"])
def test_a_signal_while_it_starts_is_heeded_also_where_an_error_would_be_lost(tmp_path, sent):
    """As in a destructor, or where the garbage collector calls somebody."""
    environment = {**os.environ, "CHAT_DATA_DIR": str(tmp_path), "PORT": "0"}
    command = [sys.executable, "-c", SIGNALLED_AT_ITS_START, sent]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=START_S, check=False)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "Stopped."), ended.stderr


BROKEN_OFF_AT_ITS_START = """
import signal
from chatServer import cli, errors, main

def opened_database(settings):
    signal.raise_signal(signal.SIGINT)
    raise errors.StartupError("initdb says why")

main.opened_database = opened_database
cli.main(["serve"])
"""


def test_what_a_ctrl_c_has_kept_from_starting_is_no_problem(tmp_path):
    """A terminal sends it to initdb, too, which then makes no database."""
    environment = {**os.environ, "CHAT_DATA_DIR": str(tmp_path), "PORT": "0"}
    command = [sys.executable, "-c", BROKEN_OFF_AT_ITS_START]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=START_S, check=False)
    assert (ended.returncode, ended.stdout) == (0, "Stopped.\n"), ended.stderr
    assert "initdb says why" not in ended.stderr
