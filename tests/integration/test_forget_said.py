"""What the user wants to be forgotten and has only said, in no note or memory: recall passes over it, and back."""

import time
import uuid

import pytest

from chatServer.agent.builtin.phrases import phrase
from chatServer.memory.forget import forget_named
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.memory_tools import forget
from tests.tools.recalling import said
from tests.tools.remembering import hidden_texts, memory_events, tell, texts
from tests.tools.talking import data_of, messages_of
from tests.tools.turns import begin_turn
from tests.tools.working import no_model

TICKET = "my ticket number is 0151 23456789"
STAYS = phrase("en", "stays")
NOTHING = "Nothing that is remembered says that."


@pytest.fixture
async def ask(ada, database):
    async def ask(text: str, session_id: str | None = None) -> dict:
        asking = {"message": text, "session_id": session_id or str(uuid.uuid4())}
        answer = (await ada.post("/api/chat", json=asking)).json()
        await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
        return answer

    return ask


async def test_a_note_that_is_forgotten_is_not_told_by_the_message_that_said_it(ask):
    await ask("Remember that my locker code is 4711")
    assert "4711" in (await ask("what is my locker code?"))["response"]
    gone = (await ask("forget my locker code"))["response"]
    assert gone == f"Forgotten: \n- my locker code\n- “Remember that my locker code is 4711”\n\n{STAYS}"
    answer = await ask("what is my locker code?")
    assert "4711" not in answer["response"]
    assert all("4711" not in each["text"] for each in answer["memory"]["items"])


async def test_a_phone_number_is_learned_replaced_and_forgotten(ask, database):
    await ask("my phone number is 0664 1234567")
    await ask("my phone number is now 0664 7654321")
    assert await texts(database) == ["The user's phone number is 0664 7654321."]
    assert "7654321" in (await ask("What's my number?"))["response"]
    gone = (await ask("forget my phone number"))["response"]
    assert "- The user's phone number is 0664 7654321.\n- The user's phone number is 0664 1234567.\n" in gone, "both"
    assert await texts(database) == []
    answer = await ask("What is my phone number?")
    assert "0664" not in answer["response"]
    assert all("7654321" not in each["text"] for each in answer["memory"]["items"])


async def test_what_was_only_said_is_forgotten_and_can_be_had_back(ada, ask):
    await ask(TICKET)
    assert "0151" in (await ask("What is my ticket number?"))["response"]
    answer = await ask("forget my ticket number")
    assert answer["response"] == f"Forgotten: “{TICKET}”\n\n{STAYS}"
    [told] = data_of(answer["message"]["parts"], "forgotten")
    [message_id] = told["data"]["message_ids"]
    assert told["data"]["memory_ids"] == []
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == [told]
    assert "0151" not in (await ask("What is my ticket number?"))["response"]
    assert (await ask("forget my ticket number"))["response"].startswith("I find nothing like that")
    assert (await ada.post(f"/api/memories/messages/{message_id}/undo")).status_code == 204
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == []
    assert "0151" in (await ask("What is my ticket number?"))["response"]


async def test_what_was_learned_from_a_message_goes_with_it_if_it_says_the_same(ask):
    await ask("my safe code is 99 and my cat is called Tom")
    assert "99" in (await ask("What is my safe code?"))["response"]
    await ask("forget what my safe code is")
    assert "99" not in (await ask("What is my safe code?"))["response"]
    assert "Tom" in (await ask("What is my cat called?"))["response"]
    await ask("my safe code is 98")
    await ask("forget what my safe code is")
    assert "98" not in (await ask("What is my safe code?"))["response"]


@pytest.mark.parametrize(
    ("told", "wish", "left"),
    [
        ("I love sushi", "forget that I love sushi", []),
        ("I love sushi", "Can you forget that I love sushi?", []),
        ("I can't stand olives", "forget that I can't stand olives", []),
        ("I moved to Graz", "forget that I moved to Graz", []),
        ("My mum lives in Leeds", "forget where my mum lives", []),
        ("I love sushi and my mum lives in Leeds", "forget where my mum lives", ["The user likes sushi."]),
        ("I love sushi and moved to Graz", "forget that I moved to Graz", ["The user likes sushi."]),
        ("I love tea and coffee", "forget that I love tea", ["The user likes coffee."]),
        (
            "I love sushi and my sister lives in Paris",
            "forget that I love sushi",
            ["The user's sister lives in Paris."],
        ),
        ("I live in Berlin. I dread Berlin winters.", "forget that I dread Berlin", ["The user lives in Berlin."]),
    ],
)
async def test_a_fact_goes_with_the_words_in_which_it_was_told(database, ask, told, wish, left):
    await ask(told)
    assert (await ask(wish))["response"].startswith("Forgotten: ")
    assert await texts(database) == left


