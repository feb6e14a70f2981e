"""What is logged, and what never is: CANARY is said, searched for and signed in with, and the log must not know it."""

import io
import json
import logging
import os
import subprocess
import sys

import httpx
import psycopg
import pytest
from pydantic import SecretStr

from chatServer import logs
from chatServer.errors import StartupError
from chatServer.main import running
from tests.conftest import ADA, overheard, serving
from tests.tools.canary import CANARY, Overheard
from tests.tools.log_lines import lines_of


@pytest.fixture
def access_lines():
    with lines_of("chatServer.api.traffic") as lines:
        yield lines


async def test_each_request_is_one_line_with_the_route_and_not_the_address(client, as_ada, access_lines):
    await client.get(f"/api/sessions/{CANARY}/messages?limit=7", headers=as_ada | {"X-Request-Id": "abc"})
    await client.get(f"/{CANARY}")
    await client.put(f"/api/sessions/{CANARY}", headers=as_ada)
    await client.post("/api/sessions", content=b"x" * 2_000_000)
    await client.request(CANARY, "/healthz")
    first = access_lines[0]
    assert first.pop("time").endswith("Z")
    assert 0 < first.pop("duration_ms") < 60_000
    assert first == {
        "level": "INFO",
        "logger": "chatServer.api.traffic",
        "message": "answered",
        "request_id": "abc",
        "method": "GET",
        "route": "/api/sessions/{session_id}/messages",
        "status": 404,
    }
    seen = [(line["method"], line["route"], line["status"]) for line in access_lines[1:]]
    assert seen == [
        ("GET", "none", 404),
        ("PUT", "/api/sessions/{session_id}", 405),
        ("POST", "none", 413),
        ("other", "/healthz", 405),
    ]
    assert all(line["request_id"] for line in access_lines)


async def test_titles_names_and_search_phrases_are_not_logged(client, as_ada):
    made = (await client.post("/api/sessions", json={"title": CANARY, "session_id": CANARY}, headers=as_ada)).json()
    assert made["title"] == CANARY
    found = (await client.get("/api/sessions", params={"q": CANARY}, headers=as_ada)).json()["sessions"]
    assert [each["title"] for each in found] == [CANARY]
    await client.patch(f"/api/sessions/{CANARY}", json={"title": f"{CANARY} again"}, headers=as_ada)
    await client.post("/api/dev/token", json={"user": CANARY})
    await client.post("/api/sessions", json={"agent_name": CANARY}, headers=as_ada)


async def test_messages_are_not_logged_even_when_the_database_refuses_them(client, as_ada, database, monkeypatch):
    with pytest.raises(psycopg.Error, match=CANARY):
        async with database.transaction(ADA) as connection:
            await connection.execute("select %s::int", [CANARY])

    async def refused(*_, **__):
        raise psycopg.errors.CheckViolation(f"Failing row contains ({CANARY})")

    monkeypatch.setattr("chatServer.conversation.sessions.find", refused)
    answer = await client.get("/api/sessions", headers=as_ada)
    assert answer.status_code in (500, 503)
    assert CANARY not in answer.text


async def test_tokens_are_not_logged(client):
    for value in (f"Bearer {CANARY}", f"Basic {CANARY}", CANARY):
        assert (await client.get("/api/agents", headers={"Authorization": value})).status_code == 401


async def test_what_passes_to_the_issuer_is_not_logged(settings, echo):
    async with serving(settings.model_copy(update={"auth_internal_url": echo})) as client:
        path = f"/auth/v1/recover?token={CANARY}"
        answer = await client.post(path, json={"password": CANARY}, headers={"apikey": CANARY})
        assert CANARY in answer.text


async def test_a_database_password_is_not_logged(settings):
    url = SecretStr(f"postgresql://chat_app:{CANARY}@127.0.0.1:1/chat")
    with pytest.raises(StartupError) as caught:
        async with running(settings.model_copy(update={"database_url": url})):
            pass
    assert CANARY not in str(caught.value)


