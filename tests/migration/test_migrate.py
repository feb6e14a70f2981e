"""Migrating is safe to repeat, safe to race, at home on Supabase, and says in a sentence why it cannot."""

import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

import psycopg
import pytest

from chatServer.config import ROOT
from chatServer.errors import StartupError
from chatServer.store.embedded import EmbeddedPostgres
from chatServer.store.migrate import migrate, set_login_password
from tests.conftest import owner_connection
from tests.tools.schema import apply_ddl, cluster, dump, new_database

SEED_TABLES = {"user_agent_active_sessions", "chat_message_history", "agent_long_term_memory"}
API_ROLES = ["anon", "authenticated", "service_role", "authenticator", "supabase_auth_admin"]

# Alembic keeps its context in module globals: one process per migration. Forked from one that has imported it all.
MIGRATE_AT_ONCE = """
import multiprocessing, sys
from chatServer.store.migrate import migrate
processes = [multiprocessing.get_context("fork").Process(target=migrate, args=[url]) for url in sys.argv[1:]]
for process in processes:
    process.start()
for process in processes:
    process.join()
sys.exit(sum(process.exitcode != 0 for process in processes))
"""

SUPABASE_ROLES = """
create role project_owner login createrole createdb replication bypassrls;
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin login noinherit createrole;
grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to project_owner with admin option;
"""
SUPABASE_DATABASE = """
create schema auth authorization supabase_auth_admin;
create table auth.users (id uuid primary key, email text);
alter table auth.users owner to supabase_auth_admin;
create function auth.uid() returns uuid language sql stable
    return (current_setting('request.jwt.claims', true)::jsonb ->> 'sub')::uuid;
alter function auth.uid() owner to supabase_auth_admin;
grant usage on schema auth, public to project_owner, anon, authenticated, service_role;
create schema extensions;
grant usage on schema extensions to project_owner, anon, authenticated, service_role;
create extension vector with schema {vector_schema};
alter default privileges for role project_owner in schema public
    grant all on tables to anon, authenticated, service_role;
alter default privileges for role project_owner in schema public
    grant all on sequences to anon, authenticated, service_role;
alter default privileges for role project_owner in schema public
    grant all on functions to anon, authenticated, service_role;
"""


class Supabase(NamedTuple):
    """A database as Supabase hands it out, migrated; and what was in it before."""

    owner_url: str
    admin_url: str
    server: EmbeddedPostgres
    auth_before: str

    @property
    def name(self) -> str:
        return psycopg.conninfo.conninfo_to_dict(self.owner_url)["dbname"]

    def app_url(self, password: str, user: str = "chat_app") -> str:
        return self.server.url(f"{user}:{quote(password, safe='')}", self.name)


@pytest.fixture(scope="module", params=[16, 18])
def version(request) -> int:
    return request.param


@pytest.fixture(scope="module")
def untouched(version: int, tmp_path_factory) -> Iterator[EmbeddedPostgres]:
    """A cluster in which every migration fails, so that it never gets a role of ours."""
    with cluster(tmp_path_factory.mktemp(f"untouched{version}"), version) as started:
        yield started


@pytest.fixture(scope="module")
def supabase_server(version: int, tmp_path_factory) -> Iterator[EmbeddedPostgres]:
    directory = tmp_path_factory.mktemp(f"supabase{version}")
    with cluster(directory, version) as started:
        rules = directory / "postgres" / "pg_hba.conf"
        rules.write_text("local all chat_app scram-sha-256\n" + rules.read_text())
        with owner_connection(started.owner_url) as connection:
            connection.execute("select pg_reload_conf()")
            connection.execute(SUPABASE_ROLES)
        yield started


@pytest.fixture(scope="module")
def supabase(supabase_server, version) -> Supabase:
    return supabase_database(supabase_server, version)


def supabase_database(server: EmbeddedPostgres, version: int, vector_schema: str = "extensions") -> Supabase:
    owner_url = new_database(server, "project_owner")
    admin_url = owner_url.replace("project_owner@", "postgres@")
    with owner_connection(admin_url) as connection:
        connection.execute(SUPABASE_DATABASE.format(vector_schema=vector_schema))
    auth_before = dump(admin_url, version, "--schema=auth")
    migrate(owner_url)
    return Supabase(owner_url, admin_url, server, auth_before)


# Again, and at once --------------------------------------------------------------------------------------


def test_eight_processes_migrate_one_empty_database_while_two_migrate_its_neighbour(version, tmp_path):
    with cluster(tmp_path, version) as server:
        raced, neighbour, expected = (new_database(server) for _ in range(3))
        command = [sys.executable, "-c", MIGRATE_AT_ONCE, *[raced] * 8, *[neighbour] * 2]
        result = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr
        apply_ddl(expected)
        assert dump(raced, version) == dump(neighbour, version) == dump(expected, version)


