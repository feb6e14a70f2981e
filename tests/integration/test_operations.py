"""Alive, ready, counted: what an operator's tools ask for, and what they must never be told."""

import asyncio
import re
import subprocess
import time

import httpx
import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from chatServer import metrics
from chatServer.api import build
from chatServer.api.keys import IssuerKeys, OneKey
from chatServer.api.looks import looks
from chatServer.api.readiness import Check, Readiness
from chatServer.api.shutdown import Shutdown
from chatServer.config import ROOT
from chatServer.main import create_app, running
from chatServer.store.embedded import EmbeddedPostgres, embedded_postgres
from chatServer.store.migrate import migrate, newest_revision
from chatServer.store.pool import Database
from tests.conftest import ADA, owner_connection, serving
from tests.tools.issuer import SigningKey

TOKEN = "a-token-for-the-metrics"
CANARY = "canary-title-ada@example.com"


async def test_health_names_version_and_commit(client):
    answer = (await client.get("/healthz")).json()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer["status"] == "ok"
    assert answer["commit"] == (head.stdout.strip() or build.UNKNOWN)


def test_the_commit_comes_from_the_image_or_from_any_kind_of_checkout(tmp_path):
    assert build.commit("", tmp_path) == "unknown"
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("a" * 40 + "\n")
    assert build.commit("", tmp_path) == "a" * 40, "a detached head"
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text("# pack-refs\n" + "b" * 40 + " refs/heads/main\n")
    assert build.commit("", tmp_path) == "b" * 40, "packed"
    (git / "refs/heads").mkdir(parents=True)
    (git / "refs/heads/main").write_text("c" * 40 + "\n")
    assert build.commit("", tmp_path) == "c" * 40, "loose"
    assert build.commit("d" * 41, tmp_path) == "d" * 40


async def test_health_names_the_commit_of_the_settings(settings):
    async with serving(settings.model_copy(update={"git_commit": "d" * 40})) as client:
        assert (await client.get("/healthz")).json()["commit"] == "d" * 40


async def test_a_server_that_can_work_is_ready(client):
    answer = await eventually_ready(client)  # the models are still being loaded
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "checks": {
            "database": {"ok": True, "detail": "answers"},
            "migrations": {"ok": True, "detail": f"at revision {newest_revision()}"},
            "queue": {"ok": True, "detail": "0 waiting, oldest 0 s"},
            "models": {"ok": True, "detail": "loaded"},
            "memory": {"ok": True, "detail": "loaded"},
            "shutting_down": {"ok": True, "detail": "no"},
        },
    }


async def test_the_two_looks_at_the_database_share_one_transaction(database):
    found = looks(database, OneKey(b""), None, None, None)
    for number in range(1, 4):
        assert all(check.ok for check in await asyncio.gather(found["database"](), found["migrations"]()))
        assert database._pool.get_stats()["requests_num"] == number


async def test_a_missing_migration_is_not_ready_and_says_what_to_do(client, urls):
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.alembic_version")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] == {
        "ok": False,
        "detail": "at revision None: run chatserver migrate",
    }


async def test_a_database_that_takes_no_writes_is_not_ready(settings, urls):
    url = make_conninfo(urls.app, options="-c default_transaction_read_only=on")
    async with Database(url, settings) as standby:
        found = looks(standby, OneKey(b""), None, None, None)
        assert await found["database"]() == Check(ok=False, detail="answers, and takes no writes")


def turn_away(server: EmbeddedPostgres, *, allowed: bool) -> None:
    with owner_connection(server.url("postgres", "postgres")) as connection:
        connection.execute(f"alter database chat allow_connections {allowed}")
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'chat'")


def hang(server: EmbeddedPostgres, *, allowed: bool) -> None:
    postgres = psutil.Process(server.pid)
    for process in (postgres, *postgres.children(recursive=True)):
        process.resume() if allowed else process.suspend()


@pytest.mark.parametrize("stop", [turn_away, hang])
async def test_a_stopped_database_is_not_ready_within_a_second_and_it_heals(settings, tmp_path, stop):
    with embedded_postgres(tmp_path / "own") as server:
        migrate(server.owner_url)
        own = settings.model_copy(update={"database_url": SecretStr(server.app_url)})
        async with serving(own) as client:
            assert (await eventually_ready(client)).status_code == 200
            await asyncio.to_thread(stop, server, allowed=False)
            try:
                for _ in range(3):
                    began = time.monotonic()
                    answer = await client.get("/readyz")
                    took_s = time.monotonic() - began
                    assert (answer.status_code, answer.json()["checks"]["database"]["ok"]) == (503, False)
                    assert took_s < 1.5
            finally:
                await asyncio.to_thread(stop, server, allowed=True)
            assert (await eventually_ready(client)).status_code == 200


