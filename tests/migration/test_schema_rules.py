"""The rules of ddl.sql's header, read from the catalogs: each finds nothing of ours, and finds what is planted."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.conftest import cloned, owner_connection

POLICY = "(user_id = ( SELECT chat.uid() AS uid))"
AS_IT_IS = "(user_id = chat.uid())"  # where each turn looks; tests/integration/test_statements.py: once for all rows
OF_A_TURN = """
{public.user_agent_active_sessions,public.chat_message_history,public.agent_long_term_memory,chat.sessions,chat.turns,
chat.message_index,chat.turn_events,chat.user_events,chat.user_event_heads,chat.usage_daily,chat.user_limits,
chat.summaries,chat.memory_heads,chat.erasures}
"""
SHARED = "(user_id = '00000000-0000-0000-0000-000000000000'::uuid)"  # everybody reads these rows
TABLES = """
with ours as (
    select c.oid, c.oid::regclass::text as name, c.relrowsecurity, c.relforcerowsecurity
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and (
        n.nspname = 'chat' and c.relname <> 'alembic_version'
        or n.nspname = 'public'
            and c.relname in ('user_agent_active_sessions', 'chat_message_history', 'agent_long_term_memory')))
"""


def violations(connection: psycopg.Connection, query: str) -> list[str]:
    connection.execute("set local search_path = pg_catalog")  # so that the catalogs spell out every schema
    return [row[0] for row in connection.execute(query)]


def keys_that_do_not_start_with_user_id(connection: psycopg.Connection) -> list[str]:
    """Primary keys, unique constraints, unique and other indexes; a table without primary key is one too. A BRIN index
    is no key: it says where rows of some age may be, for sweeps over all users."""
    return violations(
        connection,
        f"""{TABLES}
        select i.indexrelid::regclass::text from pg_index i join ours on ours.oid = i.indrelid
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
        where a.attname is distinct from 'user_id' and m.amname <> 'brin'
        union all
        select name from ours where not exists (select from pg_index i where i.indrelid = ours.oid and i.indisprimary)
        """,
    )


def foreign_keys_that_leave_the_user(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        f"""{TABLES}
        select f.conname from pg_constraint f
        join ours on ours.oid = f.conrelid
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
        join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
        where f.contype = 'f' and (a.attname <> 'user_id' or b.attname <> 'user_id' or cardinality(f.conkey) < 2
            or f.confrelid not in (select oid from ours))
        """,
    )


def triggers(connection: psycopg.Connection) -> list[str]:
    """Those of foreign keys are Postgres' own."""
    return violations(
        connection,
        f"{TABLES} select t.tgname from pg_trigger t join ours on ours.oid = t.tgrelid where not t.tgisinternal",
    )


def tables_without_forced_row_level_security(connection: psycopg.Connection) -> list[str]:
    return violations(connection, f"{TABLES} select name from ours where not (relrowsecurity and relforcerowsecurity)")


def policies_that_are_not_about_the_user(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        f"""{TABLES}
        select name || '.' || p.polname from pg_policy p join ours on ours.oid = p.polrelid
        cross join lateral (
            select case when name = any ($${OF_A_TURN}$$) and 'chat_user'::regrole = any(p.polroles) then '{AS_IT_IS}'
                else '{POLICY}' end as wanted) as so
        where not (p.polroles = array['chat_jobs'::regrole::oid] and p.polcmd = 'r')
            and not (name in ('chat.articles', 'chat.article_chunks') and p.polcmd = 'r'
                and p.polroles = array['chat_user'::regrole::oid]
                and pg_get_expr(p.polqual, p.polrelid) = $${SHARED}$$)
            and (
            coalesce(pg_get_expr(p.polqual, p.polrelid), wanted) <> wanted
            or coalesce(pg_get_expr(p.polwithcheck, p.polrelid), wanted) <> wanted
            or (p.polqual is null and p.polwithcheck is null)
            or not p.polroles <@ array['chat_user'::regrole::oid, 'authenticated'::regrole::oid]
            or ('authenticated'::regrole = any(p.polroles) and p.polcmd <> 'r'))
        """,
    )


