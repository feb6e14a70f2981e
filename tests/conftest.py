"""A real Postgres for every test: one server for the run, a template that was migrated once, a clone per test."""

import contextlib
import hashlib
import itertools
import logging
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import jwt
import psycopg
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from chatServer import logs
from chatServer.api.auth import LEEWAY_S
from chatServer.api.dev_key import DevKey
from chatServer.api.dev_users import dev_user_id
from chatServer.api.state import State
from chatServer.config import Settings
from chatServer.main import create_app
from chatServer.records import Principal
from chatServer.store import sessions
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate
from chatServer.store.pool import Database
from tests.tools.canary import Overheard
from tests.tools.openai_server import OpenAIServer
from tests.tools.recalling import be_patient

ADA = Principal(dev_user_id("ada"))
EVE = Principal(dev_user_id("eve"))
# Tests ask faster than people do; those about limits set their own.
NO_LIMITS = {name: 0 for name in Settings.model_fields if name.startswith("limit_")}
# To clone a database is to make 450 files, and then to remove them: in memory a tenth of the work (2026-11-16).
MEMORY = Path("/dev/shm")
MEMORY_BYTES = 4 << 30
_numbers = itertools.count(1)
overheard = Overheard()
# As a shell starts what it puts in the background; else the commands under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@dataclass(frozen=True, slots=True)
class Urls:
    """One database of one test: as its owner, and as the server logs in."""

    owner: str
    app: str = field(repr=False)
    name: str = ""


def memory_has_room() -> bool:
    """Whether tests can keep their files there, scripts that they run among them."""
    if not os.access(MEMORY, os.W_OK) or os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(MEMORY).free >= MEMORY_BYTES


def place_in_memory() -> Path:
    """One for each checkout and user: pytest, when it begins, closes its folder to others, among them the Postgres of
    a run that is under way in it (2026-11-19). Short, for the path of a socket has 107 characters."""
    checkout = f"{Path(__file__).parent} {os.getuid()}"
    place = MEMORY / hashlib.sha256(checkout.encode()).hexdigest()[:4]
    place.mkdir(mode=0o755, exist_ok=True)
    return place


def listen() -> None:
    root = logging.getLogger()
    root.addHandler(overheard)
    root.setLevel(logging.DEBUG)
    for name in logs.CHATTY:
        logging.getLogger(name).setLevel(logging.NOTSET)
    logs.quiet()


def pytest_configure() -> None:
    """Listen to everything that is logged during the run, at any level that a server could be set to."""
    listen()
    be_patient()
    if memory_has_room():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(place_in_memory()))  # where it is not told by --basetemp


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is long may take an hour, where it does not say otherwise."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3_600))


@pytest.fixture(autouse=True)
def _goes_on_listening() -> Iterator[None]:
    """A command that is called in this process installs logs as if it were its own."""
    yield
    root = logging.getLogger()
    if overheard not in root.handlers:
        for each in [handler for handler in root.handlers if type(handler) is logging.StreamHandler]:
            root.removeHandler(each)
        listen()


@pytest.fixture(autouse=True)
def _nobodys_words_are_logged() -> Iterator[None]:
    yield
    assert overheard.taken() == [], "the log holds what somebody said, searched for or signed in with"


def owner_connection(url: str) -> psycopg.Connection:
    return psycopg.connect(url, autocommit=True)


def cut_off(owner: psycopg.Connection) -> list[bool]:
    """End all connections that the server has to this database; whether each has ended by now."""
    query = (
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where usename = 'chat_app' and datname = current_database()"
    )
    return [is_ended for (is_ended,) in owner.execute(query).fetchall()]


def rows(urls: Urls, query: str, *values: object) -> list[tuple]:
    """What the owner of the database sees, whoever's it is."""
    with owner_connection(urls.owner) as connection:
        return connection.execute(query, values or None).fetchall()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    with embedded_postgres(tmp_path_factory.mktemp("pg")) as server:
        with owner_connection(server.owner_url) as connection:
            connection.execute("alter system set fsync = off")
            connection.execute("select pg_reload_conf()")
        yield server


