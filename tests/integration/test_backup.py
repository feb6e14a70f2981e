"""A backup holds everything of everybody; a restore brings all of it back, or changes nothing."""

import asyncio
import fcntl
import hashlib
import os
import socket
import stat
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.config import Config
from psycopg import sql
from pydantic import SecretStr

from chatServer import cli
from chatServer.commands import operations
from chatServer.config import Settings
from chatServer.conversation import sessions
from chatServer.errors import StartupError
from chatServer.main import running
from chatServer.messages.message import Message
from chatServer.store import backup as backups
from chatServer.store import migrate, pgtools
from chatServer.store import restore as restores
from chatServer.store.backup import backup
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Database
from chatServer.store.restore import restore
from tests.conftest import ADA, EVE, Urls, cloned, owner_connection
from tests.tools.knowledge import read_all, rows, upload
from tests.tools.least_rows import ROWS, insert
from tests.tools.schema import dump
from tests.tools.turns import eventually, finished_turn, queued, title_of
from tests.tools.working import working

TOKENS = "chat.personal_tokens"
PICTURE = bytes(range(256)) * 400
TEXT = "tab\t, line\n, back\\slash, \\. and \\N, quote ' \", 火山, \U0001f30b, {json}"


def fill(url: str) -> None:
    """Two users with a row in every table, a picture, and text that COPY has to escape."""
    with owner_connection(url) as connection:
        for user in (ADA, EVE):
            for table, row in ROWS.items():
                connection.execute(insert(table, row, user.user_id))
        connection.execute("update chat.message_images set bytes = %s", [PICTURE])
        connection.execute("update chat.sessions set title = %s, last_active_at = now() - interval '3 days'", [TEXT])
        connection.execute("update public.agent_long_term_memory set notes = %s", [TEXT * 50])
        connection.execute("update chat.message_index set tsv = to_tsvector('simple', 'volcano'), vec = '[1,2.5,-3]'")
        query = "update public.chat_message_history set message = jsonb_build_object('content', %s::text)"
        connection.execute(query, [TEXT])


def fingerprint(url: str) -> dict[str, str]:
    """Every table of ours with a hash of all its rows; but for tokens, which do not come back."""
    with owner_connection(url) as connection:
        found = {}
        for table in [*(name for name in ROWS if name != TOKENS), "chat.alembic_version"]:
            query = sql.SQL("select t::text from {} t order by 1").format(sql.Identifier(*table.split(".")))
            rows = connection.execute(query).fetchall()
            found[table] = f"{len(rows)} {hashlib.sha256(repr(rows).encode()).hexdigest()}"
        return found


@pytest.fixture
def filled(urls: Urls) -> Urls:
    fill(urls.owner)
    return urls


@pytest.fixture
def other(postgres: EmbeddedPostgres, template: str) -> Iterator[Urls]:
    with cloned(postgres, template) as found:
        yield found


@pytest.fixture
def saved(filled: Urls, tmp_path: Path) -> Path:
    file = tmp_path / "chat.backup"
    assert backup(filled.owner, file) == file.stat().st_size > 1_000
    return file


def test_a_round_trip_is_identical_row_by_row_and_right_by_right(filled, other, saved):
    before = fingerprint(filled.owner)
    assert all(found.startswith("2 ") for table, found in before.items() if table != "chat.alembic_version")
    assert fingerprint(other.owner) != before
    schema = dump(other.owner, 18)
    assert restore(other.owner, saved).revision == migrate.newest_revision()
    assert fingerprint(other.owner) == before
    assert dump(other.owner, 18) == schema, "row level security, policies, grants, owners"


def test_the_comparison_sees_a_single_changed_row(filled):
    before = fingerprint(filled.owner)
    with owner_connection(filled.owner) as connection:
        connection.execute("update chat.message_images set bytes = bytes || '\\x00' where user_id = %s", [EVE.user_id])
    changed = {table for table, found in fingerprint(filled.owner).items() if found != before[table]}
    assert changed == {"chat.message_images"}


