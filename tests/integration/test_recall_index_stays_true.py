"""What the index in the process knows stays what the database holds, whoever asks, in whatever order it is told."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest

from chatServer.memory.embed import NoEmbedder, WordLlamaEmbedder
from chatServer.memory.forget import forget
from chatServer.memory.recall import news, recall, registers
from chatServer.memory.recall import register as register_of_one
from chatServer.memory.reembed import embed_newest
from chatServer.messages.terms import packed_terms
from tests.conftest import ADA, owner_connection
from tests.tools.recalling import asked, deleted, recaller_of, remembered, said, texts
from tests.tools.turns import eventually

BEES = "The user keeps bees in the orchard"


def change(urls, query: str, *values: object) -> None:
    with owner_connection(urls.owner) as connection:
        connection.execute(query, values)


async def test_one_agents_question_about_somebody_leaves_another_agents_memory_of_them_alone(database):
    await remembered(database, ADA, "Bob works at Acme", shelf="coder", triple=("Bob", "works at", "Acme"))
    await remembered(database, ADA, "Bob sings", triple=("Bob", "does", "singing"))
    async with recaller_of(database, NoEmbedder()) as recaller:
        for _ in range(2):
            assert texts(await asked(recaller, ADA, "What about Bob?")) == ["Bob sings"]
            assert texts(await asked(recaller, ADA, "What about Bob?", agent_name="coder")) == ["Bob works at Acme"]


@pytest.mark.parametrize("is_recent", [True, False])
async def test_what_was_forgotten_and_is_undone_is_found_again(database, urls, is_recent):
    _, (source,) = await said(database, ADA, "I keep bees in the orchard, three hives")
    memory_id = await remembered(database, ADA, BEES, sources=[source])
    if not is_recent:
        change(urls, "update chat.message_index set said_at = said_at - interval '1 day'")
        await said(database, ADA, "hello")
    async with recaller_of(database, NoEmbedder()) as recaller:
        question = "How many hives are there?"
        assert len(texts(await asked(recaller, ADA, question))) == 1
        await forget.forget(database, ADA, memory_id)
        assert texts(await asked(recaller, ADA, question)) == []
        assert source not in _known(recaller)
        await forget.undo(database, ADA, memory_id)
        await asked(recaller, ADA, question)
        assert source in _known(recaller)
        assert [item.item_id for item in (await asked(recaller, ADA, question)).items] == [source]


def _known(recaller) -> set[UUID]:
    index = recaller.registers._kept[ADA.user_id].register.index
    return {index.id_of(row) for row in range(index.columns.count) if index.columns["alive"][row]}


async def test_news_that_are_not_shown_count_among_those_that_are_told_at_once(database, urls, monkeypatch):
    monkeypatch.setattr(news, "MOST", 10)
    await said(database, ADA, "hello")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "hello?")
        await said(database, ADA, "The vase is from Delft")
        await said(database, ADA, *(f"Plate {n} is broken" for n in range(20)), memory="off")
        assert (await asked(recaller, ADA, "Where is the vase from?")).degraded == "loading"
        then = await asked(recaller, ADA, "Where is the vase from?")
        assert (texts(then), then.degraded) == (["The vase is from Delft"], None)


async def test_memories_that_have_expired_count_among_those_that_are_told_at_once(database, urls, monkeypatch):
    monkeypatch.setattr(news, "MOST", 10)
    await said(database, ADA, "hello")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "hello?")
        await remembered(database, ADA, "The vase is from Delft")
        for n in range(12):
            await remembered(database, ADA, f"Plate {n} is broken")
        change(urls, "update chat.memories set expires_at = now() where text like 'Plate%%'")
        assert (await asked(recaller, ADA, "Where is the vase from?")).degraded == "loading"
        assert texts(await asked(recaller, ADA, "Where is the vase from?")) == ["The vase is from Delft"]


async def test_what_is_known_is_not_told_again_until_it_gets_its_vector(database):
    await said(database, ADA, "My kitten sleeps all day", *(f"Invoice {n} was paid" for n in range(4)))
    async with recaller_of(database) as recaller:
        coming, told = recaller._news, []

        async def heard(*arguments):
            told.append(await coming.read(*arguments))
            return told[-1]

        async def how_many() -> tuple[int, int]:
            await asked(recaller, ADA, "zebra")
            return told[-1].messages.size if told[-1].messages else 0, len(told[-1].live)

        await eventually(lambda: recaller.is_warm)
        recaller._news = SimpleNamespace(read=heard, came=coming.came)
        await asked(recaller, ADA, "zebra")
        assert await how_many() == (0, 0)
        await said(database, ADA, "My parrot talks")
        assert await how_many() == (1, 1)
        assert await how_many() == (0, 0)
        await embed_newest(database, WordLlamaEmbedder(), ADA)
        register = await recaller.registers.of(ADA)
        assert (await how_many())[0] == 6
        assert len(register.since.known_messages) == 6
        assert (await how_many())[0] == 0


async def test_messages_without_vectors_do_not_hide_that_there_is_more_news(database, monkeypatch):
    monkeypatch.setattr(news, "MOST", 10)
    await said(database, ADA, *(f"Cup {n} is whole" for n in range(5)))
    async with recaller_of(database) as recaller:
        await asked(recaller, ADA, "cup?")
        register = await recaller.registers.of(ADA)
        assert register.since.waiting_messages
        assert not register.since.lacking_messages  # they are asked for once
        register._place = register._newest  # as it is when all of that is old
        register._recent.clear()
        assert register.since.lacking_messages
        await said(database, ADA, "The vase is from Delft", *(f"Plate {n} is broken" for n in range(20)))
        assert (await asked(recaller, ADA, "Where is the vase from?")).degraded == "loading"


async def test_more_messages_than_are_held_are_said_though_all_memories_are(database, monkeypatch):
    for name, value in {"FIRST_ITEMS": 5, "NEXT_ITEMS": 5, "MAX_ITEMS": 10}.items():
        monkeypatch.setattr(registers, name, value)
    await said(database, ADA, *(f"Tree number {n} is a birch" for n in range(30)))
    for n in range(7):
        await remembered(database, ADA, f"Leaf {n} fell")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "Which tree?")
        await eventually(lambda: ADA.user_id not in recaller.registers._loading)
        assert (await asked(recaller, ADA, "Which tree?")).degraded == "partial"


async def test_what_ends_while_the_index_holds_it_is_over(database, urls):
    memory_id = await remembered(database, ADA, "The user is staying in Rome")
    async with recaller_of(database, NoEmbedder()) as recaller:
        until = datetime.now(UTC) + timedelta(hours=1)
        change(urls, "update chat.memories set valid_to = %s where memory_id = %s", until, memory_id)
        assert texts(await asked(recaller, ADA, "Is Rome where I am staying?")) == ["The user is staying in Rome"]
        until -= timedelta(hours=2)
        change(urls, "update chat.memories set valid_from = %s - interval '1 day', valid_to = %s", until, until)
        assert texts(await asked(recaller, ADA, "Is Rome where I am staying?")) == []
        past = (await asked(recaller, ADA, "Was I staying in Rome before?")).items
        assert [(item.item_id, item.valid_to) for item in past] == [(memory_id, until)]
        assert past[0].parts["was asked for"] > 0


async def test_a_message_that_another_writer_broke_is_left_out_and_the_others_are_found(database, urls):
    _, (broken, kept) = await said(database, ADA, "My dog is called Rex", "My dog is brown")
    broken_rows = """update public.chat_message_history set message = '{"type": "human", "data": {"content": 7}}'
                     where message_id = %s"""
    async with recaller_of(database, NoEmbedder()) as recaller:
        assert len(texts(await asked(recaller, ADA, "What about my dog?"))) == 2
        for broken_row in (broken_rows, broken_rows.replace('"human"', '"nonsense"')):
            change(urls, broken_row, broken)
            found = await asked(recaller, ADA, "What about my dog?")
            assert ([item.item_id for item in found.items], found.degraded) == ([kept], None)


async def test_an_older_answer_does_not_take_away_what_a_newer_one_has_brought_back(database):
    memory_id = await remembered(database, ADA, BEES)
    async with recaller_of(database, NoEmbedder()) as recaller:
        question = "Where are the bees?"
        await eventually(lambda: recaller.is_warm)  # it asks something of its own, for nobody
        assert texts(await asked(recaller, ADA, question)) == [BEES]
        register, coming = await recaller.registers.of(ADA), recaller._news
        told, gate = asyncio.Event(), asyncio.Event()

        async def late(*arguments):
            answer = await coming.read(*arguments)
            if not told.is_set():
                told.set()
                await gate.wait()
            return answer

        recaller._news = SimpleNamespace(read=late, came=coming.came)
        await forget.forget(database, ADA, memory_id)
        slow = asyncio.create_task(asked(recaller, ADA, question))
        await told.wait()
        await forget.undo(database, ADA, memory_id)
        assert texts(await asked(recaller, ADA, question)) == [BEES]
        gate.set()
        assert texts(await slow) == []
        assert memory_id in _known(recaller)
        assert await recaller.registers.of(ADA) is register
        assert texts(await asked(recaller, ADA, question)) == [BEES]
        await deleted(database, ADA, memory_id)
        assert texts(await asked(recaller, ADA, question)) == []


@pytest.mark.parametrize("has_begun", [True, False])
async def test_a_question_that_waits_while_the_server_stops_is_answered(database, monkeypatch, has_begun):
    async with recaller_of(database, NoEmbedder()) as recaller:
        waits = asyncio.Event()

        async def never(principal):
            if principal == ADA:
                waits.set()
            await asyncio.Event().wait()

        await eventually(lambda: recaller.is_warm)  # it loads something of its own, for nobody
        monkeypatch.setattr(recaller.registers, "_newest", never)
        asking = asyncio.create_task(asked(recaller, ADA, "What is my dog called?"))
        if has_begun:
            await waits.wait()
        else:
            while ADA.user_id not in recaller.registers._loading:
                await asyncio.sleep(0)
        await recaller.registers.close()
        began = time.perf_counter()
        assert (await asking).degraded == "database"
        assert time.perf_counter() - began < 20


async def test_a_search_that_is_cancelled_is_no_end_of_the_turn(database, monkeypatch):
    async with recaller_of(database, NoEmbedder()) as recaller:

        async def cancelled(_):
            raise asyncio.CancelledError

        monkeypatch.setattr(recaller, "_recall", cancelled)
        assert (await asked(recaller, ADA, "What is my dog called?")).degraded == "failed"


async def test_nothing_is_ranked_while_the_prompt_has_all_that_was_said(database, monkeypatch):
    _, first = await said(database, ADA, "My dog is called Rex", "He is three")
    ranked = []
    rank = recall.rank
    monkeypatch.setattr(recall, "rank", lambda *given, **options: ranked.append(1) or rank(*given, **options))
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "What is my dog called?")
        ranked.clear()
        assert texts(await asked(recaller, ADA, "What is my dog called?", excluded=first)) == []
        assert ranked == []
        await said(database, ADA, "The cat is called Mia")
        assert texts(await asked(recaller, ADA, "What is my cat called?", excluded=first)) == ["The cat is called Mia"]
        assert ranked


async def test_what_the_prompt_has_waits_and_is_found_by_the_first_question_without_it(database):
    await said(database, ADA, "The vase is from Delft")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "Where is the vase from?")
        _, new = await said(database, ADA, "My boat needs paint", "The boat is red")
        question = "What about the boat and the vase?"
        for _ in range(2):
            assert texts(await asked(recaller, ADA, question, excluded=new)) == ["The vase is from Delft"]
            register = await recaller.registers.of(ADA)
            assert len(register.index_beside(frozenset(new))) == 1, "they wait"
        assert len(texts(await asked(recaller, ADA, question, excluded=new[:1]))) == 2
        assert len(register.index_beside(frozenset(new))) == 3, "they wait no longer"


async def test_what_is_forgotten_while_it_waits_is_not_found(database):
    await said(database, ADA, "The vase is from Delft")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "Where is the vase from?")
        _, new = await said(database, ADA, "My boat needs paint")
        await asked(recaller, ADA, "What about the boat?", excluded=new)
        register = await recaller.registers.of(ADA)
        register.forget(new)
        assert len(register.index) == 1


async def test_no_more_wait_than_are_learned_one_by_one(database, monkeypatch):
    monkeypatch.setattr(register_of_one, "MAX_WAITING", 3)
    await said(database, ADA, "hello")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "hello?")
        _, new = await said(database, ADA, *(f"Plate {n} is broken" for n in range(4)))
        await asked(recaller, ADA, "Which plate?", excluded=new)
        register = await recaller.registers.of(ADA)
        assert len(register.index_beside(frozenset(new))) == 5


async def test_what_was_learned_meanwhile_is_learned_before_the_search_by_who_was_glanced_for(database, monkeypatch):
    """As a turn does it, while the worker learns from the one before."""
    await said(database, ADA, "My dog is called Rex", *(f"Invoice {n} is paid" for n in range(5)))
    await remembered(database, ADA, "The user pays taxes in Oslo", shelf="*")
    ranked, rank = [], recall.rank
    monkeypatch.setattr(recall, "rank", lambda *given, **options: ranked.append(1) or rank(*given, **options))
    async with recaller_of(database) as recaller:
        await eventually(lambda: recaller.is_warm)

        async def searches(question: str, *expected: str, **options) -> int:
            ranked.clear()
            async with database.transaction(ADA) as connection:
                asking = await recaller.ask_glance(connection, ADA, most=4)
                glance = await asking.fetchone() if asking else None
            found = await asked(recaller, ADA, question, glance=glance, **options)
            assert texts(found)[: len(expected)] == list(expected)
            return len(ranked)

        assert await searches("What is my dog called?", "My dog is called Rex") == 1
        assert await searches("What is my dog called?", "My dog is called Rex") == 1
        memory_id = await remembered(database, ADA, "The cat is called Tom", shelf="*")
        assert await searches("What is the cat called?", "The cat is called Tom") == 1
        await deleted(database, ADA, memory_id)
        await said(database, ADA, "The horse is called Jo")
        assert await searches("What is the horse called?", "The horse is called Jo") == 1
        _, prompt = await said(database, ADA, "The hen is called Su")
        assert await searches("What is the hen called?", "My dog is called Rex", excluded=prompt) == 1


async def test_a_memory_that_was_found_and_says_something_else_now_is_not_shown_for_what_it_said(database, urls):
    memory_id = await remembered(database, ADA, "The user's dog is a poodle", shelf="*")
    async with recaller_of(database, NoEmbedder()) as recaller:
        assert texts(await asked(recaller, ADA, "Which dog?")) == ["The user's dog is a poodle"]
        text = "The user pays taxes in Oslo"
        edited = "update chat.memories set text = %s, terms = %s, seq = seq + 1 where memory_id = %s"
        change(urls, edited, text, packed_terms(text), memory_id)
        change(urls, "update chat.memory_heads set seq = seq + 1")
        assert texts(await asked(recaller, ADA, "Which dog?")) == []
