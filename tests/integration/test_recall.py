"""What was said elsewhere is found, live, in scope, once, and nobody else's."""

import asyncio
import random
import uuid
from uuid import UUID

import pytest

from chatServer import errors
from chatServer.conversation import sessions
from chatServer.conversation.sessions import Changes
from chatServer.main import running
from chatServer.memory.embed import NoEmbedder, WordLlamaEmbedder
from chatServer.memory.recall import news, registers
from chatServer.memory.reembed import embed_newest
from chatServer.messages import Message
from chatServer.records import NOBODY, Principal
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, owner_connection, serving
from tests.tools.recalling import (
    asked,
    deleted,
    recaller_of,
    remembered,
    replaced,
    said,
    texts,
    two_processes,
)
from tests.tools.talking import talking, with_script
from tests.tools.turns import eventually


async def test_what_was_said_in_one_session_is_found_from_another_with_its_source(database):
    session_id, (message_id, *_) = await said(database, ADA, "My dog is called Rex", "I live in Lisbon")
    await said(database, ADA, "Glad to hear it", session_id=session_id, role="assistant")
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "What is the name of my dog?")
    best = found.items[0]
    assert (best.text, best.item_id, best.what, best.role) == ("My dog is called Rex", message_id, "message", "user")
    assert (best.source.session_id, best.source.message_id) == (session_id, message_id)
    assert best.parts
    assert found.degraded is None
    assert found.total_found >= 1


async def test_a_memory_comes_before_the_message_that_said_it_and_the_message_not_at_all(database):
    session_id, (source, _) = await said(database, ADA, "my dog is called Rex btw", "I live in Lisbon")
    memory_id = await remembered(database, ADA, "The user's dog is called Rex", sources=[source], session_id=session_id)
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "What is my dog called?")
    assert found.items[0].item_id == memory_id
    assert found.items[0].source.message_id == source
    assert source not in [item.item_id for item in found.items]


async def test_the_same_is_shown_once_and_within_the_budget(database):
    for _ in range(5):
        await said(database, ADA, "I keep bees in the garden")
    await said(
        database, ADA, "I keep 3 bees in the garden", "bees " * 2_000 + "my queen is called Victoria " + "bees " * 2_000
    )
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "Where do I keep bees?")
        assert texts(found).count("I keep bees in the garden") == 1
        assert "I keep 3 bees in the garden" in texts(found), "a number tells"
        long = (await asked(recaller, ADA, "What is my queen called?")).items[0]
        assert "Victoria" in long.text
        assert len(long.text) < 600
        assert long.text.startswith("…")
        assert long.text.endswith("…")
        tight = await asked(recaller, ADA, "Where do I keep bees?", budget_tokens=100)
        assert len(tight.items) == 1
        assert sum(item.tokens for item in tight.items) <= 100
        assert (await asked(recaller, ADA, "Where do I keep bees?", budget_tokens=20)).items == ()
        assert len((await asked(recaller, ADA, "Where do I keep bees?", limit=1)).items) == 1


async def test_what_the_window_shows_and_the_question_itself_are_not_found(database):
    _, (shown, _) = await said(database, ADA, "My cat is called Tom", "What is my cat called?")
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "What is my cat called?")
        assert texts(found) == ["My cat is called Tom"]
        assert texts(await asked(recaller, ADA, "What is my cat called?", excluded=[shown])) == []


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        ("off", []),
        ("session", ["in this session"]),
        ("agent", ["in this session", "to this agent"]),
        ("user", ["in this session", "to this agent", "to another"]),
    ],
)
async def test_an_agent_looks_where_its_scope_lets_it(database, scope, told):
    here, _ = await said(database, ADA, "The password hint is blue, in this session")
    await said(database, ADA, "The password hint is blue, to this agent")
    await said(database, ADA, "The password hint is blue, to another", agent_name="coder")
    shelves_told = {
        "*": {"agent", "user"},
        "assistant": {"agent", "user"},
        here: {"session", "agent", "user"},
        "coder": set(),
    }
    for shelf in shelves_told:
        await remembered(database, ADA, f"Remembered hint for {shelf[:8]}", shelf=shelf)
    async with recaller_of(database) as recaller:
        for _ in range(2):
            found = await asked(recaller, ADA, "What is the password hint?", scope=scope, session_id=here)
            said_there = sorted(text.partition(", ")[2] for text in texts(found) if text.startswith("The"))
            assert said_there == sorted(told)
            expected = {f"Remembered hint for {shelf[:8]}" for shelf, scopes in shelves_told.items() if scope in scopes}
            assert {text for text in texts(found) if text.startswith("Rem")} == expected


