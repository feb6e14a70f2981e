"""Recall is not late, whatever the database does: it says that it found nothing, and the turn goes on."""

import asyncio
import time
from uuid import uuid4

import pytest
from pydantic import SecretStr

from chatServer.memory.embed import NoEmbedder, WordLlamaEmbedder
from chatServer.memory.recall import recall
from chatServer.memory.recall.recall import Recaller
from chatServer.memory.reembed import reembed
from chatServer.records import Principal
from chatServer.store import pool
from chatServer.store.pool import Database
from tests.chaos.proxy import Proxy, to_postgres
from tests.conftest import ADA, owner_connection
from tests.tools.counted import counted
from tests.tools.recalling import HURRIED, PATIENT, asked, recaller_of, remembered, said, texts
from tests.tools.turns import eventually

BOUND_S = 1.0  # who waits for a database waits longer; `make bench-scale` holds the bound of 60 ms


@pytest.fixture(autouse=True)
def _hurried(monkeypatch):
    for name, value in HURRIED.items():
        monkeypatch.setattr(recall, name, value)


@pytest.fixture
def _patient(monkeypatch, _hurried):
    """For what is not about the deadline of the database."""
    for name in PATIENT.keys() - {"EMBED_S"}:
        monkeypatch.setattr(recall, name, PATIENT[name])


async def timed(recaller: Recaller, question: str = "What is my dog called?"):
    began = time.perf_counter()
    found = await asked(recaller, ADA, question)
    return found, time.perf_counter() - began


async def warm(recaller: Recaller) -> None:
    for _ in range(100):
        if texts((await timed(recaller))[0]):
            return
        await asyncio.sleep(0.05)
    pytest.fail("recall never found anything")


def degraded() -> float:
    """Which of the two ends first is the machine's choice."""
    return sum(counted("chat_recalls_degraded_total", reason=each) for each in ("timeout", "database"))


async def test_a_stalled_database_costs_its_deadline_and_no_more(database, settings, urls, postgres):
    await said(database, ADA, "My dog is called Rex")
    async with Proxy(to_postgres(postgres.socket_dir)) as proxy:
        address = f"postgresql://chat_app@127.0.0.1:{proxy.port}/{urls.name}"
        through = settings.model_copy(update={"database_url": SecretStr(address)})
        async with Database(address, through) as stalling, recaller_of(stalling, NoEmbedder()) as recaller:
            await warm(recaller)
            before = degraded(), counted("chat_recall_seconds_count")
            proxy.freeze()
            took = []
            for _ in range(12):
                found, seconds = await timed(recaller)
                assert (found.items, found.degraded in ("timeout", "database")) == ((), True)
                took.append(seconds)
            assert sorted(took)[-2] < BOUND_S
            proxy.release()
            assert degraded() - before[0] == 12
            assert counted("chat_recall_seconds_count") - before[1] == 12
            await warm(recaller)


async def test_a_database_that_is_not_there_is_not_waited_for(settings, monkeypatch):
    monkeypatch.setattr(pool, "CONNECT_S", 0.5)  # for which a start waits, and so its end
    nowhere = "postgresql://chat_app@127.0.0.1:9/nowhere"
    async with Database(nowhere, settings) as absent, recaller_of(absent, NoEmbedder()) as recaller:
        found, seconds = await timed(recaller)
    assert found.degraded in ("timeout", "database")
    assert seconds < BOUND_S


async def test_a_slow_statement_is_given_up_on(database, urls, monkeypatch):
    for name in ("STATEMENT_MS", "POOL_WAIT_MS"):  # the deadline alone shall save it
        monkeypatch.setattr(recall, name, PATIENT[name])
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await warm(recaller)
        with owner_connection(urls.owner) as connection, connection.transaction():
            connection.execute("lock table chat.memory_heads in access exclusive mode")
            found, seconds = await timed(recaller)
            assert found.degraded in ("timeout", "database")
            assert seconds < BOUND_S
        await warm(recaller)


@pytest.mark.usefixtures("_patient")
async def test_turns_that_hold_every_connection_do_not_keep_recall_waiting(database):
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        holding = [database.transaction(Principal(uuid4())) for _ in range(database.pool_size)]
        for each in holding:
            await (await each.__aenter__()).flush()
        assert texts((await timed(recaller))[0]) == ["My dog is called Rex"]
        for each in holding:
            await each.__aexit__(None, None, None)


async def test_a_bug_in_recall_is_no_bug_of_the_turn(database, monkeypatch):
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        monkeypatch.setattr(recall, "rank", lambda *_, **__: 1 / 0)
        found, _ = await timed(recaller)
        assert found.degraded in ("failed", "timeout")


@pytest.mark.usefixtures("_patient")
async def test_a_long_question_is_read_no_further_than_it_is_searched_for(database, monkeypatch):
    lengths = []
    read = recall.searchable
    monkeypatch.setattr(recall, "searchable", lambda text: lengths.append(len(text)) or read(text))
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        found, _ = await timed(recaller, "What is my dog called? " + "\u00e9t\u00e9 " * 250_000)
        assert texts(found) == ["My dog is called Rex"]
        assert await recaller.rank_memories(ADA, "dog " * 250_000) == []
    assert max(lengths) <= 4_000


@pytest.mark.usefixtures("_patient")
async def test_an_embedder_that_is_late_leaves_the_words(database):
    class Slow(NoEmbedder):
        name, size = "slow", 3

        async def embed(self, texts):
            await asyncio.sleep(30)

    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, Slow()) as recaller:
        found, _ = await timed(recaller)
    assert texts(found) == ["My dog is called Rex"]
    assert found.degraded == "embedder"


@pytest.mark.usefixtures("_patient")
async def test_who_looks_through_his_memories_waits_for_an_embedder_that_is_far_away(database):
    class FarAway(WordLlamaEmbedder):
        async def embed(self, texts):
            await asyncio.sleep(10 * recall.EMBED_S)
            return await super().embed(texts)

    dog = await remembered(database, ADA, "The user's dog's name is Rex.")
    await reembed(database, WordLlamaEmbedder(), lambda _: None)
    async with recaller_of(database, FarAway()) as recaller:
        assert await recaller.rank_memories(ADA, "pet") == [dog]


@pytest.mark.usefixtures("_patient")
async def test_a_question_that_nobody_waits_for_any_longer_is_not_searched_for(database, monkeypatch):
    """Else each that is late keeps the next one waiting, and none is in time again."""
    searches = []
    rank = recall.rank
    monkeypatch.setattr(recall, "rank", lambda *given, **named: searches.append(1) or rank(*given, **named))
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await warm(recaller)
        register = await recaller.registers.of(ADA)
        searches.clear()
        async with register.lock:  # as by a search that takes long
            monkeypatch.setattr(recall, "DEADLINE_S", HURRIED["DEADLINE_S"])
            late = [await timed(recaller) for _ in range(5)]
            monkeypatch.setattr(recall, "DEADLINE_S", PATIENT["DEADLINE_S"])
        assert [found.degraded for found, _ in late] == ["timeout"] * 5
        assert texts((await timed(recaller))[0]) == ["My dog is called Rex"]
    assert len(searches) == 1


async def test_the_end_does_not_wait_for_a_database_that_went_away_at_the_start(settings, monkeypatch):
    monkeypatch.setattr(pool, "CONNECT_S", 3_600)
    nowhere = Database("postgresql://chat_app@127.0.0.1:1/nowhere", settings)
    async with asyncio.timeout(60):
        async with recaller_of(nowhere, NoEmbedder()) as recaller:
            await eventually(recaller._database._connecting.locked)
    assert not recaller.is_warm
