"""Articles at a terminal: a folder is read, what is there already is left, what cannot be read is said."""

import io
import json

import pytest

from chatServer import cli
from chatServer.api.knowledge import ArticleAnswer
from chatServer.commands import command
from chatServer.commands import knowledge as knowledge_commands
from chatServer.commands.knowledge import add_files, all_of, delete, listed, sources
from chatServer.errors import ArticleNotFound, StartupError
from chatServer.records import NOBODY
from chatServer.terminal.bar import Bar
from tests.conftest import ADA, EVE
from tests.tools.files import pdf
from tests.tools.knowledge import left_behind, library_of, text_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs" / "guide").mkdir(parents=True)
    (tmp_path / "docs" / ".git").mkdir()
    for name, content in {
        "guide/setup.md": b"# Setup\n\nPlug it in.",
        "a.txt": b"Hello.",
        "locked.pdf": pdf("x", password="secret"),
        "picture.png": b"\x89PNG",
        ".hidden.txt": b"hidden",
        ".git/config.txt": b"hidden",
    }.items():
        (tmp_path / "docs" / name).write_bytes(content)
    secret = tmp_path / "secret.txt"
    secret.write_text("outside")
    (tmp_path / "docs" / "link.txt").symlink_to(secret)
    return tmp_path / "docs"


async def test_a_folder_is_added_and_added_again(database, urls, folder):
    found = sources([folder]).files
    assert [source.name for source in found] == ["a.txt", "locked.pdf", "guide/setup.md"]
    drawn = io.StringIO()
    added = await add_files(library_of(database), ADA, found, Bar(drawn))
    assert str(added) == (
        "locked.pdf: The file is encrypted. Take the password off, and upload it again.\n"
        "2 added, 0 replaced, 0 as they were, 1 left out."
    )
    assert drawn.getvalue().splitlines()[-1] == "100%  3 files"
    assert text_of(urls, "guide/setup.md") == "# Setup\n\nPlug it in."
    assert left_behind(urls) == (0, 2)
    (folder / "a.txt").write_text("Hello again.")
    again = await add_files(library_of(database), ADA, found, Bar(io.StringIO()))
    assert (again.added, again.replaced, again.unchanged) == (0, 1, 1)
    assert text_of(urls, "a.txt") == "Hello again."


async def test_articles_are_listed_and_deleted_by_whoever_they_are_of(database, urls, folder):
    (folder / "locked.pdf").unlink()
    await add_files(library_of(database), NOBODY, sources([folder]).files, Bar(io.StringIO()))
    await add_files(library_of(database), ADA, sources([folder / "a.txt"]).files, Bar(io.StringIO()))
    assert [article.name for article in await all_of(database, ADA)] == ["a.txt"]
    assert {article.name for article in await all_of(database, NOBODY)} == {"a.txt", "guide/setup.md"}
    assert await all_of(database, EVE) == []
    header, row = listed(await all_of(database, ADA), as_json=False).splitlines()
    assert header.split() == ["ID", "STATE", "PAGES", "CHUNKS", "TOKENS", "NAME"]
    assert row.split()[1:] == ["ready", "1", "2", "a.txt"]
    [told] = json.loads(listed(await all_of(database, ADA), as_json=True))
    [article] = await all_of(database, ADA)
    assert told == json.loads(ArticleAnswer.of(article).model_dump_json()) | {
        name: getattr(article, name).isoformat() for name in ("created_at", "updated_at")
    }
    assert listed([], as_json=False) == "There are no documents."
    with pytest.raises(ArticleNotFound):
        await delete(database, EVE, "a.txt")
    assert await delete(database, ADA, "a.txt") == "Deleted a.txt with 1 chunks."
    assert await all_of(database, ADA) == []
    assert len(await all_of(database, NOBODY)) == 2


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(StartupError, match="There is no file"):
        sources([tmp_path / "nowhere"])


@pytest.mark.parametrize("given", [[], ["--user", "ada", "--shared"]])
def test_whose_it_is_has_to_be_said(given, capsys):
    with pytest.raises(SystemExit):
        cli.main(["knowledge", "list", *given])
    assert "--shared" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_ends_the_command_with_1(settings, folder, capsys, monkeypatch):
    monkeypatch.setattr(command, "load_settings", lambda: settings)
    with pytest.raises(SystemExit) as ended:
        cli.main(["knowledge", "add", str(folder), "--shared"])
    assert ended.value.code == 1
    assert "2 added, 0 replaced, 0 as they were, 1 left out." in capsys.readouterr().out
    cli.main(["knowledge", "list", "--shared"])
    assert "guide/setup.md" in capsys.readouterr().out
    assert knowledge_commands.PAGE >= 100


def test_two_files_that_would_be_one_article_are_told_apart_or_refused(tmp_path):
    for name in ("one/guide.md", "two/guide.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    one, two = tmp_path / "one", tmp_path / "two"
    for given in ([one, two], [one / "guide.md", two / "guide.md"], [one, two / "guide.md"]):
        with pytest.raises(StartupError, match=r"would both be the document guide\.md"):
            sources(given)
    assert [each.name for each in sources([tmp_path]).files] == ["one/guide.md", "two/guide.md"]
    assert [each.name for each in sources([one, one / "guide.md", one]).files] == ["guide.md"]  # the same file


def test_what_has_another_ending_is_counted_and_nothing_to_read_ends_the_command_with_1(
    settings, folder, capsys, monkeypatch
):
    monkeypatch.setattr(command, "load_settings", lambda: settings)
    (folder / "locked.pdf").unlink()
    cli.main(["knowledge", "add", str(folder), "--shared"])
    passed_over, added = capsys.readouterr().out.splitlines()
    assert passed_over.startswith("1 file has another ending. What is read of a folder ends in .csv, .htm, ")
    assert added == "2 added, 0 replaced, 0 as they were, 0 left out."
    empty = folder / "empty"
    empty.mkdir()
    for told in ("There is nothing to read in", "1 file has another ending."):
        with pytest.raises(SystemExit) as ended:
            cli.main(["knowledge", "add", str(empty), "--shared"])
        assert told in str(ended.value.code)  # a sentence ends a program with 1
        (empty / "a.docx").write_bytes(b"PK")
