"""Rows of memories: what is written is read, each change has its number, and nobody reads another's."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from chatServer.conversation import sessions as conversations
from chatServer.memory.embed import WordLlamaEmbedder
from chatServer.memory.reembed import embed_newest
from chatServer.records import EVERY_AGENT, NOBODY, MemoryFilter, Reason, Triple, new_id
from chatServer.store import embedding
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.embedding import Embedded, Unembedded
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.memory_rows import NOW, RULES, memory, read, write
from tests.tools.remembering import say
from tests.tools.turns import eventually, finished_turn, given_to_a_turn
from tests.tools.waiting import waiting_for_locks


async def listed(database, user=ADA, **wanted) -> list[str]:
    async with database.transaction(user) as connection:
        found = await store.list_memories(connection, user.user_id, MemoryFilter(**wanted), limit=50)
    return [each.text for each in found]


async def test_what_is_written_is_read_and_can_be_put_back(database):
    home = Triple("user", "lives in", "Berlin", NOW, None)
    first = memory(triple=home, fact_key="user:home", source_ids=(new_id(),), turn_id=new_id(), attempt=2)
    await write(database, first)
    found = await read(database, first.memory_id)
    assert found == replace(first, seq=found.seq, updated_at=found.updated_at)
    await write(database, replace(found, text="Lives in Rome."), operation="edited", before=found)
    async with database.transaction(ADA) as connection:
        undoable = await changes.find_undoable(connection, ADA.user_id, first.memory_id)
        told = await changes.list_changes(connection, ADA.user_id, first.memory_id, limit=9)
    assert undoable.before == found
    assert [(each.operation, each.seq) for each in told] == [("edited", found.seq + 2), ("created", found.seq)]


async def test_a_page_goes_on_where_the_last_one_ended(database):
    await write(database, *(memory(f"Fact {number}") for number in range(5)))
    async with database.transaction(ADA) as connection:
        first = await store.list_memories(connection, ADA.user_id, MemoryFilter(), limit=3)
        rest = await store.list_memories(connection, ADA.user_id, MemoryFilter(), limit=3, before=first[-1].seq)
    assert [each.text for each in [*first, *rest]] == [f"Fact {number}" for number in (4, 3, 2, 1, 0)]


async def test_filters_choose(database):
    await write(
        database,
        memory("Berlin is home", kind="episode", tags=("a", "b"), tier="long"),
        memory("Likes C++", category="user_preference", shelf=EVERY_AGENT, agent_name="other", session_id="t"),
        memory("Was in Rome", valid_from=NOW - timedelta(days=9), valid_to=NOW - timedelta(days=2)),
        memory("Will be gone", kind="working", expires_at=NOW),
    )
    assert await listed(database) == ["Likes C++", "Berlin is home"]
    assert len(await listed(database, ever=True)) == 4
    assert await listed(database, at=NOW - timedelta(days=3)) == ["Was in Rome"]
    assert await listed(database, at=NOW - timedelta(days=2)) == []
    for wanted in (
        {"kind": "episode"},
        {"tier": "long"},
        {"tag": "b"},
        {"phrase": "ERLIN IS"},
        {"phrase": "home, berl"},
    ):
        assert await listed(database, **wanted) == ["Berlin is home"], wanted
    for wanted in ({"category": "user_preference"}, {"shelves": (EVERY_AGENT,)}, {"agent_name": "other"}):
        assert await listed(database, **wanted) == ["Likes C++"], wanted
    assert await listed(database, session_id="t", phrase="c++") == ["Likes C++"]
    assert await listed(database, phrase="'); drop") == await listed(database, phrase="?!") == []


async def test_one_shelf_holds_a_text_and_a_key_once(database):
    await write(database, memory(fact_key="home"))
    for second in (memory("lives in  BERLIN"), memory("Lives in Rome", fact_key="home")):
        with pytest.raises(psycopg.errors.UniqueViolation):
            await write(database, second)
        await write(database, replace(second, shelf=EVERY_AGENT))
        await write(database, replace(second, memory_id=new_id(), valid_to=NOW))
    async with database.transaction(ADA) as connection:
        held = await store.find_held(connection, ADA.user_id, "assistant", text="LIVES in berlin!", fact_key="home")
    assert [(each.text, each.valid_to) for each in held] == [("lives in  BERLIN", NOW), ("Lives in Berlin.", None)]


async def test_the_nearest_come_first(database):
    await write(database, memory("Likes green tea in the morning"), memory("Likes cars"), memory("Owns a boat"))
    async with database.transaction(ADA) as connection:
        near = await store.find_near(connection, ADA.user_id, "assistant", ["lik", "green", "tea"])
        assert await store.find_near(connection, ADA.user_id, "assistant", ["?", ""]) == []
    assert [each.text for each in near] == ["Likes green tea in the morning", "Likes cars"]


async def test_the_graph_has_the_neighbours_of_an_entity_at_a_time(database):
    old, new = NOW - timedelta(days=30), NOW - timedelta(days=1)
    await write(
        database,
        memory("a", triple=Triple("Ada", "lives in", "Rome"), valid_from=old, valid_to=new),
        memory("b", triple=Triple("Ada", "lives in", "Berlin"), valid_from=new),
        memory("c", triple=Triple("Bob", "brother of", "ada"), valid_from=old),
        memory("d", triple=Triple("Bob", "owns", "Rex"), valid_from=old),
    )

    async def around(*entities, **wanted) -> list[str]:
        async with database.transaction(ADA) as connection:
            found = await store.read_triples(connection, ADA.user_id, entities=entities or None, **wanted)
        return [each.triple.object for each in found]

    assert await around("ADA") == ["ada", "Berlin"]
    assert await around("ada", at=NOW - timedelta(days=9)) == ["ada", "Rome"]
    assert await around() == ["Rex", "ada", "Berlin"]
    assert await around("nobody") == []


async def test_a_vector_goes_with_its_text_and_recalls_stay(database, urls):
    written = memory()
    await write(database, written)
    async with database.transaction(ADA) as connection:
        await connection.execute("update chat.memories set embed_model = 'm', vec = '[1,2]'")
        await store.bump_recalls(connection, ADA.user_id, await given_to_a_turn(connection, written.memory_id))

    async def model_and_recalls():
        async with database.transaction(ADA) as connection:
            return await (await connection.execute("select embed_model, recalls from chat.memories")).fetchone()

    await write(database, replace(written, importance=0.9), operation="edited", before=written)
    assert await model_and_recalls() == ("m", 1)
    await write(database, replace(written, text="Lives in Rome."), operation="edited", before=written)
    assert await model_and_recalls() == (None, 1)


async def test_made_in_the_last_minute_is_counted_without_what_the_user_made(database):
    await write(database, *(memory(f"Fact {number}") for number in range(3)))
    async with database.transaction(ADA) as connection:
        await store.write(connection, ADA.user_id, memory("By hand"), "created", Reason("user"))
        assert await changes.count_created(connection, ADA.user_id) == 3
        await connection.execute("update chat.memory_changes set created_at = created_at - interval '2 minutes'")
        assert await changes.count_created(connection, ADA.user_id) == 0


async def test_nothing_of_a_user_is_another_users(database):
    written = memory("Canary in Berlin", triple=Triple("Ada", "lives in", "Berlin"), source_ids=(new_id(),))
    await write(database, written)
    await write(database, memory("Eve's own"), user=EVE)
    async with database.transaction(EVE) as connection:
        user_id = ADA.user_id  # row level security alone has to do
        assert await store.find_memory(connection, user_id, written.memory_id) is None
        assert await store.list_memories(connection, user_id, MemoryFilter(ever=True), limit=9) == []
        assert await store.read_triples(connection, user_id) == []
        assert await store.find_held(connection, user_id, "assistant", text=written.text, fact_key=None) == []
        assert await store.find_near(connection, user_id, "assistant", ["canary"]) == []
        assert await store.find_said_by(connection, user_id, message_ids=written.source_ids) == []
        assert await changes.list_changes(connection, user_id, written.memory_id, limit=9) == []
        await store.bump_recalls(connection, user_id, await given_to_a_turn(connection, written.memory_id))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with database.transaction(EVE) as connection:
            await store.write(connection, ADA.user_id, written, "edited", RULES)
    assert (await read(database, written.memory_id)).recalls == 0


async def test_what_a_new_memory_is_compared_with_is_found_by_indexes(database, urls):
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "insert into chat.memories (user_id, memory_id, seq, shelf, agent_name, kind, category, text, digest, "
            "  importance, fact_key, valid_to, superseded_by, origin, trust, tsv, terms) "
            "select %s, gen_random_uuid(), n, 'assistant', 'assistant', 'fact', 'knowledge', 'Text ' || n, "
            "  decode(md5(n::text), 'hex'), 0.5, 'key ' || n, case when n %% 2 = 0 then now() end, "
            "  case when n %% 2 = 0 then gen_random_uuid() end, 'rules', 'user', '', '' "
            "from generate_series(1, 3000) n",
            [ADA.user_id],
        )
        connection.execute("analyze chat.memories")
    values = {"user_id": ADA.user_id, "shelf": "assistant", "digest": b"1", "fact_key": "key", "memory_id": new_id()}
    async with database.transaction(ADA) as connection:
        for name, indexes in (
            ("find_held", {"memories_once", "memories_ended", "memories_by_key", "memories_ended_by_key"}),
            ("find_replaced_by", {"memories_replaced"}),
        ):
            answer = await connection.execute(b"explain " + store.SQL[name], values)
            plan = " ".join(row[0] for row in await answer.fetchall())
            assert {index for index in indexes if f"{index} " in plan} == indexes, plan


@pytest.mark.parametrize("what", ["hide", "vectors"])
async def test_entries_of_the_index_are_taken_in_the_order_of_their_ids(database, urls, what):
    """Else two that change the same ones would wait for each other."""
    await say(database, "I live in Berlin.")
    with owner_connection(urls.owner) as connection:
        query = "select message_id, place from chat.message_index order by message_id"
        [low, high] = rows = connection.execute(query).fetchall()
        connection.execute(
            "update chat.message_index set speaker = 'a' where message_id = %s", [low[0]]
        )  # now the last

    async def change() -> None:
        ids = [row[0] for row in reversed(rows)]
        async with database.transaction(ADA) as connection:
            if what == "vectors":
                made = [Embedded(Unembedded(*row, ""), b"\0\1\0\1\x7f") for row in reversed(rows)]
                await embedding.write_message_vectors(connection, ADA.user_id, "m", made)
            else:
                await store.hide_messages(connection, ADA.user_id, ids, titles=True)

    with owner_connection(urls.owner) as holder, holder.transaction():
        take = "select 1 from chat.message_index where message_id = %s for update nowait"
        holder.execute(take, [low[0]])
        task = asyncio.create_task(change())
        await eventually(lambda: waiting_for_locks(urls))
        holder.execute(take, [high[0]])
    await task


async def test_vectors_wait_for_whoever_changes_memories_before_they_take_anything(database, urls):
    """Else one who forgets several, or maintenance, and the after-work of a turn would wait for each other."""
    await say(database, "I live in Berlin.")
    await write(database, memory(), memory("Likes tea."))
    with owner_connection(urls.owner) as holder, holder.transaction():
        holder.execute("select 1 from chat.memory_heads for update")
        task = asyncio.create_task(embed_newest(database, WordLlamaEmbedder(), ADA))
        await eventually(lambda: waiting_for_locks(urls))
        for table in ("chat.memories", "chat.message_index"):
            assert len(holder.execute(f"select 1 from {table} for update nowait").fetchall()) >= 2
    assert (await task).memories == 2
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select count(vec) from chat.memories").fetchone() == (2,)


async def test_whoever_deletes_a_session_takes_its_turns_before_what_is_remembered(database, urls):
    """As a tool does, which runs in one of them and keeps or forgets: else they would wait for each other."""
    session_id, turn_id = await finished_turn(database, ADA, "I live in Berlin.")
    await write(database, memory(shelf=session_id))
    with owner_connection(urls.owner) as holder, holder.transaction():
        holder.execute("select 1 from chat.turns where turn_id = %s for share", [turn_id])
        task = asyncio.create_task(conversations.delete(database, ADA, conversations.SessionKey.parse(session_id)))
        await eventually(lambda: waiting_for_locks(urls))
        for table in ("chat.memory_heads", "chat.memories", "chat.message_index"):
            assert holder.execute(f"select 1 from {table} for update nowait").fetchall(), table
    await task
    assert await listed(database) == []


async def test_everybody_is_listed_once_in_the_order_of_their_ids(database):
    for user in (ADA, EVE):
        await say(database, "I live in Berlin.", user)
        await write(database, memory(), memory("Likes tea."), user=user)
    first, second = sorted((ADA.user_id, EVE.user_id))
    async with database.sweep() as connection:
        assert await embedding.list_users(connection, NOBODY.user_id, 10) == [first, second]
        assert await embedding.list_users(connection, NOBODY.user_id, 1) == [first]
        assert await embedding.list_users(connection, first, 1) == [second]
        assert await embedding.list_users(connection, second, 1) == []
