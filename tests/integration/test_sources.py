"""Answers that are made from articles, over HTTP: what is said, which sources are named, and what is gone with them."""

import json
import uuid
from pathlib import Path

import pytest

from chatServer.records import NOBODY
from tests.conftest import ADA, EVE, bearer, owner_connection, serving
from tests.tools.shelved import delete_article, put_article
from tests.tools.talking import chunks, spoken, talking, user_message, with_script

PUMP = ["The Zephyr pump moves forty litres a minute. ", "Its warranty lasts three years. ", "Clean it every month."]
ROOF = ["The roof of the barn is made of slate. ", "It was laid in 1911."]
QUESTION = "How long does the warranty last?"
ANSWER = "From the documents (Manual, pump.pdf): “Its warranty lasts three years.”"
UNSAY = """
update public.chat_message_history set message = jsonb_set(message, '{data,content}', '"x"')
where message->>'type' = 'ai' and message #>> '{data,content}' <> ''"""
LOOK = {
    "match": "^Look for (.+)",
    "tool_calls": [{"name": "retrieve_context", "args": {"query": "{1}"}}],
    "then": "{messages}",
}


async def shelve(urls, who=ADA) -> tuple[uuid.UUID, uuid.UUID]:
    pump = await put_article(
        urls.owner, who.user_id, "pump.pdf", PUMP, title="Manual", pages=[1, 2, 3], media_type="application/pdf"
    )
    return pump, await put_article(urls.owner, who.user_id, "barn.md", ROOF)


@pytest.fixture
async def client(settings, as_ada):
    async with serving(settings) as opened:
        opened.headers.update(as_ada)
        yield opened


