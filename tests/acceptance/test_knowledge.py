"""Articles with real processes: a worker killed in the middle, a command beside a server."""

import os
import subprocess
from uuid import UUID

import psycopg
import pytest

from chatServer.config import ROOT
from chatServer.knowledge import shelf
from tests.conftest import ADA, rows
from tests.tools.knowledge import left_behind, library_of, text_of
from tests.tools.running import CHATSERVER, bury, chatserver, server, shell_blocks, worker
from tests.tools.waiting import wait_until

STATE = "select state, version from chat.articles"


async def put(database, tmp_path, text: bytes) -> None:
    path = tmp_path / "upload"
    path.write_bytes(text)
    with path.open("rb") as file:
        await shelf.put(library_of(database), ADA, (shelf.look_at("guide.md", file), file))


async def test_a_worker_killed_while_it_reads_leaves_the_old_text_and_another_goes_on(database, urls, tmp_path):
    where = {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app, "CHAT_DATA_DIR": str(tmp_path)}
    environment = where | {"DATABASE_STATEMENT_TIMEOUT_MS": "60000", "LOG_LEVEL": "WARNING"}
    with worker(environment) as killed:
        await put(database, tmp_path, b"Old.")
        wait_until(lambda: text_of(urls, "guide.md") == "Old.")
        with psycopg.connect(urls.owner) as lock:
            lock.execute("select text from chat.article_chunks for update")
            await put(database, tmp_path, b"New.")
            waits = "select count(*) from pg_locks where not granted"
            wait_until(lambda: rows(urls, STATE) == [("reading", 2)] and rows(urls, waits) != [(0,)])
            bury(killed, urls)
        assert text_of(urls, "guide.md") == "Old."
        assert left_behind(urls) == (1, 1)
    with worker(environment):
        wait_until(lambda: rows(urls, STATE) == [("ready", 2)])
        wait_until(lambda: rows(urls, "select count(*) from procrastinate.procrastinate_jobs") == [(0,)])
    assert text_of(urls, "guide.md") == "New."
    assert left_behind(urls) == (0, 1)
    states = [data["state"] for (data,) in rows(urls, "select data from chat.user_events order by seq")]
    assert states.count("ready") == 2


def test_a_folder_is_added_for_everybody_while_the_server_runs(tmp_path):
    data_dir, folder = tmp_path / "data", tmp_path / "docs"
    data_dir.mkdir()
    folder.mkdir()
    (folder / "rules.md").write_text("# Rules\n\nEverybody may read this.")
    with server(data_dir) as running:
        done = chatserver(data_dir, "knowledge", "add", str(folder), "--shared")
        assert (done.returncode, done.stdout) == (0, "1 added, 0 replaced, 0 as they were, 0 left out.\n"), done.stderr
        assert "100%  1 file\n" in done.stderr
        files = {"file": ("mine.txt", b"Only I may read this.")}
        answer = running.request("POST", "/api/knowledge", files=files)
        assert answer.status_code == 202, answer.text
        address = f"/api/knowledge/{UUID(answer.json()['article']['id'])}"
        wait_until(lambda: running.request("GET", address).json()["state"] == "ready")
        found = running.request("GET", "/api/knowledge").json()["articles"]
        assert {each["name"]: each["shared"] for each in found} == {"rules.md": True, "mine.txt": False}
        deleted = chatserver(data_dir, "knowledge", "delete", "rules.md", "--shared")
        assert deleted.stdout == "Deleted rules.md with 1 chunks.\n"
        assert len(running.request("GET", "/api/knowledge").json()["articles"]) == 1


@pytest.mark.long
def test_the_lines_of_the_document_work_as_they_stand(tmp_path):
    data_dir, folder = tmp_path / "data", tmp_path / "decisions"
    data_dir.mkdir()
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nIt is decided.")
    first, *_ = shell_blocks((ROOT / "docs" / "knowledge.md").read_text())
    with server(data_dir) as running:
        script = "set -eu\n" + first.replace("docs/decisions", str(folder)).replace(
            "curl -s", "curl --fail-with-body -s"
        )
        script = script.replace("http://127.0.0.1:8000", running.address).replace(".venv/bin/chatserver", CHATSERVER)
        values = {**os.environ, "CHAT_DATA_DIR": str(data_dir)}
        shell = ["bash", "-c", script]
        done = subprocess.run(shell, env=values, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 added, 0 replaced, 0 as they were, 0 left out." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Deleted CHANGELOG.md")