async def test_a_fact_that_was_told_twice_goes_with_the_words_of_either(database, ask):
    for text in ("I love sushi", "I adore sushi"):
        await ask(text)
    assert await texts(database) == ["The user likes sushi."]
    assert (await ask("forget that I love sushi"))["response"] == f"Forgotten: The user likes sushi.\n\n{STAYS}"
    assert "sushi" not in (await ask("do I like sushi?"))["response"]


@pytest.mark.parametrize(
    ("told", "wish", "asked", "secret"),
    [
        ("I live in Lisbon", "forget that I live in Lisbon", "Where do I live?", "Lisbon"),
        ("My mum lives in Leeds", "forget where my mother lives", "Where does my mum live?", "Leeds"),
        (
            "Remember that the wifi password of my mum is Sunflower22",
            "forget the wifi password",
            "whats mums wifi password",
            "Sunflower22",
        ),
    ],
)
async def test_what_was_forgotten_is_not_quoted_in_the_same_chat(ask, told, wish, asked, secret):
    """Neither while it is in the window nor once it is in the summary; until it is said again."""
    chat = str(uuid.uuid4())
    await ask(told, chat)
    assert secret in (await ask(asked, chat))["response"]
    await ask("My bicycle is red", chat)
    await ask(wish, chat)
    for number in range(4):
        assert secret not in (await ask(asked, chat))["response"], number
    assert "red" in (await ask("Which colour has my bicycle?", chat))["response"]
    await ask(told, chat)
    assert secret in (await ask(asked, chat))["response"]


@pytest.mark.parametrize(
    "wish", ["Delete what you know about Paul", "stop remembering Paul", "don't remember anything about Paul"]
)
async def test_who_says_it_in_other_words_wants_it_forgotten_too(database, ask, wish):
    await ask("My brother Paul lives in Ulm")
    await ask("Paul snores like a bear")
    await ask("I like green tea")
    assert (await ask(wish))["response"].startswith("Forgotten: ")
    assert await texts(database) == ["The user likes green tea."]
    assert "Paul" not in (await ask("Who snores like a bear?"))["response"]


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
    session_id, _ = await said(database, ADA, TICKET, "My printer has a ticket slot", "What is my ticket number?")
    await said(database, ADA, "Forget my ticket number", "My tea is cold. Which ticket number do I have?")
    await said(database, ADA, f"Noted: {TICKET}", "A ticket number is long.", role="assistant", session_id=session_id)
    for what in ("it", "that", "what I said", "das", "him", "my ticket bill", "where I ticket", "the last message", ""):
        assert (await forget(database, what)).text == NOTHING, what
    assert (await forget(database, "my ticket number", shelves=("other",))).text == NOTHING
    assert (await forget(database, "my ticket number", user=EVE)).text == NOTHING
    assert (await forget(database, "my ticket number", untrusted=True)).is_error
    assert hidden_texts(urls) == []
    done = await forget(database, "what my ticket number was")
    assert f"\n- “{TICKET}”\n" in done.text
    [event] = done.events
    assert done.text.endswith(event.value["message_ids"][0])
    assert hidden_texts(urls) == [TICKET, f"Noted: {TICKET}"]
    assert memory_events(urls)[-1] == {"what": "memories", "deleted": []}


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ("Meine Telefonnummer ist 0151", "meine Telefonnummer"), ("Мой номер телефона 0151", "мой номер телефона"),
        ("My favorite color is teal", "my favourite colour"), ("His locker has two doors", "his 2 doors"),
        ("Remember that the code is 12", "everything I told you about the code"),
        ("I'm seeing a therapist every Thursday", "I'm seeing a therapist"),
    ],
)  # fmt: skip
async def test_what_is_named_is_found_as_it_is_written(database, urls, told, what):
    await said(database, ADA, told)
    await forget(database, what)
    assert hidden_texts(urls) == [told]


async def test_an_answer_that_repeats_it_in_its_own_words_is_not_found_either(database, urls):
    await said(database, ADA, f"{TICKET.capitalize()}, call me after six, right?")
    answer = "Got it, your ticket number is 0151 23456789."
    await said(database, ADA, answer, role="assistant")
    await forget(database, "my ticket number")
    assert answer in hidden_texts(urls)


async def test_what_is_gone_with_its_chat_cannot_be_had_back(ada, ask):
    told = await ask(TICKET)
    answer = await ask("forget my ticket number")
    assert (await ada.delete(f"/api/sessions/{told['session_id']}")).status_code == 204
    assert data_of((await messages_of(ada, answer["session_id"]))[-1]["parts"], "forgotten") == []


async def test_the_wish_itself_is_not_what_was_said(database, urls):
    turn_id = await begin_turn(database, ADA)
    _, (message_id,) = await said(database, ADA, f"Please make sure that nobody learns: {TICKET}")
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.turns set user_message_id = %s where turn_id = %s", [message_id, turn_id])
    assert (await forget(database, "my ticket number", turn_id=turn_id)).text == NOTHING


