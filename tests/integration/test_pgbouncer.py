"""Behind a transaction pooler with two server connections, nothing of one user is left for the next."""

import asyncio
import contextlib
import os
import pwd
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import psutil
import psycopg
import pytest
from psycopg.errors import DuplicatePreparedStatement, InvalidSqlStatementName
from psycopg.rows import dict_row
from pydantic import SecretStr

from chatServer import errors
from chatServer.config import ROOT, Settings
from chatServer.messages import Message
from chatServer.records import Principal
from chatServer.store import sessions
from chatServer.store.embedded import EmbeddedPostgres
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pool import Connection, Database
from tests.conftest import Urls

SERVER_CONNECTIONS = 2
CLIENT_CONNECTIONS = 10
USERS = 20
TRANSACTIONS = 5_000
CACHE = ROOT / ".cache" / "pgbouncer"
EVERYBODYS_ROWS = """
select 'sessions', user_id, count(*) from chat.sessions group by user_id
union all
select 'messages', user_id, count(*) from public.chat_message_history group by user_id
"""
CONFIGURATION = """
[databases]
{database} = host={socket_dir} user=chat_app
[pgbouncer]
listen_addr =
unix_socket_dir = {directory}
auth_type = any
admin_users = chat_app
pool_mode = transaction
default_pool_size = {server_connections}
"""


# The pooler ------------------------------------------------------------------------------------------


def find_pgbouncer() -> tuple[Path, dict[str, str]]:
    """The program, and the environment in which it finds its libraries."""
    system = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if system:
        return Path(system), {}
    unpacked = CACHE / "usr" / "sbin" / "pgbouncer"
    if unpacked.exists():
        libraries = [str(path) for path in (CACHE / "usr" / "lib").glob("*-linux-gnu*")]
        return unpacked, {"LD_LIBRARY_PATH": ":".join(libraries)}
    reason = "There is no pgbouncer. Run tests/tools/ensure_pgbouncer, or install it with your package manager."
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class PgBouncer:
    """A pgbouncer on a socket of its own, run by the user whom the socket of Postgres lets in."""

    program: Path
    environment: dict[str, str]
    directory: Path
    database: str
    user: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://chat_app@/{self.database}?host={self.directory}&port=6432"

    def servers_in_use(self) -> int:
        """How many server connections belong to a client right now."""
        url = f"postgresql://chat_app@/pgbouncer?host={self.directory}&port=6432"
        with psycopg.connect(
            url, autocommit=True, row_factory=dict_row, cursor_factory=psycopg.ClientCursor
        ) as console:
            return sum(pool["sv_active"] for pool in console.execute("show pools"))

    def version(self) -> tuple[int, int]:
        text = subprocess.check_output([self.program, "--version"], env=self.environment, text=True)
        major, minor = re.search(r"(\d+)\.(\d+)", text).groups()
        return int(major), int(minor)

    def start(self) -> None:
        as_user = {"user": self.user, "extra_groups": []} if os.getuid() == 0 else {}
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, self.directory / "pgbouncer.ini"],
                env=self.environment,
                stdout=log,
                stderr=log,
                **as_user,
            )
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url):
                return
            time.sleep(0.02)
        pytest.fail(f"pgbouncer does not start: {(self.directory / 'log').read_text()}")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(5)


@pytest.fixture
def pgbouncer(postgres: EmbeddedPostgres, urls: Urls) -> Iterator[PgBouncer]:
    program, environment = find_pgbouncer()
    user = psutil.Process(postgres.pid).username()
    # Not tmp_path: another user must get there, and the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="pgbouncer-") as directory:
        values = {"database": urls.name, "socket_dir": postgres.socket_dir, "directory": directory}
        configuration = CONFIGURATION.format(**values, server_connections=SERVER_CONNECTIONS)
        (Path(directory) / "pgbouncer.ini").write_text(configuration)
        os.chown(directory, pwd.getpwnam(user).pw_uid, -1)
        bouncer = PgBouncer(program, environment, Path(directory), urls.name, user)
        try:
            bouncer.start()
            yield bouncer
        finally:
            bouncer.kill()


@pytest.fixture
def pooled(pgbouncer: PgBouncer, tmp_path: Path) -> Settings:
    """Settings that do not declare the URL direct."""
    return Settings(
        database_url=SecretStr(pgbouncer.url),
        database_pool_size=CLIENT_CONNECTIONS,
        chat_data_dir=tmp_path,
        _env_file=None,
    )


# The checker -----------------------------------------------------------------------------------------


@dataclass
class User:
    """A user and how much of theirs is committed."""

    session_id: str
    principal: Principal
    messages: int = 0


@dataclass
class Findings:
    transactions: int = 0
    foreign_rows: int = 0
    missing_rows: int = 0
    left_behind: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    most_server_connections: int = 0

    @property
    def leaks(self) -> int:
        return self.foreign_rows + self.left_behind

    @property
    def prepared_statement_errors(self) -> int:
        return self.errors[InvalidSqlStatementName.__name__] + self.errors[DuplicatePreparedStatement.__name__]


