"""Where a run takes place: a Postgres of its own, databases, and server processes that can be ended in any way."""

import asyncio
import contextlib
import multiprocessing
import os
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx
import jwt
import psutil
import psycopg

from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres, revive
from chatServer.store.migrate import migrate
from tests.chaos.entry import serve
from tests.chaos.words import user_id, write_script

START_S = 60
TEMPLATE = "template_chaos"
# Every server is a process of its own, forked from one that has imported everything: a start takes a quarter of a
# second of CPU instead of two and a half.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.chaos.entry"])


@dataclass(slots=True)
class Server:
    """A process of the real server, on one port for all its lives."""

    name: str
    environment: dict[str, str]
    log: Path
    port: int
    process: BaseProcess | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        values = {**self.environment, "PORT": str(self.port)}
        self.process = PROCESSES.Process(target=serve, args=(values, self.log), daemon=True)
        self.process.start()

    async def ready(self) -> None:
        """Until it takes requests."""
        deadline = time.monotonic() + START_S
        async with httpx.AsyncClient(trust_env=False, timeout=5) as http:
            while time.monotonic() < deadline:
                if self.process is None or self.process.exitcode is not None:
                    raise RuntimeError(f"the server {self.name} ended before it was ready: {self.log}")
                with contextlib.suppress(httpx.HTTPError):
                    if (await http.get(f"{self.address}/readyz")).status_code == 200:
                        return
                await asyncio.sleep(0.05)
        raise RuntimeError(f"the server {self.name} was not ready in time: {self.log}")

    async def end(self, sent: signal.Signals, within_s: float = 60) -> int | None:
        """Send a signal and wait for the end; returned is how it ended, None when it did not."""
        assert self.process is not None
        assert self.process.pid is not None
        os.kill(self.process.pid, sent)
        await asyncio.to_thread(self.process.join, within_s)
        return self.process.exitcode

    def clean_up(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join(START_S)


@dataclass(frozen=True, slots=True)
class Stage:
    """One Postgres for the whole run, and a folder for what is written down."""

    folder: Path
    postgres: EmbeddedPostgres
    secret: bytes = field(repr=False)
    script: Path

    def new_database(self, name: str) -> None:
        with self.owner("postgres") as connection:
            connection.execute(f"drop database if exists {name} with (force)")
            connection.execute(f"create database {name} template {TEMPLATE}")

    def drop_database(self, name: str) -> None:
        with self.owner("postgres") as connection:
            connection.execute(f"drop database {name} with (force)")

    def owner(self, database: str) -> psycopg.Connection:
        return psycopg.connect(self.postgres.url("postgres", database), autocommit=True)

    def server(self, name: str, database: str, **environment: str) -> Server:
        app_url = self.postgres.url("chat_app", database)
        values = {
            "HOST": "127.0.0.1",
            "AUTH_MODE": "dev",
            "CHAT_DATA_DIR": str(self.folder),
            "DATABASE_URL": app_url,
            "DATABASE_DIRECT_URL": app_url,
            "MODEL": f"script:{self.script}",
            **{f"LIMIT_{name}": "0" for name in ("TURNS_PER_MINUTE", "PARALLEL_TURNS", "TOKENS_PER_DAY")},
            "LOG_LEVEL": "INFO",
            **environment,
        }
        return Server(name, values, self.folder / f"{database}-{name}.log", free_port())

    def token(self, user: str) -> str:
        """Good for servers whose clocks are off by up to two hours in either direction."""
        return self.sign(user, issued_s=-2 * 3600, expires_s=6 * 3600)

    def sign(self, user: str, *, issued_s: float, expires_s: float) -> str:
        now = int(time.time())
        claims = {"sub": user_id(user), "role": "authenticated", "aud": "authenticated", "iss": "chatserver-dev"}
        claims |= {"iat": now + int(issued_s), "exp": now + int(expires_s)}
        return jwt.encode(claims, self.secret, "HS256")

    async def crash_postgres(self, sent: signal.Signals) -> None:
        """SIGQUIT is what `pg_ctl stop -m immediate` sends; SIGKILL hits the postmaster alone. Then it starts again,
        and recovers from its log."""
        pid = int((self.postgres.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        postmaster = psutil.Process(pid)
        family = [postmaster, *postmaster.children()]
        postmaster.send_signal(sent)
        await asyncio.to_thread(psutil.wait_procs, family, 30)
        await asyncio.to_thread(revive, self.postgres)


@contextlib.contextmanager
def opened_stage(folder: Path) -> Iterator[Stage]:
    """A Postgres that nobody else uses; every promise about durability is kept on (fsync, synchronous_commit)."""
    secret = secrets.token_bytes(32)
    (folder / "dev-signing-key").write_bytes(secret)
    with embedded_postgres(folder) as postgres:
        stage = Stage(folder, postgres, secret, write_script(folder))
        with stage.owner("postgres") as connection:
            # What is not flushed by its own COMMIT stays in memory for long: a crash shows it.
            connection.execute("alter system set wal_writer_delay = '10s'")
            connection.execute("select pg_reload_conf()")
            connection.execute(f"create database {TEMPLATE}")
        migrate(postgres.url("postgres", TEMPLATE))
        yield stage


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
