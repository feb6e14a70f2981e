"""What is corrected no longer holds, at a time that makes sense, and is not shown as if it did."""

import time
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from chatServer.memory.recall.label import is_over, label_of
from chatServer.memory.recall.past import asks_about_the_past, without_before
from tests.conftest import ADA, serving
from tests.tools.recalling import asked, deleted, recaller_of, remembered, replaced, said
from tests.tools.recalling import texts as found_texts
from tests.tools.remembering import kept, tell, texts

BERLIN = "The user lives in Berlin."


@pytest.mark.parametrize(
    "told",
    [
        ["My dog is called Rex.", "My dog is Max, not Rex."],
        ["I have a dog named Rex.", "Its name is Max, not Rex."],
    ],
)
async def test_a_name_that_was_wrong_is_no_longer_one(database, told):
    first, then = told
    turn = await tell(database, first, session_id="00000000-0000-4000-8000-000000000001")
    assert turn
    await tell(database, then, session_id="00000000-0000-4000-8000-000000000001")
    assert set(await texts(database)) == {"The user has a dog called Max.", "The user does not have a dog called Rex."}
    [rex] = [each for each in await kept(database, ever=True) if each.text == "The user has a dog called Rex."]
    assert rex.valid_to is not None


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        (
            "I have a cat called Miso.",
            "My cat Miso died last week.",
            "The user no longer has a cat called Miso, who died.",
        ),
        ("My wife is called Clara.", "My wife Clara left me.", "The user no longer has a wife called Clara."),
        ("My wife is called Clara.", "My ex-wife Clara is a nurse.", "The user no longer has a wife called Clara."),
    ],
)
async def test_who_is_gone_is_had_no_longer(database, told, then, now):
    await tell(database, told, then)
    assert await texts(database) == [now]


async def test_what_was_told_in_another_chat_is_given_up_by_another_word(database):
    await tell(database, "I work at Greggs.")
    await tell(database, "quit Greggs, now I work in a warehouse", session_id="00000000-0000-4000-8000-000000000001")
    assert set(await texts(database)) == {
        "The user no longer works at Greggs.",
        "The user works in a warehouse.",
    }


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        ("My girlfriend is called Anna.", "we broke up :(", "girlfriend called Anna"),
        ("I have a dog called Rex.", "our dog died yesterday", "dog called Rex, who died"),
        ("I have a cat.", "My cat died.", "cat"),
    ],
)
async def test_who_was_told_of_in_another_chat_is_gone_without_his_name(database, told, then, now):
    await tell(database, told)
    await tell(database, then, session_id="00000000-0000-4000-8000-000000000001")
    assert await texts(database) == [f"The user no longer has a {now}."]


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        ("I'm pregnant.", "I had a miscarriage last week.", ["The user is no longer pregnant."]),
        (
            "We are expecting a baby in {month} {year}.",
            "Our daughter was born yesterday!",
            ["The user's baby was due in {month} {year}."],
        ),
        (
            "My wedding is in {month} {year}.",
            "They called off the wedding.",
            ["The user's wedding was to be in {month} {year}, which was called off."],
        ),
        (
            "I study law at Yale.",
            "I graduated last week",
            ["The user no longer studies at Yale.", "The user no longer studies law."],
        ),
        ("I take metformin.", "my doctor took me off metformin", ["The user does not take metformin."]),
        ("I'm engaged to Tom.", "we broke off the engagement", ["The user is no longer engaged to Tom."]),
    ],
)
async def test_what_was_told_in_another_chat_is_over(database, told, then, now):
    ahead = datetime.now(UTC) + timedelta(days=200)
    said, over = (each.format(month=f"{ahead:%B}", year=ahead.year) for each in (told, "|".join(now)))
    await tell(database, said)
    assert await texts(database) != []
    await tell(database, then, session_id="00000000-0000-4000-8000-000000000001")
    assert not [each for each in await kept(database) if each.text in said]
    assert sorted(each.text for each in await kept(database, ever=True) if each.text in over) == over.split("|")


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        (
            "My dentist appointment is on {old}.",
            "no, it's {new}, not {old}",
            "The user's dentist appointment is on {new}.",
        ),
        ("My wedding is on {old}.", "The wedding is now on {new} instead", "The user's wedding is on {new}."),
        ("I have an exam on {old}.", "sorry, I meant {new}", "The user has an exam on {new}."),
    ],
)
async def test_what_was_put_off_is_no_longer_on_its_old_day(database, told, then, now):
    new, old = (f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}" for days in (40, 33))
    session_id = str(uuid.uuid4())
    await tell(database, *(each.format(new=new, old=old) for each in (told, then)), session_id=session_id)
    assert await texts(database) == [now.format(new=new)]