async def test_the_server_works_on_a_restored_database_and_users_stay_apart(other, saved, tmp_path):
    restore(other.owner, saved)
    settings = Settings(database_url=SecretStr(other.app), chat_data_dir=tmp_path, _env_file=None)
    async with Database(other.app, settings) as database:
        page = await sessions.find(database, ADA, limit=9, before=None, agent_name=None, archived=False, phrase="line")
        assert [session.title for session in page.sessions] == [TEXT]
        made, _ = await sessions.create(database, ADA, agent_name="assistant", default_agent="assistant", key=None)
        async with database.transaction(ADA) as connection:
            await ChatMessageHistory(connection, ADA.user_id, made.session_id).append(
                [Message(role="user", content="after")]
            )
            ids = await (await connection.execute("select id from chat_message_history order by id")).fetchall()
            assert len(ids) == 2, "Eve's row is not hers to see"
            assert ids[1] > ids[0], "the counter goes on"


def test_a_restore_into_a_database_without_our_tables_makes_them(postgres, filled, saved):
    with owner_connection(postgres.owner_url) as connection:
        connection.execute("create database restored_anew")
    try:
        url = postgres.url("postgres", "restored_anew")
        restore(url, saved)
        assert fingerprint(url) == fingerprint(filled.owner)
    finally:
        with owner_connection(postgres.owner_url) as connection:
            connection.execute("drop database restored_anew with (force)")


async def test_jobs_are_not_kept_and_a_worker_goes_on_after_a_restore(settings, filled, saved):
    async with Database(filled.app, settings) as database:
        await finished_turn(database, ADA, "left undone")
        assert len(queued(filled)) == 1
        assert restore(filled.owner, saved, force=True).unread == 2
        assert jobs_of(filled) == ["ingest"] * 2, "of each user's file"
    async with running(settings.model_copy(update={"worker": "inprocess"})) as state:
        for _ in range(8):  # as often as makes a driver prepare what it asks again and again
            await finished_turn(state.database, ADA, "The worker is there")
            await eventually(lambda: asyncio.to_thread(lambda: queued(filled) == []))
        await asyncio.to_thread(restore, filled.owner, saved, force=True)
        session_id, _ = await finished_turn(state.database, ADA, "Where do puffins breed?")
        await eventually(lambda: asyncio.to_thread(lambda: queued(filled) == []))
        assert await title_of(state.database, ADA, session_id) == "Where do puffins breed?"


def test_no_personal_token_comes_back_as_some_were_deleted_since(filled, other, saved):
    count = f"select count(*) from {TOKENS}"
    assert rows(filled, count) == [(2,)]
    assert restore(other.owner, saved).tokens == 2
    assert rows(other, count) == [(0,)]


def jobs_of(urls: Urls) -> list[str]:
    with owner_connection(urls.owner) as connection:
        names = connection.execute("select task_name from procrastinate.procrastinate_jobs order by id")
        return [name for (name,) in names.fetchall()]


async def test_files_that_waited_to_be_read_are_read_after_a_restore(client, database, urls, as_ada, as_eve, tmp_path):
    await upload(client, as_ada, ("a.txt", b"One."), ("b.txt", b"Two."))
    await upload(client, as_eve, ("c.txt", b"Three."))
    await read_all(database, ADA, await upload(client, as_ada, ("read.txt", b"Four.")))
    with owner_connection(urls.owner) as connection:  # as a backup finds it while it is read
        connection.execute("update chat.articles set state = 'reading' where name = 'b.txt'")
    backup(urls.owner, tmp_path / "chat.backup")
    assert restore(urls.owner, tmp_path / "chat.backup", force=True).unread == 3
    with owner_connection(urls.owner) as connection:
        query = "select args ->> 'user_id', lock from procrastinate.procrastinate_jobs order by id"
        left = connection.execute(query).fetchall()
    assert left == [(str(each.user_id), f"{each.user_id}:articles") for each in (ADA, ADA, EVE)]
    async with working(database):
        await eventually(lambda: asyncio.to_thread(lambda: jobs_of(urls) == []))
    states = rows(urls, "select name, state from chat.articles order by name")
    assert states == [(name, "ready") for name in ("a.txt", "b.txt", "c.txt", "read.txt")]


def test_a_file_is_not_overwritten_unless_forced(filled, saved):
    saved.write_bytes(b"of yesterday")
    with pytest.raises(StartupError, match=r"is there already.*--force"):
        backup(filled.owner, saved)
    assert saved.read_bytes() == b"of yesterday"
    backup(filled.owner, saved, force=True)
    assert saved.read_bytes().startswith(b"PGDMP")