async def eventually_ready(client: httpx.AsyncClient) -> httpx.Response:
    deadline = time.monotonic() + 10
    while (answer := await client.get("/readyz")).status_code != 200:
        assert time.monotonic() < deadline, answer.text
        await asyncio.sleep(0.1)
    return answer


async def test_a_look_that_hangs_is_reported_in_time_and_never_started_twice():
    started, release = 0, asyncio.Event()

    async def hangs() -> Check:
        nonlocal started
        started += 1
        await release.wait()
        return Check(ok=True, detail="at last")

    async def breaks() -> Check:
        raise ValueError("postgresql://chat_app:hush@db/chat")

    async with Readiness({"hangs": hangs, "breaks": breaks}, look_s=0.05) as readiness:
        answers = await asyncio.gather(*(readiness.checks() for _ in range(20)))
        assert {answer["hangs"] for answer in answers} == {Check(ok=False, detail="no answer within 0.05 s")}
        assert {answer["breaks"] for answer in answers} == {Check(ok=False, detail="ValueError")}
        assert started == 1
        release.set()
        await asyncio.sleep(0.01)
        assert (await readiness.checks())["hangs"] == Check(ok=True, detail="at last")
        assert started == 2, "what the first one found by itself is not news"


@pytest.mark.parametrize("mode", ["up", "error", "garbage"])
async def test_an_issuer_that_gives_no_keys_is_not_ready(settings, issuer, mode):
    issuer.mode = mode
    supabase = settings.model_copy(update={"auth_mode": "supabase", "supabase_url": issuer.address})
    async with serving(supabase) as client:
        answer = await client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["checks"]["issuer"] == {
            "ok": False,
            "detail": "no signing key could be fetched from the issuer: chatserver doctor says why",
        }


async def test_keys_of_an_issuer_that_went_down_keep_the_server_ready_for_a_day(issuer):
    now = 0.0
    issuer.keys = [SigningKey().published()]
    async with httpx.AsyncClient() as http:
        keys = IssuerKeys(f"{issuer.name}/.well-known/jwks.json", http, clock=lambda: now)
        assert await keys.status() == (True, "1 keys, 0 s old")
        issuer.mode = "error"
        now = 700
        assert await keys.status() == (True, "1 keys, 700 s old: the issuer does not answer")
        now = 24 * 3600 + 1
        assert (await keys.status())[0] is False


# Metrics ---------------------------------------------------------------------------------------------------