async def test_what_is_told_to_an_agent_that_keeps_nothing_is_read_by_no_other(settings, as_ada, tmp_path):
    scopes = {"assistant": "user", "friend": "user", "own": "agent", "quiet": "off", "here": "session"}
    for name, scope in scopes.items():
        agent = f"name: {name}\ndescription: d\nprompt: p\nmemory: {{scope: {scope}}}\n"
        (tmp_path / f"{name}.yaml").write_text(agent)
    async with talking(settings, as_ada, agents_dir=tmp_path) as client:
        sessions_of = {name: str(uuid.uuid4()) for name in scopes}

        async def ask(agent: str, text: str, session_id: str) -> list[str]:
            body = {"message": text, "agent_id": agent, "session_id": session_id}
            answer = (await client.post("/api/chat", json=body)).json()
            found = answer["memory"]["items"] if answer["memory"] else []
            return sorted({item["text"].split()[-1] for item in found if item["role"] == "user"})

        for name, session_id in sessions_of.items():
            await ask(name, f"The password hint was told to {name}", session_id)
        for _ in range(2):  # by the live rows that came since, then by the index
            assert await ask("assistant", "What is the password hint?", str(uuid.uuid4())) == [
                "assistant",
                "friend",
                "own",
            ]
        assert await ask("quiet", "What is the password hint?", str(uuid.uuid4())) == []
        assert await ask("here", "What is the password hint?", str(uuid.uuid4())) == []


async def test_a_session_without_memory_neither_gives_nor_takes(database):
    off, _ = await said(database, ADA, "My secret number is 7", memory="off")
    on, _ = await said(database, ADA, "My lucky number is 9")
    async with recaller_of(database) as recaller:
        assert texts(await asked(recaller, ADA, "What is my number?")) == ["My lucky number is 9"]
        assert texts(await asked(recaller, ADA, "What is my number?", session_id=off)) == []
        await sessions.change(database, ADA, sessions.SessionKey.parse(on), Changes(memory="off"))
        assert texts(await asked(recaller, ADA, "What is my number?")) == [], "the index has it still"
        await sessions.change(database, ADA, sessions.SessionKey.parse(on), Changes(memory="on"))


async def test_what_was_deleted_or_hidden_is_not_shown_though_the_index_has_it(database, urls):
    session_id, (first, _) = await said(database, ADA, "I own a boat called Argo", "The boat is red")
    kept, _ = await said(database, ADA, "My boat needs paint")
    memory_id = await remembered(database, ADA, "The user owns a boat")
    async with recaller_of(database) as recaller:
        question = "Tell me about my boat"
        assert len(texts(await asked(recaller, ADA, question))) == 4
        await deleted(database, ADA, memory_id)
        with owner_connection(urls.owner) as connection:
            connection.execute("update chat.message_index set is_hidden = true where message_id = %s", (first,))
        assert sorted(texts(await asked(recaller, ADA, question))) == ["My boat needs paint", "The boat is red"]
        await sessions.delete(database, ADA, sessions.SessionKey.parse(session_id))
        assert texts(await asked(recaller, ADA, question)) == ["My boat needs paint"]
        async with database.transaction(ADA) as connection:
            await ChatMessageHistory(connection, ADA.user_id, kept).aclear()
        assert texts(await asked(recaller, ADA, question)) == []
        assert len((await recaller.registers.of(ADA)).index) == 0, "what was missed once is forgotten"


async def test_what_another_process_writes_is_seen_by_the_next_question(database):
    async with two_processes(database) as (one, other):
        assert texts(await asked(one, ADA, "Where is my bike?")) == []
        for recaller, place in ((one, "cellar"), (other, "garage"), (one, "hall")):
            await said(database, ADA, f"The bike is in the {place} now")
            assert f"The bike is in the {place} now" in texts(await asked(recaller, ADA, "Where is my bike?"))
        memory_id = await remembered(database, ADA, "The bike is blue")
        for recaller in (one, other):
            assert "The bike is blue" in texts(await asked(recaller, ADA, "Where is my bike?"))
        await deleted(database, ADA, memory_id)
        for recaller in (one, other):
            assert len(texts(await asked(recaller, ADA, "Where is my bike?"))) == 3
            assert not len((await recaller.registers.of(ADA)).index.rows_of([memory_id]))