@pytest.mark.parametrize("make", [os.mkfifo, lambda file: file.symlink_to("elsewhere")], ids=["pipe", "link"])
def test_what_is_no_file_is_not_replaced_by_one(filled, tmp_path, make):
    make(tmp_path / "there")
    before = (tmp_path / "there").lstat()
    with pytest.raises(StartupError, match="is a link, a pipe or a device"):
        backup(filled.owner, tmp_path / "there", force=True)
    after = (tmp_path / "there").lstat()
    assert (after.st_ino, after.st_mode, after.st_mtime) == (before.st_ino, before.st_mode, before.st_mtime)


def test_only_its_owner_can_read_a_backup_and_nothing_else_is_left(saved):
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert list(saved.parent.glob(".*")) == []


def test_what_a_killed_backup_left_is_in_nobodys_way_and_goes(filled, tmp_path):
    of_my_number = tmp_path / f".chat.backup.{os.getpid()}"  # in a container each has the same one
    left, written, other = (tmp_path / f".chat.backup.{each}.draft" for each in ("abcdefgh", "12345678", "2.abcdefgh"))
    for each in (of_my_number, left, written, other):
        each.touch()
    with written.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        backup(filled.owner, tmp_path / "chat.backup")
    assert {each.name for each in tmp_path.glob(".*")} == {of_my_number.name, written.name, other.name}


