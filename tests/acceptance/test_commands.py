"""The operator's commands as real processes, beside a server that runs."""

import json
import os
import subprocess
from pathlib import Path

from chatServer.store.embedded import embedded_postgres
from tests.acceptance.test_serve import CHATSERVER, server


def chatserver(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {**os.environ, "CHAT_DATA_DIR": str(data_dir), **environment}
    return subprocess.run(
        [CHATSERVER, *arguments], env=values, cwd=data_dir, capture_output=True, text=True, check=False, timeout=90
    )


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
    assert "Revisions that ran: 0001, 0002, 0003" in chatserver(fresh, "migrate").stdout
    assert "Nothing was missing." in chatserver(fresh, "migrate").stdout
    assert chatserver(fresh, "restore", str(file)).returncode == 0
    with server(fresh) as running:
        assert running.request("GET", f"/api/sessions/{session_id}").json()["title"] == "keep me"


def test_sessions_by_command_are_those_of_the_user_and_of_nobody_else(tmp_path):
    with server(tmp_path) as running:
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


def test_there_is_nothing_to_back_up_before_the_first_migration(tmp_path):
    with embedded_postgres(tmp_path):
        done = chatserver(tmp_path, "backup", str(tmp_path / "x"))
    assert (done.returncode, "our tables are missing" in done.stderr) == (1, True)
