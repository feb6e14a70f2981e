"""Statements that travel together: their answers, their errors, and what becomes of the connection."""

import asyncio
import contextlib
import json
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from pydantic import SecretStr

from chatServer import errors
from chatServer.store.pool import Connection, Database
from tests.conftest import ADA

ADD = "insert into chat.sessions (session_id, agent_name) values (%s, 'assistant')"
COUNT = "select count(*) from chat.sessions"


class Pair(NamedTuple):
    number: int
    word: str


@pytest.fixture
async def alone(urls, settings):
    """One connection, so that whatever is left on it is found."""
    async with Database(urls.app, settings.model_copy(update={"database_pool_size": 1})) as database:
        yield database


async def add(connection: Connection, session_id: str | None = None) -> None:
    await connection.execute(ADD, (session_id or str(uuid4()),))


async def count(connection: Connection) -> int:
    return (await (await connection.execute(COUNT)).fetchone())[0]


async def backend_of(database: Database) -> int:
    """Which server process the only connection leads to, which must be clean."""
    async with database._pool.connection() as raw:
        assert raw.pgconn.pipeline_status == PipelineStatus.OFF
        assert raw.pgconn.transaction_status == TransactionStatus.IDLE
        return raw.info.backend_pid


async def one(database: Database, query: str, values=None):
    async with database.transaction(ADA) as connection:
        return (await (await connection.execute(query, values)).fetchone())[0]


# Answers ---------------------------------------------------------------------------------------------


async def test_answers_belong_to_their_statements_in_whichever_order_they_are_asked_for(alone):
    async with alone.transaction(ADA) as connection:
        asked = [await connection.execute("select %s::int", (number,)) for number in range(20)]
        await add(connection)
        last = await connection.execute(COUNT)
        assert await last.fetchone() == (1,)
        assert [await each.fetchone() for each in reversed(asked)] == [(number,) for number in reversed(range(20))]


async def test_rows_come_one_by_one_all_at_once_or_the_rest(alone):
    async with alone.transaction(ADA) as connection:
        answer = await connection.execute("select generate_series(1, 4)")
        assert await answer.fetchone() == (1,)
        assert await answer.fetchall() == [(2,), (3,), (4,)]
        assert await answer.fetchone() is None
        assert await answer.fetchall() == []


async def test_a_cursor_makes_rows_and_answers_to_its_last_statement(alone):
    async with (
        alone.transaction(ADA) as connection,
        connection.cursor(row_factory=class_row(Pair)) as cursor,
    ):
        await cursor.execute("select 1 as number, 'one' as word")
        await cursor.execute("select 2 as number, 'two' as word")
        assert await cursor.fetchall() == [Pair(2, "two")]
        assert await (await cursor.execute("select 3 as number, 'x' as word where false")).fetchone() is None


@pytest.mark.parametrize(
    ("query", "values", "expected"),
    [
        ("select '50%%' || %s", ("!",), "50%!"),
        ("select '50%'", None, "50%"),
        ("select %(a)s::int + %(b)s::int + %(a)s::int", {"b": 10, "a": 1}, 12),
        (b"select %s::text", (None,), None),
        ("select %s::int[]", ([1, None, 3],), [1, None, 3]),
        ("select %s::text[]", (['a"b', "c,d", "{}", "NULL"],), ['a"b', "c,d", "{}", "NULL"]),
        ("select %s", (UUID(int=7),), UUID(int=7)),
        ("select %s::bytea", (b"\x00\xff",), b"\x00\xff"),
        ("select %s", (datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),), datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("select %s", (Jsonb({"a": [1]}),), {"a": [1]}),
        ("select %s", (Jsonb(1, dumps=lambda value: json.dumps({"dumped": value})),), {"dumped": 1}),
        ("select %s::jsonb[]", ([Jsonb("é", dumps=json.dumps), Jsonb(None)],), ["é", None]),
        ("select %s", (2**40,), 2**40),
        ("select %s", (True,), True),
        ("select '\u043f\u0440\u0438\u0432\u0435\u0442 ' || %s", ("\U0001f600",), "привет \U0001f600"),
    ],
)
async def test_values_and_answers_are_those_of_psycopg(query, values, expected, alone):
    for _ in range(7):  # prepared from the sixth time on, where that is allowed
        assert await one(alone, query, values) == expected
    async with alone._pool.connection() as raw:
        assert (await (await raw.execute(query, values)).fetchone())[0] == expected