async def test_a_smaller_id_that_is_committed_later_is_seen(database):
    session_id, _ = await said(database, ADA, "hello")
    late_session, _ = await said(database, ADA, "hi")
    async with recaller_of(database) as recaller:
        async with database.transaction(ADA) as connection:
            history = ChatMessageHistory(connection, ADA.user_id, late_session, agent_name="assistant")
            await history.append([Message(role="user", content="The kayak is yellow")])
            await connection.flush()
            await said(database, ADA, "I like my kayak", session_id=session_id)
            assert "I like my kayak" in texts(await asked(recaller, ADA, "What colour is the kayak?"))
        assert "The kayak is yellow" in texts(await asked(recaller, ADA, "What colour is the kayak?"))


async def test_vectors_that_come_later_are_learned(database):
    await said(database, ADA, "My kitten sleeps all day", *(f"Invoice {n} was paid" for n in range(14)))
    async with recaller_of(database) as recaller:
        await asked(recaller, ADA, "cat")
        register = await recaller.registers.of(ADA)
        assert len(register.since.waiting_messages) == 15
        await embed_newest(database, WordLlamaEmbedder(), ADA)
        await asked(recaller, ADA, "cat")
        found = await asked(recaller, ADA, "cat")
        assert register.since.waiting_messages == register.since.lacking_messages == []
        assert texts(found)[0] == "My kitten sleeps all day"


async def test_a_correction_wins_and_the_old_value_answers_a_question_about_the_past(database):
    _, (rome,) = await said(database, ADA, "I live in Rome")
    _, (oslo,) = await said(database, ADA, "I live in Oslo now")
    old = await remembered(database, ADA, "The user lives in Rome", sources=[rome])
    async with recaller_of(database) as recaller:
        assert "The user lives in Rome" in texts(await asked(recaller, ADA, "Where do I live?"))
        new = await remembered(database, ADA, "The user lives in Oslo", sources=[oslo])
        await replaced(database, ADA, old, new)
        for again in (recaller, None):
            async with recaller_of(database) as fresh:
                found = await asked(again or fresh, ADA, "Where do I live?")
                assert found.items[0].item_id == new
                assert old not in [item.item_id for item in found.items]
                outdated = [item for item in found.items if item.item_id == rome]
                assert all(item.valid_to is not None for item in outdated)
                for question in ("Where did I live before?", "Where did I use to live, where I no longer live?"):
                    before = await asked(again or fresh, ADA, question)
                    assert before.items[0].item_id == old
                    assert before.items[0].valid_to is not None


async def test_who_is_named_leads_to_what_is_known_of_them_and_one_step_further(database):
    await remembered(database, ADA, "Bob works at Acme", triple=("Bob", "works at", "Acme"))
    further = await remembered(database, ADA, "Acme makes rockets", triple=("Acme", "makes", "rockets"))
    await remembered(database, ADA, "Carol sings", triple=("Carol", "does", "singing"))
    await said(database, ADA, *(f"My neighbour number {n} builds things all day" for n in range(60)))
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, "Which things does the employer of bob build?", limit=5)
    assert {"Bob works at Acme", "Acme makes rockets"} <= set(texts(found))
    assert next(item for item in found.items if item.item_id == further).parts["entity"] > 0
    assert "Carol sings" not in texts(found)


async def test_without_an_embedder_words_are_enough(database):
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database, NoEmbedder()) as recaller:
        found = await asked(recaller, ADA, "dog?")
    assert texts(found) == ["My dog is called Rex"]
    assert found.degraded is None


async def test_the_newest_answer_while_the_rest_is_loaded(database, monkeypatch):
    monkeypatch.setattr(registers, "FIRST_ITEMS", 20)
    monkeypatch.setattr(registers, "NEXT_ITEMS", 15)
    await said(database, ADA, "The oldest tree is an oak")
    await said(database, ADA, *(f"Tree number {n} is a birch" for n in range(60)))
    for n in range(50):
        await remembered(database, ADA, f"Leaf {n} fell")
    async with recaller_of(database) as recaller:
        gate = asyncio.Event()
        whole = recaller.registers._whole

        async def late(*arguments):
            await gate.wait()
            return await whole(*arguments)

        monkeypatch.setattr(recaller.registers, "_whole", late)
        first = await asked(recaller, ADA, "Which tree is an oak?")
        assert first.degraded == "loading"
        assert "The oldest tree is an oak" not in texts(first)
        loading = recaller.registers._loading[ADA.user_id].task
        gate.set()
        await loading
        then = await asked(recaller, ADA, "Which tree is an oak?")
        assert then.degraded is None
        assert texts(then)[0] == "The oldest tree is an oak"
        assert len((await recaller.registers.of(ADA)).index) == 111


