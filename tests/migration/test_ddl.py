"""ddl.sql is the sum of the revisions, on every Postgres that we support."""

from collections.abc import Iterator

import pytest

from chatServer.store.embedded import EmbeddedPostgres
from chatServer.store.migrate import migrate, newest_revision
from tests.conftest import owner_connection
from tests.tools.schema import apply_ddl, cluster, dump, new_database


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