@pytest.mark.parametrize("is_direct", [True, False])
async def test_statements_are_prepared_where_the_connection_is_our_own(is_direct, urls, settings):
    url = SecretStr(urls.app)
    addresses = {"database_url": url, "database_direct_url": url if is_direct else None}
    chosen = settings.model_copy(update={"database_pool_size": 1, **addresses})
    async with Database(urls.app, chosen) as database:
        for number in range(12):
            assert await one(database, "select %s::int * 2", (number,)) == number * 2
        async with database.transaction(ADA) as connection:  # several times on the way, and after a rotation
            asked = [await connection.execute(f"select %s::int + {i}", (i,)) for i in range(120) for _ in range(7)]
            assert [(await each.fetchone())[0] for each in asked] == [2 * i for i in range(120) for _ in range(7)]
        statements = await one(database, "select count(*) from pg_prepared_statements where statement like '%* 2%'")
        everything = await one(database, "select count(*) from pg_prepared_statements")
    assert everything <= 101
    assert (everything > 90) == is_direct
    assert statements == 0  # the oldest had to go


async def test_what_every_transaction_begins_and_ends_with_is_prepared_and_whose_it_is_is_not(alone):
    for _ in range(12):
        await one(alone, "select 1")
    async with alone.transaction(ADA) as connection:
        answer = await connection.execute("select statement from pg_prepared_statements where statement <> 'select 1'")
        found = {statement for (statement,) in await answer.fetchall()}
    assert {"begin", "commit"} <= found
    assert not any("claim" in statement for statement in found)


async def test_a_prepared_statement_survives_an_error_on_its_way(alone):
    for number in range(4):
        assert await one(alone, "select %s::int * 3", (number,)) == number * 3
    for _ in range(3):
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with alone.transaction(ADA) as connection:
                await connection.execute("select 1 / 0")
                for number in range(4):  # among them the one that would have prepared it
                    await connection.execute("select %s::int * 3", (number,))
    for number in range(12):
        assert await one(alone, "select %s::int * 3", (number,)) == number * 3


async def test_big_answers_and_big_values_pass_each_other(alone):
    big = "x" * 20_000_000
    async with alone.transaction(ADA, timeout_ms=60_000) as connection:
        many = await connection.execute("select i, repeat('y', 1000) from generate_series(1, 10000) as i")
        echo = await connection.execute("select %s::text", (big,))
        again = await connection.execute("select %s::text", (big,))
        assert len(await many.fetchall()) == 10_000
        assert await echo.fetchone() == await again.fetchone() == (big,)


async def test_two_tasks_may_share_a_transaction(alone):
    async with alone.transaction(ADA) as connection:

        async def ask(number: int) -> int:
            return (await (await connection.execute("select %s::int", (number,))).fetchone())[0]

        assert await asyncio.gather(*(ask(number) for number in range(20))) == list(range(20))


async def test_a_block_without_a_statement_sends_nothing_not_even_when_it_raises(alone, urls):
    with psycopg.connect(urls.owner, autocommit=True) as owner:
        last = "select query, state_change from pg_stat_activity where pid = %s"
        backend = await backend_of(alone)
        before = owner.execute(last, (backend,)).fetchone()
        async with alone.transaction(ADA):
            pass
        with contextlib.suppress(KeyError):
            async with alone.transaction(ADA) as connection:
                await add(connection)
                raise KeyError
        assert owner.execute(last, (backend,)).fetchone() == before
        assert await one(alone, COUNT) == 0
        assert owner.execute(last, (backend,)).fetchone() != before


