"""Maintenance: what is promoted, expires, is merged or dropped; a dry run changes nothing, and undo brings back."""

import asyncio
import contextlib
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY

from chatServer import errors
from chatServer.memory import rules
from chatServer.memory.browse import browse, show
from chatServer.memory.duplicates import alike_groups
from chatServer.memory.forget import forget
from chatServer.memory.maintain import Retention, Upkeep, maintain
from chatServer.records import MemoryFilter, Reason, new_id
from chatServer.store import memories as store
from chatServer.store import queries, upkeep
from chatServer.store.queue import MAINTAINED_AT_LEAST_EVERY, MAINTAINED_EVERY, Pace, Queue
from chatServer.store.upkeep import Text
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.memory_rows import memory, read, write
from tests.tools.turns import eventually
from tests.tools.waiting import waiting_for_locks

NOW = datetime.now(UTC)
OLD = NOW - timedelta(days=200)


async def held(database, user=ADA) -> set[str]:
    found, _ = await browse(database, user, MemoryFilter(ever=True), limit=1_000)
    return {each.text for each in found}


def age(urls, days: float, *texts: str) -> None:
    """As if nothing had been done to these for so long."""
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update chat.memories set updated_at = now() - %s, created_at = now() - %s where text = any(%s)",
            (timedelta(days=days), timedelta(days=days), list(texts)),
        )


def counted(what: str) -> float:
    return REGISTRY.get_sample_value("chat_memories_maintained_total", {"what": what}) or 0.0


async def test_what_is_important_or_often_recalled_is_kept_for_good(database):
    kept = memory("Important.", importance=0.7), memory("Often recalled.", recalls=3)
    short = memory("Neither.", importance=0.69, recalls=2), memory("For today.", kind="working", importance=1.0)
    over = memory("Was.", importance=0.9, valid_to=NOW)
    await write(database, *kept, *short, over)
    before = counted("promoted")
    assert await maintain(database, ADA) == Upkeep(promoted=2)
    assert counted("promoted") == before + 2
    tiers = [(await read(database, each.memory_id)).tier for each in (*kept, *short, over)]
    assert tiers == ["long", "long", "short", "short", "short"]
    _, [change, _], _ = await show(database, ADA, kept[1].memory_id)
    assert (change.operation, change.actor, change.reason) == ("promoted", "maintenance", "often recalled")
    assert await maintain(database, ADA) == Upkeep()
    assert (await forget.undo(database, ADA, kept[0].memory_id)).tier == "short"
    assert await maintain(database, ADA) == Upkeep(), "it is not promoted against somebody's will"


async def test_what_is_over_goes_and_undo_brings_it_back_for_longer(database, urls):
    gone = memory("Until noon.", expires_at=NOW - timedelta(hours=1)), memory("Yesterday.", kind="working")
    await write(database, *gone, memory("Today.", kind="working"), memory("Later.", expires_at=NOW + timedelta(days=1)))
    age(urls, 1.01, "Yesterday.")
    assert await maintain(database, ADA) == Upkeep(expired=2)
    assert await held(database) == {"Today.", "Later."}
    for each in gone:
        back = await forget.undo(database, ADA, each.memory_id)
        assert (back.text, back.expires_at) == (each.text, None)
    assert await maintain(database, ADA) == Upkeep()
    assert len(await held(database)) == 4


async def test_with_a_retention_what_nobody_needed_goes(database, urls):
    old, used = memory("Old."), memory("Old and recalled.", recalls=1, recalled_at=NOW - timedelta(days=3))
    await write(database, old, used, memory("Young."))
    age(urls, 31, "Old.", "Old and recalled.")
    assert await maintain(database, ADA) == Upkeep()
    assert await maintain(database, ADA, retention=Retention(30)) == Upkeep(unused=1)
    assert await held(database) == {"Old and recalled.", "Young."}
    await forget.undo(database, ADA, old.memory_id)
    assert await maintain(database, ADA, retention=Retention(30)) == Upkeep()


async def test_an_agent_may_keep_things_for_longer_or_shorter_than_the_others(database, urls):
    told = {name: memory(f"Told the {name}.", agent_name=name) for name in ("assistant", "coder", "archivist")}
    await write(database, *told.values())
    age(urls, 31, *(each.text for each in told.values()))
    retention = Retention(by_agent={"coder": 30, "archivist": 300})
    assert await maintain(database, ADA, retention=retention) == Upkeep(unused=1)
    assert await held(database) == {"Told the assistant.", "Told the archivist."}
    assert await maintain(database, ADA, retention=Retention(10, retention.by_agent)) == Upkeep(unused=1)
    assert await held(database) == {"Told the archivist."}