def test_the_listener_hears_the_canary_wherever_it_is_logged():
    """The planted bug: in a message, in an argument, in a field; and in an exception's words, which are left out."""
    ear = Overheard()
    logger = logging.Logger("planted")
    logger.addHandler(ear)
    logger.info("he said %s", CANARY)
    logger.debug("canary: " + CANARY.lower())
    logger.info("answered", extra={"fields": {"route": f"/x?q={CANARY}"}})
    assert len(ear.taken()) == 3
    try:
        raise ValueError(CANARY)
    except ValueError:
        logger.exception("it failed")
    assert ear.taken() == []
    assert ear.lines == 4


def test_the_listener_is_at_the_root_and_has_something_to_hear():
    assert overheard in logging.getLogger().handlers
    before = overheard.lines
    logging.getLogger("chatServer.anything").debug("a line")
    assert overheard.lines == before + 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


SCRIPT = """
import asyncio, logging, sys
from chatServer import logs
logs.install(sys.argv[1])
logs.request_id.set("r-1")
log = logging.getLogger("somebody")
log.debug("quiet")
log.info("two\\nlines %s", "ü")
logging.getLogger("httpx").info("GET /?q=CANARY7f3a")
try:
    try:
        raise KeyError("CANARY7f3a")
    except KeyError as error:
        raise ValueError("CANARY7f3a") from error
except ValueError:
    log.exception("it failed")

async def forgotten():
    raise RuntimeError("CANARY7f3a")

async def main():
    asyncio.ensure_future(forgotten())
    await asyncio.sleep(0)
    await asyncio.sleep(0)

asyncio.run(main())
"""


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_a_pipe_gets_one_json_object_a_line_without_any_exceptions_words(level):
    done = subprocess.run([sys.executable, "-c", SCRIPT, level], capture_output=True, text=True, check=True)
    assert CANARY not in done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    said = next(line for line in lines if line["message"] == "two\nlines ü")
    assert (said["level"], said["logger"], said["request_id"]) == ("INFO", "somebody", "r-1")
    assert any(line["message"] == "quiet" for line in lines) == (level == "DEBUG")
    failed = next(line for line in lines if line["message"] == "it failed")
    assert failed["exception"].index("ValueError") < failed["exception"].index("KeyError")
    assert "line 12" in failed["exception"]
    assert any(line["message"] == "Task exception was never retrieved" for line in lines)


def test_a_terminal_gets_text():
    record = logging.LogRecord("somebody", logging.INFO, "", 1, "said %s", ("so",), None)
    record.fields = {"status": 200}
    record.request_id = "r-1"
    assert logs.TextLines().format(record).endswith(" INFO somebody: said so status=200 [r-1]")


@pytest.mark.parametrize(("stream", "form"), [(io.StringIO(), logs.JsonLines), (Terminal(), logs.TextLines)])
def test_who_reads_decides_the_form(monkeypatch, stream, form):
    installed = {}
    monkeypatch.setattr(logging, "basicConfig", lambda **given: installed.update(given))
    monkeypatch.setattr(logs, "CHATTY", ())
    logs.install("INFO", stream)
    assert isinstance(installed["handlers"][0].formatter, form)


def test_a_real_server_says_nothing_of_what_people_say_at_any_level(settings, tmp_path):
    url = settings.database_url.get_secret_value()
    environment = {**os.environ, "DATABASE_URL": url, "CHAT_DATA_DIR": str(tmp_path), "PORT": "0", "LOG_LEVEL": "DEBUG"}
    command = [sys.executable, "-c", "from chatServer.cli import main; main(['serve'])"]
    with (tmp_path / "log").open("w+") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=tmp_path
        )
        try:
            address = next(line.split()[4] for line in process.stdout if " is at http" in line)
            token = httpx.post(f"{address}/api/dev/token", json={"user": CANARY}).json()["access_token"]
            ada = {"Authorization": f"Bearer {token}"}
            httpx.post(f"{address}/api/sessions?x={CANARY}", json={"title": CANARY}, headers=ada)
            assert httpx.get(f"{address}/api/sessions?q={CANARY}", headers=ada).json()["sessions"]
            httpx.get(f"{address}/api/agents", headers={"Authorization": f"Bearer {CANARY}"})
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()
        log.seek(0)
        written = log.read()
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["status"] for line in lines if line["message"] == "answered"] == [200, 201, 200, 401]
    assert CANARY not in written
    assert token not in written
