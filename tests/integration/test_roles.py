"""Who may do what: the login itself, the API roles of Supabase, a user, and a user who says he is another."""

import json
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import CheckViolation, InsufficientPrivilege, InvalidTextRepresentation

from tests.conftest import ADA, EVE, Urls, cloned, owner_connection
from tests.tools.least_rows import ROWS, SESSION, TURN, insert, minimal_rows

# A second row of the same user, beside what `filled` wrote.
OTHER = "33333333-3333-4333-8333-333333333333"
QUEUE_TABLES = [f"procrastinate.procrastinate_{name}" for name in ("jobs", "events", "workers", "periodic_defers")]
SEED_TABLES = ["public.user_agent_active_sessions", "public.chat_message_history", "public.agent_long_term_memory"]


OTHER_ROWS = minimal_rows(OTHER, OTHER, 2)
TABLES = list(ROWS)
RECEIPTS = ("chat.erasures",)  # which nobody changes or takes away
NEEDED = {
    "chat.turns": ["chat.sessions"],
    "chat.turn_events": ["chat.sessions", "chat.turns"],
    "chat.notes_versions": ["public.agent_long_term_memory"],
    "chat.summaries": ["chat.sessions"],
    "chat.article_files": ["chat.articles"],
    "chat.article_chunks": ["chat.articles"],
}
ONE_ROW_A_USER = ["chat.user_event_heads", "chat.user_limits", "chat.memory_heads", "chat.embedding"]
NUMBERS_ONLY = ("chat.user_event_heads", "chat.memory_heads")
# What the sweeps may not read of the tables of which they see whose rows there are, and how old.
CONTENTS = {
    "chat.user_events": "data",
    "chat.turn_events": "events",
    "chat.message_index": "tsv",
    "chat.memories": "text",
    "chat.articles": "name",
}
WRITES = ["insert into {} default values", "update {} set user_id = user_id", "delete from {}", "truncate {} cascade"]


@pytest.fixture(scope="module")
def filled(postgres, template) -> Iterator[Urls]:
    """A database in which Ada and Eve have a row in every table."""
    with cloned(postgres, template) as urls:
        with owner_connection(urls.owner) as connection:
            for user in (ADA, EVE):
                for table, row in ROWS.items():
                    connection.execute(insert(table, row, user.user_id))
        yield urls


@pytest.fixture
def chat_app(filled) -> Iterator[psycopg.Connection]:
    with psycopg.connect(filled.app) as connection, connection.transaction(force_rollback=True):
        yield connection


@pytest.fixture
def owner(filled) -> Iterator[psycopg.Connection]:
    with psycopg.connect(filled.owner) as connection, connection.transaction(force_rollback=True):
        yield connection


def become(connection: psycopg.Connection, role: str, claims: str | None = None) -> psycopg.Connection:
    connection.execute(f"set local role {role}")
    if claims is not None:
        connection.execute(sql.SQL("set local request.jwt.claims = {}").format(sql.Literal(claims)))
    return connection


def claims_of(user) -> str:
    return json.dumps({"sub": str(user.user_id), "role": "authenticated"})


def refuses(connection: psycopg.Connection, statement: str | sql.Composed, match: str = "permission denied") -> None:
    with pytest.raises(InsufficientPrivilege, match=match), connection.transaction():
        connection.execute(statement)


def owners(connection: psycopg.Connection, table: str) -> set[object]:
    return {row[0] for row in connection.execute(f"select user_id from {table}")}


def test_every_table_has_a_row_here(owner):
    found = owner.execute(
        "select schemaname || '.' || tablename from pg_tables "
        "where schemaname in ('chat', 'public') and tablename <> 'alembic_version'"
    )
    assert {row[0] for row in found} == set(TABLES)
    assert all(owners(owner, table) == {ADA.user_id, EVE.user_id} for table in TABLES)