def test_migrating_again_changes_nothing(supabase, version):
    before = dump(supabase.admin_url, version)
    migrate(supabase.owner_url)
    assert dump(supabase.admin_url, version) == before


# On Supabase ---------------------------------------------------------------------------------------------


def test_pgvector_may_be_in_schema_public(supabase, version):
    other = supabase_database(supabase.server, version, vector_schema="public")
    ours = dump(supabase.admin_url, version, "--schema=chat")
    assert dump(other.admin_url, version, "--schema=chat") == ours.replace("extensions.halfvec", "public.halfvec")


def test_roles_of_supabase_may_only_read_the_seed_tables(supabase, version):
    privileges = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"]
    privileges += ["MAINTAIN"] if version >= 17 else []
    with owner_connection(supabase.admin_url) as connection:
        rows = connection.execute(
            "select c.relname, r, p, has_table_privilege(r, c.oid, p) "
            "from pg_class c, unnest(%s::text[]) r, unnest(%s::text[]) p "
            "where c.relkind = 'r' and c.relnamespace in ('chat'::regnamespace, 'public'::regnamespace)",
            [API_ROLES, privileges],
        ).fetchall()
    assert {row[0] for row in rows} >= SEED_TABLES | {"sessions", "turns", "alembic_version"}
    assert {row[:3] for row in rows if row[3]} == {(table, "authenticated", "SELECT") for table in SEED_TABLES}


def test_roles_of_supabase_may_not_touch_columns_sequences_and_the_schema(supabase):
    with owner_connection(supabase.admin_url) as connection:
        columns = connection.execute(
            "select c.relname, r, p "
            "from pg_class c, unnest(%s::text[]) r, unnest('{INSERT,UPDATE,REFERENCES}'::text[]) p "
            "where c.relkind = 'r' and c.relnamespace in ('chat'::regnamespace, 'public'::regnamespace)"
            "    and has_any_column_privilege(r, c.oid, p)",
            [API_ROLES],
        ).fetchall()
        sequences = connection.execute(
            "select c.relname, has_sequence_privilege(r, c.oid, p) "
            "from pg_class c, unnest(%s::text[]) r, unnest('{SELECT,USAGE,UPDATE}'::text[]) p "
            "where c.relkind = 'S' and c.relnamespace in ('chat'::regnamespace, 'public'::regnamespace)",
            [API_ROLES],
        ).fetchall()
        schemas = connection.execute(
            "select r, s, p from unnest(%s::text[]) r, unnest('{chat,procrastinate}'::text[]) s, "
            "unnest('{USAGE,CREATE}'::text[]) p where has_schema_privilege(r, s, p)",
            [API_ROLES],
        ).fetchall()
    assert columns == schemas == []
    assert set(sequences) == {("chat_message_history_id_seq", False), ("user_events_seq_seq", False)}


def test_authenticated_alone_may_ask_who_is_asking(supabase):
    with owner_connection(supabase.admin_url) as connection:
        allowed = connection.execute(
            "select r from unnest(%s::text[]) r where has_function_privilege(r, 'chat.uid()', 'EXECUTE')", [API_ROLES]
        ).fetchall()
    assert allowed == [("authenticated",)]


def test_chat_app_serves_a_user_on_supabase(supabase):
    assert set_login_password(supabase.owner_url, supabase.app_url("serves"))
    with psycopg.connect(supabase.app_url("serves")) as connection:
        connection.execute("set local role chat_user")
        connection.execute("""set local request.jwt.claims = '{"sub": "00000000-0000-4000-8000-00000000000a"}'""")
        connection.execute(
            "insert into chat.message_index (message_id, session_id, tsv, vec) values "
            "(gen_random_uuid(), 's', '', '[1,2]')"
        )
        assert connection.execute("select count(*) from chat.message_index").fetchone() == (1,)
        connection.execute("select chat.enqueue_after_turn(gen_random_uuid(), gen_random_uuid())")
        connection.execute("set local role chat_jobs")
        assert connection.execute("select count(*) from procrastinate.procrastinate_jobs").fetchone() == (1,)
        connection.rollback()


def test_schema_auth_is_left_alone_and_not_needed(supabase, version):
    assert dump(supabase.admin_url, version, "--schema=auth") == supabase.auth_before
    ours = ("--schema=chat", "--schema=public")
    before = dump(supabase.admin_url, version, *ours)
    with owner_connection(supabase.admin_url) as connection:
        connection.execute("drop schema auth cascade")
    assert dump(supabase.admin_url, version, *ours) == before


# Why it cannot -------------------------------------------------------------------------------------------


def make_owner(server: EmbeddedPostgres, name: str, options: str = "") -> str:
    with owner_connection(server.owner_url) as connection:
        connection.execute(f"create role {name} login {options}")
    return name