async def ask(client, message: str, **body) -> dict:
    answer = await client.post("/api/chat", json={"message": message, "session_id": str(uuid.uuid4()), **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_builtin_answers_with_the_sentence_and_its_source_until_the_article_is_deleted(client, urls):
    pump, _ = await shelve(urls)
    session = str(uuid.uuid4())
    told = await ask(client, QUESTION, session_id=session)
    assert told["response"] == ANSWER
    roof = await ask(client, "What is the roof of the barn made of?", session_id=session)
    assert roof["response"] == "From the documents (barn.md): “The roof of the barn is made of slate.”"
    delete_article(urls.owner, pump)
    for where in (session, str(uuid.uuid4())):
        assert "three years" not in (await ask(client, QUESTION, session_id=where))["response"]


async def test_in_a_long_session_builtin_does_not_quote_an_article_out_of_its_own_answers(client, urls):
    pump, _ = await shelve(urls)
    session = str(uuid.uuid4())
    assert (await ask(client, QUESTION, session_id=session))["response"] == ANSWER
    for n in range(10):  # until that answer has left the window, and only the summary knows it
        await ask(client, f"My number {n} is {n * 7}.", session_id=session)
    with owner_connection(urls.owner) as owner:
        [[summary]] = owner.execute("select summary from chat.summaries").fetchall()
    assert "How long does the warranty last?" in summary
    assert "three years" not in summary
    delete_article(urls.owner, pump)
    await put_article(urls.owner, ADA.user_id, "pump.pdf", ["Its warranty lasts five years. "], title="Manual")
    told = await ask(client, QUESTION, session_id=session)
    assert told["response"] == "From the documents (Manual, pump.pdf): “Its warranty lasts five years.”"


async def test_builtin_answers_so_in_german_and_russian(client, urls):
    await put_article(urls.owner, ADA.user_id, "pumpe.txt", ["Die Garantie der Pumpe dauert drei Jahre. Sie ist rot."])
    await put_article(urls.owner, ADA.user_id, "насос.txt", ["Гарантия на насос действует три года. Он синий."])
    german = await ask(client, "Wie lange ist die Garantie der Pumpe?")
    assert german["response"] == "Aus den Dokumenten (pumpe.txt): “Die Garantie der Pumpe dauert drei Jahre.”"
    russian = await ask(client, "Сколько лет действует гарантия на насос?")
    assert russian["response"] == "Из документов (насос.txt): “Гарантия на насос действует три года.”"


async def test_what_notes_say_is_answered_without_looking_further(client, urls):
    await shelve(urls)
    await ask(client, "Remember that the warranty of the Zephyr pump is over")
    told = await ask(client, "Is the warranty of the Zephyr pump over?")
    assert told["response"].startswith("From your notes")
    assert "sources" not in told["message"]["metadata"]
    assert (await ask(client, "I live in Berlin."))["response"] == "Thank you, I will remember that."


async def test_builtin_says_which_articles_there_are_ones_own_and_everybodys(client, urls):
    asking = "Which documents do you have?"
    assert (await ask(client, asking))["response"].startswith("I have no documents to look into.")
    await shelve(urls)
    await put_article(urls.owner, NOBODY.user_id, "all.txt", ["For everybody."])
    await put_article(urls.owner, EVE.user_id, "hers.txt", ["For Eve."])
    first, *names = (await ask(client, asking))["response"].splitlines()
    assert first == "I can look into these documents:"
    assert sorted(names) == ["- Manual, pump.pdf", "- all.txt", "- barn.md"]


async def test_where_nothing_is_found_it_is_said_where_that_was(client, urls):
    await put_article(urls.owner, ADA.user_id, "barn.md", ["It was laid in 1911."], has_vectors=False)
    await put_article(urls.owner, ADA.user_id, "pump.md", ["Clean it."], title="Manual", has_vectors=False)
    told = (await ask(client, "Who invented the telescope?"))["response"]
    where = told.partition("I looked in: ")[2].partition(". I am the built-in responder")[0]
    assert sorted(where.split("; ")) == ["Manual, pump.md", "barn.md"]
    assert "MODEL_API_KEY" in told
    assert "sources" not in (await ask(client, "Who invented the telescope?"))["message"]["metadata"]
    assert (await ask(client, "The weather is nice today"))["response"] == "Thank you for telling me."


async def test_sources_are_named_in_the_answer_the_stream_and_the_transcript(client, urls):
    pump, _ = await shelve(urls)
    session = str(uuid.uuid4())
    told = await ask(client, QUESTION, session_id=session)
    source = {"article_id": str(pump), "title": "Manual", "name": "pump.pdf", "media_type": "application/pdf"}
    source |= {"tokens": 24, "is_whole": True, "quoted": True}
    part = {"type": "source-document", "sourceId": str(pump), "mediaType": "application/pdf", "title": "Manual"}
    part |= {"filename": "pump.pdf"}
    assert told["message"]["metadata"]["sources"] == [source]
    assert part in told["message"]["parts"]
    listed = (await client.get(f"/api/sessions/{session}/messages")).json()["messages"][-1]
    assert (listed["parts"], listed["metadata"]["sources"]) == (told["message"]["parts"], [source])
    assert "three years" not in json.dumps([each for each in listed["parts"] if each["type"] != "text"])
    body = {"id": str(uuid.uuid4()), "message": user_message(QUESTION)}
    stream = (await client.post("/api/chat", json=body)).text
    assert [chunk for chunk in chunks(stream) if chunk["type"] == "source-document"] == [part]
    assert chunks(stream)[-1]["messageMetadata"]["sources"] == [source]
    assert spoken(stream) == ANSWER


async def test_of_the_sources_builtin_marks_those_that_it_quotes_and_names_them_first(client, urls):
    await put_article(urls.owner, ADA.user_id, "best.txt", ["Warranty, warranty, warranty! Does it last?"])
    await shelve(urls)
    session = str(uuid.uuid4())
    told = (await ask(client, QUESTION, session_id=session))["message"]["metadata"]["sources"]
    assert [(each["name"], each["quoted"]) for each in told] == [("pump.pdf", True), ("best.txt", False)]
    listed = (await client.get(f"/api/sessions/{session}/messages")).json()["messages"][-1]
    assert listed["metadata"]["sources"] == told


async def test_sources_are_told_again_when_the_log_is_gone(client, urls):
    await shelve(urls)
    body = {"id": str(uuid.uuid4()), "message": user_message(QUESTION)}
    first = (await client.post("/api/chat", json=body)).text
    with owner_connection(urls.owner) as owner:
        owner.execute("delete from chat.turn_events")
    again = (await client.post("/api/chat", json=body)).text
    for heard in (first, again):
        kinds = [chunk["type"] for chunk in chunks(heard)]
        assert kinds.index("tool-output-available") < kinds.index("source-document") < kinds.index("text-start")
    assert chunks(first)[-1]["messageMetadata"]["sources"] == chunks(again)[-1]["messageMetadata"]["sources"]


async def test_a_later_prompt_holds_no_text_of_an_article(settings, as_ada, urls):
    await shelve(urls)
    async with talking(settings, as_ada, LOOK, {"match": "^recite", "reply": "{messages}"}) as client:
        session = str(uuid.uuid4())
        assert "three years" in (await ask(client, "Look for the warranty of the pump", session_id=session))["response"]
        with owner_connection(urls.owner) as owner:  # what the model itself said of it is the conversation's
            owner.execute(UNSAY)
            stored = owner.execute("select string_agg(message::text, ' ') from public.chat_message_history").fetchone()
        assert "three years" not in stored[0]
        prompt = (await ask(client, "recite", session_id=session))["response"]
    assert "Manual, pump.pdf" in prompt
    assert "three years" not in prompt


async def test_the_tool_is_offered_to_whoever_has_articles_and_to_nobody_else(settings, urls):
    rule = {"match": "^Look", "tool_calls": [{"name": "retrieve_context", "args": {"query": "warranty"}}]}
    async with serving(with_script(settings, rule)) as client:

        async def offered(who) -> bool:
            client.headers.update(bearer(settings, who.user_id))
            return "There is no tool retrieve_context" not in (await ask(client, "Look"))["response"]

        assert not await offered(ADA)
        await shelve(urls)
        assert await offered(ADA)
        assert not await offered(EVE)
        await put_article(urls.owner, NOBODY.user_id, "all.txt", ["For everybody."])
        assert await offered(EVE)


def beginning_with(settings, name: str, **more) -> Path:
    folder = settings.chat_data_dir / "agents"
    folder.mkdir(exist_ok=True)
    agent = {"name": "assistant", "description": "d", "prompt": "p\n{long_term_memory_notes}", **more}
    agent |= {"tools": ["retrieve_context", "manage_long_term_memory"], "tool_choice": f"first:{name}"}
    (folder / "assistant.yaml").write_text(json.dumps(agent))
    return folder


@pytest.mark.parametrize("middleware", [[], ["pii"]])
async def test_an_agent_can_have_to_look_first(settings, as_ada, urls, middleware):
    await shelve(urls)
    folder = beginning_with(settings, "retrieve_context", middleware=middleware)
    async with talking(settings, as_ada, agents_dir=folder) as client:
        told = await ask(client, "the warranty")
        assert told["response"] == "You said: the warranty"
        assert [each["name"] for each in told["message"]["metadata"]["sources"]] == ["pump.pdf"]
    async with serving(settings.model_copy(update={"agents_dir": folder})) as client:
        client.headers.update(as_ada)
        told = await ask(client, "Remember that the warranty matters")
        assert told["response"] == "Noted: the warranty matters"
        tools = [part["toolName"] for part in told["message"]["parts"] if part["type"] == "dynamic-tool"]
        assert tools == ["retrieve_context", "manage_long_term_memory"]
        client.headers.update(bearer(settings, EVE.user_id))
        assert (await ask(client, "Remember that I have no articles"))["response"].startswith("Noted")


async def test_what_the_preview_says_fits_is_answered_though_looking_first_takes_the_rest(settings, as_ada, urls):
    await shelve(urls)
    small = {"window": {"messages": 10, "tokens": 1_200}, "limits": {"output_tokens": 100}}
    folder = beginning_with(settings, "retrieve_context", **small)
    async with talking(settings, as_ada, agents_dir=folder) as client:
        for words in (150, 200, 230):
            message = ("word " * words).strip()
            seen = (await client.post("/api/context/preview", json={"message": message})).json()
            assert seen["fits"]
            assert (await ask(client, message))["response"] == f"You said: {message}"
        used = (await client.get("/api/usage")).json()
        message = "word " * 1_000
        assert not (await client.post("/api/context/preview", json={"message": message})).json()["fits"]
        refused = await client.post("/api/chat", json={"message": message})
        assert (refused.status_code, refused.json()["code"]) == (422, "context_too_large")
        assert (await client.get("/api/usage")).json() == used, "refused before anything is spent"