# Whose a transaction is ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sub", "claims", "user"),
    [
        (None, None, None),
        ("", "", None),
        (None, '{"sub":"%s"}', EVE),  # a server of before revision 0024, PostgREST
        ("", '{"sub":"%s"}', EVE),
        ("%s", None, ADA),
        ("%s", '{"sub":"%s"}', ADA),  # as Supabase's auth.uid() chooses
        (None, '{"role":"anon"}', None),
    ],
)
@pytest.mark.parametrize("role", ["chat_user", "authenticated"])
def test_a_transaction_is_the_users_whose_id_is_set_or_claimed(owner, role, sub, claims, user):
    for name, value, whose in (("request.jwt.claim.sub", sub, ADA), ("request.jwt.claims", claims, EVE)):
        if value is not None:
            owner.execute("select set_config(%s, %s, true)", (name, value.replace("%s", str(whose.user_id))))
    become(owner, role)
    assert owners(owner, "public.chat_message_history") == ({user.user_id} if user else set())


@pytest.mark.parametrize(
    ("table", "column", "good"),
    [
        ("chat.sessions", "session_id", SESSION),
        ("chat.sessions", "memory", "off"),
        ("chat.turns", "trigger", "regenerate"),
        ("chat.turns", "state", "stopped"),
        ("chat.turns", "revision_state", "failed"),
        ("chat.user_events", "kind", "knowledge"),
    ],
)
def test_what_every_turn_writes_has_known_values_only(owner, table, column, good):
    update = sql.SQL(f"update {table} set {column} = {{}} where user_id = {{}}")  # type: ignore[arg-type]
    owner.execute(update.format(sql.Literal(good), sql.Literal(str(ADA.user_id))))
    for bad in ("", "x", f"{good} ", f"{{{good}}}"):  # the last is a UUID, and not as we spell it
        with pytest.raises((CheckViolation, InvalidTextRepresentation)), owner.transaction():
            owner.execute(update.format(sql.Literal(bad), sql.Literal(str(ADA.user_id))))


# The login itself ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [*TABLES, "chat.alembic_version"])
def test_chat_app_may_not_touch_a_table_before_it_becomes_somebody(chat_app, table):
    for statement in ("select from {}", *WRITES):
        refuses(chat_app, statement.format(table))


@pytest.mark.parametrize(
    "statement",
    [
        "create table chat.mine (i int)",
        "create table public.mine (i int)",
        "create schema mine",
        "set role postgres",
        "set role authenticated",
        "set session authorization postgres",
        "alter table chat.sessions disable row level security",
        "alter role chat_app bypassrls",
        "grant chat_user to anon",
        "select nextval('public.chat_message_history_id_seq')",
    ],
)
@pytest.mark.parametrize("role", ["chat_app", "chat_user", "chat_jobs"])
def test_the_server_may_not_rise_above_a_user(chat_app, role, statement):
    become(chat_app, role, claims_of(ADA))
    refuses(chat_app, statement, match="permission denied|must be owner")


@pytest.mark.parametrize("table", TABLES)
def test_chat_jobs_may_not_touch_what_is_the_users(chat_app, table):
    become(chat_app, "chat_jobs", claims_of(ADA))
    reads = f"select {CONTENTS.get(table, '')} from {{}}"
    for statement in (*([] if table in NUMBERS_ONLY else [reads]), *WRITES):
        refuses(chat_app, statement.format(table))


def test_chat_jobs_sees_whose_rows_there_are_and_how_old(chat_app):
    become(chat_app, "chat_jobs")
    for table in NUMBERS_ONLY:
        assert owners(chat_app, table) == {ADA.user_id, EVE.user_id}
    for table in CONTENTS:
        assert owners(chat_app, table) == {ADA.user_id, EVE.user_id}
        refuses(chat_app, f"select * from {table}")
    refuses(chat_app, "select version_num from chat.alembic_version")


# The API roles of Supabase -------------------------------------------------------------------------------


@pytest.mark.parametrize("table", SEED_TABLES)
def test_authenticated_reads_own_rows_of_the_seed_tables(owner, table):
    assert owners(become(owner, "authenticated", claims_of(ADA)), table) == {ADA.user_id}


