"""What the user puts right is told no longer, over HTTP with builtin: by "Wrong", by an edit, and by "forget"."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from chatServer.memory.edit import Edit, edit
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA
from tests.tools.memory_tools import forget
from tests.tools.remembering import hidden_texts, kept, tell, texts
from tests.tools.working import no_model

HAMBURG, VIENNA, GRAZ = (f"The user lives in {place}." for place in ("Hamburg", "Vienna", "Graz"))
WHERE = "Where do I live?"
GRACE = "I live in Hamburg and I work as a nurse."


@pytest.fixture
def ask(ada, database):
    """In a session of its own, learned from."""

    async def asked(text: str) -> dict:
        answer = (await ada.post("/api/chat", json={"message": text, "session_id": str(uuid.uuid4())})).json()
        await Workshop(database, no_model).after_turn(str(ADA.user_id), answer["turn_id"])
        return answer

    return asked


async def memory_of(database, text: str, **wanted):
    [found] = [each for each in await kept(database, **wanted) if each.text == text]
    return found


async def test_what_is_wrong_is_not_told_from_the_messages_that_said_it_until_undo(ada, ask, database, urls):
    await ask(GRACE)
    assert "Hamburg" in (await ask(WHERE))["response"]
    place = f"/api/memories/{(await memory_of(database, HAMBURG)).memory_id}"
    ahead = datetime.now(UTC) + timedelta(minutes=1)  # a browser's clock
    assert (await ada.patch(place, json={"valid_to": ahead.isoformat()})).status_code == 200
    assert GRACE in hidden_texts(urls)
    assert "Hamburg" not in (await ask(WHERE))["response"]
    assert "nurse" in (await ask("What is my job?"))["response"], "what else was said there is remembered"
    assert (await ada.post(f"{place}/undo")).status_code == 200
    assert hidden_texts(urls) == []
    assert "Hamburg" in (await ask(WHERE))["response"]


async def test_what_was_edited_is_told_as_corrected_and_nothing_else(ada, ask, database, urls):
    await ask("I live in Vienna.")
    place = f"/api/memories/{(await memory_of(database, VIENNA)).memory_id}"
    await ada.patch(place, json={"text": GRAZ})
    answer = await ask(WHERE)
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert answer["response"] == f"From your memories (corrected by you, {today}): “{GRAZ}”"
    [used] = answer["memory"]["items"]
    assert used["corrected_at"].startswith(today)
    assert (await ada.post(f"{place}/undo")).json()["text"] == VIENNA
    assert hidden_texts(urls) == []
    answer = await ask(WHERE)
    assert "Vienna" in answer["response"]
    assert "corrected" not in answer["response"]


@pytest.mark.parametrize(
    "wanted",
    [
        Edit(text="The user lives in Vienna, in the second district."),
        Edit(text="the user lives in vienna"),
        Edit(importance=0.9),
        Edit(valid_to=datetime.now(UTC) + timedelta(days=2)),
    ],
)
async def test_an_edit_that_leaves_what_was_said_true_hides_nothing(database, urls, wanted):
    await tell(database, "I live in Vienna.")
    await edit(database, ADA, (await memory_of(database, VIENNA)).memory_id, wanted)
    assert hidden_texts(urls) == []


async def test_what_a_memory_took_the_place_of_is_named_with_it(ada, database):
    await tell(database, "I live in Hamburg.", "I live in Graz.")
    whole = (await ada.get(f"/api/memories/{(await memory_of(database, GRAZ)).memory_id}")).json()
    old = await memory_of(database, HAMBURG, ever=True)
    assert whole["replaced"] == [{"id": str(old.memory_id), "text": HAMBURG}]


@pytest.mark.parametrize("told", [["I live in Hamburg."], ["I live in Hamburg.", "I live in Graz."]])
async def test_that_somebody_lived_somewhere_is_forgotten(database, told):
    await tell(database, *told)
    assert HAMBURG in (await forget(database, "I lived in Hamburg")).text
    assert HAMBURG not in await texts(database, ever=True)
    assert len(await texts(database, ever=True)) == len(told) - 1


async def test_a_request_to_forget_answers_nothing(ask):
    await ask("My favourite colour is green.")
    assert (await ask("Forget my favourite colour"))["response"].startswith(
        "Forgotten: The user's favourite colour is green."
    )
    answer = await ask("What is my favourite colour?")
    assert "Forget" not in answer["response"]
    assert [each["asks"] for each in answer["memory"]["items"]] == [True]


@pytest.mark.parametrize("agent_name", ["assistant", "*"])
async def test_a_memory_made_by_hand_takes_the_place_of_what_it_contradicts(ada, ask, database, agent_name):
    await ask("I live in Vienna.")
    made = await ada.post("/api/memories", json={"text": "I live in Graz", "agent_name": agent_name})
    assert made.status_code == 201
    assert (made.json()["text"], made.json()["fact_key"]) == ("I live in Graz", "user|home")
    over = await memory_of(database, VIENNA, ever=True)
    assert (over.valid_to is not None, over.superseded_by) == (True, uuid.UUID(made.json()["id"]))
    answer = (await ask(WHERE))["response"]
    assert "Graz" in answer
    assert "Vienna" not in answer
    await ada.post(f"/api/memories/{made.json()['id']}/undo")
    assert (await memory_of(database, VIENNA)).valid_to is None, "what it has taken the place of holds again"


@pytest.mark.parametrize("text", ["I live in Graz and I like cheese", "I no longer like tea", "Vienna is nice", WHERE])
async def test_a_memory_made_by_hand_that_tells_no_one_fact_replaces_nothing(ada, ask, database, text):
    await ask("I live in Vienna.")
    made = await ada.post("/api/memories", json={"text": text})
    assert (made.status_code, made.json()["fact_key"]) == (201, None)
    assert (await memory_of(database, VIENNA)).valid_to is None