async def test_what_is_put_off_in_another_session_is_no_longer_on_its_old_day(database):
    new, old = (f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}" for days in (40, 33))
    await tell(database, f"My dentist appointment is on {old} at 10:15.", "I live in Berlin.")
    await tell(database, f"The appointment was moved to {new}, same time.")
    assert set(await texts(database)) == {BERLIN, f"The user's dentist appointment is on {new} at 10:15."}


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        ("I live in Berlin and I have an exam on {old}.", "Sorry, I meant Madrid.", ["Madrid", "an exam on {old}"]),
        ("My exam is on {old} and I live in Berlin.", "no, I meant {new}", ["Berlin", "{new}"]),
    ],
)
async def test_a_day_corrects_what_is_ahead_and_nothing_else(database, told, then, now):
    new, old = (f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}" for days in (40, 33))
    session_id = str(uuid.uuid4())
    await tell(database, *(each.format(new=new, old=old) for each in (told, then)), session_id=session_id)
    held = {each.triple.object for each in await kept(database)}
    assert held == {each.format(new=new, old=old) for each in now}


@pytest.mark.parametrize(
    ("told", "answer", "now"),
    [
        ("i live in berlin", "Noted.", "Madrid"),
        ("i live in berlin", "Noted. Shall I look for flights to Rome?", "Berlin"),
        ("i live in berlin. what is the weather like there?", "It is raining.", "Berlin"),
        ("i live in berlin. find me a flight to rome", "There is one at noon.", "Berlin"),
        ("i live in berlin. recommend hotels", "There are many.", "Berlin"),
    ],
)
async def test_a_bare_word_corrects_what_was_told_unless_it_may_answer_something(database, told, answer, now):
    await tell(database, told, "no, madrid", session_id=str(uuid.uuid4()), answer=answer)
    assert await texts(database) == [f"The user lives in {now}."]


@pytest.mark.parametrize(
    ("told", "then", "now"),
    [
        ("My sister Anna lives in Berlin.", "Anna moved to Vienna", "The user's sister Anna lives in Vienna."),
        ("My husband Tom is a nurse.", "Tom is a teacher now", "The user's husband Tom works as a teacher."),
        ("My son Max is 7.", "Max is 8", "The user's son Max was 8 years old on {today}."),
    ],
)
async def test_who_was_named_in_another_session_is_known_by_his_name(database, told, then, now):
    await tell(database, told)
    [relation] = [each for each in await texts(database) if " has a " in each]
    await tell(database, then)
    assert set(await texts(database)) == {relation, now.format(today=f"{datetime.now(UTC):%Y-%m-%d}")}


async def test_who_moves_from_where_he_lived_lives_elsewhere_however_small_the_town(database):
    await tell(database, "I live in Eutin.")
    await tell(database, "I moved from Lightroom to Darktable.")
    assert await texts(database) == ["The user lives in Eutin."]
    await tell(database, "I moved from Eutin to Plön.")
    assert await texts(database) == ["The user lives in Plön."]


async def test_who_was_fired_works_there_no_longer(database):
    await tell(database, "I work at Bosch.", "I got fired from Bosch.")
    assert await texts(database) == ["The user no longer works at Bosch."]


async def test_who_has_started_elsewhere_works_there_and_no_longer_where_he_did(database):
    await tell(
        database,
        "I work as a frontend developer at a small agency called Pixelwerk.",
        "Actually I don't work at Pixelwerk anymore, I started at Siemens on Monday.",
    )
    assert set(await texts(database)) == {"The user works as a frontend developer.", "The user works at Siemens."}


async def test_two_dogs_are_two(database):
    await tell(database, "My dog is called Rex.", "My dog is called Max.", "My dog is called Rex.")
    assert set(await texts(database)) == {"The user has a dog called Max.", "The user has a dog called Rex."}