def what_chat_jobs_sees_of_users_but_ids_and_times(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        f"""{TABLES}
        select name || '.' || a.attname from ours join pg_attribute a on a.attrelid = ours.oid
        where a.attnum > 0 and not a.attisdropped and (
            has_column_privilege('chat_jobs', ours.oid, a.attnum, 'insert, update, references')
            or has_table_privilege('chat_jobs', ours.oid, 'delete, truncate, trigger')
            or has_column_privilege('chat_jobs', ours.oid, a.attnum, 'select')
                and a.attname not in ('user_id', 'turn_id', 'created_at')
                and (name, a.attname) not in (('chat.user_event_heads', 'seq'), ('chat.memory_heads', 'seq'),
                    ('chat.memory_heads', 'kept_seq'), ('chat.memory_heads', 'kept_at')))
        """,
    )


def tables_without_a_policy_for_chat_user(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        f"""{TABLES}
        select name from ours where not exists (
            select from pg_policy p where p.polrelid = ours.oid and 'chat_user'::regrole = any(p.polroles))
        """,
    )


def rights_of_chat_app_itself(connection: psycopg.Connection) -> list[str]:
    """What it owns or was granted by name, and what it would get through PUBLIC on our tables."""
    return violations(
        connection,
        f"""{TABLES}
        select pg_describe_object(d.classid, d.objid, d.objsubid) from pg_shdepend d
        where d.refobjid = 'chat_app'::regrole
            and d.dbid in (0, (select oid from pg_database where datname = current_database()))
        union all
        select name || ' ' || p
        from ours, unnest('{{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}}'::text[]) p
        where has_table_privilege('chat_app', ours.oid, p)
            or p in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') and has_any_column_privilege('chat_app', ours.oid, p)
        union all
        select s.oid::regclass::text
        from pg_class s join pg_depend d on d.objid = s.oid join ours on ours.oid = d.refobjid
        where case when s.relkind = 'S' then has_sequence_privilege('chat_app', s.oid, 'SELECT,USAGE,UPDATE') end
        union all
        select nspname::text from pg_namespace
        where nspname in ('chat', 'procrastinate') and has_schema_privilege('chat_app', oid, 'USAGE,CREATE')
            or nspname = 'public' and has_schema_privilege('chat_app', oid, 'CREATE')
        """,
    )


def functions_that_anybody_may_call(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        """
        select f.oid::regprocedure::text
        from pg_proc f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) as granted
        where f.pronamespace in ('chat'::regnamespace, 'procrastinate'::regnamespace) and granted.grantee = 0
        """,
    )


def definers_that_look_where_the_caller_says(connection: psycopg.Connection) -> list[str]:
    """A function with its owner's rights finds its tables by a path of its own, temporary ones last."""
    return violations(
        connection,
        """
        select f.oid::regprocedure::text from pg_proc f
        where f.pronamespace in ('chat'::regnamespace, 'procrastinate'::regnamespace) and f.prosecdef
            and not exists (select from unnest(f.proconfig) c where c like 'search_path=%, pg_temp')
        """,
    )


def rights_on_the_queue_of_others_than_chat_jobs(connection: psycopg.Connection) -> list[str]:
    """It is no table of the users, so no policy guards it: nobody else may come near."""
    return violations(
        connection,
        """
        select c.oid::regclass::text || ' ' || r.rolname
        from pg_class c, pg_roles r
        where c.relnamespace = 'procrastinate'::regnamespace and c.relkind = 'r'
            and r.rolname in ('chat_app', 'chat_user', 'anon', 'authenticated')
            and (has_table_privilege(r.oid, c.oid, 'SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER')
                or has_any_column_privilege(r.oid, c.oid, 'SELECT,INSERT,UPDATE,REFERENCES'))
        union all
        select r.rolname::text from pg_roles r
        where r.rolname in ('chat_user', 'anon', 'authenticated')
            and has_schema_privilege(r.oid, 'procrastinate', 'USAGE,CREATE')
        """,
    )


