"""What --help says of each command."""

import pytest

from chatServer import cli


@pytest.fixture
def help_of(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")

    def ask(*command: str) -> str:
        with pytest.raises(SystemExit) as ended:
            cli.main([*command, "--help"])
        assert ended.value.code == 0
        return " ".join(capsys.readouterr().out.split())

    return ask


def test_a_command_with_actions_says_what_each_does(help_of):
    told = help_of("session")
    for part in ("list those that are not archived", "show one, and what was said", "delete delete one, with all"):
        assert part in told


def test_serve_and_worker_say_where_their_settings_come_from(help_of):
    for part in ("no options", ".env", "PORT", "DATABASE_URL", "MODEL"):
        assert part in help_of("serve")
    for part in ("WORKER=off", "failed: list", "retry: let them begin anew"):
        assert part in help_of("worker")


def test_force_says_what_it_replaces(help_of):
    assert "replace FILE" in help_of("backup")
    assert "of all users, are deleted first" in help_of("restore")
