"""The doctor: each fault is really there, and its line names it and says what to do."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from chatServer import doctor
from chatServer.api.dev_key import DevKey
from chatServer.config import Settings
from chatServer.doctor import Case, Finding, identity, machine
from chatServer.store.diagnosis import DatabaseFault, look_at
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate, newest_revision
from tests.conftest import Urls, owner_connection
from tests.tools import prepared
from tests.tools.contexts import with_agents
from tests.tools.issuer import Issuer, SigningKey


def execute(url: str, *statements: str) -> None:
    with owner_connection(url) as connection:
        for statement in statements:
            connection.execute(statement)


def case_of(settings: Settings, url: str | None = None, **options) -> Case:
    url = url or settings.database_url.get_secret_value()
    options.setdefault("environment", {})
    try:
        return Case(settings, look_at(url, clock=options.get("clock", time.time)), **options)
    except DatabaseFault as fault:
        return Case(settings, fault, **options)


def findings(case: Case) -> dict[str, Finding]:
    return {finding.name: finding for finding in doctor.examine(case)}


def problems(case: Case) -> dict[str, str]:
    return {name: str(found) for name, found in findings(case).items() if found.state == "problem"}


def only_problem(case: Case, name: str, *said: str) -> None:
    found = problems(case)
    assert list(found) == [name]
    for part in said:
        assert part in found[name]


def test_a_sound_installation_has_no_problem(settings):
    found = findings(case_of(settings))
    assert {each.state for each in found.values()} == {"ok", "skipped"}
    assert all(found[name].state == "ok" for name in ("database", "pgvector", "login role", "migrations", "grants"))
    assert found["migrations"].detail == f"at revision {newest_revision()}"
    assert "chat_app@" in found["database"].detail


def test_every_problem_has_a_remedy_and_every_check_a_name_of_its_own(settings):
    found = [check(case_of(settings)) for check in doctor.CHECKS]
    assert len({each.name for each in found}) == len(doctor.CHECKS)


def test_vectors_of_another_embedder_or_size_are_named(settings, urls):
    assert findings(case_of(settings))["embedding size"].detail == "no vectors yet, wordllama"
    nobody = "00000000-0000-0000-0000-000000000000"
    execute(urls.owner, f"insert into chat.embedding (user_id, model, size) values ('{nobody}', 'wordllama', 256)")
    assert findings(case_of(settings))["embedding size"].detail == "wordllama, 256 numbers"
    execute(urls.owner, "update chat.embedding set size = 128")
    only_problem(case_of(settings), "embedding size", "wordllama (128 numbers)", "Run: chatserver memory reembed")
    other = settings.model_copy(update={"embedder": "openai:text-embedding-3-small"})
    only_problem(case_of(other), "embedding size", "EMBEDDER is openai:text-embedding-3-small", "set EMBEDDER to what")
    assert findings(case_of(settings.model_copy(update={"embedder": "off"})))["embedding size"].state == "ok"


# Getting in ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_passwords(tmp_path_factory) -> Iterator[EmbeddedPostgres]:
    """A server that wants scram passwords on TCP."""
    with embedded_postgres(tmp_path_factory.mktemp("scram")) as server:
        migrate(server.owner_url)
        execute(server.owner_url, "alter role chat_app password 'the-right-one'")
        hba = server.data_dir / "postgres" / "pg_hba.conf"
        hba.write_text("local all postgres trust\nlocal all all scram-sha-256\n")
        execute(server.owner_url, "select pg_reload_conf()")
        yield server


def with_password(url: str, password: str) -> str:
    return url.replace("chat_app@", f"chat_app:{password}@")


def test_a_wrong_password_is_named(with_passwords, settings):
    assert problems(case_of(settings, with_password(with_passwords.app_url, "the-right-one"))) == {}
    wrong = with_password(with_passwords.app_url, "hush-hush")
    case = case_of(settings, wrong)
    only_problem(case, "database", "password authentication failed", "Correct the password in DATABASE_URL")
    assert "hush" not in str(findings(case))
    assert findings(case)["grants"].state == "skipped"


def test_a_role_without_connections_is_named(with_passwords, settings):
    execute(with_passwords.owner_url, "alter role chat_app connection limit 0")
    case = case_of(settings, with_password(with_passwords.app_url, "the-right-one"))
    execute(with_passwords.owner_url, "alter role chat_app connection limit -1")
    only_problem(case, "database", "too many connections", "DATABASE_POOL_SIZE")


def test_a_database_that_takes_no_writes_is_named(settings, urls):
    url = make_conninfo(urls.app, options="-c default_transaction_read_only=on")
    only_problem(case_of(settings, url), "database", "takes no writes", "Let DATABASE_URL name the primary")


def test_a_forgotten_password_is_named(with_passwords, settings):
    only_problem(case_of(settings, with_passwords.app_url), "database", "no password supplied", "DATABASE_URL")


def test_a_database_that_is_not_there_is_named(postgres, settings):
    url = postgres.url("chat_app", "nowhere")
    only_problem(case_of(settings, url), "database", '"nowhere" does not exist', "createdb NAME", "chatserver migrate")


def test_a_user_that_is_not_there_is_named(postgres, settings):
    url = postgres.url("nobody", "postgres")
    only_problem(case_of(settings, url), "database", 'role "nobody" does not exist', "Correct the user")


def test_a_server_that_is_not_there_is_named(settings):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"postgresql://chat_app:hush@127.0.0.1:{port}/chat"
    only_problem(case_of(settings, url), "database", "Connection refused", "correct host and port")


def test_a_remedy_is_a_sentence_of_its_own():
    assert str(Finding("disk", "problem", "it is full", "Make room")).endswith("disk: it is full. Make room")
    assert str(Finding("disk", "problem", "is it full?", "Make room")).endswith("disk: is it full? Make room")


def test_an_address_that_is_none_is_named_without_its_secrets(settings):
    case = case_of(settings, "postgresql://chat_app:hush@db:port:5/chat?x=y")
    only_problem(case, "database", "Write DATABASE_URL as")
    assert "hush" not in str(findings(case))


# What is there ---------------------------------------------------------------------------------------------


def test_a_database_without_pgvector_is_named(urls, settings):
    execute(urls.owner, "drop extension vector cascade")
    only_problem(case_of(settings), "pgvector", "not in this database", "create extension vector")


def test_a_server_without_pgvector_is_named(settings):
    case = case_of(settings)
    without = replace(case.database, vector_installed=None, vector_available=None)
    only_problem(
        replace(case, database=without), "pgvector", "server does not have it", "Install pgvector 0.7 or newer"
    )


def test_a_pgvector_that_is_too_old_is_named(urls, settings):
    execute(urls.owner, "update pg_extension set extversion = '0.6.2' where extname = 'vector'")
    only_problem(case_of(settings), "pgvector", "0.6.2 is too old", "0.7 or newer", "alter extension vector update")


def test_a_login_as_superuser_is_named(urls, settings):
    only_problem(case_of(settings, urls.owner), "login role", "postgres is a superuser", "log in as chat_app")


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["alter role {0} bypassrls", "grant chat_user to {0}"], "has BYPASSRLS"),
        (["alter table chat.sessions owner to {0}", "grant chat_user to {0}"], "owns our tables"),
    ],
)
def test_a_login_that_is_not_bound_is_named(another_login, urls, settings, statements, said):
    execute(urls.owner, *(statement.format(another_login) for statement in statements))
    case = case_of(settings, urls.owner.replace("postgres@", f"{another_login}@"))
    found = problems(case)
    assert said in found["login role"]
    assert "MIGRATION_DATABASE_URL" in found["login role"]


@pytest.fixture
def another_login(postgres) -> Iterator[str]:
    execute(postgres.owner_url, "create role doctor_login login noinherit")
    yield "doctor_login"
    execute(postgres.owner_url, "drop role doctor_login")


@pytest.fixture
def unmigrated(postgres, template) -> Iterator[str]:
    execute(postgres.owner_url, "create database doctor_empty")
    yield postgres.url("chat_app", "doctor_empty")
    execute(postgres.owner_url, "drop database doctor_empty with (force)")


def test_missing_tables_are_named(unmigrated, settings):
    found = problems(case_of(settings, unmigrated))
    assert set(found) == {"pgvector", "migrations"}
    assert "our tables are missing. Run: chatserver migrate" in found["migrations"]


def test_a_missing_migration_is_named(urls, settings):
    execute(urls.owner, "delete from chat.alembic_version")
    only_problem(case_of(settings), "migrations", "older than this code", "Run: chatserver migrate")


def test_a_login_that_cannot_become_a_user_is_named(another_login, urls, settings):
    case = case_of(settings, urls.owner.replace("postgres@", f"{another_login}@"))
    only_problem(case, "grants", "cannot become chat_user", f"grant chat_user to {another_login}")


@pytest.mark.parametrize(
    ("statement", "said", "cure"),
    [
        (
            "grant insert on public.chat_message_history to authenticated",
            "may write chat_message_history",
            "revoke insert, update, delete, truncate on chat_message_history from public, anon, authenticated",
        ),
        (
            "grant delete on chat.sessions to public",
            "may write chat.sessions",
            "revoke insert, update, delete, truncate on chat.sessions from public, anon, authenticated",
        ),
        (
            "alter table chat.turns no force row level security",
            "not forced on chat.turns",
            "alter table chat.turns enable row level security, force row level security",
        ),
        ("revoke all on chat.sessions from chat_user", "chat_user cannot read chat.sessions", None),
    ],
)
def test_rights_that_are_not_as_they_should_be_are_named_and_the_remedy_works(urls, settings, statement, said, cure):
    execute(urls.owner, statement)
    only_problem(case_of(settings), "grants", said, cure or "as ddl.sql says")
    if cure:
        execute(urls.owner, cure)
        assert problems(case_of(settings)) == {}


@pytest.mark.parametrize(("ahead_s", "said"), [(60, "60 s ahead of"), (-60, "60 s behind")])
def test_a_clock_that_is_off_the_database_is_named(settings, ahead_s, said):
    case = case_of(settings, clock=lambda: time.time() + ahead_s)
    only_problem(case, "clock of the database", said, "the database's", "time synchronisation")
    assert problems(case_of(settings, clock=lambda: time.time() + 2)) == {}


# The issuer ------------------------------------------------------------------------------------------------


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    found = Issuer()
    found.keys = [SigningKey().published()]
    yield found
    found.close()


@pytest.fixture
def supabase(settings: Settings, issuer: Issuer) -> Settings:
    return settings.model_copy(update={"auth_mode": "supabase", "supabase_url": issuer.address})


def test_an_issuer_with_keys_is_fine(supabase, issuer):
    issuer.says_its_name = issuer.name
    found = findings(case_of(supabase))
    assert [found[name].state for name in ("issuer", "issuer's name", "clock of the issuer")] == ["ok"] * 3


def test_a_dead_issuer_is_named(supabase, issuer):
    dead = supabase.model_copy(update={"supabase_url": "http://127.0.0.1:9"})
    only_problem(case_of(dead), "issuer", "http://127.0.0.1:9/auth/v1", "does not answer", "correct SUPABASE_URL")


def test_an_empty_key_set_says_to_use_the_secret(supabase, issuer):
    issuer.keys = []
    only_problem(case_of(supabase), "issuer", "empty key set", "AUTH_MODE=secret")


def test_keys_of_another_kind_say_to_use_the_secret(supabase, issuer):
    issuer.keys = [{"kty": "oct", "kid": "1", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0", "alg": "HS256"}]
    only_problem(case_of(supabase), "issuer", "no ES256 or RS256 key", "AUTH_MODE=secret")


@pytest.mark.parametrize("mode", ["drip", "hang"])
def test_an_issuer_that_takes_forever_is_named_in_time(supabase, issuer, mode, monkeypatch):
    """Dripped, the answer would take 12 s, and no single byte is late."""
    monkeypatch.setattr(identity, "TIMEOUT_S", 0.5)
    issuer.mode = mode
    case = case_of(supabase)
    began = time.monotonic()
    only_problem(case, "issuer", "does not answer within 0.5 s", "Start it, or correct SUPABASE_URL")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("mode", "said"), [("error", "status 500"), ("garbage", "is no key set"), ("huge", "is no key set")]
)
def test_an_address_that_is_not_the_issuer_is_named(supabase, issuer, mode, said):
    issuer.mode = mode
    only_problem(case_of(supabase), "issuer", said, "Correct SUPABASE_URL")


def test_a_wrong_issuer_is_named_with_the_right_one(supabase, issuer):
    issuer.says_its_name = "https://auth.example/auth/v1"
    case = case_of(supabase)
    only_problem(case, "issuer's name", f"we expect {issuer.name}", "Set AUTH_ISSUER=https://auth.example/auth/v1")
    right = supabase.model_copy(
        update={"auth_issuer": "https://auth.example/auth/v1", "auth_jwks_url": f"{issuer.name}/.well-known/jwks.json"}
    )
    assert problems(case_of(right)) == {}


def test_a_clock_that_is_off_the_issuer_is_named(supabase):
    late = Case(supabase, case_of(supabase).database, clock=lambda: time.time() - 90, environment={})
    only_problem(late, "clock of the issuer", "s behind the issuer's", "time synchronisation")


# The models ------------------------------------------------------------------------------------------------


def test_the_models_that_can_be_used_are_listed_and_no_provider_passes_that_was_not_asked(settings, tmp_path):
    found = findings(case_of(settings))["models"]
    assert (found.state, found.detail) == ("ok", "builtin")
    (tmp_path / "script.yaml").write_text("rules: [{match: x, reply: y}]\n")
    scripted = settings.model_copy(update={"model": f"script:{tmp_path / 'script.yaml'}"})
    assert findings(case_of(scripted))["models"].state == "ok"
    keyed = settings.model_copy(update={"model": "openai:gpt-5-mini", "model_api_key": SecretStr("hush-hush")})
    found = findings(case_of(keyed))["models"]
    assert found.state == "skipped"
    assert (
        "openai:gpt-5-mini: all that is needed is set, but no provider was asked. To ask one: chatserver chat"
        in str(found)
    )
    by_variable = settings.model_copy(update={"model": "openai:gpt-5-mini"})
    assert problems(case_of(by_variable, environment={"OPENAI_API_KEY": "hush"})) == {}


def test_a_missing_key_is_named_with_its_variables(settings):
    wanting = settings.model_copy(update={"model": "openai:gpt-5-mini"})
    whose = "MODEL_API_KEY or OPENAI_API_KEY (MODEL, the agent assistant, the agent coder)"
    only_problem(case_of(wanting), "models", "openai:gpt-5-mini needs a key", whose)


def test_every_model_of_every_agent_is_looked_at(settings, tmp_path):
    many = with_agents(settings, tmp_path, a="anthropic:claude-opus", b="openrouter:x/y", c="builtin")
    only_problem(
        case_of(many),
        "models",
        "needs the package langchain-anthropic: .venv/bin/pip install langchain-anthropic (the agent a)",
        "set OPENROUTER_API_KEY (the agent b)",
    )


def test_the_model_for_long_prompts_is_looked_at_too(settings, tmp_path):
    two = with_agents(settings, tmp_path, a="builtin", b="builtin\nlarger_model: openrouter:x/y")
    only_problem(case_of(two), "models", "set OPENROUTER_API_KEY (larger_model of the agent b)")


def test_a_script_that_cannot_be_used_is_named(settings, tmp_path):
    absent = settings.model_copy(update={"model": f"script:{tmp_path / 'nowhere.yaml'}"})
    only_problem(case_of(absent), "models", "nowhere.yaml cannot be used", "No such file")
    (tmp_path / "wrong.yaml").write_text("rules: [{match: '(', reply: x}]\nfoo: 1\n")
    wrong = settings.model_copy(update={"model": f"script:{tmp_path / 'wrong.yaml'}"})
    only_problem(case_of(wrong), "models", "rules.0.match: is no regular expression", "foo: there is no such key")


def test_a_name_that_is_no_model_is_named(settings):
    only_problem(case_of(settings.model_copy(update={"model": "gpt-5"})), "models", "There is no model gpt-5")


def test_agents_that_cannot_be_loaded_are_named(settings, tmp_path):
    only_problem(case_of(settings.model_copy(update={"agents_dir": tmp_path})), "models", "no *.yaml file")


# The machine -----------------------------------------------------------------------------------------------


def test_a_key_that_others_can_read_is_named_and_the_remedy_works(settings):
    DevKey.of(settings.chat_data_dir)
    assert problems(case_of(settings)) == {}
    path = settings.chat_data_dir / "dev-signing-key"
    path.chmod(0o644)
    only_problem(case_of(settings), "development key", str(path), "chmod 600")
    path.chmod(0o600)
    assert problems(case_of(settings)) == {}


def test_a_full_disk_is_named(settings, monkeypatch):
    monkeypatch.setattr(machine, "_free_bytes", lambda _: 5_000_000)
    only_problem(case_of(settings), "disk", "0.0 GB free", "CHAT_DATA_DIR")


def test_tracing_variables_are_said_to_be_ignored_and_their_values_are_not_shown(settings):
    set_ = {"LANGSMITH_API_KEY": "hush", "LANGCHAIN_TRACING_V2": "true", "PATH": "/bin"}
    found = findings(case_of(settings, environment=set_))["tracing"]
    assert "LANGCHAIN_TRACING_V2, LANGSMITH_API_KEY: set, and ignored" in found.detail
    assert "hush" not in str(found)
    permissive = settings.model_copy(update={"allow_langsmith": True})
    allowed = findings(case_of(permissive, environment=set_))["tracing"]
    assert "conversations leave this server" in allowed.detail


# The command -----------------------------------------------------------------------------------------------


def run_doctor(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    values = {**inherited, "CHAT_DATA_DIR": str(tmp_path), **environment}
    return prepared.run(["doctor"], environment=values, cwd=tmp_path)


def test_the_command_ends_with_0_when_all_is_well_and_makes_nothing(tmp_path):
    done = run_doctor(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_1_and_says_how_to_add_what_a_model_needs(tmp_path):
    done = run_doctor(tmp_path, MODEL="anthropic:claude-opus")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("problem")]
    assert "models: The model anthropic:claude-opus needs the package langchain-anthropic" in line
    assert "pip install langchain-anthropic" in line
    done = run_doctor(tmp_path, MODEL="openai:gpt-5-mini", MODEL_API_KEY="")
    assert done.returncode == 1
    assert "set MODEL_API_KEY or OPENAI_API_KEY" in done.stdout


def test_the_command_ends_with_1_and_goes_on_after_a_problem(tmp_path, urls: Urls):
    done = run_doctor(tmp_path, DATABASE_URL=urls.owner)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) == len(doctor.CHECKS)
    assert [line.split()[1] for line in lines if line.startswith("problem")] == ["login"]
    assert done.stderr == ""


def test_the_command_looks_at_the_embedded_database_and_leaves_it_stopped(tmp_path):
    with embedded_postgres(tmp_path) as server:
        migrate(server.owner_url)
    done = run_doctor(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"database: {server.app_url} answers, Postgres 18" in done.stdout
    assert not (tmp_path / "postgres" / "postmaster.pid").exists()


def test_an_embedded_database_that_does_not_start_is_a_line_too(tmp_path):
    with embedded_postgres(tmp_path):
        pass
    (tmp_path / "postgres" / "PG_VERSION").write_text("12\n")
    done = run_doctor(tmp_path)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(doctor.CHECKS), done.stdout
    assert "belongs to another Postgres version" in done.stdout
    assert "restore a backup into a new folder" in done.stdout


def test_the_command_prints_no_password(tmp_path):
    done = run_doctor(tmp_path, DATABASE_URL=SecretStr("postgresql://chat_app:hush@127.0.0.1:9/x").get_secret_value())
    assert done.returncode == 1
    assert "hush" not in done.stdout + done.stderr
