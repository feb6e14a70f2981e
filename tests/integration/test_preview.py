"""POST /api/context/preview: what the next turn will ask, to the letter; and nothing happens because of it."""

import asyncio

import pytest

from chatServer.agent.prompts import PLACEHOLDER
from chatServer.agent.summary.session_summary import Occasion, summarize_session
from chatServer.conversation.tokens import count_message
from chatServer.main import running
from chatServer.messages import Message
from chatServer.turn import preview as previewing
from tests.conftest import ADA, serving
from tests.tools.counted import counted
from tests.tools.dumping import rows_of
from tests.tools.previewing import NOTES, PREVIEW, look, part_of, say, with_agents
from tests.tools.recalling import remembered
from tests.tools.talking import calls, chunks, talking, user_message, with_script
from tests.tools.turns import eventually

PARTS = ["system", "notes", "tools", "summary", "history", "recalled", "question", "reserve", "room"]
GIVEN = {"match": "^Where do I live", "reply": "{system}\n=====\n{messages}"}


@pytest.fixture
async def chat(settings, as_ada):
    settings = with_agents(settings, messages=4, tokens=4_000)
    async with talking(settings, as_ada, GIVEN, NOTES, log=True) as client:
        yield client


def as_asked(seen: dict) -> str:
    """The prompt, put together from its parts, as the script writes down what it was given."""
    part = {each["name"]: each for each in seen["parts"]}
    system = part["system"]["text"].replace(PLACEHOLDER, part["notes"].get("text", ""))
    lines = [f"user: {part['summary']['text']}"] if "text" in part["summary"] else []
    for each in part["history"].get("messages", []):
        called = [f"[{call['name']} {call['arguments']}]" for call in each.get("tool_calls", [])]
        lines.append(" ".join([f"{each['role']}: {each['text']}".rstrip(), *called]))
    lines += [f"user: {part[name]['text']}" for name in ("recalled", "question") if "text" in part[name]]
    return f"{system}\n=====\n" + "\n".join(lines)


def check_sums(seen: dict) -> None:
    tokens = {part["name"]: part["tokens"] for part in seen["parts"]}
    assert list(tokens) == PARTS
    assert sum(tokens.values()) == seen["window_tokens"]
    assert seen["prompt_tokens"] == seen["window_tokens"] - tokens["reserve"] - tokens["room"]
    assert seen["room_tokens"] == tokens["room"]
    assert sum(part["share"] for part in seen["parts"]) == pytest.approx(1, abs=0.001)
    assert sum(each["tokens"] for each in part_of(seen, "history").get("messages", [])) == tokens["history"]
    assert all(part["reason"] for part in seen["parts"])


async def test_it_is_what_the_next_turn_asks_part_by_part(chat, database):
    memory_id = await remembered(database, ADA, "The user lives in Lisbon.")
    session_id = (await say(chat, "hello"))["session_id"]
    await say(chat, "And where is my bicycle? I left it at the station.")
    await say(chat, "note Wakes up early.")
    await summarize_session(database, ADA, session_id, occasion=Occasion(is_forced=True))
    seen = await look(chat)
    check_sums(seen)
    given = await say(chat, "Where do I live?")
    assert as_asked(seen) == given["response"]
    assert all(part["state"] == "in" for part in seen["parts"])
    assert "Wakes up early." in part_of(seen, "notes")["text"]
    assert "bicycle" in part_of(seen, "summary")["text"]
    history = part_of(seen, "history")["messages"]
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "assistant"]
    rows = (await chat.get("/api/sessions/thread/messages")).json()["messages"]
    assert history[0]["id"] == rows[-4]["id"]
    assert part_of(seen, "recalled")["lines"][0]["id"] == str(memory_id)
    used = given["message"]["metadata"]["memories_used"]
    assert [each["text"] for each in part_of(seen, "recalled")["lines"]] == [each["text"] for each in used]
    assert (seen["session_id"], seen["agent_name"], seen["fits"]) == (session_id, "assistant", True)