def refusal(url: str, admin_url: str, version: int) -> str:
    """What migrate says when it refuses; that it changed nothing is checked here."""
    before = dump(admin_url, version)
    with pytest.raises(StartupError) as refused:
        migrate(url)
    assert dump(admin_url, version) == before
    with owner_connection(admin_url) as connection:
        assert connection.execute("select rolname from pg_roles where rolname like 'chat%'").fetchall() == []
    return str(refused.value)


def test_an_owner_without_createrole_is_told_so(untouched, version):
    url = new_database(untouched, make_owner(untouched, "no_createrole"))
    said = refusal(url, url.replace("no_createrole@", "postgres@"), version)
    assert said.startswith("permission denied to create role: MIGRATION_DATABASE_URL needs a role that owns")
    assert "CREATEROLE" in said


def test_a_role_that_does_not_own_the_database_is_told_so(untouched, version):
    owner_url = new_database(untouched)
    stranger = make_owner(untouched, "stranger", "createrole")
    said = refusal(owner_url.replace("postgres@", f"{stranger}@"), owner_url, version)
    assert said.startswith("permission denied for database")
    assert "a role that owns the database" in said


def test_an_owner_who_may_not_install_pgvector_is_told_who_may(untouched, version):
    url = new_database(untouched, make_owner(untouched, "no_superuser", "createrole"))
    said = refusal(url, url.replace("no_superuser@", "postgres@"), version)
    assert "let an administrator run `create extension vector`" in said


@pytest.mark.parametrize("version", [18], indirect=True)  # 16 cannot look for extensions elsewhere
def test_a_server_without_pgvector_is_told_so(untouched, version):
    url = new_database(untouched)
    with owner_connection(url) as connection:
        name = connection.info.dbname
        connection.execute(f"alter database {name} set extension_control_path = '/nonexistent'")
    assert "install pgvector 0.7 or newer" in refusal(url, url, version)


def test_pgvector_in_a_place_where_we_do_not_look_is_told_so(untouched, version):
    url = new_database(untouched)
    with owner_connection(url) as connection:
        connection.execute("create schema elsewhere create table t (i int)")
        connection.execute("create extension vector with schema elsewhere")
    assert "pgvector 0.7 or newer must be in the schema public or extensions" in refusal(url, url, version)


def test_a_database_that_takes_no_writes_is_told_so(untouched, version):
    url = new_database(untouched, "postgres")
    with owner_connection(url) as connection:
        connection.execute(f"alter database {connection.info.dbname} set default_transaction_read_only = on")
    said = refusal(url, url, version)
    assert "read-only transaction: let MIGRATION_DATABASE_URL name the primary, or: alter database NAME reset" in said
    assert said.endswith("Nothing was changed.")


def test_a_database_that_is_not_there_is_told_without_the_password(tmp_path):
    with pytest.raises(StartupError, match="Check MIGRATION_DATABASE_URL") as refused:
        migrate(f"postgresql://project_owner:hidden@/chat?host={tmp_path}")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("url", ["hidden", "postgresql://project_owner:hidden@host:port/chat?nonsense=1"])
def test_what_is_no_address_is_told_without_the_password(url):
    with pytest.raises(StartupError, match="MIGRATION_DATABASE_URL is no address of a database") as refused:
        migrate(url)
    assert "hidden" not in str(refused.value)


# The password of chat_app --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "password", ["plain", """it's "quoted"; drop role chat_app; --""", "100%s \\ $$ &?@/:", "пароль"]
)
def test_chat_app_logs_in_with_the_password_of_its_url(supabase, password):
    assert set_login_password(supabase.owner_url, supabase.app_url(password))
    with psycopg.connect(supabase.app_url(password)) as connection:
        assert connection.execute("select current_user").fetchone() == ("chat_app",)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(supabase.app_url(password + "x"))
    assert stored_password(supabase).startswith("SCRAM-SHA-256$")


def test_a_pooler_may_append_its_tenant_to_the_name(supabase):
    before = stored_password(supabase)
    assert set_login_password(supabase.owner_url, supabase.app_url("secret", user="chat_app.tenant"))
    assert stored_password(supabase) != before


@pytest.mark.parametrize("user", ["somebody:secret", "chat_application:secret", "chat_app"])
def test_urls_of_others_and_urls_without_a_password_set_none(supabase, user):
    before = stored_password(supabase)
    assert not set_login_password(supabase.owner_url, supabase.server.url(user, supabase.name))
    assert stored_password(supabase) == before


def test_an_owner_who_may_not_set_the_password_is_told_so(supabase):
    with pytest.raises(StartupError, match="Let an administrator set the one that DATABASE_URL carries"):
        set_login_password(supabase.owner_url.replace("project_owner@", "authenticator@"), supabase.app_url("secret"))


def stored_password(supabase: Supabase) -> str:
    with owner_connection(supabase.admin_url) as connection:
        row = connection.execute("select coalesce(rolpassword, '') from pg_authid where rolname = 'chat_app'")
        return row.fetchone()[0]
