"""The user's rights over single memories: forget, undo, edit; and what goes with the messages that said it."""

import asyncio
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chatServer import errors
from chatServer.agent.title import give_title
from chatServer.conversation import sessions
from chatServer.conversation.sessions import SessionKey
from chatServer.memory.audit import audit
from chatServer.memory.edit import Edit, create, edit
from chatServer.memory.forget.forget import forget, undo
from chatServer.memory.recall.label import label_of
from chatServer.memory.remember.drafts import Draft
from chatServer.memory.remember.keep import keep
from chatServer.memory.remember.offer import Offer
from chatServer.memory.retire import retire_replaced
from chatServer.records import EVERY_AGENT, Caller, Triple
from chatServer.store import memory_changes as changes
from chatServer.store import sessions as store_sessions
from chatServer.store import superseded
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.memory_rows import memory, write
from tests.tools.recalling import asked, recaller_of
from tests.tools.remembering import (
    hidden_texts,
    kept,
    learn,
    learn_while,
    memory_events,
    say,
    tell,
    texts,
    told_to_store,
)
from tests.tools.talking import talking
from tests.tools.working import always

BERLIN, ROME = "The user lives in Berlin.", "The user lives in Rome."


async def only(database, **wanted):
    [found] = await kept(database, **wanted)
    return found


# Forgetting ----------------------------------------------------------------------------------------------


async def test_forgetting_hides_what_said_it_and_undo_shows_it_again(database, urls):
    await tell(database, "I live in Berlin.", answer="Berlin! What a town.")
    await tell(database, "As I said, I'm living in Berlin these days, right?", answer="Yes, you live in Berlin.")
    await tell(database, "I like hiking.", answer="Me too.")
    await tell(database, "What is the weather in Berlin?", answer="Sunny.")
    berlin = next(each for each in await kept(database) if each.text == BERLIN)
    await forget(database, ADA, berlin.memory_id)
    assert await texts(database) == ["The user likes hiking."]
    assert hidden_texts(urls) == [
        "I live in Berlin.",
        "Berlin! What a town.",
        "As I said, I'm living in Berlin these days, right?",
        "Yes, you live in Berlin.",
    ]
    back = await undo(database, ADA, berlin.memory_id)
    assert (back.text, back.source_ids, back.triple) == (BERLIN, berlin.source_ids, berlin.triple)
    assert hidden_texts(urls) == []
    assert [list(event) for event in memory_events(urls)][-2:] == [["what", "deleted"], ["what", "changed"]]


async def test_what_else_was_said_keeps_its_source_though_the_title_says_what_is_forgotten(database):
    session_id = str(uuid.uuid4())
    turn_id = await tell(database, "I live in Berlin and I work at Acme.", session_id=session_id)
    await give_title(database, ADA, turn_id, always(None))
    berlin = next(each for each in await kept(database) if each.text == BERLIN)
    told = []
    async with recaller_of(database) as recaller:
        for change in (forget, undo):
            await change(database, ADA, berlin.memory_id)
            acme = next(each for each in (await asked(recaller, ADA, "Where do I work?")).items if "Acme" in each.text)
            assert (acme.source.session_id, bool(acme.source.message_id)) == (session_id, True)
            told.append(label_of(acme).partition(", ")[2].partition(", ")[2])
    assert told == ["in a chat whose title is forgotten", "in “I live in Berlin and I work at Acme”"]


async def test_a_short_name_hides_only_the_messages_that_have_it(database, urls):
    await tell(database, "My brother is called Al.", answer="Al is a fine name for a brother.")
    await tell(database, "Which one?", answer="Also consider all alternatives, although your brother may not.")
    await tell(database, "And to whom?", answer="Write to al dot example.")
    al = next(each for each in await kept(database) if "Al" in each.text)
    await forget(database, ADA, al.memory_id)
    assert hidden_texts(urls) == ["My brother is called Al.", "Al is a fine name for a brother."]


async def test_a_message_is_shown_again_when_nothing_that_it_says_is_forgotten_any_more(database, urls):
    await tell(database, "I live in Berlin. I like hiking.")
    found = await kept(database)
    for each in found:
        await forget(database, ADA, each.memory_id)
    await undo(database, ADA, found[0].memory_id)
    assert hidden_texts(urls) == ["I live in Berlin. I like hiking."]
    await undo(database, ADA, found[1].memory_id)
    assert hidden_texts(urls) == []