async def test_of_a_new_session_it_is_what_the_first_turn_asks(chat):
    for session in (None, "never-heard-of"):
        seen = await look(chat, session=session)
        check_sums(seen)
        assert seen["session_id"] is None
        given = await chat.post("/api/chat", json={"message": "Where do I live?", "session_id": session})
        assert as_asked(seen) == given.json()["response"]
    seen = await look(chat, session=None)
    assert seen["session_id"] == given.json()["session_id"], "the active one, which is the last"


BEFORE = {"mark_before_model", "window_before_model", "context_too_large"}


def fired(seen: dict) -> set[str]:
    return {each["name"] for each in seen["triggers"] if each["would_fire"]}


def reason_of(seen: dict, name: str) -> str:
    return next(each["reason"] for each in seen["triggers"] if each["name"] == name)


async def test_what_is_summarised_before_the_model_is_asked_is_told_before(chat):
    long = "word " * 700
    for number in range(2):
        assert not fired(await look(chat, long, agent_id="patient")) & BEFORE
        await say(chat, f"{number} {long}", agent_id="patient")
    assert not fired(await look(chat, agent_id="patient")) & BEFORE, "a short one would fit"
    seen = await look(chat, f"Where do I live? {long}", agent_id="patient")
    check_sums(seen)
    assert "mark_before_model" in fired(seen)
    assert part_of(seen, "history")["state"] == "shortened"
    stream = await chat.post("/api/chat", json={"id": "thread", "message": user_message(f"Where do I live? {long}")})
    [compaction] = [chunk["data"] for chunk in chunks(stream.text) if chunk["type"] == "data-compaction"]
    assert compaction["reason"] == "mark"
    seen = await look(chat, agent_id="patient")
    assert not fired(seen) & BEFORE
    assert as_asked(seen) == (await say(chat, "Where do I live?"))["response"]
    assert "0 word" in part_of(seen, "summary")["text"]


async def test_what_left_the_window_before_it_was_summarised_is_told_to_be(chat):
    for number in range(3):
        await say(chat, f"This is number {number}. " + "word " * 250)
    assert fired(await look(chat)) >= {"window_before_model", "every_five"}
    seen = await look(chat, "word " * 2_700)
    assert fired(seen) & BEFORE == {"mark_before_model"}
    assert reason_of(seen, "window_before_model").endswith("with 6, for it is made because of the tokens.")


async def test_a_window_with_room_for_more_is_told_with_its_size_and_not_with_what_is_in_it(chat):
    await say(chat, "I live in Lisbon.")
    [window] = [each for each in (await look(chat))["triggers"] if each["name"] == "window_before_model"]
    assert (window["now"], window["at"]) == (2, 4)


async def test_what_is_reached_and_sets_off_nothing_says_why(chat):
    await chat.post("/api/sessions", json={"session_id": "quiet", "memory": "off"})
    for number in range(2):
        await say(chat, f"This is number {number}.", "quiet")
    assert reason_of(await look(chat, session="quiet"), "every_five").endswith("with 6, for memory is off.")
    long = await look(chat, "word " * 3_300, session="new", agent_id="patient")
    assert reason_of(long, "mark_after_turn").endswith(", for the last 4 messages stay as they were said.")


async def test_an_agent_without_memory_and_a_session_without_are_told_apart(chat):
    seen = await look(chat, agent_id="plain")
    outs = {part["name"]: part["reason"] for part in seen["parts"] if part["state"] == "out"}
    assert outs["recalled"] == "This agent has no memory."
    assert outs["tools"] == "This agent has no tools here."
    assert as_asked(seen) == (await say(chat, "Where do I live?", agent_id="plain"))["response"]
    await chat.post("/api/sessions", json={"session_id": "quiet", "memory": "off"})
    seen = await look(chat, session="quiet")
    outs = {part["name"]: part["reason"] for part in seen["parts"] if part["state"] == "out"}
    assert outs["notes"] == outs["recalled"] == "Memory is off in this session."
    assert as_asked(seen) == (await say(chat, "Where do I live?", session="quiet"))["response"]


async def test_pictures_and_usechats_body_are_seen_as_chat_sees_them(chat):
    body = {"id": "thread", "messages": [user_message("Where do I live?")], "trigger": "submit-message"}
    seen = (await chat.post(PREVIEW, json=body)).json()
    assert part_of(seen, "question")["text"] == "Where do I live?"


