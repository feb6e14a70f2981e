"""Long conversations over HTTP: what is summarised when, what the model is really given, and which model that is."""

import asyncio
import contextlib
import json
import logging
import uuid

import pytest

from chatServer import metrics
from chatServer.agent.summary.unsummarised import read_if_due, store_compacted
from chatServer.agent.tools import tokens_of
from chatServer.agent.tools.outside import Outside, outside_tools
from chatServer.config import Settings
from chatServer.messages import Message
from chatServer.records import Agent, Compression, OutsideServer
from chatServer.store import sessions
from chatServer.store.history import ChatMessageHistory
from tests.conftest import ADA, owner_connection, rows
from tests.tools.contexts import agent_in, complaints, given, said_before, summary_of, tokens_of_tools
from tests.tools.log_lines import lines_of
from tests.tools.outside_server import KEY, outside_server
from tests.tools.talking import calls, chunks, talking
from tests.tools.turns import eventually

WINDOW = 262_144
MARK = 222_822
STREAM = {"Accept": "text/event-stream"}
SUMMARY = {"for": "summary", "reply": "They spoke of subjects."}


async def ask(client, session_id: str, message: str = "Well?") -> list[dict]:
    """The chunks of an answer."""
    answer = await client.post("/api/chat", json={"session_id": session_id, "message": message}, headers=STREAM)
    assert answer.status_code == 200, answer.text
    return chunks(answer.text)


def compactions(heard: list[dict]) -> list[dict]:
    return [chunk["data"] for chunk in heard if chunk["type"] == "data-compaction"]


def types(heard: list[dict]) -> set[str]:
    return {chunk["type"] for chunk in heard}


def seed_agent(settings: Settings, **window) -> dict:
    return agent_in(settings, window={"messages": 1_000, "tokens": WINDOW, **window}, limits={"output_tokens": 1_000})


# The seed's example --------------------------------------------------------------------------------------


async def test_at_223_000_tokens_all_but_the_last_two_turns_is_summarised_and_turn_61_has_room(
    settings, as_ada, database, urls
):
    session_id = await said_before(database, ADA, 59, tokens=223_000 // 118)
    async with talking(settings, as_ada, SUMMARY, log=True, **seed_agent(settings)) as client:
        heard = await ask(client, session_id)
        [told] = compactions(heard)
        assert told | {"tokens_after": 0, "tokens_saved": 0} == {
            "reason": "mark",
            "tokens_before": 114 * (223_000 // 118),
            "tokens_after": 0,
            "tokens_saved": 0,
            "messages": 114,
            "model": f"script:{settings.chat_data_dir}/script.json",
        }
        assert told["tokens_saved"] == told["tokens_before"] - told["tokens_after"]
        assert told["tokens_after"] <= 1_000
        assert [each["role"] for each in given(settings)[-1]] == ["system", "user", *["user", "assistant"] * 2, "user"]
        again = await ask(client, session_id)
        assert compactions(again) == [], "there is room: the cycle begins anew"
        assert len(given(settings)[-1]) == 9
    assert rows(urls, "select count(*) from public.chat_message_history") == [(122,)], "originals are kept"
    assert summary_of(urls)[1] == 114
    assert [told["what"] for (told,) in rows(urls, "select data from chat.user_events where kind = 'memory'")] == [
        "compaction"
    ]


@pytest.mark.parametrize(("tokens", "is_over"), [(MARK, False), (MARK + 1, True)])
async def test_the_mark_is_85_percent_and_not_a_token_less(settings, as_ada, database, urls, tokens, is_over):
    session_id = await said_before(database, ADA, 40, tokens=1)
    async with talking(settings, as_ada, log=True, **seed_agent(settings)) as client:
        await ask(client, session_id)
        system, *_, question = given(settings)[-1]
        fixed = system["tokens"] + question["tokens"]
        await client.delete(f"/api/sessions/{session_id}")
        session_id = await said_before(database, ADA, 40, tokens=1)
        with owner_connection(urls.owner) as connection:
            connection.execute(
                "update public.chat_message_history set tokens = %s "
                "where id = (select min(id) from public.chat_message_history)",
                [tokens - fixed - 79],
            )
        assert bool(compactions(await ask(client, session_id))) is is_over


# Summarisers that fail -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        {"reply": "never", "fail_after_words": 0},
        {"reply": "never", "hang": True},
        {"reply": "x " * 50, "delay_ms": 9_999},
    ],
    ids=["raises", "hangs", "slow"],
)
async def test_a_summariser_that_fails_or_is_slow_neither_blocks_nor_loses_the_turn(
    settings, as_ada, database, urls, rule
):
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    changes = {**seed_agent(settings), "memory_compression_deadline_s": 0.2}
    async with talking(settings, as_ada, {"for": "summary", "reply": "never", **rule}, log=True, **changes) as client:
        heard = await ask(client, session_id)
    assert "finish" in types(heard)
    assert [told["model"] for told in compactions(heard)] == [None], "its own sentences instead"
    assert "- User: Sentence 0" in summary_of(urls)[0]
    assert len(given(settings)[-1]) == 7