async def test_messages_of_other_agents_stay_unless_they_share_their_memories(database, urls):
    await tell(database, "I live in Berlin.")
    async with database.transaction(ADA) as connection:
        await connection.execute("update chat.message_index set agent_name = 'other' where role = 'assistant'")
        await connection.execute("update chat.message_index set tsv = array_to_tsvector('{berlin}'::text[])")
    for shelf, hidden in (("assistant", ["I live in Berlin."]), (EVERY_AGENT, ["I live in Berlin.", "Noted."])):
        async with database.transaction(ADA) as connection:
            await connection.execute("update chat.memories set shelf = %s", [shelf])
        found = await only(database)
        await forget(database, ADA, found.memory_id)
        assert hidden_texts(urls) == hidden
        await undo(database, ADA, found.memory_id)


async def test_what_was_forgotten_is_not_learned_from_the_same_message_again(database):
    turn_id = await tell(database, "I live in Berlin.")
    await forget(database, ADA, (await only(database)).memory_id)
    async with database.transaction(ADA) as connection:  # as an answer that is given anew leaves it
        await connection.execute("update chat.turns set revision = null")
    await learn(database, turn_id)
    assert await texts(database, ever=True) == []
    await tell(database, "Well, I live in Berlin.")
    assert await texts(database) == [BERLIN]


async def test_the_audit_names_what_was_forgotten_and_when(database):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    before = datetime.now(UTC)
    await forget(database, ADA, found.memory_id)
    [gone] = (await audit(database, ADA, limit=9)).forgotten
    assert gone.memory.text == found.text
    assert timedelta() <= gone.at - before < timedelta(minutes=1)


async def test_what_was_deleted_can_be_asked_back_twice(database):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    await forget(database, ADA, found.memory_id)
    for _ in range(3):
        back = await undo(database, ADA, found.memory_id, only_deletion=True)
        assert back is not None
        assert back.text == found.text
    assert await undo(database, ADA, found.memory_id) is None, "without it, that it was made is taken back"


@pytest.mark.parametrize("what", ["forget", "undo", "edit"])
async def test_others_and_unknown_memories_are_not_found(database, what):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    for user, memory_id in ((EVE, found.memory_id), (ADA, uuid.uuid4())):
        with pytest.raises(errors.MemoryNotFound):
            if what == "edit":
                await edit(database, user, memory_id, Edit(text="Mine"))
            else:
                await {"forget": forget, "undo": undo}[what](database, user, memory_id)
    assert await only(database) == found
    assert (errors.MemoryNotFound().status, errors.MemoryNotFound.code) == (404, "memory_not_found")


# Undo ----------------------------------------------------------------------------------------------------


async def test_undo_of_what_was_made_takes_it_away_and_what_it_replaced_holds_again(database):
    await tell(database, "I live in Berlin.", "I live in Rome.")
    rome = await only(database)
    assert await undo(database, ADA, rome.memory_id) is None
    assert await texts(database, ever=True) == [BERLIN]
    assert (await only(database)).superseded_by is None
    assert (await undo(database, ADA, rome.memory_id)).source_ids == rome.source_ids
    assert await texts(database) == [ROME]
    assert sorted(await texts(database, ever=True)) == [BERLIN, ROME]


async def test_undo_of_an_edit_keeps_the_messages_that_have_said_it_since(database):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    await edit(database, ADA, found.memory_id, Edit(importance=0.9))
    await tell(database, "I live in Berlin!")
    heard = await only(database)
    assert len(heard.source_ids) == 2
    back = await undo(database, ADA, found.memory_id)
    assert (back.source_ids, back.importance) == (heard.source_ids, found.importance)


async def test_undo_of_what_was_replaced_takes_its_successor_away(database):
    await tell(database, "I live in Berlin.", "I live in Rome.")
    [berlin] = [each for each in await kept(database, ever=True) if each.valid_to]
    rome = await only(database)
    await undo(database, ADA, berlin.memory_id)
    assert await texts(database, ever=True) == [BERLIN]
    await undo(database, ADA, rome.memory_id)  # the undoing, too, can be undone
    assert await texts(database) == [ROME]
    assert sorted(await texts(database, ever=True)) == [BERLIN, ROME]


async def test_what_comes_back_ends_what_holds_its_key_now(database):
    await tell(database, "I live in Berlin.")
    berlin = await only(database)
    await forget(database, ADA, berlin.memory_id)
    await tell(database, "I live in Rome.")
    await undo(database, ADA, berlin.memory_id)
    assert await texts(database) == [BERLIN]
    assert sorted(await texts(database, ever=True)) == [BERLIN, ROME]