class Oops(Exception):
    pass


@pytest.fixture
async def users(pgbouncer: PgBouncer, pooled: Settings) -> list[User]:
    """Twenty users with a session and one to three messages each."""
    users = [User(str(uuid4()), Principal(uuid4()), messages=1 + number % 3) for number in range(USERS)]
    async with Database(pgbouncer.url, pooled) as database:
        for user in users:
            async with database.transaction(user.principal) as connection:
                await sessions.insert_session(connection, user.principal.user_id, user.session_id, "assistant")
                for _ in range(user.messages):
                    await say(connection, user)
    return users


async def say(connection: Connection, user: User) -> None:
    history = ChatMessageHistory(connection, user.principal.user_id, user.session_id)
    await history.append([Message(role="user", content="hello")])


async def look_around(connection: Connection, user: User, findings: Findings, *, expected: int) -> None:
    """Ask for everybody's rows: only one's own may come."""
    rows = await (await connection.execute(EVERYBODYS_ROWS)).fetchall()
    user_id = user.principal.user_id
    findings.missing_rows += len({("sessions", user_id, 1), ("messages", user_id, expected)} - set(rows))
    findings.foreign_rows += sum(owner != user_id for _, owner, _ in rows)


async def read(database: Database, user: User, findings: Findings) -> None:
    async with database.transaction(user.principal) as connection:
        await look_around(connection, user, findings, expected=user.messages)


async def write(database: Database, user: User, findings: Findings) -> None:
    async with database.transaction(user.principal) as connection:
        await say(connection, user)
        await look_around(connection, user, findings, expected=user.messages + 1)
    user.messages += 1


async def raise_midway(database: Database, user: User, findings: Findings) -> None:
    with contextlib.suppress(Oops):
        async with database.transaction(user.principal) as connection:
            await say(connection, user)
            await look_around(connection, user, findings, expected=user.messages + 1)
            raise Oops


