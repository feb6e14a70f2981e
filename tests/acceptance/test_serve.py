"""Real server processes, from outside: the README's lines, restarts, kill -9, a database that goes away."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import psutil
import pytest

from chatServer.config import ROOT
from tests.tools.running import CHATSERVER, START_S, Running, address_of, chatserver, server, shell_blocks


def test_the_lines_of_the_readme_work_as_they_stand(data_dir):
    chapter = re.search(r"## First requests\n(.+?)\n## ", (ROOT / "README.md").read_text(), re.DOTALL)
    assert chapter is not None
    with server(data_dir, is_prepared=False) as running:
        script = "\necho\n".join(["set -euo pipefail", *shell_blocks(chapter[1])])
        script = script.replace("curl -s", "curl --fail-with-body -s")
        script = script.replace("http://127.0.0.1:8000", running.address).replace(".venv/bin/chatserver", CHATSERVER)
        values = {**os.environ, "CHAT_DATA_DIR": str(data_dir)}
        done = subprocess.run(
            ["bash", "-c", script], env=values, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert '"response": "Hello! I am the built-in responder' in done.stdout
        assert '"type":"text-delta"' in done.stdout
        assert "data: [DONE]" in done.stdout
        known = r"“(By the way, I live|The user lives) in Lisbon.”"  # as it was said, or as it was learned meanwhile
        assert re.search(rf"\nFrom your memories \([^\n]+: {known}\n- ", done.stdout), "with what was found"
        assert "From the documents (pump.txt): “The Zephyr pump has a warranty of three years.”" in done.stdout
        assert '"external_id": "my-other-thread"' in done.stdout, "among the sessions"
        _, header, listed = done.stdout.rpartition("\nID ")
        assert header
        assert "My sister Mary" in listed, "by command"
        assert "My sister Mary lives in Faro." in listed.partition("\nChanged ")[2]
        assert " memory undo --user " in listed.partition("\nForgot ")[2]
        wait_for_title(running, "Where do I live?")
        assert "human: Where do I live?\nai: From your memories" in read_by_langchain(running)


def read_by_langchain(running: Running) -> str:
    """What the README's program reads of the session with a name, each argument from where the README says."""
    chapter = (ROOT / "README.md").read_text().partition("## Use your LangChain code")[2]
    program = re.search(r"```python\n(.+?)```", chapter, re.DOTALL)
    values = {**os.environ, "CHAT_DATA_DIR": str(running.data_dir)}
    told = subprocess.run([CHATSERVER, "doctor"], env=values, capture_output=True, text=True, check=False).stdout
    database = re.search(r"(postgresql://chat_app@/chat\?host=\S+) answers", told.splitlines()[0])
    assert program is not None
    assert database is not None
    user = httpx.post(f"{running.address}/api/dev/token", json={"user": "ada"}).json()["user_id"]
    session = running.request("GET", "/api/sessions/my-other-thread").json()["session_id"]
    read = [sys.executable, "-W", "ignore", "-c", program[1], database[1], user, session]
    return subprocess.run(read, capture_output=True, text=True, check=True, timeout=60).stdout


def wait_for_title(running: Running, title: str) -> None:
    """Titles are made in the background."""
    deadline = time.monotonic() + 10
    while title not in [each["title"] for each in running.request("GET", "/api/sessions").json()["sessions"]]:
        assert time.monotonic() < deadline, "no title"
        time.sleep(0.2)


def test_a_session_is_still_there_after_a_restart_and_on_another_device(data_dir):
    with server(data_dir, is_prepared=False) as running:
        first = running.resolve()
    with server(data_dir) as running:
        assert httpx.get(f"{running.address}/healthz").json()["status"] == "ok"
        assert running.resolve() == first


def test_kill_9_loses_nothing_and_the_next_start_works(data_dir):
    with server(data_dir) as running:
        first = running.resolve()
        running.process.kill()
    with server(data_dir) as running:
        assert running.resolve() == first
        postgres = running.postgres()
        running.process.kill()
        running.process.wait()
        children = postgres.children()
        postgres.kill()
        psutil.wait_procs([postgres, *children], timeout=20)
    with server(data_dir, is_prepared=False) as running:
        assert running.resolve() == first


