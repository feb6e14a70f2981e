"""The embedded Postgres lives as long as somebody uses it, and survives whatever is killed."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from chatServer import cli
from chatServer.config import ROOT
from chatServer.errors import StartupError
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate

# Says the server's process id, and leaves when its input ends.
USER = """
import sys
from pathlib import Path
from chatServer.store.embedded import embedded_postgres
with embedded_postgres(Path(sys.argv[1])) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def user_of(directory: Path) -> Iterator[subprocess.Popen]:
    """Another process inside `with embedded_postgres(directory)`; it may still be starting."""
    command = [sys.executable, "-W", "error", "-W", "ignore:XDG_RUNTIME_DIR", "-c", USER, str(directory)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(30)


def server_pid(process: subprocess.Popen) -> int:
    return int(process.stdout.readline())


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_dead(*pids: int) -> None:
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def write(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.owner_url) as connection:
        connection.execute("create table kept as select 42 as answer")


def read(server: EmbeddedPostgres) -> int:
    with psycopg.connect(server.owner_url) as connection:
        return connection.execute("select answer from kept").fetchone()[0]


def test_data_survives_a_restart(tmp_path):
    with embedded_postgres(tmp_path) as first:
        write(first)
    assert not is_alive(first.pid)
    with embedded_postgres(tmp_path) as second:
        assert read(second) == 42
        assert second.pid != first.pid


def test_processes_that_start_at_once_share_one_server_and_the_last_one_out_stops_it(tmp_path):
    with user_of(tmp_path) as one, user_of(tmp_path) as two:
        pid = server_pid(one)
        assert server_pid(two) == pid
        one.communicate(timeout=30)
        assert one.returncode == 0
        assert is_alive(pid)
        two.communicate(timeout=30)
        assert two.returncode == 0
        assert not is_alive(pid)


def test_one_process_may_enter_twice(tmp_path):
    with embedded_postgres(tmp_path) as outer:
        with embedded_postgres(tmp_path) as inner:
            assert inner == outer
        assert is_alive(outer.pid)
    assert not is_alive(outer.pid)


def test_the_server_of_a_killed_process_is_joined_by_the_next_and_stopped_at_its_end(tmp_path):
    with user_of(tmp_path) as owner:
        pid = server_pid(owner)
        owner.kill()
        owner.wait()
    assert is_alive(pid)
    with embedded_postgres(tmp_path) as server:
        assert server.pid == pid
        write(server)
    assert not is_alive(pid)


@pytest.mark.parametrize("children_too", [False, True], ids=["postmaster", "postmaster and children"])
def test_a_killed_server_recovers_with_all_committed_data(tmp_path, children_too):
    with embedded_postgres(tmp_path) as first:
        write(first)
        children = psutil.Process(first.pid).children(recursive=True)
        os.kill(first.pid, signal.SIGKILL)
        for child in children if children_too else []:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
    assert (tmp_path / "postgres" / "postmaster.pid").exists()
    with embedded_postgres(tmp_path) as second:
        assert second.pid != first.pid
        assert read(second) == 42
    wait_until_dead(first.pid, *(child.pid for child in children))


def test_a_server_killed_among_its_users_comes_back_for_the_next_one(tmp_path):
    with embedded_postgres(tmp_path) as first:
        write(first)
        os.kill(first.pid, signal.SIGKILL)
        with embedded_postgres(tmp_path) as second:
            assert read(second) == 42
        assert is_alive(second.pid)
    assert not is_alive(second.pid)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """A directory with data and no server."""
    directory = tmp_path_factory.mktemp("stopped")
    with embedded_postgres(directory) as server:
        write(server)
    return directory


@pytest.fixture
def stranger(stopped) -> Iterator[psutil.Process]:
    """A process of the same user that has nothing to do with us."""
    with subprocess.Popen(["sleep", "60"], user=(stopped / "postgres").stat().st_uid) as process:
        yield psutil.Process(process.pid)
        process.kill()


def pid_file(pgdata: Path, pid: int) -> list[str]:
    return [str(pid), str(pgdata), "1700000000", "5432", str(pgdata), "", "  1234567  7654321", "ready"]


@pytest.mark.parametrize("lines", [0, 1, 3, 8])
def test_stale_lock_files_with_the_number_of_another_process_are_no_obstacle(stopped, stranger, lines):
    pgdata = stopped / "postgres"
    text = "\n".join(pid_file(pgdata, stranger.pid))
    (pgdata / "postmaster.pid").write_text("".join(text.splitlines(keepends=True)[:lines]))
    (pgdata / ".s.PGSQL.5432.lock").write_text(text)
    with embedded_postgres(stopped) as server:
        assert server.pid != stranger.pid
        assert read(server) == 42
    assert stranger.is_running()


def test_stopping_does_not_signal_another_process_that_got_the_number(stopped, stranger):
    pgdata = stopped / "postgres"
    with embedded_postgres(stopped) as server:
        os.kill(server.pid, signal.SIGKILL)
        wait_until_dead(server.pid)
        (pgdata / "postmaster.pid").write_text("\n".join(pid_file(pgdata, stranger.pid)) + "\n")
    time.sleep(0.1)
    assert stranger.is_running()
    assert stranger.status() != psutil.STATUS_ZOMBIE


def test_a_server_that_hangs_is_said_not_to_answer(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHAT_DATA_DIR", str(tmp_path))
    with embedded_postgres(tmp_path) as server:
        monkeypatch.setattr("chatServer.store.embedded.START_TIMEOUT_S", 2)
        monkeypatch.setattr("chatServer.store.embedded.CONNECT_TIMEOUT_S", 2)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(StartupError, match=f"process {server.pid}, and does not answer"):
                embedded_postgres(tmp_path).__enter__()
            with pytest.raises(SystemExit):
                cli.main(["doctor"])
        finally:
            os.kill(server.pid, signal.SIGCONT)
        with psycopg.connect(server.owner_url) as connection:  # nobody has ended it
            assert connection.execute("select 1").fetchone() == (1,)
    said = capsys.readouterr().out.splitlines()[0]
    assert f"process {server.pid}, and does not answer. Its data are safe" in said


def test_a_path_too_long_for_a_socket_works(tmp_path):
    directory = tmp_path / ("long" * 30)
    with embedded_postgres(directory) as server:
        assert len(str(directory)) > 108
        assert directory not in server.socket_dir.parents
        write(server)
        assert read(server) == 42
    assert not server.socket_dir.exists()


def test_a_path_with_a_space_works(tmp_path):
    with embedded_postgres(tmp_path / "two words & 100%41") as server:
        write(server)
        assert read(server) == 42


def test_only_the_owner_of_the_files_may_connect(stopped):
    with embedded_postgres(stopped) as server:
        (socket,) = server.socket_dir.glob(".s.PGSQL.*[0-9]")
        assert socket.is_socket()
        assert socket.stat().st_mode & 0o777 == 0o700
        with psycopg.connect(server.owner_url) as connection:
            assert connection.execute("show listen_addresses").fetchone() == ("",)


def test_its_log_is_kept_for_a_week(tmp_path):
    logs, before = tmp_path / "postgres" / "logs", tmp_path / "postgres" / "log"
    with embedded_postgres(tmp_path) as server, psycopg.connect(server.owner_url) as connection:
        (name,) = connection.execute("select pg_current_logfile()").fetchone()
        assert re.fullmatch("logs/(Mon|Tue|Wed|Thu|Fri|Sat|Sun).log", name)
        assert connection.execute("show log_truncate_on_rotation").fetchone() == ("on",)
    assert logs.stat().st_mode & 0o777 == 0o700
    old, young = logs / "old.log", logs / "young.log"
    for file in (old, young, before):
        file.write_text("what was said before")
    os.utime(old, (time.time() - 7 * 24 * 3_600,) * 2)
    with embedded_postgres(tmp_path):
        assert (old.exists(), young.exists()) == (False, True)
        assert "what was said before" not in before.read_text()
        assert any("ready to accept connections" in log.read_text() for log in logs.glob("???.log"))


def test_data_of_another_version_are_refused_with_a_sentence(stopped):
    with pytest.raises(StartupError, match="belongs to another Postgres version"):
        embedded_postgres(stopped, version=16).__enter__()


def test_a_folder_that_a_kill_in_initdb_left_behind_is_set_aside(tmp_path):
    unfinished = tmp_path / "postgres"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18\n")
    (unfinished / "half").write_text("a file")
    with embedded_postgres(tmp_path) as server, psycopg.connect(server.owner_url) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    assert [path.name for path in tmp_path.glob("postgres.unfinished-*/half")] == ["half"]


def test_a_server_whose_connections_are_all_taken_is_well_and_the_doctor_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHAT_DATA_DIR", str(tmp_path))
    with embedded_postgres(tmp_path) as server, psycopg.connect(server.owner_url, autocommit=True) as connection:
        connection.execute("alter system set max_connections = 5")
    monkeypatch.setattr("chatServer.store.embedded.START_TIMEOUT_S", 2)
    with embedded_postgres(tmp_path) as server, contextlib.ExitStack() as taken:
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            while True:
                taken.enter_context(psycopg.connect(server.owner_url))
        with pytest.raises(SystemExit):
            cli.main(["doctor"])
        with pytest.raises(StartupError, match="runs and has no connection left"):
            migrate(server.owner_url)
    said = capsys.readouterr().out.splitlines()[0]
    assert "too many clients already. Let there be more connections" in said
    assert "backup" not in said