async def test_undo_goes_back_change_by_change(database):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    await edit(database, ADA, found.memory_id, Edit(importance=0.9))
    await edit(database, ADA, found.memory_id, Edit(tags=["home"]))
    await tell(database, "I live in Berlin!")  # said again: no change to take back
    assert (await undo(database, ADA, found.memory_id)).tags == found.tags
    assert (await undo(database, ADA, found.memory_id)).importance == found.importance
    assert await undo(database, ADA, found.memory_id) is None


# Edit and create -----------------------------------------------------------------------------------------


async def test_an_edit_is_the_users_word(database, urls):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    edited = await edit(database, ADA, found.memory_id, Edit(text="The user lives in Bonn.", kind="concept"))
    assert (edited.text, edited.kind, edited.origin, edited.trust) == (
        "The user lives in Bonn.",
        "concept",
        "user",
        "user",
    )
    assert (edited.triple.object, edited.fact_key) == ("Bonn", found.fact_key)
    await tell(database, "I live in Rome.")
    assert await texts(database) == [ROME]
    other = await edit(database, ADA, found.memory_id, Edit(text="Owns a boat"))
    assert (other.triple, other.fact_key) == (None, None)
    async with database.transaction(ADA) as connection:
        told = await changes.list_changes(connection, ADA.user_id, found.memory_id, limit=1)
    assert (told[0].operation, told[0].actor) == ("edited", "user")


@pytest.mark.parametrize("wanted", [Edit(triple=Triple("user", "owns", "boat")), Edit(without=frozenset({"triple"}))])
async def test_another_triple_or_none_is_no_longer_the_fact_of_its_key(database, wanted):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    same = Triple(found.triple.subject, found.triple.predicate, "Bonn")
    assert (await edit(database, ADA, found.memory_id, Edit(triple=same))).fact_key == found.fact_key
    assert (await edit(database, ADA, found.memory_id, wanted)).fact_key is None


@pytest.mark.parametrize("age", ["34", f"{datetime.now(UTC):%d}", "20"])
async def test_an_age_that_is_put_right_is_still_one_though_its_day_has_the_same_digits(database, age):
    await tell(database, f"My dad is {int(age)} years old.")
    told = await only(database)
    put_right = told.text.replace(f"was {int(age)}", "was 47")
    edited = await edit(database, ADA, told.memory_id, Edit(text=put_right))
    assert (edited.triple.object, edited.fact_key) == ("47", told.fact_key)


async def test_an_age_that_is_said_again_on_another_day_is_the_same_and_forgotten_with_both(database, urls):
    await tell(database, "I'm 34 years old.")
    earlier = await only(database)
    text = earlier.text.replace(f"{datetime.now(UTC):%Y-%m-%d}", "2026-01-02")
    await write(database, replace(earlier, text=text), operation="edited")
    await tell(database, "I am 34.")
    assert len((await only(database)).source_ids) == 2
    await forget(database, ADA, earlier.memory_id)
    assert len(hidden_texts(urls)) == 2


async def test_an_edit_cannot_say_what_another_memory_says(database):
    await tell(database, "I live in Berlin.", "I like hiking.")
    hiking, berlin = await kept(database)
    with pytest.raises(errors.InvalidRequest):
        await edit(database, ADA, hiking.memory_id, Edit(text=berlin.text.upper()))
    for text in ("", " \n", "x" * 8_193):
        with pytest.raises(errors.InvalidRequest):
            await edit(database, ADA, hiking.memory_id, Edit(text=text))


async def test_a_memory_that_ends_is_no_longer_listed(database):
    await tell(database, "I live in Berlin.")
    found = await only(database)
    await edit(database, ADA, found.memory_id, Edit(valid_to=datetime.now(UTC) - timedelta(seconds=1)))
    assert await texts(database) == []


async def test_a_memory_of_the_users_making_is_made_once(database):
    made, is_new = await create(database, ADA, Edit(text="I prefer trains"), shelf=EVERY_AGENT, agent_name="assistant")
    assert (is_new, made.origin, made.trust, made.category, made.kind) == (
        True,
        "user",
        "user",
        "user_preference",
        "fact",
    )
    again, is_new = await create(
        database, ADA, Edit(text="i prefer trains."), shelf=EVERY_AGENT, agent_name="assistant"
    )
    assert (again.memory_id, is_new) == (made.memory_id, False)
    odd = Edit(text="Odd \0 text", tags=["a", "a", "", "b\0"], importance=1.0)
    odd_one, _ = await create(database, ADA, odd, shelf="assistant", agent_name="assistant")
    assert (await kept(database, phrase="odd"))[0].tags == odd_one.tags == ("a", "b\ufffd")
    assert odd_one.tier == "long"