@pytest.mark.parametrize("table", SEED_TABLES)
@pytest.mark.parametrize("claims", [None, "", "{}"])
def test_authenticated_without_a_user_reads_nothing(owner, table, claims):
    assert owners(become(owner, "authenticated", claims), table) == set()


@pytest.mark.parametrize("table", [*TABLES, "chat.alembic_version"])
def test_authenticated_may_write_nothing(owner, table):
    become(owner, "authenticated", claims_of(ADA))
    for statement in WRITES:
        refuses(owner, statement.format(table))
    if table in ROWS:
        refuses(owner, insert(table, OTHER_ROWS[table], ADA.user_id))
    if table not in SEED_TABLES:
        refuses(owner, f"select from {table}")


@pytest.mark.parametrize("table", [*TABLES, "chat.alembic_version"])
@pytest.mark.parametrize("claims", [None, claims_of(ADA)], ids=["nobody", "claims"])
def test_anon_may_do_nothing(owner, table, claims):
    become(owner, "anon", claims)
    for statement in ("select from {}", *WRITES):
        refuses(owner, statement.format(table))


# The job queue -------------------------------------------------------------------------------------------


def test_every_table_of_the_queue_is_known_here(owner):
    found = owner.execute("select schemaname || '.' || tablename from pg_tables where schemaname = 'procrastinate'")
    assert {row[0] for row in found} == set(QUEUE_TABLES)


@pytest.mark.parametrize("role", ["chat_app", "chat_user", "authenticated", "anon"])
def test_nobody_but_chat_jobs_may_touch_the_queue(owner, role):
    become(owner, role, claims_of(ADA))
    for table in QUEUE_TABLES:
        for statement in ("select from {}", "insert into {} default values", "delete from {}", "truncate {} cascade"):
            refuses(owner, statement.format(table))
        refuses(owner, f"update {table} set id = id")
    refuses(owner, "select procrastinate.procrastinate_register_worker_v1()")
    refuses(owner, "select nextval('procrastinate.procrastinate_jobs_id_seq')")


def test_no_function_of_the_queue_is_anybodys(owner):
    owner.execute("reset role")
    found = owner.execute(
        "select f.oid::regprocedure::text from pg_proc f, "
        "aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) as granted "
        "where f.pronamespace = 'procrastinate'::regnamespace "
        "and granted.grantee not in (f.proowner, 'chat_jobs'::regrole)"
    )
    assert found.fetchall() == []


def test_chat_jobs_works_the_queue_and_may_not_change_its_tables(chat_app):
    become(chat_app, "chat_jobs")
    chat_app.execute("set local search_path = procrastinate")
    chat_app.execute("insert into procrastinate_jobs (queue_name, task_name) values ('chat', 'after_turn')")
    chat_app.execute("select procrastinate_fetch_job_v2(null, (select procrastinate_register_worker_v1()))")
    assert chat_app.execute("select count(*) from procrastinate_events").fetchone() == (2,)
    for statement in ("alter table procrastinate_jobs enable trigger all", "truncate procrastinate_jobs cascade"):
        refuses(chat_app, statement, match="permission denied|must be owner")


ENQUEUE = sql.SQL("select chat.enqueue_after_turn({}, {})").format(SESSION, TURN)
ENQUEUE_ONE = sql.SQL("select chat.enqueue_unless_waiting({}, {})").format(SESSION, TURN)
FORGET = sql.SQL("select chat.forget_ingest({})").format(TURN)


def test_a_user_enqueues_in_his_own_name(chat_app):
    become(chat_app, "chat_user", claims_of(ADA)).execute(ENQUEUE)
    become(chat_app, "chat_jobs")
    found = chat_app.execute("select task_name, lock, args, status::text from procrastinate.procrastinate_jobs")
    args = {"user_id": str(ADA.user_id), "turn_id": TURN}
    assert found.fetchall() == [("after_turn", f"{ADA.user_id}:{SESSION}", args, "todo")]