async def test_without_time_for_it_no_model_is_asked_while_somebody_waits(settings, as_ada, database, urls):
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    changes = {**seed_agent(settings), "memory_compression_deadline_s": 0}
    async with talking(settings, as_ada, SUMMARY, log=True, **changes) as client:
        assert [told["model"] for told in compactions(await ask(client, session_id))] == [None]
    assert given(settings, "summary") == []


async def test_whoever_loses_the_race_takes_the_other_ones_summary(settings, as_ada, database, urls):
    """Another process has summarised the session while this one's model still thinks."""
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    slow = {"for": "summary", "reply": "Mine. " * 10, "delay_ms": 300}
    changes = {**seed_agent(settings), "memory_compression_deadline_s": 60}
    recite = {"match": "^recite$", "reply": "{messages}"}
    async with talking(settings, as_ada, slow, recite, log=True, **changes) as client:
        answering = asyncio.create_task(ask(client, session_id, "recite"))
        await eventually(lambda: given(settings, "summary"))
        async with database.transaction(ADA) as connection:
            due = await read_if_due(connection, ADA.user_id, session_id, is_forced=True)
        theirs = await due.compacted(None)
        async with database.transaction(ADA) as connection:
            await sessions.hold_session(connection, ADA.user_id, session_id)
            assert await store_compacted(connection, ADA.user_id, theirs)
        heard = await answering
    assert compactions(heard) == []
    text = "".join(chunk["delta"] for chunk in heard if chunk["type"] == "text-delta")
    assert "- User: Sentence 0" in text
    assert "Mine." not in text
    assert summary_of(urls)[3] is None


async def test_a_database_that_cannot_store_the_summary_costs_the_summary_alone(settings, as_ada, database, urls):
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    with owner_connection(urls.owner) as connection:
        connection.execute("alter table chat.summaries add constraint never check (tokens < 0)")
    async with talking(settings, as_ada, log=True, **seed_agent(settings)) as client:
        heard = await ask(client, session_id)
    assert "finish" in types(heard)
    assert compactions(heard) == [{"status": "degraded", "reason": "failed"}]
    assert rows(urls, "select summarising_until from chat.sessions") == [(None,)]


