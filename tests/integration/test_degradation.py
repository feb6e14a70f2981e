"""What goes wrong around a turn has its answer, its last event and its number; docs/reliability.md lists them."""

import asyncio
import contextlib

import psycopg
import pytest
from pydantic import SecretStr

from chatServer.agent import model_errors
from chatServer.store.pipeline import Pipeline
from chatServer.turn import record
from tests.conftest import owner_connection, rows, serving
from tests.tools.counted import counted
from tests.tools.talking import chunks, spoken, talking, user_message

FULL = """
create function public.is_full() returns trigger language plpgsql as
$$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
create trigger is_full before insert on public.chat_message_history for each row {when} execute function is_full();
"""
WHEN_IT_ANSWERS = "when (new.message->>'type' = 'ai')"


@pytest.mark.parametrize(
    ("mode", "status", "code", "retries", "says"),
    [
        ("500", 502, "model_failed", 1, "in trouble"),
        ("429", 502, "model_failed", 1, "takes no more requests"),
        ("401", 502, "model_failed", 0, "refuses our key. Whoever runs this server must correct it (MODEL_API_KEY"),
        ("garbage", 502, "model_failed", 0, "Try again"),
        ("breaks", 502, "model_failed", 0, "Try again"),
        ("silent", 502, "model_failed", 0, "answered with nothing"),
        ("stalls", 504, "model_timeout", 0, "did not answer in time"),
        ("down", 502, "model_failed", 1, "cannot be reached"),
    ],
)
async def test_what_a_provider_does_wrong(settings, as_ada, provider, monkeypatch, mode, status, code, retries, says):
    monkeypatch.setattr(model_errors, "RETRY_AFTER_S", 0.01)
    address = "http://127.0.0.1:9/v1" if mode == "down" else provider.base_url
    wrong = {
        "model": f"openai:{mode}",
        "model_base_url": address,
        "model_api_key": SecretStr("k"),
        "model_timeout_s": 2,
    }
    before = counted("chat_turns_failed_total", code=code), counted("chat_model_retries_total")
    async with serving(settings.model_copy(update=wrong)) as client:
        client.headers.update(as_ada)
        answer = await client.post("/api/chat", json={"message": "hello", "session_id": "json"})
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert says in answer.json()["detail"]
        shown = (await client.get("/api/sessions/json/messages")).json()["messages"]
        took = [message["metadata"]["usage"]["input_tokens"] for message in shown if message["role"] == "assistant"]
        assert all(took) if mode in ("breaks", "stalls") else not any(took), "who refuses takes nothing"
        stream = await client.post("/api/chat", json={"id": "stream", "message": user_message("hello")})
        assert stream.status_code == 200, "it had begun before anything went wrong"
        assert chunks(stream.text)[-1]["type"] == "error"
        assert says in chunks(stream.text)[-1]["errorText"]
        assert stream.text.endswith("data: [DONE]\n\n")
    assert counted("chat_turns_failed_total", code=code) - before[0] == 2
    assert counted("chat_model_retries_total") - before[1] == 2 * retries


@contextlib.contextmanager
def a_full_disk(urls, when: str = ""):
    """What Postgres says when it cannot write."""
    with owner_connection(urls.owner) as connection:
        connection.execute(FULL.format(when=when))
        try:
            yield
        finally:
            connection.execute("drop function if exists public.is_full cascade")


async def test_a_database_that_is_full_refuses_and_loses_nothing(settings, as_ada, urls):
    before = counted("chat_database_unavailable_total")
    ask = {"json": {"message": "hello", "session_id": "s"}, "headers": {"Idempotency-Key": "k"}}
    async with talking(settings, as_ada) as client:
        with a_full_disk(urls):
            refused = await client.post("/api/chat", **ask)
            assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
            assert refused.headers["Retry-After"] == "2"
            assert (await client.get("/api/sessions")).json()["sessions"] == [], "reading goes on, and nothing is left"
        assert (await client.post("/api/chat", **ask)).json()["response"] == "You said: hello"
    assert counted("chat_database_unavailable_total") > before


