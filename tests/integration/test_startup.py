"""The server starts as chat_app on a migrated database, and on nothing else; it says what to do instead."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from chatServer import cli
from chatServer.config import ROOT, Settings
from chatServer.errors import StartupError
from chatServer.main import running
from chatServer.store.embedded import EmbeddedPostgres
from chatServer.store.migrate import migrate, newest_revision
from tests.conftest import Urls, owner_connection

ROLE = "another_login"
OLDER = [path.name[:4] for path in (ROOT / "migrations/versions").glob("0*.py") if path.name[:4] != newest_revision()]


@pytest.fixture
def role(postgres: EmbeddedPostgres) -> Iterator[str]:
    """A login of this test alone; asked for before the database, so that it goes after it."""
    with owner_connection(postgres.owner_url) as connection:
        connection.execute(f"create role {ROLE} login noinherit")
        yield ROLE
        connection.execute(f"drop role {ROLE}")


@pytest.fixture
def start(tmp_path: Path):
    async def start(url: str) -> None:
        settings = Settings(database_url=SecretStr(url), chat_data_dir=tmp_path, _env_file=None)
        async with running(settings):
            pass

    return start


def execute(url: str, *statements: str) -> None:
    with owner_connection(url) as connection:
        for statement in statements:
            connection.execute(statement)


def url_of(urls: Urls, role: str) -> str:
    return urls.owner.replace("postgres@", f"{role}@")


async def test_the_server_starts_as_chat_app(urls, start):
    await start(urls.app)


async def test_the_server_refuses_to_be_superuser(urls, start):
    with pytest.raises(StartupError, match=r"postgres is a superuser.*Let DATABASE_URL log in as chat_app"):
        await start(urls.owner)


@pytest.mark.parametrize(
    "grants",
    [
        "alter table chat.sessions owner to {0}",
        "alter table chat.sessions owner to chat_jobs; grant chat_jobs to {0}",
        "alter table public.chat_message_history owner to {0}",
        "alter table chat.turn_events owner to {0}",
    ],
)
async def test_the_server_refuses_to_own_the_tables(role, urls, start, grants):
    execute(urls.owner, grants.format(role), f"grant chat_user to {role}")
    with pytest.raises(StartupError, match=r"owns our tables.*MIGRATION_DATABASE_URL"):
        await start(url_of(urls, role))


async def test_the_server_refuses_to_bypass_row_level_security(role, urls, start):
    execute(urls.owner, f"alter role {role} bypassrls", f"grant chat_user to {role}")
    with pytest.raises(StartupError, match=r"has BYPASSRLS.*Let DATABASE_URL log in as chat_app"):
        await start(url_of(urls, role))


@pytest.mark.parametrize("option", ["superuser", "bypassrls"])
async def test_the_server_refuses_a_login_that_may_become_such_a_role(role, urls, start, option):
    powerful = f"{ROLE}_powerful"
    execute(urls.owner, f"create role {powerful} {option}", f"grant chat_user, {powerful} to {role}")
    try:
        with pytest.raises(StartupError, match=r"or may become such a role.*Let DATABASE_URL log in as chat_app"):
            await start(url_of(urls, role))
    finally:
        execute(urls.owner, f"drop role {powerful}")


async def test_the_server_refuses_a_login_that_cannot_become_a_user(role, urls, start):
    with pytest.raises(StartupError, match=f"Run: grant chat_user to {role}"):
        await start(url_of(urls, role))
    execute(urls.owner, f"grant chat_user to {role}")
    await start(url_of(urls, role))


async def test_the_server_refuses_an_empty_database(postgres, urls, start):
    execute(postgres.owner_url, "create database unmigrated")
    try:
        with pytest.raises(StartupError, match=r"Our tables are missing\. Run: chatserver migrate"):
            await start(postgres.url("chat_app", "unmigrated"))
    finally:
        execute(postgres.owner_url, "drop database unmigrated with (force)")


def test_a_database_that_is_not_utf8_is_refused_before_anything_is_made_in_it(postgres):
    execute(postgres.owner_url, "create database ascii encoding 'SQL_ASCII' locale 'C' template template0")
    try:
        with pytest.raises(StartupError, match=r"keeps texts as SQL_ASCII.*encoding 'UTF8'"):
            migrate(postgres.url("postgres", "ascii"))
    finally:
        execute(postgres.owner_url, "drop database ascii")


async def test_a_postgres_that_is_too_old_is_refused_before_anything_is_made_in_it(urls, start, monkeypatch):
    monkeypatch.setattr("chatServer.store.migrate.OLDEST_SERVER", 990_000)
    with pytest.raises(StartupError, match=r"MIGRATION_DATABASE_URL: Postgres \d\d is too old, .* 99 or newer"):
        migrate(urls.owner)
    with pytest.raises(StartupError, match=r"^DATABASE_URL: Postgres \d\d is too old"):
        await start(urls.app)


def test_who_cannot_get_in_to_migrate_is_not_told_to_migrate():
    with pytest.raises(StartupError, match="Check MIGRATION_DATABASE_URL") as refused:
        migrate("postgresql://postgres@127.0.0.1:1/chat")
    assert "chatserver migrate" not in str(refused.value)


async def test_all_problems_are_told_at_once(postgres, urls, start):
    with pytest.raises(StartupError, match=r"(?s)is a superuser.*Our tables are missing"):
        await start(postgres.url("postgres", "template1"))


@pytest.mark.parametrize("revision", [None, *OLDER])
async def test_the_server_refuses_an_older_revision(urls, start, revision):
    execute(urls.owner, "delete from chat.alembic_version")
    if revision is not None:
        execute(urls.owner, f"insert into chat.alembic_version values ('{revision}')")
    with pytest.raises(StartupError, match=f"at revision {revision}. Run: chatserver migrate"):
        await start(urls.app)


async def test_the_server_accepts_a_database_that_is_newer_than_itself(urls, start):
    execute(urls.owner, "update chat.alembic_version set version_num = '9999'")
    await start(urls.app)


async def test_to_migrate_a_database_that_is_newer_changes_nothing(urls, start):
    execute(urls.owner, "update chat.alembic_version set version_num = '9999'")
    assert migrate(urls.owner) == []
    await start(urls.app)


def test_to_migrate_names_the_revision_of_a_database_that_is_newer(urls, monkeypatch, capsys, tmp_path):
    execute(urls.owner, "update chat.alembic_version set version_num = '9999'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", urls.owner)
    monkeypatch.setenv("DATABASE_URL", urls.app)
    cli.main(["migrate"])
    told = capsys.readouterr().out
    assert "The database is at revision 9999." in told
    assert f"newer than this code, which ends at {newest_revision()}" in told
    assert "run the newer code" in told
