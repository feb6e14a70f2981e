"""What builtin says of memories, over HTTP: what is known, what is forgotten, and that it can be brought back."""

import uuid

from chatServer.agent.builtin.phrases import phrase
from chatServer.conversation.quote import NOT_ALL
from chatServer.memory.edit import Edit, create
from chatServer.memory.forget import forget_named
from chatServer.memory.recall import recall
from chatServer.memory.recall.about_me import asks_for_everything
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, serving
from tests.tools.memory_tools import forget
from tests.tools.recalling import asked, recaller_of, remembered, said
from tests.tools.recalling import texts as found_texts
from tests.tools.remembering import hidden_texts, tell, texts
from tests.tools.talking import spoken, talking
from tests.tools.turns import begin_turn
from tests.tools.working import no_model

BERLIN = "The user lives in Berlin."


async def test_what_is_known_and_what_is_forgotten_is_said_and_can_be_undone(database, settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)

        async def ask(text: str) -> dict:
            answer = (await client.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
            await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
            return answer

        assert (await ask("I live in Berlin."))["response"] == "Thank you, I will remember that."
        await ask("My dog is called Rex.")
        await ask("Remember that the door code is 12")
        known = (await ask("What do you know about me?"))["response"]
        assert all(each in known for each in ("door code", "Berlin", "Rex"))
        answer = await ask("Forget that I live in Berlin.")
        assert answer["response"] == f"Forgotten: {BERLIN}\n\n{phrase('en', 'stays')}", "it was told in a chat"
        parts = answer["message"]["parts"]
        [gone] = [part["output"] for part in parts if part.get("toolName") == "forget_memories"]
        known = (await ask("What do you know about me?"))["response"]
        assert "Rex" in known
        assert "Berlin" not in known
        memory_id = gone.rpartition(" ")[2]
        assert (await client.post(f"/api/memories/{memory_id}/undo")).status_code == 200
        assert "Berlin" in (await ask("What do you know about me?"))["response"]


async def test_who_asks_for_a_job_is_told_what_somebody_works_as(database, settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)

        async def ask(text: str) -> str:
            answer = (await client.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
            await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
            return answer["response"]

        for told in ("I live in Berlin.", "I work as a nurse."):
            await ask(told)
        for asked_for in ("What is my job?", "What do I do for a living?"):
            assert (await ask(asked_for)).endswith("“The user works as a nurse.”")


async def test_who_asks_for_his_dogs_name_is_not_told_his_own(database, settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)

        async def ask(text: str) -> str:
            answer = (await client.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
            await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
            return answer["response"]

        for told in ("My name is Ada.", "I have a dog called Rex."):
            await ask(told)
        answer = await ask("What is my dog's name?")
        assert "Rex" in answer
        assert "Ada" not in answer
        assert "Ada" in await ask("What is my name?")


async def test_who_has_a_wish_answered_again_has_it_noted_once(settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)
        chat = str(uuid.uuid4())
        asking = {"message": "Remember that the door code is 12", "session_id": chat}
        assert (await client.post("/api/chat", json=asking)).json()["response"] == "Noted: the door code is 12"
        for _ in range(2):
            again = await client.post("/api/chat", json={"id": chat, "trigger": "regenerate-message"})
            assert spoken(again.text) == "It is in your notes already: the door code is 12"
        assert (await client.get("/api/agents/assistant/notes")).json()["notes"] == "- the door code is 12"


async def test_what_was_just_said_is_known_also_where_memory_is_off(settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)
        for memory in ("on", "off"):
            chat = (await client.post("/api/sessions", json={"memory": memory})).json()["session_id"]

            async def ask(text: str, chat=chat) -> str:
                return (await client.post("/api/chat", json={"message": text, "session_id": chat})).json()["response"]

            await ask("Ich heiße Ben und wohne in Hamburg")
            assert "\n- Ich heiße Ben und wohne in Hamburg" in await ask("Was weißt du über mich?")
        assert (await ask("Remember that I sail")).endswith("memory is off in this chat.")


async def test_what_could_not_be_looked_up_in_time_is_said_so(database, settings, as_ada, monkeypatch):
    monkeypatch.setattr(recall, "DEADLINE_S", 0)
    asking = {"message": "Where do I live?"}
    async with serving(settings) as client:
        answer = (await client.post("/api/chat", json=asking, headers=as_ada)).json()
        stored = (await client.get(f"/api/sessions/{answer['session_id']}/messages", headers=as_ada)).json()["messages"]
    assert answer["memory"]["degraded"] == "timeout"
    said = {"type": "data-recall", "id": answer["turn_id"], "data": {"status": "degraded", "reason": "timeout"}}
    assert stored[-1]["parts"][0] == answer["message"]["parts"][0] == said, "as the stream told it"
    assert answer["response"].startswith("I could not look up everything")
    async with talking(settings, as_ada, {"match": "live", "reply": "{messages}"}) as client:
        answer = (await client.post("/api/chat", json=asking)).json()
    assert NOT_ALL in answer["response"]


async def test_what_is_named_is_forgotten_and_nothing_else(database, urls):
    await tell(database, "I live in Berlin.", "My dog is called Rex.", "My cat is called Tom.", "I like hiking.")
    before = set(await texts(database))
    for what in ("it", "", "my cat is called Miso", "I work in Berlin", "the submarine", "?" * 2_000):
        assert (await forget(database, what)).text == "Nothing that is remembered says that."
    assert (await forget(database, "I live in Berlin", shelves=("other",))).events == ()
    assert (await forget(database, "I live in Berlin", user=EVE)).events == ()
    assert (await forget(database, "I live in Berlin", untrusted=True)).is_error
    assert set(await texts(database)) == before
    done = await forget(database, "that I have been living in Berlin since May")
    assert f"\n- {BERLIN}\n" in done.text
    [event] = done.events
    assert done.text.endswith(event.value["memory_ids"][0])
    await forget(database, "that my dog is named Rex")
    assert before - set(await texts(database)) >= {BERLIN}
    assert not any("Rex" in text for text in await texts(database))
    assert any("Tom" in text for text in await texts(database))
    assert hidden_texts(urls) == ["I live in Berlin.", "My dog is called Rex."]


async def test_where_somebody_lives_can_be_forgotten_without_saying_where(database):
    await tell(database, "I live in Berlin.", "My sister lives in Rome.", "My favourite colour is blue.", "I am 31.")
    before = set(await texts(database))
    assert (await forget(database, "what I think")).text == "Nothing that is remembered says that."
    await forget(database, "where I live")
    assert before - set(await texts(database)) == {BERLIN}
    await forget(database, "what my favourite colour is")
    await forget(database, "how old I am")
    assert [text for text in await texts(database) if "blue" in text or "31" in text] == []
    assert any("Rome" in text for text in await texts(database))


async def test_what_is_asked_for_is_forgotten_only_as_a_fact(database):
    for text in ("The printer does not work on Mondays.", "Penguins live in the cold, and people know it."):
        await create(database, ADA, Edit(text=text), shelf="assistant", agent_name="assistant")
    await tell(database, "I live in Berlin.")
    for what in ("how I work", "where I live", "when does my printer work"):
        await forget(database, what)
    left = " ".join(await texts(database))
    assert "printer" in left
    assert "Penguins" in left
    assert BERLIN not in left


async def test_a_correction_that_denies_first_takes_the_place_of_what_was_said(database):
    await tell(database, "My dog's name is Rex.", "My favourite colour is blue.")
    await tell(database, "My dog's name is not Rex, it's Max.", "My favourite colour is not blue, it's green.")
    told = " ".join(await texts(database))
    assert "a dog called Max" in told
    assert "green" in told
    assert "has a dog called Rex" not in told
    assert "blue" not in told


async def test_who_corrects_in_another_chat_what_he_told_is_heard(database, settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)
        for text in ("I live in Antwerp.", "Sorry, it's Ghent, not Antwerp", "Where do I live?"):
            answer = (await client.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
            await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
    assert "The user lives in Ghent." in answer["response"]
    assert "lives in Antwerp" not in answer["response"]
    assert await texts(database) == ["The user lives in Ghent."]


async def test_who_names_too_much_names_nothing(database):
    for number in range(forget_named.MAX_FORGOTTEN + 1):
        await tell(database, f"I like kind{'abcdefghijklmn'[number]} tea.")
    before = await texts(database)
    assert len(before) > forget_named.MAX_FORGOTTEN
    assert (await forget(database, "tea")).is_error
    assert await texts(database) == before


async def test_what_a_dead_attempt_forgot_is_there_again(database, urls):
    await tell(database, "I live in Berlin.")
    turn_id = await begin_turn(database, ADA)
    await forget(database, "I live in Berlin", turn_id=turn_id)
    assert await texts(database) == []
    async with database.transaction(ADA) as connection:
        await forget_named.revert_attempt(connection, ADA.user_id, turn_id, 1)
    assert await texts(database) == [BERLIN]
    assert hidden_texts(urls) == []
    async with database.transaction(ADA) as connection:
        await connection.execute("update chat.turns set attempt = 2 where turn_id = %s", [turn_id])
    assert (await forget(database, "I live in Berlin", turn_id=turn_id)).is_error
    assert await texts(database) == [BERLIN]


async def test_who_asks_for_everything_gets_what_matters_most_and_what_he_said_last(database):
    for number in range(15):
        await remembered(database, ADA, f"The user owns {number} things of number {number}.")
    await said(database, ADA, "Ich wohne in Bonn.", "Wo wohne ich?", "ok")
    async with recaller_of(database) as recaller:
        found = found_texts(await asked(recaller, ADA, "What do you know about me?"))
        assert found[0] == "The user owns 14 things of number 14."
        assert len(found) == 16
        assert found[-1] == "Ich wohne in Bonn."
        assert found_texts(await asked(recaller, ADA, "Was weißt du über mich?")) == found


async def test_questions_without_their_mark_do_not_take_the_place_of_what_was_said(database):
    told = [f"Mein Fahrrad Nummer {number} ist blau" for number in range(6)]
    await said(database, ADA, *told, "how old is my dog", "what's my phone number", "wie heißt mein Hund", "who am I")
    async with recaller_of(database) as recaller:
        found = found_texts(await asked(recaller, ADA, "What do you know about me?"))
    assert found == list(reversed(told))[:5]


def test_what_is_asked_for_is_everything_only_when_nothing_else_is():
    assert asks_for_everything("Please, tell me everything you know about me!")
    assert asks_for_everything("¿Qué sabes de mí?")
    assert not asks_for_everything("What do you know about me and Rome?")
    assert not asks_for_everything("What do you know about " + "me " * 50_000)
    assert not asks_for_everything("please, " * 50_000)
