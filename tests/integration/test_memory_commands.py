"""Memories at a terminal: of one user, in 100 columns, harmless to the terminal; and how far a long command is."""

import asyncio
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from chatServer import cli
from chatServer.commands import command, memory_vectors
from chatServer.commands.memory_vectors import UsersBar, search
from chatServer.config import Settings
from chatServer.errors import DatabaseUnavailable, MemoryNotFound, StartupError
from chatServer.memory.edit import Edit
from chatServer.memory.maintain import Retention
from chatServer.memory.reembed import Progress
from chatServer.records import MemoryFilter, Triple
from chatServer.store import embedding
from chatServer.store.pool import Database
from chatServer.terminal import memories as terminal_memories
from tests.conftest import ADA, EVE
from tests.tools.memory_rows import memory, write

EVERYTHING = MemoryFilter(ever=True)


async def test_a_list_fits_its_terminal_and_moves_no_cursor(database, monkeypatch):
    monkeypatch.setattr(terminal_memories, "PAGE", 2)
    over = datetime.now(UTC) - timedelta(hours=1)
    await write(
        database, *(memory(f"Fact {n} \x1b[2J\n" + "and so on " * 20) for n in range(4)), memory("Was.", valid_to=over)
    )
    header, was, *rows = (await terminal_memories.list_memories(database, ADA, EVERYTHING, width=130)).splitlines()
    assert header.split() == ["ID", "KIND", "TIER", "IMP.", "AGENT", "TEXT"]
    assert was.endswith(f"(until {over:%Y-%m-%d}) Was.")
    assert len(rows) == 4
    assert {len(row) for row in rows} == {130}
    narrow = await terminal_memories.list_memories(database, ADA, EVERYTHING, width=80)
    assert max(map(len, narrow.splitlines())) == 80
    piped = await terminal_memories.list_memories(database, ADA, EVERYTHING)
    assert piped.count("and so on " * 19) == 4
    assert " [2J and so on" in rows[0]
    found = json.loads(await terminal_memories.list_memories(database, ADA, EVERYTHING, as_json=True))
    assert [each["kind"] for each in found] == ["fact"] * 5


async def test_a_list_that_is_empty_says_whether_nothing_fits_or_nothing_is_remembered(database):
    await write(database, memory("Lives in Rome.", valid_to=datetime.now(UTC) - timedelta(hours=1)))
    fits = MemoryFilter(tag="work")
    assert await terminal_memories.list_memories(database, ADA, fits) == "Nothing that is remembered fits."
    of_nobody = "Nothing is remembered of this user. Is the name or id right?"
    assert await terminal_memories.list_memories(database, EVE, fits) == of_nobody
    assert await terminal_memories.list_memories(database, EVE, EVERYTHING) == of_nobody
    assert await terminal_memories.list_memories(database, EVE, EVERYTHING, as_json=True) == "[]"


async def test_one_memory_is_shown_edited_forgotten_and_brought_back(database):
    told = memory("Lives in Rome.", triple=Triple("user", "lives in", "Rome"))
    await write(database, told)
    memory_id = told.memory_id
    shown = await terminal_memories.show_memory(database, ADA, memory_id)
    assert "triple          user · lives in · Rome" in shown
    assert shown.splitlines()[-1].split()[2:] == ["created", "rules"]
    said = await terminal_memories.edit_memory(database, ADA, memory_id, Edit(text="Lives in Oslo."))
    assert said == f"Changed {memory_id}: Lives in Oslo."
    forgot = await terminal_memories.forget_memory(database, ADA, memory_id, called="Ada L.")
    assert forgot.startswith(f"Forgot {memory_id}: Lives in Oslo.\n")
    assert forgot.endswith(f" memory undo --user 'Ada L.' {memory_id}")
    with pytest.raises(MemoryNotFound):
        await terminal_memories.show_memory(database, ADA, memory_id)
    assert await terminal_memories.undo_change(database, ADA, memory_id) == "Again: Lives in Oslo."
    for verb, options in (
        (terminal_memories.show_memory, {}),
        (terminal_memories.forget_memory, {"called": "eve"}),
        (terminal_memories.undo_change, {}),
    ):
        with pytest.raises(MemoryNotFound):
            await verb(database, EVE, memory_id, **options)
    assert await terminal_memories.undo_change(database, ADA, memory_id) == "Again: Lives in Rome."
    gone = await terminal_memories.undo_change(database, ADA, memory_id)
    assert gone.startswith(f"The memory {memory_id} is gone")