def rows_that_may_belong_to_nobody(connection: psycopg.Connection) -> list[str]:
    return violations(
        connection,
        f"""{TABLES}
        select name from ours
        left join pg_attribute a on a.attrelid = ours.oid and a.attname = 'user_id'
        left join pg_attrdef d on d.adrelid = ours.oid and d.adnum = a.attnum
        where not coalesce(a.attnotnull and a.atttypid = 'uuid'::regtype
            and pg_get_expr(d.adbin, d.adrelid) = 'chat.uid()', false)
        """,
    )


Rule = Callable[[psycopg.Connection], list[str]]
PLANTED: list[tuple[Rule, str]] = [
    (keys_that_do_not_start_with_user_id, "create table chat.bad (id int primary key, user_id uuid)"),
    (keys_that_do_not_start_with_user_id, "create table chat.bad (user_id uuid)"),
    (keys_that_do_not_start_with_user_id, "alter table chat.turns add unique (turn_id, user_id)"),
    (keys_that_do_not_start_with_user_id, "create unique index on chat.turns (turn_id)"),
    (keys_that_do_not_start_with_user_id, "create index on public.chat_message_history (session_id, user_id)"),
    (keys_that_do_not_start_with_user_id, "create index on chat.sessions (lower(title))"),
    (
        foreign_keys_that_leave_the_user,
        "create table chat.other (id int primary key); "
        "alter table chat.turns add attempt_id int references chat.other (id)",
    ),
    (
        foreign_keys_that_leave_the_user,
        "alter table chat.sessions add unique (session_id, user_id); "
        "alter table chat.turns add foreign key (session_id, user_id) references chat.sessions (session_id, user_id)",
    ),
    (
        foreign_keys_that_leave_the_user,
        "create table public.users (user_id uuid, realm text, primary key (user_id, realm)); "
        "alter table chat.turns add foreign key (user_id, model) references public.users (user_id, realm)",
    ),
    (
        triggers,
        "create function chat.bad() returns trigger language plpgsql as 'begin return new; end'; "
        "create trigger bad before insert on chat.turns for each row execute function chat.bad()",
    ),
    (tables_without_forced_row_level_security, "create table chat.bad (user_id uuid primary key)"),
    (tables_without_forced_row_level_security, "alter table chat.turns no force row level security"),
    (tables_without_forced_row_level_security, "alter table public.chat_message_history disable row level security"),
    (policies_that_are_not_about_the_user, "create policy bad on chat.turns to chat_user using (true)"),
    (
        policies_that_are_not_about_the_user,
        "create policy bad on chat.memories to chat_user using (user_id = chat.uid())",
    ),
    (policies_that_are_not_about_the_user, f"create policy bad on chat.turns using {POLICY}"),
    (policies_that_are_not_about_the_user, f"create policy bad on chat.turns for select to chat_user using {SHARED}"),
    (policies_that_are_not_about_the_user, f"create policy bad on chat.articles to chat_user using {SHARED}"),
    (
        policies_that_are_not_about_the_user,
        f"create policy bad on chat.turns to chat_user using {AS_IT_IS} with check (user_id is not null)",
    ),
    (
        policies_that_are_not_about_the_user,
        f"create policy bad on public.chat_message_history to authenticated using {POLICY}",
    ),
    (policies_that_are_not_about_the_user, "create policy bad on chat.turns for insert to chat_user"),
    (policies_that_are_not_about_the_user, "create policy bad on chat.turns to chat_jobs using (true)"),
    (
        policies_that_are_not_about_the_user,
        "create policy bad on chat.turns for select to anon using (true)",
    ),
    (what_chat_jobs_sees_of_users_but_ids_and_times, "grant select (events) on chat.turn_events to chat_jobs"),
    (what_chat_jobs_sees_of_users_but_ids_and_times, "grant select on chat.turns to chat_jobs"),
    (what_chat_jobs_sees_of_users_but_ids_and_times, "grant select (seq) on chat.user_events to chat_jobs"),
    (what_chat_jobs_sees_of_users_but_ids_and_times, "grant delete on chat.turn_events to chat_jobs"),
    (what_chat_jobs_sees_of_users_but_ids_and_times, "grant update (user_id) on chat.turn_events to chat_jobs"),
    (tables_without_a_policy_for_chat_user, "drop policy own_rows on chat.turns"),
    (rights_of_chat_app_itself, "grant select on chat.turns to chat_app"),
    (rights_of_chat_app_itself, "grant update (title) on chat.sessions to chat_app"),
    (rights_of_chat_app_itself, "grant insert on chat.turns to public"),
    (rights_of_chat_app_itself, "grant usage on schema chat to public"),
    (rights_of_chat_app_itself, "grant usage on sequence public.chat_message_history_id_seq to public"),
    (rights_of_chat_app_itself, "alter table chat.turns owner to chat_app"),
    (rights_of_chat_app_itself, "alter default privileges in schema chat grant select on tables to chat_app"),
    (rights_of_chat_app_itself, "grant execute on function chat.uid() to chat_app"),
    (functions_that_anybody_may_call, "create function chat.bad() returns int language sql return 1"),
    (functions_that_anybody_may_call, "grant execute on function chat.uid() to public"),
    (functions_that_anybody_may_call, "grant execute on all functions in schema procrastinate to public"),
    (rights_of_chat_app_itself, "grant usage on schema procrastinate to public"),
    (
        definers_that_look_where_the_caller_says,
        "create function chat.bad() returns int language sql security definer return 1",
    ),
    (
        definers_that_look_where_the_caller_says,
        "alter function chat.enqueue_after_turn(uuid, uuid, integer) set search_path = pg_temp, procrastinate",
    ),
    (rights_on_the_queue_of_others_than_chat_jobs, "grant usage on schema procrastinate to chat_user"),
    (rights_on_the_queue_of_others_than_chat_jobs, "grant insert on procrastinate.procrastinate_jobs to chat_user"),
    (rights_on_the_queue_of_others_than_chat_jobs, "grant select (args) on procrastinate.procrastinate_jobs to anon"),
    (rows_that_may_belong_to_nobody, "create table chat.bad (id int primary key)"),
    (rows_that_may_belong_to_nobody, "alter table chat.turns alter user_id drop default"),
    (rows_that_may_belong_to_nobody, "alter table chat.turns alter user_id set default gen_random_uuid()"),
    (rows_that_may_belong_to_nobody, "create table chat.bad (user_id uuid default chat.uid())"),
]
RULES = list(dict.fromkeys(rule for rule, _ in PLANTED))


@pytest.fixture(scope="module")
def owner_url(postgres, template) -> Iterator[str]:
    with cloned(postgres, template) as urls:
        yield urls.owner


@pytest.fixture
def connection(owner_url) -> Iterator[psycopg.Connection]:
    """A transaction that ends in nothing."""
    with owner_connection(owner_url) as opened, opened.transaction(force_rollback=True):
        yield opened


def test_the_rules_look_at_all_our_tables(connection):
    found = violations(connection, f"{TABLES} select name from ours")
    assert {"public.chat_message_history", "public.agent_long_term_memory", "chat.turns"} < set(found)
    assert len(found) >= 11


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_schema_has_no(rule, connection):
    assert rule(connection) == []


@pytest.mark.parametrize(("rule", "planted"), PLANTED)
def test_a_planted_violation_is_found(rule, planted, connection):
    connection.execute(planted)
    assert rule(connection) != []
