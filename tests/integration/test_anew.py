"""What was recalled, or answered, is not learned again, however it comes back."""

import time
import uuid

import pytest

from chatServer.conversation.quote import MEMORIES_PREFIX
from chatServer.memory.remember.anew import said_anew
from chatServer.messages.fence import fence
from chatServer.records import new_id
from chatServer.work.after_turn import Workshop
from tests.conftest import ADA
from tests.tools.remembering import kept, tell, texts
from tests.tools.talking import talking

TOLD = "I live in Oslo. My name is Eve. Remember that I like eels."
QUOTED = fence("memories", TOLD)
REPEATS = {"match": "(?s)^.*$", "reply": "{system}\n{messages}"}
FACTS = ["I live in Berlin.", "My name is Ada.", "My dog is called Rex.", "I prefer tea.", "Always answer in German."]
QUESTIONS = ["Where do I live?", "What is my name?", "What is my dog called?", "What do I prefer to drink?"]


@pytest.mark.parametrize(
    "brought_back",
    [
        QUOTED,
        f"{MEMORIES_PREFIX}\n\n{QUOTED}",
        QUOTED.replace("\n", " "),
        QUOTED.replace("\n", "\r\n"),
        QUOTED.upper().replace(TOLD.upper(), TOLD),
        fence("articles", QUOTED),
        f"- (remembered, 2026-11-15) {TOLD}\n* (I said, 2026-11-15, in “Home”) {TOLD}\n> - (Ada, 2026-11-15) {TOLD}",
        f"From memory (remembered, 2026-11-15): “{TOLD}”",
    ],
)
async def test_what_was_recalled_is_never_learned_again(database, brought_back):
    await tell(database, f"{brought_back}\nI live in Berlin.", answer="You live in Rome. My name is Bot. I like you.")
    assert await texts(database, ever=True) == ["The user lives in Berlin."]
    await tell(database, f"I live in Berlin.\n{brought_back}")
    await tell(database, brought_back)
    assert await texts(database, ever=True) == ["The user lives in Berlin."]


async def test_an_answer_that_is_pasted_back_is_not_what_the_user_says(database):
    session_id = str(uuid.uuid4())
    answer = "Of course!\nMy name is Bot and I live in Oslo.\nI prefer short answers."
    await tell(database, "Who are you?", answer=answer, session_id=session_id)
    quoted = "\n".join(f"> {line}" for line in answer.splitlines())
    await tell(database, answer, quoted, f"{answer}\nI live in Berlin.", session_id=session_id)
    assert await texts(database, ever=True) == ["The user lives in Berlin."]


def test_what_only_looks_like_a_block_stays():
    said = "I write <summary> in HTML. I live in Berlin.\nAnd </memories> too, (since 2026-01-01)."
    assert said_anew(said) == said
    assert said_anew("I live in Berlin.\n<memories>\nI live in Oslo.") == "I live in Berlin.", "cut off while copying"
    assert said_anew("ok", ["ok"]) == "ok", "too short to be anybody's"


@pytest.mark.parametrize(
    "junk",
    ["<memories>" * 10_000, "<memories>\n" * 9_000, "(" * 100_000, "\n" * 100_000, "> (a, " * 20_000, "İ" * 50_000],
)
def test_junk_is_read_in_no_time(junk):
    began = time.process_time()
    said_anew(junk, [junk])
    assert time.process_time() - began < 0.5


@pytest.mark.timeout(600)
@pytest.mark.parametrize("turns", [50, pytest.param(500, marks=pytest.mark.long)])
async def test_turns_of_recall_never_learn_recalled_text(database, settings, as_ada, turns):
    """The model says back its whole prompt, with the memories in it, and now and then the user does so too."""

    async def no_model(_: str) -> None:
        return None

    workshop = Workshop(database, no_model)
    quotes = 0
    async with talking(settings, as_ada, REPEATS) as client:

        async def ask(text: str) -> str:
            body = {"message": text, "session_id": str(new_id())}
            answer = (await client.post("/api/chat", json=body)).json()
            await workshop.after_turn(str(ADA.user_id), answer["turn_id"])
            return answer["response"]

        for fact in FACTS:
            await ask(fact)
        before = {each.memory_id: each.text for each in await kept(database, ever=True)}
        assert len(before) == len(FACTS)
        for number in range(turns):
            answer = await ask(QUESTIONS[number % len(QUESTIONS)])
            quotes += "</memories>" in answer
            if number % 5 == 4:
                await ask(answer)
    assert quotes == turns, "the model was given what is remembered"
    after = await kept(database, ever=True)
    assert {each.memory_id: each.text for each in after} == before
    assert not any(mark in each.text for each in after for mark in ("<", ">", MEMORIES_PREFIX[:20], "remembered,"))
    assert max(each.recalls for each in after) >= turns // len(QUESTIONS)