async def test_the_graph_is_told_line_by_line_with_what_is_not_so(database):
    await write(
        database,
        memory("Mary lives in Porto.", triple=Triple("Mary", "lives in", "Porto")),
        memory("Mary does not eat meat.", triple=Triple("Mary", "eats", "meat")),
    )
    told = await terminal_memories.graph_memories(database, ADA, "mary")
    assert [line.split()[:-1] for line in told.splitlines()[1:]] == [
        ["Mary", "not:", "eats", "meat"],
        ["Mary", "lives", "in", "Porto"],
    ]
    assert len(json.loads(await terminal_memories.graph_memories(database, ADA, None, as_json=True))["edges"]) == 2
    assert await terminal_memories.graph_memories(database, ADA, "Tom") == "No facts are known of that."
    assert await terminal_memories.graph_memories(database, EVE, None) == "No facts are known."


async def test_a_search_is_in_the_order_of_recall(database, settings):
    await write(database, memory("The dog of the neighbour is old."), memory("My dog is called Rex."))
    await write(database, *(memory(f"Unlike the {n}th.") for n in range(10)))
    found = await search(settings, database, ADA, MemoryFilter(phrase="what is my dog called?"))
    assert found[0].text == "My dog is called Rex."


async def test_a_database_that_goes_away_while_vectors_are_made_is_a_sentence(database, settings, monkeypatch):
    await write(database, memory("Lives in Rome."))

    async def broken(*_: object) -> None:
        raise DatabaseUnavailable

    monkeypatch.setattr(embedding, "write_memory_vectors", broken)
    with pytest.raises(StartupError, match=r"does not answer.* run it again, and it goes on where it was\.$"):
        await memory_vectors._reembed_all(settings)


def test_to_look_at_memories_nothing_is_loaded_that_only_the_server_needs():
    heavy = "{'numpy', 'fastapi', 'uvicorn', 'langchain_postgres', 'tiktoken', 'wordllama'}"
    loads = f"import sys, chatServer.commands.memory; sys.exit(str({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", loads], check=False, capture_output=True, text=True)
    assert done.stderr == "set()\n"


