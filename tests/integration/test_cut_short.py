"""An answer that ended before all of it was said says so, wherever it is read: streamed, whole, or later."""

import psycopg

from tests.tools.talking import chunks, talking

STREAM = {"Accept": "text/event-stream"}


def finish_in(text: str) -> dict:
    return next(each for each in chunks(text) if each["type"] == "finish")["messageMetadata"]


async def test_who_reads_an_answer_learns_that_it_was_cut_short(settings, as_ada, urls):
    rule = {"match": "^tell", "reply": "Once upon a", "cut_short": "length"}
    ask = {"json": {"message": "tell me", "session_id": "s"}}
    key = {"Idempotency-Key": "k"}
    async with talking(settings, as_ada, rule) as client:
        streamed = finish_in((await client.post("/api/chat", **ask, headers=STREAM | key)).text)
        assert (streamed["state"], streamed["cut_short"]) == ("done", "length")
        whole = (await client.post("/api/chat", **ask, headers=key)).json()
        assert whole["message"]["metadata"]["cut_short"] == "length"
        _, listed = (await client.get("/api/sessions/s/messages")).json()["messages"]
        assert listed["metadata"]["cut_short"] == "length"
        with psycopg.connect(urls.owner) as connection:
            connection.execute("delete from chat.turn_events")
        assert finish_in((await client.post("/api/chat", **ask, headers=STREAM | key)).text) == streamed


async def test_an_answer_that_is_whole_says_nothing_of_it(settings, as_ada):
    async with talking(settings, as_ada) as client:
        answer = await client.post("/api/chat", json={"message": "tell me", "session_id": "s"}, headers=STREAM)
        assert "cut_short" not in finish_in(answer.text)
        _, listed = (await client.get("/api/sessions/s/messages")).json()["messages"]
        assert "cut_short" not in listed["metadata"]