async def test_a_turn_that_goes_on_without_a_summary_says_so(settings, as_ada, database, urls):
    """Somebody has died over it."""
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.sessions set summarising_until = now() + interval '1 hour'")
    counted = metrics.compactions_degraded.labels("busy")._value
    before = counted.get()
    changes = {**seed_agent(settings), "memory_compression_deadline_s": 0.3}
    recite = {"match": "^recite$", "reply": "{messages}"}
    async with talking(settings, as_ada, SUMMARY, recite, log=True, **changes) as client:
        with lines_of("chatServer.turn.fitting") as lines:
            heard = await ask(client, session_id, "recite")
    assert compactions(heard) == [{"status": "degraded", "reason": "busy"}]
    assert "finish" in types(heard)
    assert "- User: Sentence 0" in "".join(chunk["delta"] for chunk in heard if chunk["type"] == "text-delta")
    assert rows(urls, "select 1 from chat.summaries") == [], "by rules, for this turn alone"
    assert given(settings, "summary") == []
    assert counted.get() == before + 1
    assert [(each["message"], each["reason"]) for each in lines] == [("a turn goes on without a summary", "busy")]


# What it holds -------------------------------------------------------------------------------------------


async def test_the_agents_file_says_when_and_into_what(settings, as_ada, database, urls):
    session_id = await said_before(database, ADA, 20, tokens=200)
    window = {"messages": 100, "tokens": 10_000, "compact_pct": 50, "summary_tokens": 60, "summary_prompt": "Rhyme it."}
    recite = {"for": "summary", "match": "(?s).*", "reply": "{system} " * 20}
    agent = agent_in(settings, window=window, limits={"output_tokens": 100})
    async with talking(settings, as_ada, recite, log=True, **agent) as client:
        [told] = compactions(await ask(client, session_id))
    assert (told["reason"], told["messages"]) == ("mark", 36)
    text, _, tokens, _ = summary_of(urls)
    assert tokens <= 60
    assert "They are only data" in text, "whatever the file says"
    assert "Rhyme it." in text


async def test_what_is_important_is_repeated_word_for_word_and_rolls_on(settings, as_ada, database, urls):
    session_id = await said_before(database, ADA, 59, tokens=2_000)
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update public.chat_message_history set importance = 0.8 "
            "where id = (select min(id) + 4 from public.chat_message_history)"
        )
    async with talking(settings, as_ada, SUMMARY, **seed_agent(settings)) as client:
        await ask(client, session_id)
        text = summary_of(urls)[0]
        assert text == "They spoke of subjects.\n\nWord for word:\n> user: Sentence 4 about subject 4."
        with owner_connection(urls.owner) as connection:
            connection.execute("update public.chat_message_history set tokens = 60000 where turn_id is null")
        await ask(client, session_id)
        await ask(client, session_id)
        text, messages, _, _ = summary_of(urls)
        assert messages > 114
        assert text.endswith("> user: Sentence 4 about subject 4.")


async def test_what_left_the_window_unsummarised_is_summarised_before_the_model_is_asked(
    settings, as_ada, database, urls
):
    """No worker runs here, and the window is twenty messages: still nothing is silently forgotten."""
    agent = agent_in(settings)
    recite = {"match": "^recite$", "reply": "{messages}", "fail_after_words": 1_000_000}
    async with talking(settings, as_ada, recite, SUMMARY, log=True, **agent) as client:
        session_id = str(uuid.uuid4())
        for n in range(14):
            await ask(client, session_id, f"My number {n} is {n * 7}.")
        text, messages, tokens, model = summary_of(urls)
        assert "My number 0 is 0" in text
        assert (model, messages >= 16, tokens <= 1_000) == (None, True, True)
        await ask(client, session_id, "recite")
    [(heard,)] = rows(urls, "select partial_text from chat.turns where state = 'failed'")
    assert all(f"My number {n} is {n * 7}." in heard for n in range(14)), heard
    assert given(settings, "summary") == [], "rules do it at once"


async def test_long_notes_are_no_reason_to_summarise_again_and_again(settings, as_ada, urls):
    """They pass the mark by themselves, and a summary of two short messages would not help."""
    window = {"messages": 20, "tokens": 3_000}
    prompt = "Be brief.\n{long_term_memory_notes}"
    agent = agent_in(settings, prompt=prompt, window=window, limits={"output_tokens": 100}, memory={"scope": "agent"})
    async with talking(settings, as_ada, SUMMARY, log=True, **agent) as client:
        page = "- likes tea and rye bread\n" * 330
        await client.put("/api/agents/assistant/notes", json={"notes": page}, headers={"If-Match": '"0"'})
        session_id = str(uuid.uuid4())
        for n in range(8):
            await ask(client, session_id, f"Question {n}?")
    assert given(settings)[-1][0]["tokens"] > 2_550
    assert len(given(settings, "summary")) <= 1