def test_who_reads_no_more_ends_a_command_quietly(tmp_path):
    pipe = f"{sys.executable} -m chatServer token --user ada | true; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "CHAT_DATA_DIR": str(tmp_path)}
    done = subprocess.run(["bash", "-c", pipe], check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (command.NOBODY_READS, "")


async def test_an_audit_and_maintenance_say_what_they_found(database):
    await write(database, memory("I like tea"), memory("Well, I really like tea"), memory("A page.", trust="untrusted"))
    audited = await terminal_memories.audit_memories(database, ADA)
    assert "duplicates       1" in audited
    assert "untrusted: It comes from a tool or a page" in audited
    for dry_run, header in ((True, "WOULD BE"), (False, "WERE")):
        said = await terminal_memories.maintain_memories(database, ADA, retention=Retention(), dry_run=dry_run)
        assert said.split("\n")[0].strip() == header
        assert "merged    1" in said
    done = await terminal_memories.maintain_memories(database, ADA, retention=Retention(), dry_run=False, as_json=True)
    assert json.loads(done)["merged"] == 0


@pytest.fixture
def chatserver(monkeypatch, capsys, urls, tmp_path):
    """The command itself, in this process: what it prints, or the sentence with which it ends."""
    monkeypatch.chdir(tmp_path)
    for name, value in {"DATABASE_URL": urls.app, "DATABASE_DIRECT_URL": urls.app, "CHAT_DATA_DIR": tmp_path}.items():
        monkeypatch.setenv(name, str(value))

    def run(*arguments: object, user: str = "ada") -> str:
        action, *rest = map(str, arguments)
        try:
            cli.main(["memory", action, "--user", user, *rest])
        except SystemExit as ended:
            return str(ended)
        return capsys.readouterr().out

    return run


def test_the_command_does_all_that_the_routes_do(chatserver, urls):
    told = memory("Mary lives in Porto.", importance=0.9, tags=("family",))

    async def fill() -> None:
        async with Database(urls.app, Settings(database_url=urls.app, _env_file=None)) as database:
            await write(database, told)

    asyncio.run(fill())
    memory_id = str(told.memory_id)
    for wanted in (
        ["list"],
        ["list", "--tag", "family"],
        ["search", "porto"],
        ["search", "where is mary?"],
        ["list", "--agent", "assistant"],
    ):
        assert memory_id in chatserver(*wanted), wanted
    for unwanted in (["list", "--tag", "x"], ["search", "rome"], ["list", "--agent", "*"], ["list", "--tier", "long"]):
        assert memory_id not in chatserver(*unwanted), unwanted
    assert "Say what to change" in chatserver("edit", memory_id)
    assert chatserver("edit", memory_id, "--text", "Mary lives in Faro.", "--tag", "a", "--tag", "b").startswith(
        "Changed"
    )
    shown = chatserver("show", memory_id)
    assert "Mary lives in Faro." in shown
    assert "tags            a, b" in shown
    assert chatserver("show", memory_id, user="eve") == "You have no memory with this id."
    assert "promoted  1" in chatserver("maintain", "--dry-run")
    assert "promoted  1" in chatserver("maintain")
    assert "promoted  0" in chatserver("maintain")
    assert "memories         1" in chatserver("audit")
    *_, to_have_it_back = chatserver("forget", memory_id).splitlines()
    called, *undo, forgotten = to_have_it_back.split()
    assert (called, undo) == (sys.argv[0], ["memory", "undo", "--user", "ada"]), "as he was named"
    assert chatserver("undo", forgotten) == "Again: Mary lives in Faro.\n"


def test_whoever_sits_at_a_terminal_is_told_that_memories_are_looked_after(chatserver, monkeypatch):
    told = Terminal()
    monkeypatch.setattr(sys, "stderr", told)
    chatserver("maintain")
    assert told.getvalue() == "Looking after what is remembered ...\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_a_line_each_tenth_elsewhere():
    for stream in (Terminal(), io.StringIO()):
        bar = UsersBar(40, stream)
        for users in range(41):
            bar.show(Progress(users))
        bar.end()
        written = stream.getvalue()
        assert written.count("\n") == (1 if stream.isatty() else 11)
        assert "100%  40 users" in written
    nobody = io.StringIO()
    UsersBar(0, nobody).show(Progress())
    assert nobody.getvalue() == "100%  0 users, 0 messages, 0 memories embedded\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["edit", "--user", "ada", "nonsense"], "chatserver memory list shows"),
        (["list", "--user", "ada", "--as-of", "soon"], "a time is like"),
        (["edit", "--user", "ada", "00000000-0000-0000-0000-000000000000", "--importance", "2"], "between 0 and 1"),
        (["list", "--user", "ada", "--as-of", "2026-11-01", "--superseded"], "not allowed with"),
        (["search", "--user", "ada"], "WORD"),
        (["list"], "--user"),
    ],
)
def test_what_is_called_wrongly_is_told_how(capsys, arguments, said):
    with pytest.raises(SystemExit):
        cli.main(["memory", *arguments])
    assert said in capsys.readouterr().err
