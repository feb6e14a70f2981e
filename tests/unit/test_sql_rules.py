"""How our SQL is written: each rule finds nothing in store/sql, and finds what is planted."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import chatServer
from chatServer.store.queries import SQL_DIR, load

PACKAGE = Path(chatServer.__file__).parent
WITHOUT_A_USER = {
    "startup.sql": "read before anybody has asked for anything: catalogs and our revision only",
    "doctor.sql": "catalogs, and a row that is nobody's",
    "backup.sql": "catalogs, and what of everybody a restore puts right",
    "sweep.sql": "whose and how old, of all users, as chat_jobs",
    "jobs.sql": "the queue: nobody's rows, and a function that reads who asks",
}
# How Postgres goes about a transaction, and nothing of whose it is: they touch no row. Only SET LOCAL, which ends with
# the transaction and is nobody's afterwards; and only settings of the planner.
OF_THE_PLANNER = r"\Aset local (?:plan_cache_mode|enable_\w+) = \w+;\Z"


class Query(NamedTuple):
    file: str
    name: str
    description: str
    statement: str

    def has(self, pattern: str) -> bool:
        return re.search(pattern, self.statement, re.I | re.S) is not None


def parse(file: str, text: str) -> list[Query]:
    blocks = re.split(r"^-- name: ", text, flags=re.M)[1:]
    return [Query(file, *_parts(block)) for block in blocks]


def _parts(block: str) -> tuple[str, str, str]:
    name, *lines = block.splitlines()
    description = lines.pop(0) if lines and lines[0].startswith("--") else ""
    return name.strip(), description.removeprefix("--").strip(), re.sub(r"--[^\n]*", "", "\n".join(lines)).strip()


def lacks_a_description(query: Query) -> bool:
    return not re.fullmatch(r"[A-Z].*\.", query.description)


def does_not_name_the_user(query: Query) -> bool:
    is_excused = query.file in WITHOUT_A_USER or query.has(OF_THE_PLANNER)
    return not is_excused and not query.has(r"\buser_id\b.*%\(user_id\)s")


def reads_whatever_columns_there_are(query: Query) -> bool:
    return query.has(r"(?:\bselect|\bdistinct|\ball|\breturning|,)\s*(?:\w+\.)?\*")


def asks_for_the_time_in_an_upsert(query: Query) -> bool:
    return query.has(r"\bdo\s+update\b(?:(?!\breturning\b).)*(?:\b\w*now\(\)|\b\w+_timestamp\b)")


def takes_an_advisory_lock(query: Query) -> bool:
    return query.has(r"advisory")


def changes_the_session(query: Query) -> bool:
    return not query.has(OF_THE_PLANNER) and query.has(r"(?:\A|;)\s*(?:set|reset|discard)\b|\bset_config\b")


def has_parameters_without_a_name(query: Query) -> bool:
    return query.has(r"%(?!\(\w+\)s|%)|\$\d")


def locks_rows_of_all_users(query: Query) -> bool:
    """Judged by the last where before the lock."""
    before, *locks = re.split(r"\bfor\s+(?:no\s+key\s+update|update|key\s+share|share)\b", query.statement.lower())
    return bool(locks) and "user_id = %(user_id)s" not in before.rpartition("where")[2]


def has_several_statements(query: Query) -> bool:
    return query.statement.count(";") != 1 or not query.statement.endswith(";")


OWN = "where user_id = %(user_id)s"
PLANTED: list[tuple[Callable[[Query], bool], str]] = [
    (lacks_a_description, f"-- name: bad\nselect title from chat.sessions {OWN};"),
    (lacks_a_description, f"-- name: bad\n--\nselect title from chat.sessions {OWN};"),
    (does_not_name_the_user, "-- name: bad\n-- All.\nselect title from chat.sessions;"),
    (does_not_name_the_user, "-- name: bad\n-- All.\nselect title from chat.sessions; -- user_id = %(user_id)s"),
    (does_not_name_the_user, "-- name: bad\n-- All.\nselect user_id from chat.sessions;"),
    (reads_whatever_columns_there_are, f"-- name: bad\n-- All.\nselect * from chat.sessions {OWN};"),
    (reads_whatever_columns_there_are, f"-- name: bad\n-- All.\nselect s.title, s.* from chat.sessions s {OWN};"),
    (reads_whatever_columns_there_are, f"-- name: bad\n-- All.\ndelete from chat.sessions {OWN} returning *;"),
    (
        asks_for_the_time_in_an_upsert,
        "-- name: bad\n-- Upsert.\ninsert into t (user_id) values (%(user_id)s)\n"
        "on conflict (user_id) do update\nset at = now();",
    ),
    (
        asks_for_the_time_in_an_upsert,
        "-- name: bad\n-- Upsert.\ninsert into t (user_id) values (%(user_id)s)\n"
        "on conflict (user_id) do update set at = clock_timestamp();",
    ),
    (takes_an_advisory_lock, "-- name: bad\n-- Lock.\nselect pg_advisory_xact_lock(hashtext(%(user_id)s));"),
    (does_not_name_the_user, "-- name: bad\n-- Set.\nset enable_sort = off;"),
    (changes_the_session, "-- name: bad\n-- Set.\nset role chat_user;"),
    (changes_the_session, "-- name: bad\n-- Set.\nset enable_sort = off;"),
    (changes_the_session, "-- name: bad\n-- Set.\nset local role chat_user;"),
    (changes_the_session, "-- name: bad\n-- Set.\nset local enable_sort = off; set role chat_user;"),
    (changes_the_session, "-- name: bad\n-- Set.\nselect set_config('role', 'chat_user', false);"),
    (has_parameters_without_a_name, "-- name: bad\n-- By place.\nselect title from t where user_id = %s;"),
    (has_parameters_without_a_name, "-- name: bad\n-- By number.\nselect title from t where user_id = $1;"),
    (has_parameters_without_a_name, f"-- name: bad\n-- Like.\nselect title from t {OWN} and title like 'a%';"),
    (locks_rows_of_all_users, "-- name: bad\n-- Lock.\nselect id from t where id = %(user_id)s for update;"),
    (
        locks_rows_of_all_users,
        f"-- name: bad\n-- Lock.\nselect id from t where id in (select id from u {OWN} limit 1) and id > 0\n"
        "union select id from t where id = %(id)s for update skip locked;",
    ),
    (has_several_statements, f"-- name: bad\n-- Two.\ndelete from t {OWN}; delete from u {OWN};"),
]
RULES = list(dict.fromkeys(rule for rule, _ in PLANTED))
QUERIES = [query for path in sorted(SQL_DIR.glob("*.sql")) for query in parse(path.name, path.read_text())]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_query(rule):
    assert [f"{query.file}: {query.name}" for query in QUERIES if rule(query)] == []


@pytest.mark.parametrize(("rule", "text"), PLANTED)
def test_a_planted_query_is_found(rule, text):
    (query,) = parse("planted.sql", text)
    assert rule(query)


def test_every_named_query_is_checked():
    loaded = {(path.name, name) for path in SQL_DIR.glob("*.sql") for name in load(path.name)}
    assert loaded == {(query.file, query.name) for query in QUERIES}
    assert len(loaded) == len(QUERIES) > 20
    assert {query.file for query in QUERIES} > WITHOUT_A_USER.keys()


# The Python side -----------------------------------------------------------------------------------------

Sources = dict[str, ast.Module]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}


@cache  # each is asked for every query
def strings(module: ast.Module) -> set[str]:
    return {node.value for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def imported(module: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def users_of(query: Query, sources: Sources) -> list[str]:
    """The modules that load the query's file and say its name."""
    return [path for path, module in sources.items() if {query.file, query.name} <= strings(module)]


def importers_of_psycopg(sources: Sources) -> list[str]:
    return [path for path, module in sources.items() if any(name.startswith("psycopg") for name in imported(module))]


def test_each_query_is_used_by_one_module_of_the_store(sources):
    used_by = {f"{query.file}: {query.name}": users_of(query, sources) for query in QUERIES}
    assert {name: users for name, users in used_by.items() if len(users) != 1} == {}
    assert all(path.startswith("store/") for users in used_by.values() for path in users)


def test_only_the_store_imports_psycopg(sources):
    assert [path for path in importers_of_psycopg(sources) if not path.startswith("store/")] == []


def test_a_planted_user_or_import_is_found():
    query = Query("sessions.sql", "lock_session", "", "")
    user = ast.parse("SQL = queries.load('sessions.sql')\nconnection.execute(SQL['lock_session'])")
    other = ast.parse("lock_session()\nSQL = queries.load('sessions.sql')")
    assert users_of(query, {"a.py": user, "b.py": user, "c.py": other}) == ["a.py", "b.py"]
    for line in ("import psycopg", "from psycopg.rows import class_row", "from psycopg_pool import NullConnectionPool"):
        assert importers_of_psycopg({"a.py": ast.parse(f"def f():\n    {line}")}) == ["a.py"]