def test_a_user_takes_nobody_elses_file_out_of_the_queue(chat_app):
    become(chat_app, "chat_user", claims_of(ADA)).execute(sql.SQL("select chat.enqueue_ingest({})").format(TURN))
    become(chat_app, "chat_user", claims_of(EVE)).execute(FORGET)
    assert chat_app.execute("select waiting from chat.queue_status()").fetchone() == (1,)
    become(chat_app, "chat_user", claims_of(ADA)).execute(FORGET)
    assert chat_app.execute("select waiting from chat.queue_status()").fetchone() == (0,)


@pytest.mark.parametrize("claims", [None, "", "{}", '{"sub": null}'])
@pytest.mark.parametrize("statement", [ENQUEUE, ENQUEUE_ONE])
def test_nobody_enqueues_nothing(chat_app, claims, statement):
    refuses(become(chat_app, "chat_user", claims), statement, match="nobody has no after-work")


@pytest.mark.parametrize("role", ["chat_app", "chat_jobs", "authenticated", "anon"])
@pytest.mark.parametrize("statement", [ENQUEUE, ENQUEUE_ONE, FORGET, "select from chat.queue_status()"])
def test_only_a_user_of_the_server_may_call_what_stands_before_the_queue(owner, role, statement):
    refuses(become(owner, role, claims_of(ADA)), statement)


def test_the_functions_before_the_queue_trust_no_search_path_of_the_caller(chat_app):
    """A table of the same name in a schema of one's own, or a temporary one, must not be what they write to."""
    become(chat_app, "chat_user", claims_of(ADA))
    chat_app.execute("create temporary table procrastinate_jobs (like chat.sessions)")
    chat_app.execute("set local search_path = pg_temp, public")
    chat_app.execute(ENQUEUE_ONE)
    assert chat_app.execute("select count(*) from pg_temp.procrastinate_jobs").fetchone() == (0,)
    assert chat_app.execute("select waiting from chat.queue_status()").fetchone() == (1,)


# A user --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_a_user_sees_own_rows_and_adds_to_them(chat_app, table):
    become(chat_app, "chat_user", claims_of(ADA))
    assert owners(chat_app, table) == {ADA.user_id}
    if table in ONE_ROW_A_USER:
        chat_app.execute(f"delete from {table}")
    for needed in [*NEEDED.get(table, []), table]:
        chat_app.execute(insert(needed, OTHER_ROWS[needed]))
    assert owners(chat_app, table) == {ADA.user_id}
    assert chat_app.execute(f"select count(*) from {table}").fetchone() == (1 if table in ONE_ROW_A_USER else 2,)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("claims", [None, "", "{}", '{"sub": null}'])
def test_nobody_sees_no_rows_and_adds_none(chat_app, table, claims):
    become(chat_app, "chat_user", claims)
    assert owners(chat_app, table) == set()
    for user_id in (None, ADA.user_id):
        refuses(chat_app, insert(table, OTHER_ROWS[table], user_id), match="violates row-level security")


@pytest.mark.parametrize("table", TABLES)
def test_a_user_adds_nothing_to_another_users_rows(chat_app, table):
    become(chat_app, "chat_user", claims_of(ADA))
    refuses(chat_app, insert(table, OTHER_ROWS[table], EVE.user_id), match="violates row-level security")


@pytest.mark.parametrize("table", TABLES)
def test_a_user_gives_no_row_away_and_takes_none(chat_app, table):
    become(chat_app, "chat_user", claims_of(ADA))
    refuses(
        chat_app,
        sql.SQL("update {} set user_id = {}").format(sql.SQL(table), EVE.user_id),
        match="violates row-level security|permission denied",
    )
    if table in RECEIPTS:
        refuses(chat_app, f"delete from {table}")
        return
    assert chat_app.execute(f"delete from {table} where user_id = %s", [EVE.user_id]).rowcount == 0
    refuses(chat_app, f"truncate {table} cascade")


@pytest.mark.parametrize("table", [table for table in TABLES if table not in RECEIPTS])
def test_deleting_everything_deletes_only_own_rows(owner, table):
    become(owner, "chat_user", claims_of(ADA)).execute(f"delete from {table}")
    owner.execute("reset role")
    assert owners(owner, table) == {EVE.user_id}