async def test_asking_for_rows_of_a_statement_without_any_is_an_error(alone):
    with pytest.raises(psycopg.ProgrammingError, match="rows"):
        async with alone.transaction(ADA) as connection:
            await (await connection.execute(ADD, (str(uuid4()),))).fetchone()
    assert await one(alone, COUNT) == 0


# Errors ----------------------------------------------------------------------------------------------


async def test_an_error_in_the_middle_names_its_statement_and_nothing_after_it_runs(alone):
    backend = await backend_of(alone)
    with pytest.raises(psycopg.errors.DivisionByZero) as raised:
        async with alone.transaction(ADA) as connection:
            await add(connection)
            await connection.execute("select 1 / %s", (0,))
            await connection.execute("select pg_sleep(30)")
            await count(connection)
    assert raised.value.__notes__ == ["The statement was: select 1 / $1"]
    assert await one(alone, COUNT) == 0
    assert await backend_of(alone) == backend


async def test_after_an_error_everything_of_the_transaction_is_refused(alone):
    with pytest.raises(RuntimeError, match="swallowed"):
        async with alone.transaction(ADA) as connection:
            before = await connection.execute("select 1")
            failed = await connection.execute("select 1 / 0")
            after = await connection.execute("select 2")
            with pytest.raises(psycopg.errors.DivisionByZero):
                await after.fetchone()
            assert await before.fetchone() == (1,)
            for each in (failed, after, await connection.execute("select 3")):
                with pytest.raises(psycopg.errors.InFailedSqlTransaction):
                    await each.fetchone()
    assert await one(alone, "select 4") == 4


async def test_an_error_that_comes_with_commit_is_raised_and_stores_nothing(alone, urls):
    session_id = str(uuid4())
    backend = await backend_of(alone)
    with pytest.raises(psycopg.errors.UniqueViolation):
        async with alone.transaction(ADA) as connection:
            await add(connection, session_id)
            await add(connection, session_id)
    assert await one(alone, COUNT) == 0
    assert await backend_of(alone) == backend


async def test_an_error_of_commit_itself_is_raised_and_stores_nothing(alone, urls):
    with psycopg.connect(urls.owner, autocommit=True) as owner:
        owner.execute(
            "create table public.deferred (id int, constraint once unique (id) deferrable initially deferred); "
            "grant insert, select on public.deferred to chat_user"
        )
    with pytest.raises(psycopg.errors.UniqueViolation) as raised:
        async with alone.transaction(ADA) as connection:
            await add(connection)
            await connection.execute("insert into public.deferred values (1), (1)")
    assert raised.value.__notes__ == ["The statement was: commit"]
    assert await one(alone, COUNT) == 0
    assert await one(alone, "select count(*) from public.deferred") == 0


async def test_values_that_cannot_be_sent_raise_where_they_are_given(alone):
    backend = await backend_of(alone)
    with pytest.raises(psycopg.ProgrammingError, match="missing"):
        async with alone.transaction(ADA) as connection:
            await add(connection)
            await connection.execute("select %(a)s", {"b": 1})
    with pytest.raises(psycopg.DataError, match="NUL"):
        async with alone.transaction(ADA) as connection:
            await add(connection)
            await connection.execute("select %s::text", ("a\x00b",))
    assert await one(alone, COUNT) == 0
    assert await backend_of(alone) == backend


async def test_a_query_that_libpq_refuses_does_not_spoil_the_pool(alone):
    with pytest.raises(errors.DatabaseUnavailable):
        async with alone.transaction(ADA) as connection:
            await add(connection)
            await connection.execute("select %s, " * 65_535 + "%s", ["a"] * 65_536)
            await connection.flush()
    assert await one(alone, COUNT) == 0


class Moment(NamedTuple):
    word: str
    day: object
    moment: datetime