@pytest.fixture(scope="session")
def template(postgres: EmbeddedPostgres) -> str:
    with owner_connection(postgres.owner_url) as connection:
        connection.execute("create database template_chat")
    migrate(postgres.url("postgres", "template_chat"))
    return "template_chat"


@contextlib.contextmanager
def cloned(postgres: EmbeddedPostgres, template: str) -> Iterator[Urls]:
    """A database of its own, gone afterwards."""
    name = f"test_{next(_numbers)}"
    with owner_connection(postgres.owner_url) as connection:
        connection.execute(f"create database {name} template {template} strategy file_copy")
        try:
            yield Urls(postgres.url("postgres", name), postgres.url("chat_app", name), name)
        finally:
            connection.execute(f"drop database {name} with (force)")


@pytest.fixture
def urls(postgres: EmbeddedPostgres, template: str) -> Iterator[Urls]:
    with cloned(postgres, template) as found:
        yield found


@pytest.fixture
def settings(urls: Urls, tmp_path: Path) -> Settings:
    app_url = SecretStr(urls.app)
    where = {"database_url": app_url, "database_direct_url": app_url, "chat_data_dir": tmp_path}
    return Settings(**where, **NO_LIMITS, worker="off", _env_file=None)


@pytest.fixture
async def database(settings: Settings, urls: Urls) -> AsyncIterator[Database]:
    async with Database(urls.app, settings) as opened:
        await opened.connect()  # a busy machine takes longer for that than a request waits
        yield opened


@pytest.fixture
async def session_id(database: Database) -> str:
    """A session of Ada's."""
    session_id = str(uuid4())
    async with database.transaction(ADA) as connection:
        await sessions.insert_session(connection, ADA.user_id, session_id, "assistant")
    return session_id


@contextlib.asynccontextmanager
async def serving(settings: Settings, built: State | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """The whole app over ASGI, its lifespan included, for a client that is nobody yet."""
    async with serving_app(create_app(settings, built)) as client:
        yield client


@contextlib.asynccontextmanager
async def serving_app(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with app.router.lifespan_context(app) as state:
        transport = httpx.ASGITransport(app=_with_state(app, dict(state or {})), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            yield client


def _with_state(app: FastAPI, state: dict[str, object]):
    async def wrapped(scope, receive, send):
        await app({**scope, "state": dict(state)}, receive, send)

    return wrapped


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(settings) as opened:
        yield opened


@pytest.fixture
def ada(client: httpx.AsyncClient, as_ada: dict[str, str]) -> httpx.AsyncClient:
    """The client of one who has signed in as Ada."""
    client.headers.update(as_ada)
    return client


@pytest.fixture
def as_ada(settings: Settings) -> dict[str, str]:
    return bearer(settings, ADA.user_id)


@pytest.fixture
def as_eve(settings: Settings) -> dict[str, str]:
    return bearer(settings, EVE.user_id)


@pytest.fixture
def provider() -> Iterator[OpenAIServer]:
    """What a model's name makes it do: tests/tools/openai_server.py."""
    server = OpenAIServer()
    yield server
    server.close()


def bearer(settings: Settings, user_id: UUID) -> dict[str, str]:
    return {"Authorization": f"Bearer {DevKey.of(settings.chat_data_dir).sign(user_id)}"}


def brief_bearer(settings: Settings, user_id: UUID, seconds: int) -> dict[str, str]:
    """A token that is taken for so many seconds, or one less: it tells whole ones."""
    key = DevKey.of(settings.chat_data_dir)
    claims = jwt.decode(key.sign(user_id), options={"verify_signature": False})
    expires_at = int(time.time()) + seconds - LEEWAY_S
    token = jwt.encode(claims | {"iat": expires_at - 60, "exp": expires_at}, key.secret, "HS256")
    return {"Authorization": f"Bearer {token}"}