async def is_cancelled_midway(database: Database, user: User, findings: Findings) -> None:
    has_written = asyncio.Event()

    async def would_write() -> None:
        async with database.transaction(user.principal) as connection:
            await say(connection, user)
            await look_around(connection, user, findings, expected=user.messages + 1)
            has_written.set()
            # Not long: a cancellation that overtakes its query is lost, and the query then runs to its end.
            await (await connection.execute("select pg_sleep(0.2)")).fetchall()
            raise Oops

    task = asyncio.create_task(would_write())
    waiting = asyncio.create_task(has_written.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(0.005)
    task.cancel()
    waiting.cancel()
    await asyncio.wait({task, waiting})
    with contextlib.suppress(asyncio.CancelledError, Oops):
        task.result()


async def nobody_sees_nothing(database: Database, findings: Findings) -> None:
    """What the next transaction on the connection finds of the one before."""
    async with database._pool.connection() as connection, connection.transaction():
        cursor = await connection.execute(
            "select current_user::text, coalesce(current_setting('request.jwt.claim.sub', true), ''), "
            "has_table_privilege('public.chat_message_history', 'select')"
        )
        findings.left_behind += await cursor.fetchone() != ("chat_app", "", False)


async def check(database: Database, urls: Urls, users: list[User], *, transactions: int) -> Findings:
    """Many transactions of twenty users at once; each user's are in order, so that their rows can be counted."""
    findings = Findings()

    async def work(user: User) -> None:
        dice = random.Random(str(user.principal.user_id))
        for _ in range(transactions // USERS):
            kind = dice.choices((read, write, raise_midway, is_cancelled_midway), (70, 15, 13, 2))[0]
            await note_errors(kind(database, user, findings), findings)
            await note_errors(nobody_sees_nothing(database, findings), findings)
            findings.kinds[kind.__name__] += 1
            findings.transactions += 1

    async with count_server_connections(urls, findings), asyncio.TaskGroup() as group:
        for user in users:
            group.create_task(work(user))
    return findings


async def note_errors(transaction, findings: Findings) -> None:
    try:
        await transaction
    except (errors.DatabaseUnavailable, psycopg.Error) as error:
        cause = error.__cause__ if isinstance(error, errors.DatabaseUnavailable) else error
        findings.errors[type(cause).__name__] += 1
    except errors.SessionNotFound:  # somebody else's claims: one's own session is not to be seen
        findings.missing_rows += 1


@contextlib.asynccontextmanager
async def count_server_connections(urls: Urls, findings: Findings) -> AsyncIterator[None]:
    statement = "select count(*) from pg_stat_activity where usename = 'chat_app' and datname = current_database()"

    is_over = asyncio.Event()

    async def sample() -> None:
        while not is_over.is_set():
            row = await (await connection.execute(statement)).fetchone()
            findings.most_server_connections = max(findings.most_server_connections, row[0])
            await asyncio.sleep(0.05)

    async with await psycopg.AsyncConnection.connect(urls.owner, autocommit=True) as connection:
        sampling = asyncio.create_task(sample())
        try:
            yield
        finally:
            is_over.set()
            await sampling


# The tests -------------------------------------------------------------------------------------------


async def test_nothing_leaks_between_users_who_share_two_server_connections(pooled, pgbouncer, urls, users):
    patient = pooled.model_copy(update={"database_pool_wait_ms": 30_000})  # they queue longer on a busy machine
    async with Database(pgbouncer.url, patient) as database:
        started = time.monotonic()
        findings = await check(database, urls, users, transactions=TRANSACTIONS)
        servers_in_use = pgbouncer.servers_in_use()
    print(f"N={findings.transactions} in {time.monotonic() - started:.1f} s, {findings}")
    assert findings.transactions == TRANSACTIONS
    assert findings.leaks == 0
    assert findings.prepared_statement_errors == 0
    assert findings.errors == {}
    assert findings.missing_rows == 0
    assert min(findings.kinds.values()) > 20
    assert servers_in_use == 0
    assert 1 <= findings.most_server_connections <= SERVER_CONNECTIONS


class BecomesTheUserForGood(Database):
    """Planted: SET without LOCAL, inside the transaction."""

    @contextlib.asynccontextmanager
    async def transaction(self, principal: Principal) -> AsyncIterator[Connection]:
        async with self._pool.connection() as connection, connection.transaction():
            await become(connection, principal)
            yield connection


class BecomesTheUserBeforehand(Database):
    """Planted: SET without LOCAL, in transactions of their own."""

    @contextlib.asynccontextmanager
    async def transaction(self, principal: Principal) -> AsyncIterator[Connection]:
        async with self._pool.connection() as connection:
            await become(connection, principal)
            async with connection.transaction():
                yield connection


async def become(connection: Connection, principal: Principal) -> None:
    await connection.execute("set role chat_user")
    await connection.execute(f"""set request.jwt.claims = '{{"sub":"{principal.user_id}"}}'""")


@pytest.mark.parametrize(
    ("planted", "found"),
    [(BecomesTheUserForGood, "left_behind"), (BecomesTheUserBeforehand, "foreign_rows")],
)
async def test_the_checker_finds_a_planted_leak(planted, found, pooled, pgbouncer, urls, users):
    async with planted(pgbouncer.url, pooled) as database:
        findings = await check(database, urls, users, transactions=200)
    print(f"N={findings.transactions}, {planted.__name__}: {findings}")
    assert getattr(findings, found) > 0
    assert findings.leaks > 0


async def test_prepared_statements_through_the_pooler_are_found(pooled, pgbouncer, urls, users):
    if pgbouncer.version() >= (1, 21):
        pytest.skip("this pgbouncer keeps track of prepared statements")
    declared_direct = pooled.model_copy(update={"database_direct_url": pooled.database_url})
    async with Database(pgbouncer.url, declared_direct) as database:
        findings = await check(database, urls, users, transactions=200)
    print(f"N={findings.transactions}, prepared: {findings}")
    assert findings.prepared_statement_errors > 0


async def test_a_pooler_that_dies_is_an_outage_and_heals(pooled, pgbouncer):
    async with Database(pgbouncer.url, pooled) as database:
        await asyncio.gather(*(ask(database) for _ in range(CLIENT_CONNECTIONS)))
        with pytest.raises(errors.DatabaseUnavailable):
            async with database.transaction(Principal(uuid4())) as connection:
                pgbouncer.kill()
                await connection.execute("select 1")
        for _ in range(3):
            waits = await asyncio.gather(*(seconds_until_refused(database) for _ in range(CLIENT_CONNECTIONS)))
            print(f"refused after at most {max(waits):.2f} s")
            assert max(waits) < 5  # of one, on a busy machine
        pgbouncer.start()
        healed_after_s = await seconds_until(lambda: ask(database))
        print(f"healed {healed_after_s:.2f} s after the restart")
        assert healed_after_s < 5


async def ask(database: Database) -> None:
    async with database.transaction(Principal(uuid4())) as connection:
        await connection.execute("select count(*) from chat.sessions")


async def seconds_until_refused(database: Database) -> float:
    started = time.monotonic()
    with pytest.raises(errors.DatabaseUnavailable):
        await ask(database)
    return time.monotonic() - started


async def seconds_until(attempt: Callable[[], Awaitable[None]], at_most: float = 10) -> float:
    """How long it takes until an attempt is not refused."""
    started = time.monotonic()
    while time.monotonic() - started < at_most:
        with contextlib.suppress(errors.DatabaseUnavailable):
            await attempt()
            break
        await asyncio.sleep(0.02)
    return time.monotonic() - started