async def test_who_names_too_many_messages_names_nothing_but_what_is_known_of_it(database, urls):
    walks = [f"Walked my dog Rex round the lake, day {number}" for number in range(forget_named.MAX_FORGOTTEN + 1)]
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
    await said(database, ADA, TICKET)
    turn_id = await begin_turn(database, ADA)
    await forget(database, "my ticket number", turn_id=turn_id)
    assert hidden_texts(urls) == [TICKET]
    async with database.transaction(ADA) as connection:
        await forget_named.revert_attempt(connection, ADA.user_id, turn_id, 1)
        await connection.execute("update chat.turns set attempt = 2 where turn_id = %s", [turn_id])
    assert hidden_texts(urls) == []
    assert (await forget(database, "my ticket number", turn_id=turn_id)).is_error
    assert hidden_texts(urls) == []


async def test_only_an_agent_that_recalls_what_others_were_told_lets_it_go(database, urls):
    for agent_name in ("helper", "diary"):
        await said(database, ADA, f"{TICKET}, says the {agent_name}", agent_name=agent_name)
    assert (await forget(database, "my ticket number")).text == NOTHING
    await forget(database, "my ticket number", closed=("diary",))
    assert hidden_texts(urls) == [f"{TICKET}, says the helper"]


@pytest.mark.parametrize(
    ("told", "wish", "gone", "kept"),
    [
        (("My sister Mary lives in Berlin.", "I live in Berlin."), "Forget that I live in Berlin",
         "The user lives in Berlin.", "The user's sister Mary lives in Berlin."),
        (("My dad works at Siemens.", "I work at Siemens."), "forget that I work at Siemens",
         "The user works at Siemens.", "The user's father works at Siemens."),
        (("I like jazz.", "My boss Tom likes jazz."), "Forget that my boss Tom likes jazz",
         "The user's boss Tom likes jazz.", "The user likes jazz."),
    ],
)  # fmt: skip
async def test_what_is_true_of_somebody_else_stays(ada, ask, told, wish, gone, kept):
    for text in told:
        await ask(text)
    known = [each["text"] for each in (await ada.get("/api/memories")).json()["memories"]]
    assert {gone, kept} <= set(known)
    await ask(wish)
    left = [each["text"] for each in (await ada.get("/api/memories")).json()["memories"]]
    assert kept in left
    assert gone not in left


async def test_what_is_denied_is_not_forgotten_with_what_is_said(ada, ask):
    await ask("I don't eat meat.")
    await ask("Forget that I eat meat")
    assert [each["text"] for each in (await ada.get("/api/memories")).json()["memories"]] == [
        "The user does not eat meat."
    ]


async def test_what_stands_far_down_in_a_long_message_is_forgotten_too(ask, database, urls):
    await ask("The fence is old.\n" * 600 + "My gate code is 9182 for the garage.\n" + "The roof is new.\n" * 300)
    repeated = ("Your gate code is 9182.", "An old fence has no gate.")
    await said(database, ADA, *repeated, role="assistant", session_id=str(uuid.uuid4()))
    assert "9182" in (await ask("what is my gate code?"))["response"]
    gone = (await ask("forget my gate code"))["response"]
    assert gone == f"Forgotten: “My gate code is 9182 for the garage.”\n\n{STAYS}"
    hidden = hidden_texts(urls)
    assert repeated[0] in hidden
    assert repeated[1] not in hidden
    assert "9182" not in (await ask("what is my gate code?"))["response"]


async def test_an_appointment_is_forgotten_with_what_it_was_before_it_was_moved(ada, ask):
    session_id = str(uuid.uuid4())
    await ask("My dentist appointment is on Wednesday at 10.", session_id)
    await ask("No, I meant Thursday.", session_id)
    [kept] = (await ada.get("/api/memories")).json()["memories"]
    assert kept["text"] in (await ask("Forget everything about my dentist appointment"))["response"]
    assert (await ada.get("/api/memories")).json()["memories"] == []
    assert "dentist" not in (await ask("When is my dentist appointment?"))["response"]


async def test_what_only_shares_a_word_or_a_sentence_with_what_is_forgotten_stays(ada, ask):
    await ask("My name is Samuel.")
    await ask("We have a dog named Bruno.")
    assert (await ask("Forget my name"))["response"] == f"Forgotten: The user's name is Samuel.\n\n{STAYS}"
    assert "Bruno" in (await ask("What is our dog named?"))["response"]
    await ask("I work as a frontend developer at a small agency called Pixelwerk.")
    await ask("Forget Pixelwerk")
    assert "The user works as a frontend developer." in str((await ada.get("/api/memories")).json())
    assert "Pixelwerk" not in str((await ada.get("/api/memories")).json())


async def test_a_great_many_long_messages_hold_nobody_up(database, urls):
    hay = "zebra hayloftx " * 3_300
    await said(database, ADA, *(f"number {each} {hay}" for each in range(40)), "My zebra is in the hayloft")
    began = time.thread_time()
    assert "in the hayloft" in (await forget(database, "zebra hayloft")).text
    assert time.thread_time() - began < 2, "what is read is read in a thread, and once"
