"""A data folder that cannot be used: every command says which, and what to do, and shows no traceback."""

import logging
from pathlib import Path

import pytest

from chatServer import cli
from chatServer.errors import StartupError
from chatServer.store import embedded

COMMANDS = ["serve", "worker", "migrate", "token --user ada", "chat --user ada hello", "memory list --user ada"]


@pytest.fixture(params=["", "below", "below/it"])
def taken(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file where the folder should be, or on the way there."""
    file = tmp_path / "a file"
    file.touch()
    monkeypatch.chdir(tmp_path)  # no .env
    monkeypatch.setenv("CHAT_DATA_DIR", str(file / request.param))
    monkeypatch.setenv("PORT", "0")
    return file


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_said_in_a_sentence(taken, command):
    with pytest.raises(SystemExit) as ended:
        cli.main(command.split())
    assert str(ended.value).startswith(f"Cannot use {taken}")
    assert "CHAT_DATA_DIR has to name a folder" in str(ended.value)


def test_by_the_doctor_too(taken, capsys):
    with pytest.raises(SystemExit):
        cli.main(["doctor"])
    assert f"problem  disk: {taken} is no folder that we may write to. Let CHAT_DATA_DIR" in capsys.readouterr().out


def test_other_files_that_fail_are_not_blamed_on_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(cli.DevKey, "of", lambda _: (tmp_path / "other").read_bytes())
    with pytest.raises(FileNotFoundError):
        cli.main(["token", "--user", "ada"])


def test_a_database_that_cannot_be_made_is_a_sentence(tmp_path, caplog):
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "something").touch()  # initdb wants an empty folder
    with caplog.at_level(logging.ERROR), pytest.raises(StartupError, match="No database could be made"):
        with embedded.embedded_postgres(tmp_path):
            pass
    assert "exists but is not empty" in caplog.text, "what it says stands above"