async def test_an_answer_waits_for_a_database_that_is_full_for_a_while(settings, as_ada, urls):
    async with talking(settings, as_ada) as client:
        with a_full_disk(urls, WHEN_IT_ANSWERS):
            asked = asyncio.create_task(client.post("/api/chat", json={"message": "hello", "session_id": "s"}))
            await asyncio.sleep(0.5)
            assert not asked.done()
        answer = (await asked).json()
        assert (answer["state"], answer["response"]) == ("done", "You said: hello")
        shown = (await client.get("/api/sessions/s/messages")).json()["messages"]
    assert [message["role"] for message in shown] == ["user", "assistant"]


@pytest.mark.parametrize(("is_end", "times"), [(False, 1), (False, 99), (True, 1)])
async def test_what_was_committed_without_an_answer_is_there_once(settings, as_ada, urls, monkeypatch, is_end, times):
    """The connection is lost behind COMMIT: of the log's first batch, of each, or of the first try to store the end."""
    commit, lost = Pipeline.commit, []

    async def unanswered(pipeline: Pipeline) -> None:
        sent = b" ".join(each.query for each in pipeline._waiting)
        await commit(pipeline)
        if b"turn_events" in sent and (b"still_counts" in sent) == is_end and len(lost) < times:
            lost.append(sent)
            raise psycopg.OperationalError("the connection was lost")

    monkeypatch.setattr(Pipeline, "commit", unanswered)
    words = " ".join(f"word{number}" for number in range(20))
    async with talking(settings, as_ada, {"match": "^slowly", "reply": words, "delay_ms": 40}) as client:
        whole = await client.post("/api/chat", json={"id": "s", "message": user_message("slowly")})
        assert lost
        again = await client.post("/api/chat", json={"id": "s", "message": user_message("slowly")})
    assert (spoken(whole.text), chunks(whole.text)[-1]["type"]) == (words, "finish")
    assert rows(urls, "select state, attempt from chat.turns") == [("done", 1)]
    assert rows(urls, "select turns from chat.usage_daily") == [(1,)]
    assert spoken(again.text) == words
    if times == 1:
        assert len(rows(urls, "select 1 from chat.turn_events")) > 1, "the log went on while the answer was said"


async def test_an_answer_that_cannot_be_stored_is_said_not_to_be(settings, as_ada, urls, monkeypatch):
    monkeypatch.setattr(record, "STORE_AFTER_S", (0.0, 0.05))
    before = counted("chat_turn_seconds_count", state="unstored")
    body = {"id": "s", "message": user_message("hello")}
    async with talking(settings, as_ada) as client:
        with a_full_disk(urls, WHEN_IT_ANSWERS):
            stream = await client.post("/api/chat", json=body)
            assert chunks(stream.text)[-1]["type"] == "error"
        with owner_connection(urls.owner) as connection:
            assert connection.execute("select state from chat.turns").fetchall() == [("running",)]
            connection.execute("update chat.turns set lease_until = now() - interval '1 s'")  # time passes
        again = await client.post("/api/chat", json=body)
        assert chunks(again.text)[-1]["type"] == "finish", "the same question again is another attempt"
    assert counted("chat_turn_seconds_count", state="unstored") - before == 1


async def test_a_database_that_is_slow_is_given_up_on_and_nothing_is_left(settings, as_ada, urls):
    async with talking(settings, as_ada, database_statement_timeout_ms=300) as client:
        with owner_connection(urls.owner) as connection, connection.transaction():
            connection.execute("lock table chat.turns in access exclusive mode")
            slow = await client.post("/api/chat", json={"message": "hello", "session_id": "s"})
            assert (slow.status_code, slow.json()["code"]) == (503, "database_unavailable")
        assert (await client.get("/api/sessions")).json()["sessions"] == []
        assert (await client.post("/api/chat", json={"message": "hello", "session_id": "s"})).status_code == 200


async def test_an_export_that_cannot_begin_says_so_instead_of_breaking_off(settings, as_ada, urls):
    async with talking(settings, as_ada, database_statement_timeout_ms=300) as client:
        with owner_connection(urls.owner) as connection, connection.transaction():
            connection.execute("lock table chat.sessions in access exclusive mode")
            refused = await client.get("/api/account/export")
            assert (refused.status_code, refused.json()["code"]) == (503, "database_unavailable")
        assert (await client.get("/api/account/export")).json()["sessions"] == []