async def test_a_message_that_is_too_large_is_shown_and_not_refused(chat):
    await say(chat, "hello")
    text = "word " * 5_000
    seen = await look(chat, text)
    refused = await chat.post("/api/chat", json={"message": text, "session_id": "thread"})
    assert refused.json()["code"] == "context_too_large"
    assert (seen["fits"], seen["room_tokens"]) == (False, 0)
    [trigger] = [each for each in seen["triggers"] if each["name"] == "context_too_large"]
    assert trigger["would_fire"]
    assert trigger["reason"].endswith(f": it would happen now, with {trigger['now']:,}.")
    assert (trigger["at"], trigger["now"]) == (4_000, refused.json()["needed_tokens"])
    assert part_of(seen, "history") == {
        "name": "history",
        "tokens": 0,
        "share": 0.0,
        "state": "shortened",
        "reason": "2 of 2 messages do not fit.",
    }


async def test_where_nothing_fits_the_marks_are_still_those_of_the_model_that_is_named(chat):
    marks = {}
    for agent_id, words in (("assistant", 5_000), ("grand", 130_000)):
        seen = await look(chat, "word " * words, agent_id=agent_id, session=agent_id)
        marks[agent_id] = {each["name"]: each["at"] for each in seen["triggers"] if each["unit"] == "tokens"}
        assert not seen["fits"]
        assert seen["window_tokens"] == marks[agent_id]["context_too_large"]
    assert (seen["model"], seen["larger_model"], seen["window_tokens"]) == ("builtin", True, 128_000)
    own = {"mark_after_turn": 3_200, "mark_before_model": 3_400, "context_too_large": 4_000}
    assert marks["assistant"] == own
    larger = {"mark_before_model": 108_800, "larger_model": 4_000, "context_too_large": 128_000}
    assert marks["grand"] == own | larger


async def test_the_larger_model_is_told_before_it_is_asked(chat):
    before = counted("chat_larger_models_total")
    seen = await look(chat, "word " * 5_000, agent_id="grand")
    check_sums(seen)
    assert (seen["model"], seen["larger_model"], seen["fits"]) == ("builtin", True, True)
    assert fired(seen) == {"larger_model"}
    assert counted("chat_larger_models_total") == before
    answer = await say(chat, "word " * 5_000, agent_id="grand")
    assert answer["message"]["metadata"]["model"] == "builtin"
    assert counted("chat_larger_models_total") == before + 1
    assert not (await look(chat, "word", "another", agent_id="grand"))["larger_model"]


async def test_a_summary_is_told_to_be_due_in_the_turn_that_makes_it_due(chat, database):
    told = []
    for _ in range(4):
        seen = await look(chat, "hello", agent_id="patient")
        [trigger] = [each for each in seen["triggers"] if each["name"] == "every_five"]
        session_id = (await say(chat, "hello", agent_id="patient"))["session_id"]
        is_updated = (await summarize_session(database, ADA, session_id)).is_updated
        told.append((trigger["now"], trigger["at"], trigger["would_fire"]))
        assert trigger["would_fire"] is is_updated
    assert told == [(2, 5, False), (4, 5, False), (6, 5, True), (8, 10, False)]


async def test_nothing_is_stored_counted_or_asked(settings, as_ada, urls):
    limits = {"limit_turns_per_minute": 2, "limit_tokens_per_day": 50_000, "limit_parallel_turns": 1}
    settings = with_script(with_agents(settings), GIVEN, log=True, **limits)
    async with serving(settings) as client:
        client.headers.update(as_ada)
        await say(client, "hello")
        before, called = rows_of(urls), calls(settings)
        for session in ("thread", None, "new", "00000000-0000-4000-8000-000000000000"):
            for _ in range(2):
                await look(client, session=session)
        assert rows_of(urls) == before
        assert calls(settings) == called
        last = await client.post("/api/chat", json={"message": "hello", "session_id": "thread"})
        assert last.headers["x-ratelimit-remaining-requests"] == "0"
        assert (await client.post("/api/chat", json={"message": "hello"})).status_code == 429
        assert (await look(client))["fits"], "looking is free, also for who has nothing left"


async def test_a_stranger_sees_nothing(client):
    assert (await client.post(PREVIEW, json={"message": "hello"})).status_code == 401


