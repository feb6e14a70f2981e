"""Recall begins while its turn's question is being committed: once for each turn, and for none that does not begin."""

import uuid

import pytest

from chatServer.memory.embed import NoEmbedder
from chatServer.memory.recall.recall import GLANCED, Recaller
from chatServer.store.recall import Glance
from chatServer.turn.ahead import Ahead
from tests.conftest import ADA, cut_off, owner_connection
from tests.tools.contexts import agent_in
from tests.tools.recalling import asked, recaller_of, remembered, said
from tests.tools.talking import talking
from tests.tools.turns import eventually

REMEMBERS = {"memory": {"scope": "agent"}, "window": {"messages": 4, "tokens": 2_000}, "limits": {"output_tokens": 300}}
SUMMARY = {"for": "summary", "reply": "They spoke of subjects."}


@pytest.fixture
def looked(monkeypatch) -> list[frozenset]:
    """What each recall left out."""
    found, recall = [], Recaller.recall

    async def noted(self, *given, excluded, **options):
        found.append(frozenset(excluded))
        return await recall(self, *given, excluded=excluded, **options)

    monkeypatch.setattr(Recaller, "recall", noted)
    return found


async def test_it_looks_before_the_question_is_committed_and_only_once(settings, urls, as_ada, looked, monkeypatch):
    look, seen = Ahead.look, []

    def spied(self, begun):
        with owner_connection(urls.owner) as connection:
            query = "select count(*) from chat.turns where turn_id = %s"
            seen.append(connection.execute(query, [begun.turn.turn_id]).fetchone()[0])
        look(self, begun)

    monkeypatch.setattr(Ahead, "look", spied)
    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS)) as client:
        told = {"session_id": str(uuid.uuid4()), "message": "The old well is in my garden."}
        assert (await client.post("/api/chat", json=told)).status_code == 200
        question = {"session_id": str(uuid.uuid4()), "message": "Where is the old well?"}
        answer = await client.post("/api/chat", json=question)
    assert answer.json()["memory"]["items"][0]["text"] == told["message"]
    assert (seen, len(looked)) == ([0, 0], 2)


async def test_it_looks_again_where_the_prompt_was_summarised_meanwhile(settings, as_ada, looked):
    session_id = str(uuid.uuid4())
    long = REMEMBERS | {"window": {"messages": 20, "tokens": 2_000}}
    async with talking(settings, as_ada, SUMMARY, **agent_in(settings, **long)) as client:
        for n in range(8):
            message = f"Subject {n} is {'wide ' * 250}"
            answer = await client.post("/api/chat", json={"session_id": session_id, "message": message})
            assert answer.status_code == 200
            if len(looked) > n + 1:
                break
    *_, first, then = looked
    assert len(looked) == n + 2
    assert first - then, "what was summarised may be found"


async def test_who_has_an_answer_made_anew_waits_for_the_old_one_to_be_gone(settings, as_ada, looked, monkeypatch):
    ahead, session_id = [], str(uuid.uuid4())
    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS)) as client:
        question = {"session_id": session_id, "message": "Where is the old well?"}
        assert (await client.post("/api/chat", json=question)).status_code == 200
        monkeypatch.setattr(Ahead, "look", lambda self, begun: ahead.append(begun))
        again = {"id": session_id, "trigger": "regenerate-message"}
        assert (await client.post("/api/chat", json=again)).status_code == 200
    assert (ahead, len(looked)) == ([], 2)


async def test_nobody_waits_for_what_is_found_for_a_turn_that_does_not_begin(settings, urls, as_ada, monkeypatch):
    look, begun_for = Ahead.look, []

    def cut_off_then(self, begun):
        look(self, begun)
        begun_for.append(self)
        with owner_connection(urls.owner) as connection:
            cut_off(connection)

    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS)) as client:
        monkeypatch.setattr(Ahead, "look", cut_off_then)
        answer = await client.post("/api/chat", json={"message": "Where is the old well?"})
        [ahead] = begun_for
        await eventually(ahead._found.done)
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert ahead._found.cancelled()


async def test_in_a_first_conversation_nothing_is_looked_for_until_something_is_beside_it(
    settings, as_ada, looked, database
):
    """What is said in another session, and what is remembered, another process may have written a moment ago."""
    session_id = str(uuid.uuid4())
    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS | {"window": {"messages": 20}})) as client:

        async def found_for(message: str) -> list[str]:
            answer = await client.post("/api/chat", json={"session_id": session_id, "message": message})
            return [item["text"] for item in answer.json()["memory"]["items"]]

        for n in range(4):
            assert await found_for(f"Subject {n} is wide") == []
        assert len(looked) == 1, "the first question of a user loads what he has"
        await said(database, ADA, "The old well is in my garden.")
        assert await found_for("Where is the old well?") == ["The old well is in my garden."]
        assert await found_for("Where is the old well, again?") == ["The old well is in my garden."]
        assert len(looked) == 3


async def test_who_is_remembered_anything_of_is_looked_for(settings, as_ada, database):
    session_id = str(uuid.uuid4())
    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS)) as client:
        for message, expected in (("Hm.", []), ("Hm?", []), ("Where are my bees?", ["The bees are in the orchard"])):
            if expected:
                await remembered(database, ADA, *expected, shelf="*")
            answer = await client.post("/api/chat", json={"session_id": session_id, "message": message})
            assert [item["text"] for item in answer.json()["memory"]["items"]] == expected


async def test_what_leaves_the_prompt_is_found(settings, as_ada, looked):
    session_id = str(uuid.uuid4())
    async with talking(settings, as_ada, **agent_in(settings, **REMEMBERS)) as client:
        for message in ("The old well is in my garden.", *(f"Subject {n} is wide" for n in range(4))):
            await client.post("/api/chat", json={"session_id": session_id, "message": message})
        answer = await client.post("/api/chat", json={"session_id": session_id, "message": "Where is the old well?"})
    assert answer.json()["memory"]["items"][0]["text"] == "The old well is in my garden."


async def test_who_was_erased_since_is_loaded_anew(database):
    await said(database, ADA, "The vase is from Delft")
    async with recaller_of(database, NoEmbedder()) as recaller:
        await asked(recaller, ADA, "hello?")
        register = await recaller.registers.of(ADA)
        prompt = frozenset(map(str, register.index.live_ids))
        glance = Glance(seq=0, erased_s=0.0, newest=[])
        assert recaller.has_nothing_beside(ADA, prompt, glance)
        for other in (
            glance._replace(erased_s=2e9),
            glance._replace(seq=1),
            glance._replace(newest=[str(uuid.uuid4())]),
            glance._replace(newest=[*prompt] * GLANCED),
        ):
            assert not recaller.has_nothing_beside(ADA, prompt, other)
        assert not recaller.has_nothing_beside(ADA, frozenset(), glance)
        recaller.registers.drop(ADA.user_id)
        assert not recaller.has_nothing_beside(ADA, prompt, glance)