# Tools that say much -------------------------------------------------------------------------------------

READ = {"name": "manage_long_term_memory", "args": {"operation": "read"}}
READS = {"match": "^read", "steps": [*[{"tool_calls": [READ]}] * 5, {"reply": "I have read it."}]}


@pytest.mark.parametrize("middleware", [[], ["pii"]], ids=["lean", "create_agent"])
async def test_in_a_turn_whose_tools_say_much_what_came_before_is_summarised(
    settings, as_ada, database, urls, middleware
):
    agent = agent_in(
        settings,
        tools=["manage_long_term_memory"],
        memory={"scope": "session"},
        middleware=middleware,
        window={"messages": 40, "tokens": 12_000},
        limits={"output_tokens": 500},
    )
    session_id = await said_before(database, ADA, 10, tokens=250, text="Sentence {n} " + "and so on " * 24)
    async with talking(settings, as_ada, READS, log=True, **agent) as client:
        page = "- likes tea and rye bread\n" * 330  # 2,300 tokens
        await client.put("/api/agents/assistant/notes", json={"notes": page}, headers={"If-Match": '"0"'})
        heard = await ask(client, session_id, "read")
    assert "finish" in types(heard)
    assert [told["reason"] for told in compactions(heard)][:1] == ["step"]
    seen = given(settings)
    assert len(seen) == 6
    most = 12_000 - 500 - tokens_of_tools("manage_long_term_memory")
    assert [complaints(each, most) for each in seen] == [[]] * 6
    assert [each for each in seen[-1] if each["role"] == "user"][-1]["tokens"] < 20, "the question is still there"
    results = [row for (row,) in rows(urls, "select message from public.chat_message_history order by id")]
    kept = [row["data"]["content"] for row in results if row["type"] == "tool"]
    assert len(kept) == 5
    assert all(page.strip() in each for each in kept), "what is stored is whole"


# Models --------------------------------------------------------------------------------------------------


async def test_a_prompt_that_does_not_fit_goes_to_the_larger_model_which_says_so_and_is_billed(
    settings, as_ada, database, urls
):
    other = settings.chat_data_dir / "larger.json"
    other.write_text(json.dumps({"default": "I am the larger one."}))
    larger = f"script:{other}"
    agent = agent_in(
        settings, larger_model=larger, window={"messages": 20, "tokens": 2_000}, limits={"output_tokens": 500}
    )
    async with talking(settings, as_ada, **agent) as client:
        session_id = str(uuid.uuid4())
        usual = await ask(client, session_id, "Short.")
        heard = await ask(client, session_id, "word " * 3_000)
        said = [chunk["messageMetadata"] for chunk in heard if chunk["type"] == "message-metadata"]
        assert {"model": larger, "larger_model": True, "reason": "context"} in said
        assert "I am the larger one." in "".join(chunk.get("delta", "") for chunk in heard)
        assert heard[-1]["messageMetadata"]["model"] == larger
        listed = (await client.get(f"/api/sessions/{session_id}/messages")).json()["messages"]
        again = (await client.post("/api/chat", json={"session_id": session_id, "message": "word " * 3_000})).json()
        for told in (heard[-1]["messageMetadata"], listed[-1]["metadata"], again["message"]["metadata"]):
            assert (told["larger_model"], told["reason"]) == (True, "context")
            assert (told["usage"]["larger_model"], told["usage"]["reason"]) == (True, "context")
        assert again["usage"]["larger_model"]
        assert "larger_model" not in listed[1]["metadata"]
        assert "larger_model" not in listed[1]["metadata"]["usage"]
        assert not any(chunk.get("messageMetadata", {}).get("larger_model") for chunk in usual)
        refused = await client.post("/api/chat", json={"session_id": session_id, "message": "word " * 130_000})
        assert (refused.status_code, refused.json()["code"]) == (422, "context_too_large")
        assert "128,000" in refused.json()["detail"], "what the larger one takes"
    taken = dict(rows(urls, "select model, turns from chat.usage_daily"))
    assert taken == {larger: 2, f"script:{settings.chat_data_dir}/script.json": 1}
    assert [model for (model,) in rows(urls, "select model from chat.turns order by started_at")][-1] == larger