async def test_what_is_denied_is_no_positive_edge(database, settings, as_ada):
    await tell(database, "I don't eat meat.", "I dislike tea.", "I like coffee.", "I live in Rome, not in Berlin.")
    await tell(database, "I don't smoke.")
    async with serving(settings) as client:
        edges = (await client.get("/api/memories/graph", headers=as_ada)).json()["edges"]
    assert {edge["target"]: edge["is_negated"] for edge in edges} == {
        "meat": True,
        "tea": True,
        "coffee": False,
        "tobacco": True,
        "rome": False,
    }


async def test_a_home_that_somebody_had_moved_from_before_he_told_of_it_held_until_then(database):
    await tell(database, "I live in Berlin.", "I moved to Oslo last week.")
    berlin, oslo = sorted(await kept(database, ever=True), key=lambda each: each.text)
    assert berlin.valid_from < berlin.valid_to == oslo.valid_from < datetime.now(UTC)
    assert await texts(database, at=oslo.valid_from - timedelta(minutes=1)) == ["The user lives in Berlin."]
    assert await texts(database, at=oslo.valid_from + timedelta(minutes=1)) == ["The user lives in Oslo."]


@pytest.mark.parametrize(
    "question", ["Where did I use to live?", "Where did I live before Munich?", "Where did I live before I moved?"]
)
async def test_who_asks_what_was_before_is_told(database, question):
    await tell(database, "I live in Berlin.", "I moved to Munich.")
    async with recaller_of(database) as recaller:
        assert found_texts(await asked(recaller, ADA, question, scope="agent"))[0] == "The user lives in Berlin."
        now = await asked(recaller, ADA, "Where do I live?", scope="agent")
        assert found_texts(now)[0] == "The user lives in Munich."


async def test_a_message_is_over_only_when_all_that_was_learned_from_it_is(database):
    text = "My name is Tom and I live in Berlin with Ana, my wife."

    async def label(recaller) -> str:
        found = (await asked(recaller, ADA, "Who is my wife Ana?", scope="agent")).items
        [line] = [item for item in found if item.text == text]
        assert (line.valid_to is None) is not is_over(label_of(line), datetime.now(UTC))
        return label_of(line)

    await tell(database, text)
    async with recaller_of(database) as recaller:
        assert "until" not in await label(recaller)
        await tell(database, "I moved to Paris.")
        assert "in part until" in await label(recaller)
        async with recaller_of(database) as another:
            assert "in part until" in await label(another)
        await tell(database, "My name is Tim.")
        assert is_over(await label(recaller), datetime.now(UTC))
        async with recaller_of(database) as another:
            assert is_over(await label(another), datetime.now(UTC))


async def test_a_message_is_not_said_to_have_ended_before_it_was_said(database):
    text = "I live in Graz with Ana, my wife, near a lake in the mountains."
    await tell(database, text, "I moved to Vienna last month.")
    async with recaller_of(database) as recaller:
        found = (await asked(recaller, ADA, "Where is the lake of my wife Ana?", scope="agent")).items
    [line] = [item for item in found if item.text == text]
    assert label_of(line).startswith(f"the user said, {datetime.now(UTC):%Y-%m-%d}, no longer so")
    assert is_over(label_of(line), datetime.now(UTC))


async def test_what_will_end_by_itself_keeps_no_message_from_being_over(database):
    text = "I live in Berlin with Ana, my wife, and I have a meeting with Bob tomorrow."
    await tell(database, text, "I moved to Paris.")
    assert len(await kept(database, ever=True)) == 3
    async with recaller_of(database) as recaller:
        found = (await asked(recaller, ADA, "Who is my wife Ana?", scope="agent")).items
    assert [item.valid_to is not None for item in found if item.text == text] == [True]


async def test_what_is_forgotten_keeps_no_message_from_being_over(database):
    _, (source,) = await said(database, ADA, "I am Tom from Berlin, who lives with his wife Ana near a lake")
    berlin, paris, name = [
        await remembered(database, ADA, each, sources=[source]) for each in ("Berlin is home", "Paris is home", "Tom")
    ]
    await replaced(database, ADA, berlin, by=paris)
    async with recaller_of(database) as recaller:
        for gone, is_part in ((None, True), (paris, True), (name, False)):
            if gone:
                await deleted(database, ADA, gone)
            found = (await asked(recaller, ADA, "Where is the lake of Ana?")).items
            [line] = [item for item in found if item.item_id == source]
            assert (line.changed_at is not None, line.valid_to is None) == (is_part, is_part)