async def test_answers_that_came_with_the_commit_are_read_when_the_pool_has_closed_their_connection(alone):
    """As it does with each that is an hour old: how a moment is written, only an open connection tells."""
    query = "select 'ä' as word, current_date as day, now() as moment"
    async with alone.transaction(ADA) as connection:
        plain = await connection.execute(query)
        packed = await connection.execute(query, binary=True)
        named = await connection.cursor(row_factory=class_row(Moment)).execute(query)
        raw = connection._connection
    await raw.close()
    (first,), (second,), (third,) = [await each.fetchall() for each in (plain, packed, named)]
    assert first == second == tuple(third)
    assert third.word == "ä"
    assert third.moment.tzinfo is not None


async def test_copy_and_several_statements_in_one_are_refused(alone):
    for query in ("copy chat.sessions to stdout", "copy chat.sessions from stdin", "select 1; select 2"):
        with pytest.raises(psycopg.Error):
            async with alone.transaction(ADA) as connection:
                await add(connection)
                await connection.execute(query)
                await connection.flush()
    assert await one(alone, COUNT) == 0


@pytest.mark.parametrize("raises", [False, True])
async def test_a_connection_that_outlives_its_block_does_nothing_more(raises, alone):
    with contextlib.suppress(KeyError):
        async with alone.transaction(ADA) as connection:
            await count(connection)
            if raises:
                raise KeyError
    late = await connection.execute(ADD, (str(uuid4()),))
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        await late.fetchone()
    await connection.flush()
    assert await one(alone, COUNT) == 0


async def test_a_transaction_that_idles_too_long_is_an_outage_and_its_connection_is_replaced(urls, settings):
    limits = {"database_pool_size": 1, "database_idle_timeout_ms": 100}
    async with Database(urls.app, settings.model_copy(update=limits)) as database:
        backend = await backend_of(database)
        with pytest.raises(errors.DatabaseUnavailable):
            async with database.transaction(ADA) as connection:
                await add(connection)
                await connection.flush()
                with psycopg.connect(urls.owner, autocommit=True) as owner:
                    while owner.execute("select 1 from pg_stat_activity where pid = %s", (backend,)).fetchone():
                        await asyncio.sleep(0.02)
                await add(connection)
        assert await one(database, COUNT) == 0
        assert await backend_of(database) != backend


# Cancellation ----------------------------------------------------------------------------------------


async def is_asleep(owner: psycopg.AsyncConnection) -> None:
    query = "select true from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    async with asyncio.timeout(5):
        while await (await owner.execute(query)).fetchone() is None:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("cancellations", [1, 2])
@pytest.mark.parametrize("asks", [True, False])
async def test_a_cancelled_wait_leaves_no_bad_connection(asks, cancellations, alone, urls):
    async def would_write() -> None:
        async with alone.transaction(ADA) as connection:
            await add(connection)
            slow = await connection.execute("select pg_sleep(2)")
            await add(connection)
            if asks:
                await slow.fetchone()

    async with await psycopg.AsyncConnection.connect(urls.owner, autocommit=True) as owner:
        for _ in range(5):
            task = asyncio.create_task(would_write())
            await is_asleep(owner)
            for _ in range(cancellations):
                task.cancel()
                await asyncio.sleep(0)
            await asyncio.wait({task}, timeout=5)
            assert task.cancelled()
            assert await one(alone, COUNT) == 0
            await backend_of(alone)


async def test_cancellations_at_any_moment_leave_no_bad_connection(alone):
    """However far the messages have come."""
    for delay_ms in range(60):
        session_id = str(uuid4())

        async def would_write(session_id: str = session_id) -> None:
            async with alone.transaction(ADA) as connection:
                for _ in range(3):
                    await add(connection)
                    await count(connection)
                await add(connection, session_id)

        before = await one(alone, COUNT)
        task = asyncio.create_task(would_write())
        await asyncio.sleep(delay_ms / 20_000)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        assert await one(alone, COUNT) in (before, before + 4)
        await backend_of(alone)