async def test_last_messages_that_would_be_lost_are_a_reason_for_the_larger_model_too(settings, as_ada, database, urls):
    other = settings.chat_data_dir / "larger.json"
    other.write_text(json.dumps({"default": "I am the larger one."}))
    window = {"window": {"messages": 20, "tokens": 4_000}, "limits": {"output_tokens": 500}}
    session_id = await said_before(database, ADA, 2, tokens=900)
    async with talking(settings, as_ada, **agent_in(settings, larger_model=f"script:{other}", **window)) as client:
        heard = await ask(client, session_id)
        assert "I am the larger one." in "".join(chunk.get("delta", "") for chunk in heard)
    async with talking(settings, as_ada, SUMMARY, log=True, **agent_in(settings, **window)) as client:
        [told] = compactions(await ask(client, session_id))
    assert told["messages"] >= 2, "without one, as many of them are summarised as do not fit"


async def test_a_larger_model_that_cannot_be_used_is_as_good_as_none(settings, as_ada):
    agent = agent_in(
        settings, larger_model="openai:gpt-5", window={"messages": 20, "tokens": 2_000}, limits={"output_tokens": 500}
    )
    async with talking(settings, as_ada, log=True, **agent) as client:
        refused = await client.post("/api/chat", json={"message": "word " * 3_000})
    assert (refused.status_code, refused.json()["code"]) == (422, "context_too_large")
    assert calls(settings) == [], "and nothing was spent"


# Recall --------------------------------------------------------------------------------------------------


def spans_into(noted):
    """What the spans of a turn are told, with their names."""

    @contextlib.contextmanager
    def span(step, **known):
        told = dict(known)
        yield told.update
        noted.append((step, told))

    return span


async def test_recalled_lines_are_counted_and_never_too_many(settings, as_ada, caplog, monkeypatch):
    noted = []
    monkeypatch.setattr("chatServer.turn.attempt.span", spans_into(noted))
    agent = agent_in(
        settings, memory={"scope": "agent"}, window={"messages": 4, "tokens": 1_200}, limits={"output_tokens": 300}
    )
    async with talking(settings, as_ada, log=True, **agent) as client:
        for n in range(12):
            await ask(client, str(uuid.uuid4()), f"My garden number {n} has {n} roses and an old well in its middle.")
        caplog.clear()
        with caplog.at_level(logging.INFO, "chatServer.turn.ledger"):
            heard = await ask(client, str(uuid.uuid4()), "How many roses has my garden number 3?")
    used = [chunk["messageMetadata"] for chunk in heard if "memories_used" in chunk.get("messageMetadata", {})]
    assert used
    [recall] = [each for each in noted[-2:] if each[0] == "recall"]
    assert (recall[1]["is_late"], recall[1]["memories"] > 0) == (False, True)
    seen = given(settings)[-1]
    [ended] = [record.fields for record in caplog.records if record.getMessage() == "turn ended"]
    assert ended["prompt_tokens"] == sum(each["tokens"] for each in seen), "what is counted is what is sent"
    assert [complaints(each, 900) for each in given(settings)] == [[]] * 13


# Tools elsewhere -----------------------------------------------------------------------------------------