def value(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
    assert found is not None, name
    return float(found[1])


async def test_metrics_count_requests_by_template_and_the_pool(client, as_ada):
    made = (await client.post("/api/sessions", json={"title": "x"}, headers=as_ada)).json()
    name = 'chat_request_seconds_count{method="GET",route="/api/sessions/{session_id}",status="200"}'
    await client.get(f"/api/sessions/{made['session_id']}", headers=as_ada)
    before = value((await client.get("/metrics")).text, name)
    await client.get(f"/api/sessions/{made['session_id']}", headers=as_ada)
    answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert value(answer.text, name) == before + 1
    assert value(answer.text, "chat_pool_size") >= value(answer.text, "chat_pool_free") >= 1
    assert value(answer.text, "chat_pool_waiting") == 0
    assert value(answer.text, "chat_requests_running") == 1, "the scrape itself"
    assert re.search(r'^chat_build_info\{commit="\w+",version="[\d.]+"\} 1\.0$', answer.text, re.M)
    assert "chat_jwks_fetches_total" in answer.text


async def test_an_outage_is_counted(client, urls, as_ada, settings):
    before = metrics.database_unavailable._value.get()
    with psycopg.connect(urls.owner) as connection:
        connection.execute("lock table chat.sessions in access exclusive mode")
        own = settings.model_copy(update={"database_statement_timeout_ms": 100})
        async with serving(own) as hurried:
            assert (await hurried.get("/api/sessions", headers=as_ada)).status_code == 503
    assert metrics.database_unavailable._value.get() >= before + 1, "what works beside the requests counts its own"


async def test_no_user_ever_appears_in_the_metrics(client, as_ada):
    made = await client.post("/api/sessions", json={"session_id": "ada.s-thread", "title": CANARY}, headers=as_ada)
    session_id = made.json()["session_id"]
    for method, path in [
        ("GET", "/api/sessions/ada.s-thread"),
        ("GET", f"/api/sessions/{session_id}/messages"),
        ("GET", f"/api/sessions?q={CANARY}"),
        ("GET", f"/nowhere/{CANARY}"),
        ("PUT", f"/api/sessions/{session_id}"),
        ("GET", f"/auth/v1/{CANARY}"),
        ("CANARYMETHOD", "/api/sessions"),
        ("DELETE", "/api/sessions/ada.s-thread"),
    ]:
        await client.request(method, path, headers=as_ada)
    text = (await client.get("/metrics")).text
    assert leaks(text, session_id) == []
    assert 'route="none"' in text
    assert 'method="other"' in text


def leaks(text: str, session_id: str) -> list[str]:
    secret = [CANARY, "ada.s-thread", session_id, str(ADA.user_id), "CANARYMETHOD", "example.com"]
    return [word for word in secret if word in text]


def test_the_search_for_leaks_finds_a_planted_one():
    metrics.request_seconds.labels(f"/api/sessions/{CANARY}", "GET", "200").observe(0)
    try:
        planted = "\n".join(str(sample) for each in metrics.request_seconds.collect() for sample in each.samples)
        assert leaks(planted, "none of these") == [CANARY, "example.com"]
    finally:
        metrics.request_seconds.remove(f"/api/sessions/{CANARY}", "GET", "200")


async def test_without_a_token_metrics_are_for_this_machine_only(client):
    for headers in ({"X-Forwarded-For": "10.0.0.1"}, {"Host": "chat.example"}):
        assert (await client.get("/metrics", headers=headers)).status_code == 403
    far = httpx.ASGITransport(app=client._transport.app, client=("192.0.2.7", 5000))
    async with httpx.AsyncClient(transport=far, base_url="http://127.0.0.1:8000") as elsewhere:
        answer = await elsewhere.get("/metrics")
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_with_a_token_metrics_want_it_from_everybody(settings):
    async with serving(settings.model_copy(update={"metrics_token": SecretStr(TOKEN)})) as client:
        for given in ("", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer ünïcödé"):
            headers = {"Authorization": given.encode()}
            assert (await client.get("/metrics", headers=headers)).status_code == 401, given
        twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer another")]
        assert (await client.get("/metrics", headers=twice)).status_code == 401
        right = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "10.0.0.1", "Host": "chat.example"}
        assert (await client.get("/metrics", headers=right)).status_code == 200


async def test_no_variable_switches_on_spans_that_hold_what_people_search_for(settings, monkeypatch):
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    app = create_app(settings)
    assert not any(app._telemetry[part] for part in ("tracing", "metrics", "logs", "auto_configure"))
    assert not app._native_telemetry.enabled()


# The end ---------------------------------------------------------------------------------------------------


async def test_once_the_end_began_new_work_is_refused_and_health_goes_on(settings, as_ada):
    async with running(settings) as state, serving(settings, state) as client:
        assert (await client.get("/api/sessions", headers=as_ada)).status_code == 200
        state.shutdown.begin()
        for headers in (as_ada, {}):
            answer = await client.get("/api/sessions", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")
            assert int(answer.headers["retry-after"]) > 0
            assert answer.headers["x-request-id"] == answer.json()["request_id"]
        ready = await client.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["checks"]["shutting_down"] == {"ok": False, "detail": "takes nothing new"}
        assert ready.json()["checks"]["database"]["ok"]
        assert (await client.get("/healthz")).status_code == 200
        assert value((await client.get("/metrics")).text, "chat_shutting_down") == 1


def test_the_grace_is_not_begun_anew_and_ends_what_hangs():
    now = 100.0
    shutdown = Shutdown(25, clock=lambda: now)
    shutdown.enter()
    assert not shutdown.may_end
    shutdown.begin()
    assert shutdown.begun.is_set()
    assert not shutdown.may_end
    now += 20
    shutdown.begin()
    now += 5
    assert shutdown.is_overdue
    assert shutdown.may_end
    idle = Shutdown(25, clock=lambda: now)
    idle.begin()
    assert idle.may_end, "nothing runs: no reason to wait"