async def test_near_duplicates_of_one_shelf_become_one_with_the_sources_of_all(database):
    sources = [new_id() for _ in range(4)]
    told = {"created_at": OLD}
    mine = memory("I prefer short answers", trust="user", source_ids=(sources[0],), tags=("style",), **told)
    theirs = memory(
        "I prefer short answers, please", trust="assistant", importance=0.6, source_ids=(sources[1],), tier="long"
    )
    elsewhere = memory("I really prefer short answers", shelf="coder", source_ids=(sources[2],))
    keyed = memory("I just prefer short answers", fact_key="user:style", source_ids=(sources[3],))
    await write(database, mine, theirs, elsewhere, keyed, memory("I prefer long answers"))
    assert await maintain(database, ADA) == Upkeep(merged=1)
    left = await read(database, mine.memory_id)
    assert (set(left.source_ids), left.importance, left.tags) == (set(sources[:2]), 0.6, ("style", "home"))
    assert left.tier == "long"
    assert await read(database, theirs.memory_id) is None
    assert len(await held(database)) == 4
    assert (await forget.undo(database, ADA, theirs.memory_id)).text == theirs.text
    assert await maintain(database, ADA) == Upkeep(), "what was brought back is not merged again"


async def test_what_is_put_right_while_others_look_for_duplicates_is_none_of_them(database, urls):
    mine, theirs = memory("I prefer short answers"), memory("I prefer short answers, please")
    await write(database, mine, theirs)
    async with database.transaction(ADA) as connection:
        await store.advance_head(connection, ADA.user_id)
        upkeep_of_it = asyncio.create_task(maintain(database, ADA, dry_run=True))
        await eventually(lambda: waiting_for_locks(urls))  # it has read the texts, and wants the head
        edited = replace(mine, text="I prefer long answers", origin="user")
        await store.write(connection, ADA.user_id, edited, "edited", Reason("user"), before=mine)
    assert await upkeep_of_it == Upkeep()


async def test_the_short_tier_keeps_its_most_important_and_the_newest_of_the_rest(database, urls, monkeypatch):
    monkeypatch.setattr(rules, "MAX_SHORT_ITEMS", 4)
    own = memory("Own word.", importance=0.0, origin="user")
    faded = [memory(f"Faded {n}.", importance=0.6) for n in range(2)]
    used, fresh, low = memory("Used.", recalls=1), memory("Fresh."), memory("Low.", importance=0.2)
    await write(database, own, *faded, used, fresh, low, memory("Long.", tier="long", importance=0.1))
    age(
        urls, 200, *(each.text for each in faded), "Used."
    )  # 0.6 is 0.13 after so long; what was recalled does not fade
    assert await maintain(database, ADA) == Upkeep(dropped=2)
    assert await held(database) == {"Own word.", "Used.", "Fresh.", "Low.", "Long."}
    back = await forget.undo(database, ADA, faded[0].memory_id)
    assert back is not None
    assert await maintain(database, ADA) == Upkeep(dropped=1), "another one has to go now"
    assert await held(database) == {"Own word.", "Used.", "Fresh.", faded[0].text, "Long."}
    monkeypatch.setattr(rules, "MAX_SHORT_ITEMS", 0)
    assert await maintain(database, ADA) == Upkeep(dropped=2)
    assert await held(database) == {"Own word.", faded[0].text, "Long."}, "made or brought back by the user"


async def test_memories_of_any_date_that_an_import_takes_are_ordered(database, urls, monkeypatch):
    monkeypatch.setattr(rules, "MAX_SHORT_ITEMS", 2)
    old, ahead = memory("Of 1900.", importance=1e-30), memory("Of 8871.", importance=0.3)
    await write(database, old, ahead, memory("Of today.", importance=0.2))
    age(urls, 46_000, old.text)
    age(urls, -2_500_000, ahead.text)
    assert await maintain(database, ADA) == Upkeep(dropped=1)
    assert await held(database) == {"Of 8871.", "Of today."}


async def test_a_change_can_be_undone_for_thirty_days_and_then_nothing_of_it_is_kept(database, urls):
    kept, gone = memory("Before."), memory("Gone.")
    await write(database, kept, gone)
    await forget.forget(database, ADA, gone.memory_id)
    await write(database, memory("After.", memory_id=kept.memory_id), operation="edited", before=kept)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.memory_changes set created_at = now() - interval '31 days'")
        assert await maintain(database, ADA) == Upkeep(pruned=2)
        assert connection.execute("select count(before) from chat.memory_changes").fetchone() == (0,)
    for each in (kept, gone):
        with pytest.raises(errors.ChatError):
            await forget.undo(database, ADA, each.memory_id)
    assert await held(database) == {"After."}, "its making was not undone instead"


async def test_a_dry_run_counts_the_same_and_changes_nothing(database, urls, monkeypatch):
    monkeypatch.setattr(rules, "MAX_SHORT_ITEMS", 3)
    await write(
        database,
        *(memory(f"Fact {n}.", importance=n / 10) for n in range(9)),
        memory("I like tea"),
        memory("Well, I really like tea"),
        memory("Over.", expires_at=NOW - timedelta(hours=1)),
        memory("Old."),
    )
    age(urls, 100, "Old.")
    with owner_connection(urls.owner) as connection:
        tables = ("memories", "memory_changes", "memory_heads", "user_events")
        rows = " union all ".join(f"select t::text from chat.{table} t" for table in tables)
        before = sorted(connection.execute(rows).fetchall())
        counts = counted("dropped")
        planned = await maintain(database, ADA, retention=Retention(60), dry_run=True)
        assert sorted(connection.execute(rows).fetchall()) == before
        assert counted("dropped") == counts
    assert await maintain(database, ADA, retention=Retention(60)) == planned
    assert planned == Upkeep(promoted=2, expired=1, unused=1, merged=1, dropped=5)