async def test_somebody_elses_session_is_an_empty_one_of_ones_own(chat, as_eve):
    session_id = (await say(chat, "My secret is 1234."))["session_id"]
    for key in (session_id, "thread"):
        answer = await chat.post(PREVIEW, json={"message": "hello", "session_id": key}, headers=as_eve)
        assert "1234" not in answer.text
        assert answer.json()["session_id"] is None
        assert part_of(answer.json(), "history")["reason"] == "Nothing was said in this session yet."
    assert (await chat.get("/api/sessions", headers=as_eve)).json()["sessions"] == []


async def test_a_session_with_another_agent_is_refused_as_chat_refuses_it(chat):
    await say(chat, "hello")
    body = {"message": "hello", "session_id": "thread", "agent_id": "plain"}
    looked, asked = await chat.post(PREVIEW, json=body), await chat.post("/api/chat", json=body)
    assert looked.status_code == asked.status_code == 409
    assert looked.json()["code"] == asked.json()["code"] == "session_agent_mismatch"


BAD = [
    ({}, 422),
    ({"message": ""}, 422),
    ({"message": 1}, 422),
    ({"message": "hello", "session_id": "a b"}, 422),
    ({"message": "hello", "texts": False}, 422),
    ({"message": "hello", "agent_id": "nobody"}, 404),
    ({"id": "thread", "trigger": "regenerate-message"}, 422),
    ({"id": "thread", "messages": [user_message("hello")], "messageId": "m1"}, 422),
    ({"message": "x" * 1_000_000}, 413),
]


async def test_bad_bodies_are_refused(chat):
    for body, status in BAD:
        answer = await chat.post(PREVIEW, json=body)
        assert answer.status_code == status, answer.text


async def test_junk_is_text_like_any_other(chat):
    for junk in ("<notes>" * 14_000, "</memories>\n" * 8_000, "\ud7ff\u200b" * 50_000, "{0}{" * 25_000):
        seen = await look(chat, junk)
        assert not seen["fits"]
        assert part_of(seen, "question")["text"] == junk


async def test_what_builtin_took_is_what_the_preview_counts(settings, as_ada):
    async with serving(with_agents(settings, messages=20, tokens=8_000)) as client:
        client.headers.update(as_ada)
        await say(client, "I live in Bonn-Bad-Godesberg, 53173.")
        await say(client, "My dog is called Rex.")
        seen = await look(client)
        told = await say(client, "Where do I live?")
    assert "Godesberg" in told["response"]
    assert told["usage"]["input_tokens"] == seen["prompt_tokens"] > 100
    assert told["usage"]["output_tokens"] == count_message(Message("assistant", told["response"]))


async def test_two_previews_of_a_user_are_made_at_once_and_others_are_not_kept_waiting(chat, as_eve, monkeypatch):
    count, let_go = previewing.count_apart, asyncio.Event()

    async def held(*given):
        await let_go.wait()
        return await count(*given)

    monkeypatch.setattr(previewing, "count_apart", held)
    own = [asyncio.create_task(chat.post(PREVIEW, json={"message": "hello"})) for _ in range(8)]
    await eventually(lambda: sum(each.done() for each in own) == 6)
    refused = [each.result() for each in own if each.done()]
    assert {(each.status_code, each.json()["limit"], each.headers["Retry-After"]) for each in refused} == {
        (429, "parallel_previews", "2")
    }
    other = asyncio.create_task(chat.post(PREVIEW, json={"message": "hello"}, headers=as_eve))
    let_go.set()
    assert (await other).status_code == 200
    assert sorted([(await each).status_code for each in own]) == [200] * 2 + [429] * 6
    await look(chat)  # those that are made give their places back


async def test_counting_takes_no_place_of_those_who_begin_turns(settings, as_ada, monkeypatch):
    count, guests = previewing.count_apart, []
    async with running(settings) as state, serving(settings, state) as client:

        async def watched(*given):
            guests.append(state.turns.gate._all.guests)
            return await count(*given)

        monkeypatch.setattr(previewing, "count_apart", watched)
        assert (await client.post(PREVIEW, json={"message": "hello"}, headers=as_ada)).status_code == 200
    assert guests == [0]
