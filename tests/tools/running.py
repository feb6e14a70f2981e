"""A server, a worker and the command line as processes, and what a user does there from outside."""

import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from chatServer.config import ROOT
from chatServer.store.embedded import embedded_postgres
from chatServer.store.migrate import migrate
from tests.conftest import Urls, owner_connection
from tests.tools import prepared
from tests.tools.waiting import WITHIN_S, wait_until

CHATSERVER = str(Path(sys.executable).with_name("chatserver"))
START_S = 60
Process = subprocess.Popen[str] | prepared.Command


@dataclass
class Running:
    process: Process
    address: str
    data_dir: Path

    def headers(self) -> dict[str, str]:
        token = httpx.post(f"{self.address}/api/dev/token", json={"user": "ada"}).json()["access_token"]
        return {"Authorization": f"Bearer {token}"}

    def request(self, method: str, path: str, *, key: str | None = None, **options) -> httpx.Response:
        """As ada, each time with a new token and a new connection: another device."""
        headers = self.headers() | ({"Idempotency-Key": key} if key else {})
        return httpx.request(method, f"{self.address}{path}", headers=headers, timeout=30, **options)

    def resolve(self) -> str:
        return self.request("POST", "/api/sessions/resolve", json={}).json()["session_id"]

    def postgres(self) -> psutil.Process:
        first_line = (self.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0]
        return psutil.Process(int(first_line))


@contextlib.contextmanager
def server(data_dir: Path, *, is_prepared: bool = True, **environment: str) -> Iterator[Running]:
    """The installed command where it is not a prepared one: for tests of how the process itself begins and ends. A
    prepared one finds its database made and migrated, too."""
    patient = {"RECALL_DEADLINE_MS": "5000"}  # the machine is shared, and what is recalled is what is looked at
    values = {**os.environ, "CHAT_DATA_DIR": str(data_dir), "PORT": "0", **patient, **environment}
    if is_prepared and "DATABASE_URL" not in environment and not (data_dir / "postgres").exists():
        lay_database(data_dir)
    process = (prepared.started if is_prepared else _installed)(["serve"], environment=values, cwd=data_dir)
    try:
        yield Running(process, address_of(process), data_dir)
    finally:
        assert process.stdout is not None
        with process.stdout:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(START_S)


def _installed(arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([CHATSERVER, *arguments], env=environment, cwd=cwd, stdout=subprocess.PIPE, text=True)


@functools.cache
def _made_once() -> tempfile.TemporaryDirectory[str]:
    """A data folder with a database that was migrated and stopped; it is gone with the process."""
    folder = tempfile.TemporaryDirectory(prefix="made-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"))
    with embedded_postgres(Path(folder.name)) as postgres:
        migrate(postgres.owner_url)
    return folder


def lay_database(data_dir: Path) -> None:
    """Put a database there that is like a new one."""
    # As it is: Postgres minds whose its files are.
    subprocess.run(["cp", "-a", f"{_made_once().name}/postgres", str(data_dir)], check=True)


def address_of(process: Process) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"is at (http://\S+)", line):
            return found[1]
    pytest.fail(f"the server ended with {process.wait()} before it said where it is")


def agents_of_one_session(folder: Path) -> str:
    """The agents, who recall nothing from elsewhere: for tests that look at whole prompts."""
    agents = folder / "agents"
    agents.mkdir(exist_ok=True)
    for file in (ROOT / "agents").glob("*.yaml"):
        (agents / file.name).write_text(file.read_text().replace("scope: agent", "scope: session"))
    return str(agents)


def shell_blocks(document: str) -> list[str]:
    return re.findall(r"```sh\n(.+?)```", document, re.DOTALL)


def chatserver(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {**os.environ, "CHAT_DATA_DIR": str(data_dir), **environment}
    return prepared.run(arguments, environment=values, cwd=data_dir)


@contextlib.contextmanager
def worker(environment: dict[str, str], *, is_prepared: bool = True) -> Iterator[Process]:
    """A process that says it works; the installed command where it is not a prepared one."""
    values, folder = {**os.environ, **environment}, Path(environment["CHAT_DATA_DIR"])
    process = (prepared.started if is_prepared else _installed)(["worker"], environment=values, cwd=folder)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "Working off the queue.\n"
        yield process
    finally:
        with process.stdout:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(WITHIN_S)


def bury(process: Process, urls: Urls) -> None:
    """A worker dies, and is silent for so long that others may take over what it was doing."""
    process.kill()
    process.wait()
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update procrastinate.procrastinate_workers set last_heartbeat = last_heartbeat - interval '1 minute'"
        )


def say(running: Running, text: str, **more: str) -> dict:
    answer = running.request("POST", "/api/chat", json={"message": text, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for_turn(running: Running, session: str) -> None:
    """Until the session has a turn that has said something."""
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        headers = running.headers()
        with httpx.stream("GET", f"{running.address}/api/chat/{session}/stream", headers=headers) as stream:
            if stream.status_code == 200 and "text-delta" in next_text(stream):
                return
        time.sleep(0.05)
    pytest.fail("no turn began")


def next_text(stream: httpx.Response) -> str:
    seen = ""
    for piece in stream.iter_text():
        seen += piece
        if "text-delta" in seen:
            break
    return seen


def upload(running: Running, name: str, content: bytes) -> str:
    answer = running.request("POST", "/api/knowledge", files={"file": (name, content)})
    assert answer.status_code == 202, answer.text
    address = f"/api/knowledge/{answer.json()['article']['id']}"
    wait_until(lambda: running.request("GET", address).json()["state"] == "ready")
    return address