def test_two_servers_start_at_once_on_one_folder_and_share_everything(data_dir):
    environment = {**os.environ, "CHAT_DATA_DIR": str(data_dir), "PORT": "0"}
    pair = [
        subprocess.Popen([CHATSERVER, "serve"], env=environment, stdout=subprocess.PIPE, text=True, cwd=data_dir)
        for _ in range(2)
    ]
    try:
        one, two = (Running(process, address_of(process), data_dir) for process in pair)
        first = one.resolve()
        assert two.resolve() == first
        pair[0].send_signal(signal.SIGTERM)
        pair[0].wait(START_S)
        assert two.request("GET", f"/api/sessions/{first}").status_code == 200, "the other one goes on"
    finally:
        for process in pair:
            process.send_signal(signal.SIGTERM)
            process.wait(START_S)
            process.stdout.close()


def test_a_database_that_stops_is_a_503_and_heals_by_itself(data_dir):
    with server(data_dir, DATABASE_STATEMENT_TIMEOUT_MS="500") as running:
        first = running.resolve()
        postgres = running.postgres()
        family = [postgres, *postgres.children(recursive=True)]
        for process in family:
            process.suspend()
        try:
            answer = running.request("PATCH", f"/api/sessions/{first}", json={"title": "lost?"})
            assert answer.status_code == 503
            assert answer.json()["code"] == "database_unavailable"
            assert int(answer.headers["retry-after"]) > 0
            assert httpx.get(f"{running.address}/healthz").status_code == 200
        finally:
            for process in family:
                process.resume()
        deadline = time.monotonic() + 5
        while (answer := running.request("GET", f"/api/sessions/{first}")).status_code == 503:
            assert time.monotonic() < deadline, "it heals within 5 s"
            time.sleep(0.1)
        assert answer.json()["session_id"] == first


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PORT": "x", "LOG_LEVEL": "LOUD"}, ["PORT", "LOG_LEVEL"]),
        ({"HOST": "0.0.0.0"}, ["loopback"]),
        ({"AGENTS_DIR": "/nowhere"}, ["no *.yaml file"]),
        ({"DATABASE_URL": "postgresql://chat_app:hush@127.0.0.1:1/chat"}, ["does not let us in", "DATABASE_URL"]),
        ({"DATABASE_URL": "postgresql://chat_app:x@hush@127.0.0.1:1/chat"}, ["%40"]),
        ({"DATABASE_URL": "postgresql://chat_app:x/hush@127.0.0.1:1/chat"}, ["%2F"]),
    ],
)
def test_a_refusal_to_start_is_a_sentence_and_not_a_traceback(tmp_path, environment, said):
    done = chatserver(tmp_path, "serve", **({"PORT": "0"} | environment))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "hush" not in done.stderr
    for part in said:
        assert part in done.stderr


def test_a_token_from_the_command_line_is_good_at_the_server(data_dir):
    with server(data_dir) as running:
        printed = chatserver(data_dir, "token", "--user", "ada").stdout.strip()
        answer = httpx.get(f"{running.address}/api/agents", headers={"Authorization": f"Bearer {printed}"})
        assert answer.status_code == 200


def is_believed(address: str, proxy: str) -> bool:
    """Whether a proxy at this address can say that the browser came over https."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=proxy)) as client:
        answer = client.get(f"{address}/healthz", headers={"X-Forwarded-Proto": "https"})
    return "strict-transport-security" in answer.headers


@pytest.mark.parametrize(
    ("environment", "believed"),
    [({}, {"127.0.0.1"}), ({"FORWARDED_ALLOW_IPS": "10.0.0.0/8,127.0.0.2"}, {"127.0.0.2"})],
)
def test_only_a_proxy_on_loopback_is_believed_unless_others_are_named(data_dir, environment, believed):
    with server(data_dir, **environment) as running:
        found = {proxy for proxy in ("127.0.0.1", "127.0.0.2") if is_believed(running.address, proxy)}
    assert found == believed


def test_a_port_that_is_taken_is_said_in_a_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        values = {**os.environ, "CHAT_DATA_DIR": str(tmp_path), "PORT": str(taken.getsockname()[1])}
        done = subprocess.run(
            [CHATSERVER, "serve"], env=values, capture_output=True, text=True, check=False, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.endswith(": Address already in use. For another port: PORT=8001\n")


def test_an_embedded_database_that_dies_is_started_again(data_dir):
    with server(data_dir) as running:
        first = running.resolve()
        postgres = running.postgres()
        children = postgres.children()
        postgres.kill()
        psutil.wait_procs([postgres, *children], timeout=20)
        deadline = time.monotonic() + 15
        while running.request("GET", f"/api/sessions/{first}").status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.2)
