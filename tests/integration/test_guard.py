"""The seam before replies and memories are stored: a deployment's own function, found by its name."""

import asyncio
import threading
import uuid

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatServer.agent.title import give_title
from chatServer.agent.tools import ToolContext
from chatServer.agent.tools.manage_long_term_memory import ManageLTMInput, manage_long_term_memory
from chatServer.errors import StartupError
from chatServer.memory import guard as seam
from chatServer.memory.guard import guard, install
from chatServer.memory.notes import notebook
from chatServer.memory.remember.keep import keep
from chatServer.memory.remember.offer import Offer
from chatServer.records import Caller, Memory, Triple
from chatServer.turn.guarded import WITHHELD
from tests.conftest import ADA
from tests.tools.remembering import kept, tell
from tests.tools.talking import talking
from tests.tools.turns import begin_turn, finished_turn, title_of


def hide_porto(text: str) -> str | None:
    if "nuclear" in text:
        return None
    return text.replace("Porto", "[a city]")


def broken(text: str) -> str | None:
    raise ValueError(text)


async def later(text: str) -> str | None:
    return text


class Later:
    async def __call__(self, text: str) -> str | None:
        return text


def patient(text: str) -> str | None:
    return text if others_went_on.wait(2) else None


def odd(text: str) -> object:
    return text.encode()


LATER = Later()
NOT_A_FUNCTION = 7
others_went_on = threading.Event()
HERE = "tests.integration.test_guard"


@pytest.fixture(autouse=True)
def _none_is_left_behind():
    yield
    install(None)


def unclean(text: str) -> str:
    return text + "\x00\ud800"


async def test_what_it_makes_of_a_text_can_be_stored():
    install(f"{HERE}:unclean")
    passed = await guard("I live in Porto.")
    assert passed is not None
    assert passed.startswith("I live in Porto.")
    assert "\x00" not in passed
    passed.encode()


async def test_without_one_every_text_passes_as_it_is():
    text = "I live in Porto."
    assert await guard(text) is text


@pytest.mark.parametrize("path", ["no.such.module:f", f"{HERE}:missing", f"{HERE}:NOT_A_FUNCTION"])
def test_one_that_is_not_there_is_refused_at_the_start(path):
    with pytest.raises(StartupError, match=f"GUARD={path}"):
        install(path)


@pytest.mark.parametrize("name", ["later", "LATER"])
def test_one_that_is_async_is_refused_at_the_start(name):
    with pytest.raises(StartupError, match="plain def"):
        install(f"{HERE}:{name}")


async def test_one_that_takes_its_time_holds_up_nobody():
    install(f"{HERE}:patient")
    asyncio.get_running_loop().call_soon(others_went_on.set)
    assert await guard("I live in Porto.") == "I live in Porto."


async def test_what_is_no_text_is_not_stored():
    install(f"{HERE}:odd")
    assert await guard("I live in Porto.") is None


async def test_one_that_fails_lets_nothing_pass_and_its_words_stay_out_of_the_log(caplog):
    install(f"{HERE}:broken")
    assert await guard("my secret") is None
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


async def test_memories_are_stored_as_it_lets_them_pass(database):
    install(f"{HERE}:hide_porto")
    await tell(database, "I live in Porto.", "Remember that I work at a nuclear plant.")
    [found] = await kept(database)
    assert "[a city]" in found.text
    assert (found.triple, "porto" in found.tags) == (None, False)


async def offered(database, text: str, triple: Triple, *tags: str) -> Memory:
    done = await keep(database, Caller(ADA), Offer("fact", text, tags=tags, triple=triple), scopes=lambda _: "agent")
    [found] = [each for each in await kept(database) if each.memory_id == done.memory_id]
    return found


async def test_what_tools_offer_beside_a_text_does_not_pass_it_by(database):
    install(f"{HERE}:hide_porto")
    porto, oslo = (Triple("user", "lives in", city) for city in ("Porto", "Oslo"))
    rewritten = await offered(database, "The user lives in Porto now.", porto, "by the sea")
    assert (rewritten.text, rewritten.triple, rewritten.fact_key) == ("The user lives in [a city] now.", None, None)
    assert {"porto", "by the sea"}.isdisjoint(rewritten.tags)
    beside = await offered(database, "The user has moved to the coast.", porto, "Porto", "nuclear", "coast")
    assert (beside.triple, beside.tags[0]) == (None, "coast")
    assert {"Porto", "nuclear"}.isdisjoint(beside.tags)
    harmless = await offered(database, "The user has a flat in Oslo.", oslo, "flat")
    assert (harmless.triple.object, harmless.tags[0]) == ("Oslo", "flat")


async def test_an_agents_notes_pass_it_and_a_persons_own_do_not(database):
    install(f"{HERE}:hide_porto")
    context = ToolContext(database, ADA, "assistant", "session", await begin_turn(database, ADA), 1, False)
    for said, is_error in (("Lives in Porto.", False), ("Works at a nuclear plant.", True)):
        done = await manage_long_term_memory.run(context, ManageLTMInput(operation="append", content=said))
        assert (done.is_error, "guard" in done.text) == (is_error, is_error)
    page = await notebook.read(database, ADA, "assistant")
    assert page.notes == "Lives in [a city]."
    own = await notebook.overwrite(database, ADA, "assistant", "My nuclear notes.", if_version=page.version)
    assert own.notes == "My nuclear notes."


@pytest.mark.parametrize(
    ("said", "title"), [("Life in Porto", "Life in [a city]"), ("My nuclear plant", "Where do I live?")]
)
async def test_a_models_title_passes_it(database, said, title):
    install(f"{HERE}:hide_porto")
    session_id, turn_id = await finished_turn(database, ADA, "Where do I live?")

    async def model_of(_: str) -> FakeListChatModel:
        return FakeListChatModel(responses=[said])

    await give_title(database, ADA, turn_id, model_of)
    assert await title_of(database, ADA, session_id) == title


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
