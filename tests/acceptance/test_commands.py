"""The operator's commands as real processes, beside a server that runs."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg

from chatServer.config import ROOT
from chatServer.store.embedded import embedded_postgres
from chatServer.store.migrate import migrate
from tests.tools.running import chatserver, server
from tests.tools.waiting import wait_until


def test_backup_restore_and_migrate_by_command_while_the_server_runs(tmp_path):
    data_dir, file = tmp_path / "data", tmp_path / "chat.backup"
    data_dir.mkdir()
    with server(data_dir) as running:
        session_id = running.request("POST", "/api/sessions", json={"title": "keep me"}).json()["session_id"]
        done = chatserver(data_dir, "backup", str(file))
        assert done.returncode == 0, done.stderr
        assert f"{file.stat().st_size:,} bytes" in done.stdout
        assert running.request("DELETE", f"/api/sessions/{session_id}").status_code == 204
        later = running.resolve()
        refused = chatserver(data_dir, "restore", str(file))
        assert (refused.returncode, "--force" in refused.stderr) == (1, True)
        assert "Traceback" not in refused.stderr
        assert running.request("GET", f"/api/sessions/{later}").status_code == 200
        done = chatserver(data_dir, "restore", str(file), "--force")
        assert done.returncode == 0, done.stderr
        assert running.request("GET", f"/api/sessions/{session_id}").json()["title"] == "keep me"
        assert running.request("GET", f"/api/sessions/{later}").status_code == 404
        assert running.request("PATCH", f"/api/sessions/{session_id}", json={"title": "kept"}).status_code == 200
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert "Revisions that ran: 0001, 0002, 0003, 0004, 0005, 0006, 0007, 0008" in chatserver(fresh, "migrate").stdout
    assert "Nothing was missing." in chatserver(fresh, "migrate").stdout
    assert chatserver(fresh, "restore", str(file)).returncode == 0
    with server(fresh) as running:
        assert running.request("GET", f"/api/sessions/{session_id}").json()["title"] == "keep me"


def test_sessions_and_vectors_by_command_while_the_server_runs(tmp_path):
    with server(tmp_path, WORKER="off") as running:  # which would make the vector itself
        running.request("POST", "/api/sessions", json={"session_id": "my-thread", "title": "Volcanoes"})
        listed = chatserver(tmp_path, "session", "list", "--user", "ada")
        assert listed.returncode == 0, listed.stderr
        assert listed.stdout.split()[:2] == ["ID", "AGENT"]
        assert listed.stdout.rstrip().endswith("my-thread  Volcanoes")
        foreign = chatserver(tmp_path, "session", "delete", "--user", "eve", "my-thread")
        assert (foreign.returncode, foreign.stderr) == (1, "You have no session with this id.\n")
        gone = chatserver(tmp_path, "session", "delete", "--user", "ada", "my-thread", "--json")
        assert json.loads(gone.stdout) == {"deleted": "my-thread"}
        assert running.request("GET", "/api/sessions/my-thread").status_code == 404
        running.request("POST", "/api/memories", json={"text": "Ada's sister Mary lives in Porto."})
        done = chatserver(tmp_path, "memory", "reembed")
        assert "All vectors are of wordllama: 1 users, 0 messages, 1 memories" in done.stdout
        assert done.stderr.splitlines()[-1].startswith("100%  1 users"), done.stderr


def test_there_is_nothing_to_back_up_before_the_first_migration(tmp_path):
    with embedded_postgres(tmp_path):
        done = chatserver(tmp_path, "backup", str(tmp_path / "x"))
    assert (done.returncode, "our tables are missing" in done.stderr) == (1, True)


TRIPWIRE = """
import os, signal, sys
class Tripwire:
    left = int(sys.argv.pop())
    def find_spec(self, *_):
        self.left -= 1
        if self.left == 0:
            print("tripped", flush=True)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Tripwire())
from chatServer.__main__ import main
main()
"""


def interrupted_at(import_number: int, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Ctrl-C in the middle of the start, not after a time but at an import: the n-th that is looked for."""
    command = [sys.executable, "-c", TRIPWIRE, "token", "--user", "ada", str(import_number)]
    values = {**os.environ, "CHAT_DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=values, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)


def test_ctrl_c_during_the_imports_ends_quietly(tmp_path):
    """N = 10 places; the first is that of our own first import, and the command has about two thousand."""
    for number in (5, 50, 100, 200, 400, 600, 800, 1000, 1250, 1500):
        done = interrupted_at(number, tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (130, "tripped\n", ""), number


def test_ctrl_c_during_a_command_ends_quietly(tmp_path):
    """The lock that it waits for says that it is past its imports."""
    with embedded_postgres(tmp_path) as postgres:
        migrate(postgres.owner_url)
        with psycopg.connect(postgres.owner_url) as connection:
            connection.execute("lock table chat.alembic_version in access exclusive mode")
            values = {**os.environ, "CHAT_DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
            command = [sys.executable, "-m", "chatServer", "migrate"]
            process = subprocess.Popen(command, env=values, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
            wait_until(lambda: connection.execute("select count(*) from pg_locks where not granted").fetchone() == (1,))
            process.send_signal(signal.SIGINT)
            assert (process.wait(30), process.stderr.read()) == (130, "")
            process.stderr.close()