def test_what_killed_backups_left_under_other_names_is_told(filled, saved, capsys):
    of_old, of_yesterday, written, empty, own = (
        saved.with_name(name)
        for name in (".chat.backup.4711", ".chat-1.abcdefgh.draft", ".chat-2.abcdefgh.draft", ".x.12", ".config.1")
    )
    for each in (of_old, of_yesterday, written):
        each.write_bytes(saved.read_bytes()[:100])
    empty.touch()
    own.write_text("of somebody")
    settings = Settings(migration_database_url=SecretStr(filled.owner), _env_file=None)
    with written.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        operations.backup(settings, Namespace(file=saved, force=True))
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2
    assert told[1].endswith(f"delete it unless one is running: {of_yesterday}, {of_old}")
    assert of_old.exists(), "an older version may be writing it: it holds no lock"
    for each in (of_old, of_yesterday):
        each.unlink()
    operations.backup(settings, Namespace(file=saved, force=True))
    assert len(capsys.readouterr().out.splitlines()) == 2, "the one that nobody writes any more"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_whoever_sits_at_a_terminal_is_told_what_takes_its_time(filled, saved, capsys, monkeypatch, is_terminal):
    settings = Settings(migration_database_url=SecretStr(filled.owner), _env_file=None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    operations.backup(settings, Namespace(file=saved, force=True))
    operations.restore(settings, Namespace(file=saved, force=True))
    cli.migrate(settings, Namespace())
    told = [
        "Saving all rows of all users ...",
        f"Restoring {saved}, in one transaction ...",
        "Bringing the database to the newest revision ...",
    ]
    assert capsys.readouterr().err.splitlines() == (told if is_terminal else [])


def test_two_backups_of_one_name_leave_each_others_drafts_alone(filled, tmp_path, monkeypatch):
    file, make, dump_into = tmp_path / "chat.backup", tempfile.mkstemp, backups._dump
    made: list[str] = []
    written: list[str] = []

    def made_and_looked_at(**wanted: Any) -> tuple[int, str]:
        descriptor, name = make(**wanted)
        made.append(name)
        if len(made) == 1:
            backups._forget_drafts(file)  # the other one does, before this one has its lock
        return descriptor, name

    def looked_at_and_dumped(tool: Path, owner_url: str, draft: Path) -> None:
        backups._forget_drafts(file)
        written.extend([str(draft)] if draft.exists() else [])
        dump_into(tool, owner_url, draft)

    monkeypatch.setattr(tempfile, "mkstemp", made_and_looked_at)
    monkeypatch.setattr(backups, "_dump", looked_at_and_dumped)
    backup(filled.owner, file)
    assert len(made) == 2
    assert written == made[1:], "what is written is the private file that is locked"
    assert [each.name for each in tmp_path.iterdir()] == ["chat.backup"]


def test_a_file_system_that_counts_no_links_is_a_sentence(filled, tmp_path, monkeypatch):
    counted = os.fstat
    monkeypatch.setattr(os, "fstat", lambda file: os.stat_result((*counted(file)[:3], 0, *counted(file)[4:])))
    with pytest.raises(StartupError, match=f"Cannot hold a file in {tmp_path}.*counts no links"):
        backup(filled.owner, tmp_path / "chat.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_that_fails_leaves_no_file(filled, tmp_path, monkeypatch):
    monkeypatch.setattr(pgtools, "pg_dump", lambda *_: Path("/bin/false"))
    with pytest.raises(StartupError, match="nothing was written"):
        backup(filled.owner, tmp_path / "chat.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_sentence(filled, tmp_path):
    with pytest.raises(StartupError, match="Cannot write to"):
        backup(filled.owner, tmp_path / "nowhere" / "chat.backup")
    with pytest.raises(StartupError, match="is a folder"):
        backup(filled.owner, tmp_path, force=True)


def test_a_database_with_rows_is_not_replaced_unless_forced(filled, other, saved):
    with owner_connection(other.owner) as connection:
        connection.execute(insert("public.chat_message_history", ROWS["public.chat_message_history"], EVE.user_id))
    before = fingerprint(other.owner)
    with pytest.raises(StartupError, match=r"chat_message_history has rows.*--force"):
        restore(other.owner, saved)
    assert fingerprint(other.owner) == before
    restore(other.owner, saved, force=True)
    assert fingerprint(other.owner) == fingerprint(filled.owner)


@pytest.mark.parametrize("content", [b"", b"PGDMP", b"create table x();", bytes(5_000)])
def test_a_file_that_is_no_backup_is_refused(other, tmp_path, content):
    file = tmp_path / "no.backup"
    file.write_bytes(content)
    with pytest.raises(StartupError, match="is not a backup of chatServer"):
        restore(other.owner, file)


def test_a_file_that_is_not_there_is_a_sentence(other, tmp_path):
    with pytest.raises(StartupError, match="There is no file"):
        restore(other.owner, tmp_path / "nowhere")


def test_a_dump_of_something_else_is_refused(other, postgres, tmp_path):
    file = tmp_path / "other.backup"
    with owner_connection(postgres.url("postgres", "postgres")) as connection:
        connection.execute("create table if not exists public.something (x text)")
        try:
            dump(postgres.url("postgres", "postgres"), 18, "--format=custom", f"--file={file}")
        finally:
            connection.execute("drop table public.something")
    with pytest.raises(StartupError, match="is not a backup of chatServer"):
        restore(other.owner, file)


def test_a_damaged_backup_changes_nothing_even_when_forced(filled, other, saved):
    fill(other.owner)
    before = fingerprint(other.owner)
    whole = saved.read_bytes()
    saved.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(StartupError, match=r"Nothing was changed|is not a backup"):
        restore(other.owner, saved, force=True)
    assert fingerprint(other.owner) == before


def test_a_database_that_goes_away_during_a_restore_is_a_sentence(filled, other, saved, monkeypatch):
    fill(other.owner)
    before, drop = fingerprint(other.owner), restores._drop

    def dropped(raw: psycopg.Connection) -> None:
        drop(raw)
        with socket.socket(fileno=os.dup(raw.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    monkeypatch.setattr(restores, "_drop", dropped)
    with pytest.raises(StartupError, match=r"went away during the restore.* run the command again\.$"):
        restore(other.owner, saved, force=True)
    assert fingerprint(other.owner) == before


def test_a_backup_of_newer_code_says_to_upgrade(filled, other, tmp_path):
    with owner_connection(filled.owner) as connection:
        connection.execute("update chat.alembic_version set version_num = '9999'")
    backup(filled.owner, tmp_path / "newer.backup")
    with pytest.raises(StartupError, match=r"revision 9999, which is newer than this code. Upgrade first"):
        restore(other.owner, tmp_path / "newer.backup")


def test_rows_for_other_tables_and_statements_in_a_file_are_not_run(other, saved, tmp_path):
    """pg_restore is replaced by something that says more than a backup of ours would."""
    tool = tmp_path / "pg_restore"
    planted = "COPY public.planted (x) FROM stdin;\\n1\\n\\\\.\\ndrop table chat.sessions;\\nSELECT pg_sleep(60);"
    tool.write_text(f'#!/bin/sh\nprintf "{planted}\\n"\nexec {pgtools.pg_restore()} "$@"\n')
    tool.chmod(0o755)
    with owner_connection(other.owner) as connection:
        connection.execute("create table public.planted (x text)")
    with psycopg.connect(other.owner, autocommit=True) as connection, connection.transaction():
        connection.execute("delete from chat.alembic_version")
        restores._load(connection, tool, saved)
        assert connection.execute("select count(*) from public.planted").fetchone() == (0,)
        assert connection.execute("select count(*) from chat.sessions").fetchone() == (2,)


NEXT_REVISION = """
from alembic import op
revision, down_revision = "next", {newest!r}
def upgrade():
    op.execute("alter table chat.sessions add column planted text not null default 'by the next revision'")
"""


@pytest.fixture
def next_revision(tmp_path, monkeypatch) -> Iterator[None]:
    """Code that is one revision ahead of what is there now."""
    folder, ini = tmp_path / "versions", Path(migrate.ROOT / "alembic.ini")
    folder.mkdir()
    (folder / "next.py").write_text(NEXT_REVISION.format(newest=migrate.newest_revision()))

    def with_next() -> Config:
        config = Config(str(ini))
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", f"{ini.parent / 'migrations/versions'}\n{folder}")
        return config

    monkeypatch.setattr(migrate, "_config", with_next)
    forget_revisions()
    yield
    monkeypatch.undo()
    forget_revisions()


def forget_revisions() -> None:
    migrate.newest_revision.cache_clear()
    migrate._revisions.cache_clear()


def test_a_backup_of_an_older_revision_is_migrated_on_its_way_in(other, saved, next_revision):
    assert restore(other.owner, saved).revision != "next"
    with owner_connection(other.owner) as connection:
        assert connection.execute("select version_num from chat.alembic_version").fetchall() == [("next",)]
        rows = connection.execute("select title, planted from chat.sessions").fetchall()
        assert rows == [(TEXT, "by the next revision")] * 2


# Versions and owners ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sixteen(tmp_path_factory) -> Iterator[EmbeddedPostgres]:
    with embedded_postgres(tmp_path_factory.mktemp("pg16"), version=16) as server:
        migrate.migrate(server.owner_url)
        yield server


def test_an_older_server_is_saved_with_its_own_tools_and_restored_into_a_newer_one(sixteen, other, tmp_path):
    assert "pginstall18" not in str(pgtools.pg_dump(16))
    fill(sixteen.owner_url)
    backup(sixteen.owner_url, tmp_path / "sixteen.backup")
    restore(other.owner, tmp_path / "sixteen.backup")
    assert fingerprint(other.owner) == fingerprint(sixteen.owner_url)


def test_a_file_of_newer_tools_is_restored_into_an_older_server(sixteen, saved, filled):
    """The tool that reads a file is chosen by the file: the server's own of 16 would refuse one of 18."""
    assert "pginstall18" in str(pgtools.pg_restore())
    restore(sixteen.owner_url, saved, force=True)
    assert fingerprint(sixteen.owner_url) == fingerprint(filled.owner)


def test_a_server_that_is_newer_than_every_tool_is_a_sentence():
    with pytest.raises(StartupError, match=r"Postgres 99, and pg_dump is there for .*18 only. Install the client"):
        pgtools.pg_dump(99)


def test_an_owner_whom_row_level_security_binds_is_told_what_to_do(sixteen, tmp_path):
    with owner_connection(sixteen.url("postgres", "postgres")) as connection:
        connection.execute("create role bound_owner login createrole")
        connection.execute("create database bound owner bound_owner")
    with pytest.raises(StartupError, match="alter role bound_owner bypassrls"):
        backup(sixteen.url("bound_owner", "bound"), tmp_path / "x")
    with pytest.raises(StartupError, match="alter role bound_owner bypassrls"):
        restore(sixteen.url("bound_owner", "bound"), tmp_path / "x")


def test_the_password_is_not_on_the_command_line():
    address, environment = pgtools.target("postgresql://postgres:hush@db.example:5433/chat?sslmode=require")
    assert "hush" not in address
    assert environment["PGPASSWORD"] == "hush"
    assert {"host=db.example", "port=5433", "sslmode=require"} <= set(address.split())
