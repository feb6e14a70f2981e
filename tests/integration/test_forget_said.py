"""What the user wants to be forgotten and has only said, in no note or memory: recall passes over it, and back."""

import uuid

import pytest

from chatServer.memory import named
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, owner_connection, serving
from tests.integration.test_builtin_remembers import forget, no_model
from tests.integration.test_deeds import data_of, messages_of
from tests.tools.recalling import said
from tests.tools.remembering import hidden_texts, memory_events, tell, texts
from tests.tools.turns import begin_turn

PHONE = "my phone number is 0151 23456789"
NOTHING = "Nothing that is remembered says that."


@pytest.fixture
async def ada(settings, as_ada):
    async with serving(settings) as client:
        client.headers.update(as_ada)
        yield client


@pytest.fixture
async def ask(ada, database):
    async def ask(text: str) -> dict:
        answer = (await ada.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
        await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
        return answer

    return ask


async def test_a_note_that_is_forgotten_is_not_told_by_the_message_that_said_it(ask):
    await ask("Remember that my locker code is 4711")
    assert "4711" in (await ask("what is my locker code?"))["response"]
    gone = (await ask("forget my locker code"))["response"]
    assert gone == "Forgotten: \n- my locker code\n- “Remember that my locker code is 4711”"
    answer = await ask("what is my locker code?")
    assert "4711" not in answer["response"]
    assert all("4711" not in each["text"] for each in answer["memory"]["items"])


async def test_what_was_only_said_is_forgotten_and_can_be_had_back(ada, ask):
    await ask(PHONE)
    assert "0151" in (await ask("What is my phone number?"))["response"]
    answer = await ask("forget my phone number")
    assert answer["response"] == f"Forgotten: “{PHONE}”"
    [told] = data_of(answer["message"]["parts"], "forgotten")
    [message_id] = told["data"]["message_ids"]
    assert told["data"]["memory_ids"] == []
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == [told]
    assert "0151" not in (await ask("What is my phone number?"))["response"]
    assert (await ask("forget my phone number"))["response"].startswith("I find nothing like that")
    assert (await ada.post(f"/api/memories/messages/{message_id}/undo")).status_code == 204
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == []
    assert "0151" in (await ask("What is my phone number?"))["response"]


async def test_what_was_learned_from_a_message_goes_with_it_if_it_says_the_same(ask):
    await ask("my safe code is 99 and my cat is called Tom")
    assert "99" in (await ask("What is my safe code?"))["response"]
    await ask("forget what my safe code is")
    assert "99" not in (await ask("What is my safe code?"))["response"]
    assert "Tom" in (await ask("What is my cat called?"))["response"]
    await ask("my safe code is 98")
    await ask("forget what my safe code is")
    assert "98" not in (await ask("What is my safe code?"))["response"]


async def test_of_memories_and_messages_that_were_forgotten_each_has_its_own_undo(ada, ask):
    await ask("I live in Berlin.")
    await ask("The trains of Berlin are loud at night")
    answer = await ask("Forget Berlin")
    [told] = data_of(answer["message"]["parts"], "forgotten")
    [memory_id], [message_id] = told["data"]["memory_ids"], told["data"]["message_ids"]
    await ada.post(f"/api/memories/messages/{message_id}/undo")
    [told] = data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten")
    assert told["data"] == {"memory_ids": [memory_id]}


async def test_messages_that_say_what_is_named_are_passed_over_and_no_others(database, urls):
    session_id, _ = await said(database, ADA, PHONE, "My printer has a phone jack", "What is my phone number?")
    await said(database, ADA, "Forget my phone number", "My tea is cold. Which phone number do I have?")
    await said(database, ADA, f"Noted: {PHONE}", "A phone number has digits.", role="assistant", session_id=session_id)
    for what in ("it", "that", "what I said", "das", "him", "my phone bill", "where I phone", "the last message", ""):
        assert (await forget(database, what)).text == NOTHING, what
    assert (await forget(database, "my phone number", shelves=("other",))).text == NOTHING
    assert (await forget(database, "my phone number", user=EVE)).text == NOTHING
    assert (await forget(database, "my phone number", untrusted=True)).is_error
    assert hidden_texts(urls) == []
    done = await forget(database, "what my phone number was")
    assert f"\n- “{PHONE}”\n" in done.text
    [event] = done.events
    assert done.text.endswith(event.value["message_ids"][0])
    assert hidden_texts(urls) == [PHONE, f"Noted: {PHONE}"]
    assert memory_events(urls)[-1] == {"what": "memories", "deleted": []}


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("Meine Telefonnummer ist 0151", "meine Telefonnummer"), ("Мой номер телефона 0151", "мой номер телефона"),
        ("My favorite color is teal", "my favourite colour"), ("His locker has two doors", "his 2 doors"),
        ("Remember that the code is 12", "everything I told you about the code"),
    ],
)  # fmt: skip
async def test_what_is_named_is_found_as_it_is_written(database, urls, told, what):
    await said(database, ADA, told)
    await forget(database, what)
    assert hidden_texts(urls) == [told]