# With their messages -------------------------------------------------------------------------------------


async def replace_from_last_question(database, session_id: str, *, with_question: bool = True) -> None:
    async with database.transaction(ADA) as connection:
        await store_sessions.hold_session(connection, ADA.user_id, session_id)
        question = await superseded.find_question(connection, ADA.user_id, session_id, name=None, has_answers=False)
        first = question.id if with_question else question.id + 1
        await retire_replaced(connection, ADA.user_id, session_id, first=first)
        await superseded.supersede(
            connection, ADA.user_id, session_id, question, by=uuid.uuid4(), with_question=with_question
        )


async def test_an_edited_message_takes_what_only_it_said_with_it(database):
    session_id = str(uuid.uuid4())
    await tell(database, "I like hiking. I live in Berlin.")
    await tell(database, "I like hiking. I live in Rome.", session_id=session_id)
    await replace_from_last_question(database, session_id)
    found = {each.text: each for each in await kept(database, ever=True)}
    assert set(found) == {"The user likes hiking.", BERLIN}
    assert found[BERLIN].valid_to is None
    assert [len(each.source_ids) for each in found.values()] == [1, 1]


async def test_a_regenerated_answer_leaves_what_the_question_said(database):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Rome.", session_id=session_id)
    await replace_from_last_question(database, session_id, with_question=False)
    assert await texts(database) == [ROME]


async def test_a_message_that_is_edited_while_it_is_learned_from_teaches_nothing(database):
    session_id = str(uuid.uuid4())
    turn_id = await say(database, "I live in Rome.", session_id=session_id)
    await learn_while(database, turn_id, replace_from_last_question(database, session_id))
    assert await texts(database, ever=True) == []


async def test_what_the_user_made_himself_outlives_the_messages(database):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Berlin.", session_id=session_id)
    await edit(database, ADA, (await only(database)).memory_id, Edit(importance=0.9))
    await create(database, ADA, Edit(text="By hand"), shelf="assistant", agent_name="assistant", session_id=session_id)
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    assert sorted(await texts(database)) == ["By hand", BERLIN]


async def test_a_deleted_session_takes_what_a_client_kept_there_unless_it_was_said_elsewhere(database, urls):
    gone, stays = str(uuid.uuid4()), str(uuid.uuid4())
    for session_id in (gone, stays):
        await say(database, "Hello there, you.", session_id=session_id)
    offers = [
        (gone, "The build takes nine minutes."),
        (stays, "The tests take two hours."),
        (None, "The roof is green."),
    ]
    for session_id, text in [*offers, (gone, "The user likes hiking.")]:
        await keep(database, Caller(ADA), Offer("fact", text, session_id), scopes=lambda _: "agent")
    await tell(database, "I like hiking.", session_id=stays)
    await tell(database, "The roof is green, remember that.", session_id=gone)
    await sessions.delete(database, ADA, SessionKey.parse(gone))
    assert sorted(await texts(database, ever=True)) == [
        "The roof is green.",
        "The tests take two hours.",
        "The user likes hiking.",
    ]
    with owner_connection(urls.owner) as connection:
        assert "nine" not in str(connection.execute("select c::text from chat.memory_changes c").fetchall())


async def test_no_undo_brings_back_what_was_said_in_a_deleted_session(database, urls):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Berlin.", session_id=session_id)
    mine = await edit(database, ADA, (await only(database)).memory_id, Edit(text="The user lives by the sea."))
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    with pytest.raises(errors.InvalidRequest):
        await undo(database, ADA, mine.memory_id)
    assert await texts(database) == ["The user lives by the sea."]
    with owner_connection(urls.owner) as connection:
        assert "Berlin" not in str(connection.execute("select c::text from chat.memory_changes c").fetchall())