async def no_longer_loading(recaller) -> None:
    if loading := recaller.registers._loading.get(ADA.user_id):  # else it has ended by now
        await loading.task


async def test_a_rest_that_failed_to_load_is_loaded_for_the_next_question(database, monkeypatch):
    monkeypatch.setattr(registers, "FIRST_ITEMS", 20)
    await said(database, ADA, "The oldest tree is an oak", *(f"Tree number {n} is a birch" for n in range(30)))
    async with recaller_of(database) as recaller:

        async def refused(*_):
            raise errors.DatabaseUnavailable

        with monkeypatch.context() as patched:
            patched.setattr(recaller.registers, "_whole", refused)
            assert (await asked(recaller, ADA, "Which tree is an oak?")).degraded == "loading"
            await no_longer_loading(recaller)
        assert (await asked(recaller, ADA, "Which tree is an oak?")).degraded == "loading"
        await no_longer_loading(recaller)
        then = await asked(recaller, ADA, "Which tree is an oak?")
        assert (texts(then)[0], then.degraded) == ("The oldest tree is an oak", None)


async def test_two_questions_of_one_user_share_a_load_and_users_make_room_for_each_other(database):
    users = [Principal(uuid.uuid4()) for _ in range(12)]
    for user in users:
        await said(database, user, *(f"Fact {n} of {user.user_id}" for n in range(5)))
    async with recaller_of(database) as recaller:
        await asyncio.gather(*(asked(recaller, users[0], "fact") for _ in range(5)))
        assert recaller.registers._kept.keys() - {NOBODY.user_id} == {users[0].user_id}, "nobody's warms it up"
        await eventually(lambda: NOBODY.user_id not in recaller.registers._kept)
        one = recaller.registers.nbytes
        recaller.registers._max_bytes = 4 * one
        for user in users:
            assert texts(await asked(recaller, user, f"fact 3 of {user.user_id}"))
        assert recaller.registers.nbytes <= 4 * one
        assert list(recaller.registers._kept) == [user.user_id for user in users[-len(recaller.registers._kept) :]]
        recaller.registers.drop(users[-1].user_id)
        assert users[-1].user_id not in recaller.registers._kept


async def test_more_news_than_are_told_at_once_load_everything_anew(database, monkeypatch):
    monkeypatch.setattr(news, "MOST", 10)
    await said(database, ADA, "hello")
    async with recaller_of(database) as recaller:
        await asked(recaller, ADA, "hello?")
        await said(database, ADA, "The vase is from Delft", *(f"Plate {n} is broken" for n in range(30)))
        assert (await asked(recaller, ADA, "Where is the vase from?")).degraded == "loading"
        then = await asked(recaller, ADA, "Where is the vase from?")
        assert (texts(then)[0], then.degraded) == ("The vase is from Delft", None)


@pytest.mark.parametrize("question", ["", "   ", "?!", "\0", "😀" * 10])
async def test_a_question_without_words_finds_nothing(database, question):
    await said(database, ADA, "hello")
    async with recaller_of(database) as recaller:
        found = await asked(recaller, ADA, question)
    assert (found.items, found.degraded) == ((), None)


async def test_odd_texts_and_long_questions_do_no_harm(database):
    odd = ["a" * 100_000, "\u0301" * 5_000, "((((" * 10_000, "was " * 20_000 + "before", "data:;base64," + "A" * 50_000]
    await said(database, ADA, *odd)
    async with recaller_of(database) as recaller:
        for question in odd:
            assert (await asked(recaller, ADA, question)).degraded is None


