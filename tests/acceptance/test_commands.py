"""The operator's commands as real processes, beside a server that runs."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from chatServer.api.dev_key import dev_user_id
from chatServer.config import Settings
from chatServer.errors import StartupError
from chatServer.store.embedded import embedded_postgres
from chatServer.terminal import _plain, _table, user_of
from tests.acceptance.test_serve import CHATSERVER, server


def chatserver(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {**os.environ, "CHAT_DATA_DIR": str(data_dir), **environment}
    return subprocess.run(
        [CHATSERVER, *arguments], env=values, cwd=data_dir, capture_output=True, text=True, check=False, timeout=90
    )


def test_backup_and_restore_by_command_while_the_server_runs(tmp_path):
    data_dir, file = tmp_path / "data", tmp_path / "chat.backup"
    data_dir.mkdir()
    with server(data_dir) as running:
        session_id = running.request("POST", "/api/sessions", json={"title": "keep me"}).json()["session_id"]
        done = chatserver(data_dir, "backup", str(file))
        assert done.returncode == 0, done.stderr
        assert f"{file.stat().st_size:,} bytes" in done.stdout
        again = chatserver(data_dir, "backup", str(file))
        assert (again.returncode, "--force" in again.stderr) == (1, True)
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
    assert chatserver(fresh, "restore", str(file)).returncode == 0
    with server(fresh) as running:
        assert running.request("GET", f"/api/sessions/{session_id}").json()["title"] == "keep me"


def test_sessions_by_command_are_those_of_the_user_and_of_nobody_else(tmp_path):
    with server(tmp_path) as running:
        body = {"title": "Volcanoes \x1b[2Jof \u202eIceland", "session_id": "my-thread", "agent_name": "coder"}
        session_id = running.request("POST", "/api/sessions", json=body).json()["session_id"]
        listed = chatserver(tmp_path, "session", "list", "--user", "ada")
        assert listed.returncode == 0, listed.stderr
        assert listed.stdout.split()[:2] == ["ID", "AGENT"]
        assert session_id in listed.stdout
        assert "my-thread" in listed.stdout
        assert "Volcanoes" in listed.stdout
        assert not {"\x1b", "\u202e"} & set(listed.stdout)
        as_json = chatserver(tmp_path, "session", "list", "--user", str(dev_user_id("ada")), "--json")
        assert [each["session_id"] for each in json.loads(as_json.stdout)] == [session_id]
        assert json.loads(chatserver(tmp_path, "session", "list", "--user", "eve", "--json").stdout) == []
        other_agent = chatserver(tmp_path, "session", "list", "--user", "ada", "--agent", "assistant", "--json")
        assert json.loads(other_agent.stdout) == []
        for action in ("show", "delete"):
            foreign = chatserver(tmp_path, "session", action, "--user", "eve", "my-thread")
            assert (foreign.returncode, foreign.stderr) == (1, "You have no session with this id.\n")
        shown = chatserver(tmp_path, "session", "show", "--user", "ada", "my-thread")
        assert session_id in shown.stdout
        gone = chatserver(tmp_path, "session", "delete", "--user", "ada", "my-thread")
        assert gone.returncode == 0
        assert running.request("GET", "/api/sessions/my-thread").status_code == 404


def test_migrate_says_what_it_did(tmp_path):
    first = chatserver(tmp_path, "migrate")
    assert "Revisions that ran: 0001" in first.stdout
    again = chatserver(tmp_path, "migrate")
    assert "Nothing was missing." in again.stdout


def test_there_is_nothing_to_back_up_before_the_first_migration(tmp_path):
    with embedded_postgres(tmp_path):
        done = chatserver(tmp_path, "backup", str(tmp_path / "x"))
    assert (done.returncode, "our tables are missing" in done.stderr) == (1, True)


def test_only_development_knows_users_by_name(tmp_path):
    dev = Settings(chat_data_dir=tmp_path, _env_file=None)
    real = Settings(auth_mode="supabase", supabase_url="https://x.example", _env_file=None)
    user_id = dev_user_id("ada")
    assert user_of(dev, "ada").user_id == user_of(real, str(user_id)).user_id == user_id
    with pytest.raises(StartupError, match="give the user's id"):
        user_of(real, "ada")


def test_a_table_lines_up_and_a_text_cannot_move_the_cursor():
    assert _table(("A", "B"), [("long one", None), ("x", 5)]).splitlines() == ["A         B", "long one", "x         5"]
    assert _plain("a\x1b[31m\r\u202eb\nc") == "a\ufffd[31m\ufffd\ufffdb\nc"