async def test_a_deleted_session_takes_what_was_learned_only_there_and_leaves_no_word_of_it(database, urls):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Berlin. I like hiking.")
    await tell(database, "I like hiking. I live in Rome. I work at Acme.", session_id=session_id)
    await tell(database, "I work at Bolt.", session_id=session_id)
    await tell(database, "I drive a boat here.", session_id=session_id, scope="session")
    await told_to_store(database, [Draft(memory("Its own secret", shelf=session_id, origin="user"))])
    await tell(database, "My name is Ada.", session_id=session_id)
    await forget(database, ADA, (await kept(database, phrase="Ada"))[0].memory_id)
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    assert sorted(await texts(database, ever=True)) == ["The user likes hiking.", BERLIN]
    assert sorted(await texts(database)) == ["The user likes hiking.", BERLIN]
    with owner_connection(urls.owner) as connection:
        left = connection.execute("select c::text from chat.memory_changes c").fetchall()
    for secret in ("Rome", "Acme", "Bolt", "secret", "boat", "Ada"):
        assert secret not in str(left)


async def test_a_deleted_session_takes_what_only_its_replaced_messages_said(database, urls):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Rome.", session_id=session_id)
    learned = await only(database)
    await replace_from_last_question(database, session_id)
    await undo(database, ADA, learned.memory_id)
    assert await texts(database) == ["The user lives in Rome."]
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    assert await texts(database, ever=True) == []
    with owner_connection(urls.owner) as connection:
        assert "Rome" not in str(connection.execute("select c::text from chat.memory_changes c").fetchall())


async def test_a_chain_of_values_closes_around_one_that_goes(database):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Berlin.")
    await tell(database, "I live in Rome.", session_id=session_id)
    await tell(database, "I live in Oslo.")
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    oslo = await only(database)
    [berlin] = [each for each in await kept(database, ever=True) if each.valid_to]
    assert (oslo.text, berlin.text) == ("The user lives in Oslo.", BERLIN)
    assert (berlin.valid_to, berlin.superseded_by) == (oslo.valid_from, oslo.memory_id)


async def test_what_held_before_a_session_that_is_deleted_holds_again_however_often_it_was_changed_there(database):
    session_id = str(uuid.uuid4())
    await tell(database, "I live in Berlin.")
    await tell(database, "I live in Rome.", "I live in Oslo.", "I live in Lima.", session_id=session_id)
    await sessions.delete(database, ADA, SessionKey.parse(session_id))
    berlin = await only(database)
    assert (berlin.text, berlin.valid_to, berlin.superseded_by) == (BERLIN, None, None)


async def test_forgetting_editing_learning_and_deleting_at_once_end_in_peace(database):
    """A deadlock would be an error of one of them."""
    session_ids = [str(uuid.uuid4()) for _ in range(4)]
    for number, session_id in enumerate(session_ids):
        await tell(database, f"I like {'abcd'[number]}pples. I live in Berlin.", session_id=session_id)
    turns = [await say(database, "I live in Rome. I like plums.", session_id=each) for each in session_ids]
    found = await kept(database)
    results = await asyncio.gather(
        *(learn(database, turn_id) for turn_id in turns),
        *(forget(database, ADA, each.memory_id) for each in found),
        *(replace_from_last_question(database, session_id) for session_id in session_ids[:2]),
        *(sessions.delete(database, ADA, SessionKey.parse(session_id)) for session_id in session_ids[2:]),
        return_exceptions=True,
    )
    assert [
        each for each in results if isinstance(each, Exception) and not isinstance(each, errors.MemoryNotFound)
    ] == []
    live = await kept(database)
    assert len({each.fact_key for each in live}) == len(live)


async def test_an_edit_over_http_unlearns_what_was_said(settings, as_ada, database):
    async with talking(settings, as_ada) as client:
        body = {"message": "I live in Berlin.", "session_id": str(uuid.uuid4())}
        answer = (await client.post("/api/chat", json=body)).json()
        await learn(database, uuid.UUID(answer["turn_id"]))
        assert await texts(database) == [BERLIN]
        async with database.transaction(ADA) as connection:
            row = await (
                await connection.execute(
                    "select user_message_id from chat.turns where turn_id = %s", [answer["turn_id"]]
                )
            ).fetchone()
        parts = [{"type": "text", "text": "I live in Rome."}]
        edited = {
            "id": body["session_id"],
            "messageId": str(row[0]),
            "message": {"id": str(row[0]), "role": "user", "parts": parts},
        }
        again = await client.post("/api/chat", json=edited, headers={"Accept": "application/json"})
        assert again.status_code == 200, again.text
        assert await texts(database, ever=True) == []
        await learn(database, uuid.UUID(again.json()["turn_id"]))
        assert await texts(database, ever=True) == [ROME]
        assert (await client.delete(f"/api/sessions/{body['session_id']}")).status_code == 204
        assert await texts(database, ever=True) == []
