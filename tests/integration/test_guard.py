"""The seam before replies and memories are stored: a deployment's own function, found by its name."""

import uuid

import pytest

from chatServer.errors import StartupError
from chatServer.memory import guard as seam
from chatServer.memory.guard import guard, install
from chatServer.turn.guarded import WITHHELD
from tests.tools.remembering import tell, texts
from tests.tools.talking import talking


def hide_porto(text: str) -> str | None:
    if "nuclear" in text:
        return None
    return text.replace("Porto", "[a city]")


def broken(text: str) -> str | None:
    raise ValueError(text)


NOT_A_FUNCTION = 7
HERE = "tests.integration.test_guard"


@pytest.fixture(autouse=True)
def _none_is_left_behind():
    yield
    install(None)


def test_without_one_every_text_passes_as_it_is():
    text = "I live in Porto."
    assert guard(text) is text


@pytest.mark.parametrize("path", ["no.such.module:f", f"{HERE}:missing", f"{HERE}:NOT_A_FUNCTION"])
def test_one_that_is_not_there_is_refused_at_the_start(path):
    with pytest.raises(StartupError, match=f"GUARD={path}"):
        install(path)


def test_one_that_fails_lets_nothing_pass_and_its_words_stay_out_of_the_log(caplog):
    install(f"{HERE}:broken")
    assert guard("my secret") is None
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


async def test_memories_are_stored_as_it_lets_them_pass(database):
    install(f"{HERE}:hide_porto")
    await tell(database, "I live in Porto.", "Remember that I work at a nuclear plant.")
    [kept] = await texts(database)
    assert "[a city]" in kept


async def test_replies_are_stored_as_it_lets_them_pass(settings, as_ada):
    rules = [{"match": "where", "reply": "In Porto, I think."}, {"match": "what", "reply": "A nuclear plant."}]
    async with talking(settings, as_ada, *rules, guard=f"{HERE}:hide_porto") as client:
        assert seam._guard is hide_porto, "the server has put it in its place"
        body = {"session_id": str(uuid.uuid4())}
        heard = [(await client.post("/api/chat", json=body | {"message": said})).json() for said in ("where", "what")]
        page = (await client.get(f"/api/sessions/{body['session_id']}/messages")).json()
    answers = ["In [a city], I think.", WITHHELD]
    assert [each["response"] for each in heard] == answers
    parts = [each["parts"] for each in page["messages"] if each["role"] == "assistant"]
    assert [[each["text"] for each in some if each["type"] == "text"] for some in parts] == [[each] for each in answers]