async def test_an_answer_that_repeats_it_in_its_own_words_is_not_found_either(database, urls):
    await said(database, ADA, f"{PHONE.capitalize()}, call me after six, right?")
    answer = "Got it, your phone number is 0151 23456789."
    await said(database, ADA, answer, role="assistant")
    await forget(database, "my phone number")
    assert answer in hidden_texts(urls)


async def test_what_is_gone_with_its_chat_cannot_be_had_back(ada, ask):
    told = await ask(PHONE)
    answer = await ask("forget my phone number")
    assert (await ada.delete(f"/api/sessions/{told['session_id']}")).status_code == 204
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == []


async def test_the_wish_itself_is_not_what_was_said(database, urls):
    turn_id = await begin_turn(database, ADA)
    _, (message_id,) = await said(database, ADA, f"Please make sure that nobody learns: {PHONE}")
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set user_message_id = %s where turn_id = %s", [message_id, turn_id])
    assert (await forget(database, "my phone number", turn_id=turn_id)).text == NOTHING


async def test_who_names_too_many_messages_names_nothing_but_what_is_known_of_it(database, urls):
    walks = [f"Walked my dog Rex round the lake, day {number}" for number in range(named.MAX_FORGOTTEN + 1)]
    await said(database, ADA, *walks)
    assert (await forget(database, "my dog Rex")).is_error
    assert hidden_texts(urls) == []
    await tell(database, "My dog is called Rex.")
    assert f"{len(walks)} messages speak of it, too" in (await forget(database, "my dog Rex")).text
    assert await texts(database) == []
    assert hidden_texts(urls) == ["My dog is called Rex."], "what else was said of him stays"
    await forget(database, walks[3])
    assert walks[3] in hidden_texts(urls)


async def test_what_a_dead_attempt_passed_over_is_found_again(database, urls):
    await said(database, ADA, PHONE)
    turn_id = await begin_turn(database, ADA)
    await forget(database, "my phone number", turn_id=turn_id)
    assert hidden_texts(urls) == [PHONE]
    async with database.transaction(ADA) as connection:
        await named.revert_attempt(connection, ADA.user_id, turn_id, 1)
        await connection.execute("update chat.turns set attempt = 2 where turn_id = %s", [turn_id])
    assert hidden_texts(urls) == []
    assert (await forget(database, "my phone number", turn_id=turn_id)).is_error
    assert hidden_texts(urls) == []


async def test_only_an_agent_that_recalls_what_others_were_told_lets_it_go(database, urls):
    for agent_name in ("helper", "diary"):
        await said(database, ADA, f"{PHONE}, says the {agent_name}", agent_name=agent_name)
    assert (await forget(database, "my phone number")).text == NOTHING
    await forget(database, "my phone number", closed=("diary",))
    assert hidden_texts(urls) == [f"{PHONE}, says the helper"]