CANARIES = 200


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("recalls", [60, pytest.param(10_000, marks=pytest.mark.long)])
async def test_nobody_meets_anybody_elses_words(database, recalls):
    chance = random.Random(20261115)
    users = [Principal(UUID(int=chance.getrandbits(128), version=4)) for _ in range(CANARIES if recalls > 100 else 40)]
    words = {user.user_id: f"canary{chance.getrandbits(48):012x}" for user in users}
    for user in users:
        await said(database, user, f"My word is {words[user.user_id]}", "I like tea")
        await remembered(database, user, f"The user's word is {words[user.user_id]}", shelf="*")
    async with recaller_of(database, cache_mb=1) as recaller:

        async def one() -> None:
            user, other = chance.choice(users), chance.choice(users)
            if chance.random() < 0.1:
                await said(database, user, f"Again, {words[user.user_id]} is my word")
            found = await asked(recaller, user, chance.choice(("What is my word?", words[other.user_id], "tea")))
            told = " ".join([*texts(found), *(str(item.source.title) for item in found.items)])
            foreign = [word for user_id, word in words.items() if user_id != user.user_id and word in told]
            assert foreign == []
            assert found.degraded is None

        for _ in range(recalls // 10):
            await asyncio.gather(*(one() for _ in range(10)))


# Sessions that come and go -------------------------------------------------------------------------------


async def test_over_http_a_session_gives_what_it_said_as_its_memory_is_switched_and_nothing_once_deleted(
    settings, as_ada
):
    rule = {"match": "", "reply": "Hm."}
    async with (
        running(with_script(settings, rule)) as state,
        serving(settings, state) as client,
    ):
        client.headers.update(as_ada)

        async def found_for(text: str, session_id: str) -> list[str]:
            answer = await client.post("/api/chat", json={"message": text, "session_id": session_id})
            return [item["text"] for item in answer.json()["memory"]["items"]]

        await found_for("My lucky number is 9", "told")
        for number, (memory, expected) in enumerate([("on", True), ("off", False), ("on", True), ("on", True)]):
            await client.patch("/api/sessions/told", json={"memory": memory})
            assert ADA.user_id not in state.recaller.registers._kept
            for ask in range(2):
                found = await found_for("What is my lucky number?", f"{number}-{ask}")
                assert ("My lucky number is 9" in found) == expected, (number, memory)
        assert ADA.user_id in state.recaller.registers._kept
        await client.patch("/api/sessions/told", json={"title": "Numbers"})
        assert ADA.user_id in state.recaller.registers._kept, "a title is no reason to load everything anew"
        assert (await client.delete("/api/sessions/told")).status_code == 204
        assert ADA.user_id not in state.recaller.registers._kept
        assert "My lucky number is 9" not in await found_for("What is my lucky number?", "after")


async def test_a_question_that_waits_for_a_load_which_is_dropped_gets_the_next_one(database, monkeypatch):
    await said(database, ADA, "My dog is called Rex")
    async with recaller_of(database) as recaller:
        newest, waits, gate = recaller.registers._newest, asyncio.Event(), asyncio.Event()

        async def late(principal):
            if principal == ADA and not waits.is_set():
                waits.set()
                await gate.wait()
            return await newest(principal)

        monkeypatch.setattr(recaller.registers, "_newest", late)
        asking = asyncio.create_task(asked(recaller, ADA, "What is my dog called?"))
        await waits.wait()
        recaller.registers.drop(ADA.user_id)
        assert texts(await asking) == ["My dog is called Rex"]


async def test_a_message_that_says_more_than_what_is_remembered_of_it_is_shown_too(database):
    session_id, [source] = await said(database, ADA, "My daughter Mia is six years old and plays the violin")
    await remembered(database, ADA, "The user's daughter Mia plays violin", sources=[source], session_id=session_id)
    async with recaller_of(database) as recaller:
        assert any("six" in text for text in texts(await asked(recaller, ADA, "How old is Mia?")))


async def test_what_was_said_beside_something_that_is_over_is_still_found(database):
    session_id, [source] = await said(database, ADA, "I live in Berlin with my wife Clara")
    old = await remembered(database, ADA, "The user lives in Berlin", sources=[source], session_id=session_id)
    new = await remembered(database, ADA, "The user lives in Hamburg", session_id=session_id)
    await replaced(database, ADA, old, by=new)
    async with recaller_of(database) as recaller:
        assert "Clara" in " ".join(texts(await asked(recaller, ADA, "Who is Clara?")))
        assert texts(await asked(recaller, ADA, "Where do I live?"))[0] == "The user lives in Hamburg"


async def test_who_has_said_little_finds_it_in_other_words(database):
    told = ["My laptop is a ThinkPad running Fedora", "I prefer tea", "We deploy on Thursdays", "My team lead is Priya"]
    await said(database, ADA, *told)
    await embed_newest(database, WordLlamaEmbedder(), ADA)
    async with recaller_of(database) as recaller:
        assert texts(await asked(recaller, ADA, "What computer do I have?")) == told[:1]
        assert texts(await asked(recaller, ADA, "Who won the world cup in 1998?")) == []