async def test_what_servers_elsewhere_say_of_their_tools_is_counted_and_has_to_fit(
    settings, as_ada, database, caplog, monkeypatch
):
    monkeypatch.setenv("WEATHER_KEY", KEY)
    async with outside_server() as url:
        names, headers = ["forecast", "wordy"], {"X-Key": "WEATHER_KEY"}
        server = {"name": "weather", "url": url, "allow": names, "headers_env": headers}
        record = OutsideServer("weather", url, tuple(names), headers_env=tuple(headers.items()))
        plain = outside_tools(Agent("a", "d", "p", mcp=(record,)))
        told = await Outside().described(plain)
        assert tokens_of(tuple(told)) > tokens_of(plain), "else there is nothing to be found here"
        limits = {"mcp": [server], "limits": {"output_tokens": 100}}
        agent = agent_in(settings, window={"messages": 20, "tokens": 2_000}, **limits)
        session_id = await said_before(database, ADA, 10, tokens=None, text="Sentence {n} " + "and on " * 37)
        with caplog.at_level(logging.INFO, "chatServer.turn.ledger"):
            async with talking(settings, as_ada, log=True, **agent) as client:
                await ask(client, session_id)
        [ended] = [record.fields for record in caplog.records if record.getMessage() == "turn ended"]
        [seen] = given(settings)
        assert ended["prompt_tokens"] == sum(each["tokens"] for each in seen) + tokens_of(tuple(told))
        assert complaints(seen, 1_900 - tokens_of(tuple(told))) == []
        caplog.clear()
        small = {"messages": 20, "tokens": max(1_000, tokens_of(tuple(told)) + 100)}
        question = "word " * (small["tokens"] - 100 - tokens_of(plain) - 40)
        with caplog.at_level(logging.INFO, "chatServer.turn.ledger"):
            async with talking(settings, as_ada, log=True, **agent_in(settings, window=small, **limits)) as client:
                assert "finish" in types(await ask(client, str(uuid.uuid4()), question))
        [ended] = [record.fields for record in caplog.records if record.getMessage() == "turn ended"]
        assert ended["prompt_tokens"] == sum(each["tokens"] for each in given(settings)[-1]) + tokens_of(plain)


# After the answer ----------------------------------------------------------------------------------------


async def test_after_the_answer_it_is_five_more_messages_or_80_percent_of_the_window(database, urls):
    session_id = await said_before(database, ADA, 5, tokens=100)
    small, large = Compression(window_tokens=1_000), Compression(window_tokens=2_000)

    async def due(how: Compression):
        async with database.transaction(ADA) as connection:
            return await read_if_due(connection, ADA.user_id, session_id, how=how)

    first = await due(large)
    assert first.reason == "five"
    new = await first.compacted(None)
    async with database.transaction(ADA) as connection:
        await sessions.hold_session(connection, ADA.user_id, session_id)
        await store_compacted(connection, ADA.user_id, new)
        more = [Message("user", "q"), Message("assistant", "a")]
        await ChatMessageHistory(connection, ADA.user_id, session_id).append(more, tokens=[200, 200])
    assert await due(large) is None
    assert (await due(small)).reason == "mark", "800 and the summary are more than 800"
    [(told,)] = rows(urls, "select data from chat.user_events where kind = 'memory'")
    assert told["reason"] == "five"
    assert (told["messages"], told["tokens_before"]) == (6, 600)


async def test_the_worker_tells_of_its_summaries_too(settings, as_ada, urls):
    async with talking(settings, as_ada, SUMMARY, worker="inprocess") as client:
        session_id = str(uuid.uuid4())
        for n in range(3):
            await ask(client, session_id, f"Question {n}?")
        query = "select data from chat.user_events where kind = 'memory' and data ->> 'what' = 'compaction'"
        [(told,)] = await eventually(lambda: rows(urls, query))
    assert (told["reason"], told["session_id"]) == ("five", session_id)
    assert (str(told["turn_id"]),) in rows(urls, "select turn_id::text from chat.turns")
