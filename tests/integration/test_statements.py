"""What the statements of store/sql are to Postgres: each says by itself of which types its values are, as it must where
nobody else does (pgbench), and asks once, not for each row, whose rows it may see."""

from collections.abc import Iterator
from typing import Any, LiteralString, cast

import psycopg
import pytest
from psycopg._queries import _query2pg_nocache

from chatServer.store import queries, sessions
from tests.conftest import cloned, owner_connection

FILLED = {"sessions.sql": sessions.SQL}  # statements with places that their module fills
ALL = {
    f"{path.name} {name}": _query2pg_nocache(statement, "utf-8")[0].decode()
    for path in sorted(queries.SQL_DIR.glob("*.sql"))
    for name, statement in FILLED.get(path.name, queries.load(path.name)).items()
    if not statement.startswith(b"set local ")
}
OF_USERS = [name for name, text in ALL.items() if not name.startswith("sweep.sql ") and "procrastinate." not in text]
WHOSE = "current_setting"  # as chat.uid() asks it
ONCE = ("One-Time Filter", "Output")
UNTOLD = "select title from chat.sessions where user_id = $1 and created_at > now() - $2"
UNNAMED = "select title from chat.sessions where session_id = $1"


@pytest.fixture(scope="module")
def connection(postgres, template) -> Iterator[psycopg.Connection]:
    with cloned(postgres, template) as urls, owner_connection(urls.owner) as opened:
        yield opened


def plan_of(connection: psycopg.Connection, text: str, role: str) -> Any:
    """As it is prepared by whoever says nothing of types, and planned for everybody."""
    with connection.transaction(force_rollback=True):
        connection.execute(f"set local role {role}")
        explained = f"explain (generic_plan, format json) {text}"
        return connection.execute(cast(LiteralString, explained)).fetchall()[0][0]


def asked_for_each_row(plan: Any) -> list[str]:
    """The conditions of a plan that ask whose the rows are, but for those that are looked at before any row is."""
    if isinstance(plan, list):
        return [found for each in plan for found in asked_for_each_row(each)]
    if not isinstance(plan, dict):
        return []
    here = [f"{key}: {value}" for key, value in plan.items() if isinstance(value, str) and WHOSE in value]
    below = [found for value in plan.values() for found in asked_for_each_row(value)]
    return [each for each in here if not each.startswith(ONCE)] + below


def test_all_statements_are_looked_at():
    assert len(ALL) > 250
    assert {"turns.sql finish_turn", "sessions.sql enter_active_session_by_name", "context.sql read_context"} < set(ALL)


@pytest.mark.parametrize("name", sorted({*ALL} - {*OF_USERS}))
def test_a_statement_of_workers_is_understood_without_being_told_types(name, connection):
    assert plan_of(connection, ALL[name], "chat_jobs")


@pytest.mark.parametrize("name", OF_USERS)
def test_a_statement_is_understood_without_being_told_types_and_asks_once_whose_the_rows_are(name, connection):
    assert asked_for_each_row(plan_of(connection, ALL[name], "chat_user")) == []


def test_a_planted_value_without_a_type_is_found(connection):
    with pytest.raises(psycopg.errors.UndefinedFunction):
        plan_of(connection, UNTOLD, "chat_user")
    assert plan_of(connection, UNTOLD + "::interval", "chat_user")


def test_a_planted_statement_that_does_not_name_its_user_is_found(connection):
    assert asked_for_each_row(plan_of(connection, UNNAMED, "chat_user")) != []