async def test_the_sweep_leaves_a_job_for_whoever_has_something_to_do_and_no_other(database, urls):
    await write(database, memory("Important.", importance=0.9))
    await write(database, memory("Hers.", importance=0.9), user=EVE)

    def waiting() -> set[str]:
        rows = connection.execute(
            "select args ->> 'user_id' from procrastinate.procrastinate_jobs where task_name = 'maintain_memories'"
        )
        return {user_id for (user_id,) in rows.fetchall()}

    with owner_connection(urls.owner) as connection:
        async with Queue(urls.app, Workshop(database, _no_model).tasks(), Pace(poll_s=0.05)) as queue:
            await queue._sweep(0)
            assert waiting() == set(), "both were new a moment ago"
            connection.execute("update chat.memory_heads set kept_at = now() - interval '21 hours'")
            connection.execute("update chat.memory_heads set kept_seq = seq where user_id = %s", (EVE.user_id,))
            for _ in range(2):  # the second finds that the first has left one
                await queue._sweep(0)
            assert waiting() == {str(ADA.user_id)}
            working = asyncio.create_task(queue.work(1))
            async with asyncio.timeout(30):
                while waiting():
                    await asyncio.sleep(0.05)
            working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await working
            await queue._sweep(0)
            assert waiting() == set(), "it was looked after just now"
            connection.execute("update chat.memory_heads set kept_at = now() - interval '8 days'")
            await queue._sweep(0)
            assert waiting() == {str(ADA.user_id), str(EVE.user_id)}, "once a week whatever happens"
        tiers = dict(connection.execute("select user_id, tier from chat.memories").fetchall())
    assert tiers == {ADA.user_id: "long", EVE.user_id: "short"}


def due(connection) -> list[tuple]:
    query = queries.load("sweep.sql")["list_users_with_memories_to_keep"]
    given = {"every": MAINTAINED_EVERY, "at_least_every": MAINTAINED_AT_LEAST_EVERY, "limit": 10}
    return connection.execute(query, given).fetchall()


async def test_who_has_something_that_will_expire_is_looked_after_tomorrow_though_nothing_changes(database, urls):
    await write(database, memory("Until Friday.", expires_at=NOW + timedelta(days=3)))
    await write(database, memory("For good."), user=EVE)
    for user in (ADA, EVE):
        await maintain(database, user)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.memory_heads set kept_at = kept_at - interval '21 hours'")
        assert due(connection) == [(ADA.user_id,)]


async def test_maintenance_that_failed_is_due_again_tomorrow_and_not_at_the_next_sweep(database, urls, monkeypatch):
    await write(database, memory("Important.", importance=0.9))

    async def breaks(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(upkeep, "find_tail", breaks)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.memory_heads set kept_at = now() - interval '8 days', kept_seq = seq")
        assert due(connection) == [(ADA.user_id,)]
        with pytest.raises(ZeroDivisionError):
            await maintain(database, ADA)
        assert due(connection) == []
        connection.execute("update chat.memory_heads set kept_at = kept_at - interval '21 hours'")
        assert due(connection) == [(ADA.user_id,)]


def test_a_flood_of_one_word_is_compared_in_bounded_time():
    texts = [Text(new_id(), "assistant", f"spam {n} spam ham") for n in range(2_000)]
    began = time.thread_time()
    assert alike_groups(texts) == []
    assert time.thread_time() - began < 5


def test_of_very_long_memories_only_the_first_are_compared():
    words = [f"word{n}" for n in range(600)]
    long = [Text(new_id(), "assistant", " ".join([f"memory{n}", *words])) for n in range(200)]
    same = Text(new_id(), "assistant", long[0].text)
    began = time.thread_time()
    [group] = alike_groups([long[0], same, *long[1:], same])
    assert group[:2] == [long[0].memory_id, same.memory_id]
    assert time.thread_time() - began < 5, "2,000 of them took 7 s of CPU"
    assert len(group) < len(long), "the rest was not read"


async def _no_model(_: str) -> None:
    return None


async def test_what_lasts_is_not_merged_into_what_ends(database):
    for_today = memory(
        "The office is in the old mill.", kind="working", importance=0.9, expires_at=NOW + timedelta(hours=1)
    )
    await write(database, for_today, memory("The offices are in the old mill."))
    assert await maintain(database, ADA) == Upkeep(merged=1)
    found = await read(database, for_today.memory_id)
    assert (found.expires_at, found.kind) == (None, "fact")