def test_a_tool_that_is_used_is_not_the_past():
    assert not asks_about_the_past("What do I use to brew coffee?")
    assert not asks_about_the_past("What should I do before Monday?")
    assert without_before("Where did I live before Munich?") == "Where did I live"
    assert without_before("What is due before Monday?") == "What is due before Monday?"
    began = time.thread_time()
    for junk in ("did live before " * 50_000, "was " * 50_000, "x" * 100_000):
        asks_about_the_past(junk)
    assert time.thread_time() - began < 0.5


async def test_who_has_moved_is_moving_there_no_longer(database):
    await tell(
        database, "I'm moving to Oslo.", "I'm moving to Oslo next year.", "I'm moving to Bergen.", "I live in Oslo."
    )
    assert set(await texts(database)) == {"The user is moving to Bergen.", "The user lives in Oslo."}


async def test_a_second_job_holds_beside_the_first_and_ends_by_itself(database):
    await tell(database, "I'm a nurse.")
    await tell(database, "I'm also a teacher.")
    await tell(database, "I'm a teacher.")
    assert set(await texts(database)) == {"The user works as a nurse.", "The user works as a teacher."}
    await tell(database, "I'm no longer a teacher.")
    over = "The user no longer works as a teacher."
    assert set(await texts(database)) == {"The user works as a nurse.", over}
    await tell(database, "I'm a baker.")
    assert set(await texts(database)) == {"The user works as a baker.", over}


async def test_who_eats_fish_now_is_remembered_as_a_vegetarian_no_longer(database):
    await tell(database, "I'm vegetarian.")
    await tell(database, "I eat fish now.")
    assert set(await texts(database)) == {"The user eats fish.", "The user is no longer vegetarian."}
    await tell(database, "I'm vegan now.")
    assert set(await texts(database)) == {"The user is vegan.", "The user does not eat fish."}


@pytest.mark.parametrize(
    ("told", "now"),
    [
        (["I'm gluten-free. Sorry, I meant dairy-free."], {"dairy-free", "not gluten-free"}),
        (["I'm gluten-free.", "actually I meant vegan"], {"vegan", "not gluten-free"}),
        (["I'm vegan.", "No, I meant gluten-free."], {"gluten-free", "not vegan"}),
        (["I'm vegan. Sorry, I meant gluten-free."], {"gluten-free", "not vegan"}),
        (["I'm vegan.", "No, I meant vegetarian."], {"vegetarian"}),
        (["I'm on a keto diet.", "No, I meant low-carb."], {"on a low-carb diet", "not on a keto diet"}),
    ],
)
async def test_a_diet_that_was_another_is_none_of_the_user(database, told, now):
    for text in told:
        await tell(database, text, session_id="00000000-0000-4000-8000-000000000001")
    assert set(await texts(database)) == {f"The user is {each}." for each in now}


async def test_what_is_corrected_in_its_own_message_is_not_kept_as_a_sentence(database):
    await tell(database, "My favourite colour is green. Actually, it's more of a teal.")
    assert await texts(database) == ["The user's favourite colour is teal."]


async def test_what_holds_since_before_it_was_said_is_from_the_day_on_which_it_was(database):
    await tell(database, "I moved to Graz last week.")
    [graz] = await kept(database)
    assert graz.valid_from < graz.created_at - timedelta(days=1)
    async with recaller_of(database) as recaller:
        found = [each for each in (await asked(recaller, ADA, "Where do I live?")).items if each.what == "memory"]
    assert [(each.text, each.said_at) for each in found] == [("The user lives in Graz.", graz.created_at)]
    assert label_of(found[0]).startswith(f"remembered, {graz.created_at:%Y-%m-%d}")


def test_when_something_was_is_a_question_about_the_past():
    assert asks_about_the_past("When was my dentist appointment?")
    assert not asks_about_the_past("When is my dentist appointment?")


async def test_a_flight_that_was_told_is_corrected_by_its_number_alone(database):
    told = ["We are flying to Lisbon on May 12th and coming back on the 20th.", "I don't eat pork."]
    await tell(database, *told, "Actually we are flying on May 14th, not the 12th.", session_id=str(uuid.uuid4()))
    flights = [each for each in await texts(database) if "Lisbon" in each]
    assert [each.partition(" on ")[2][4:] for each in flights] == ["-05-14."]
