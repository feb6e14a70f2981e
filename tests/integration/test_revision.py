"""After the reply: summaries when five more messages were said, a memory agent where a model is set up, once for each
turn, whoever breaks off or deletes what meanwhile; and what clients hear of it."""

import asyncio
import uuid
from uuid import UUID

import pytest

from chatServer import errors, metrics
from chatServer.agent import memory_agent, title
from chatServer.agent.catalog import load_agents
from chatServer.agent.purposes import Advisers, NamedModel, Task
from chatServer.agent.script import ScriptedModel
from chatServer.agent.script_file import Round, Rule, Script
from chatServer.agent.summary import compact
from chatServer.agent.summary.session_summary import Occasion, summarize_session
from chatServer.agent.summary.unsummarised import read_if_due, store_compacted
from chatServer.config import ROOT, Settings
from chatServer.messages import Message
from chatServer.protocols.mcp import tools, tools_for
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Usage
from chatServer.store import sessions, summaries, superseded, usage
from chatServer.store.queue import Pace
from chatServer.work.after_turn import Workshop
from chatServer.work.found import MAX_WAITING
from chatServer.work.revision import RECENT_MESSAGES, Reviser
from tests.conftest import ADA, EVE, owner_connection, rows
from tests.tools.memory_tools import scripted
from tests.tools.remembering import kept, revision_events, say, texts
from tests.tools.talking import chunks, talking
from tests.tools.turns import eventually, queued

AGENTS = load_agents(ROOT / "agents", "assistant")
FACT = ("store_fact", {"content": "The user collects stamps from Peru."})


async def no_title(_: str) -> None:
    return None


CLAIMED = "select summarising_until is not null from chat.sessions"
FORCED = Occasion(is_forced=True)
LATER = "select args ->> 'turn_id' from procrastinate.procrastinate_jobs where scheduled_at > now()"


def states(urls) -> list[str]:
    return [state for (state,) in rows(urls, "select revision_state from chat.turns order by started_at")]


def reviser(database, model=None, **options) -> Reviser:
    """One with this memory agent, for every turn unless it is told otherwise, and no model for summaries."""

    async def models(_: str, task: Task) -> NamedModel | None:
        return ("script:x", model) if model and task == "revise" else None

    mode = options.pop("mode", "every_turn")
    return Reviser(mode, Advisers(**{"models": models} | options), tools_for(Desk(database, AGENTS)))


def writer(reply: str, **options) -> ScriptedModel:
    """Who writes summaries."""
    rule = Rule("summary", None, (Round(reply=reply, **options),))
    return ScriptedModel(script=Script("script:x", (rule,), rule), purpose="summary")


def always(model):
    async def models(_: str, __: Task) -> NamedModel | None:
        return "script:x", model

    return models


async def after(database, turn_id: UUID, revises: Reviser | None = None, user=ADA) -> None:
    await Workshop(database, no_title, reviser=revises or Reviser()).after_turn(str(user.user_id), str(turn_id))


async def talk(database, count: int, session_id: str, **options) -> list[UUID]:
    return [await say(database, f"I have question number {i}.", session_id=session_id, **options) for i in range(count)]


@pytest.fixture
def session_id() -> str:
    return str(uuid.uuid4())


# Summaries -----------------------------------------------------------------------------------------------


async def test_a_session_is_summarised_after_every_five_messages_and_keeps_them_all(database, urls, session_id):
    summary = "select covers_to - (select min(id) - 1 from public.chat_message_history), messages from chat.summaries"
    seen = []
    for turn in range(8):
        [turn_id] = await talk(database, 1, session_id)
        await after(database, turn_id)
        seen.append((2 * (turn + 1), rows(urls, summary)))
    assert [(total, found) for total, found in seen if total in (4, 6, 8, 10, 14, 16)] == [
        (4, []),
        (6, [(2, 2)]),
        (8, [(2, 2)]),
        (10, [(6, 6)]),
        (14, [(6, 6)]),
        (16, [(12, 12)]),
    ]
    assert rows(urls, "select count(*) from public.chat_message_history") == [(16,)]


async def test_ten_messages_in_a_window_of_twenty_lose_no_word_to_their_summary(settings, as_ada, urls):
    rule = {"match": "^recite$", "reply": "{messages}", "fail_after_words": 1_000_000}
    async with talking(settings, as_ada, rule, worker="inprocess") as client:
        body = {"session_id": str(uuid.uuid4())}
        for i in range(13):
            if i == 5:
                await eventually(lambda: rows(urls, "select 1 from chat.summaries"))
                answer = await client.post("/api/chat", json=body | {"message": "recite"})
                heard = chunks_of_failure(urls)
                assert [f"user: line {j}" in heard for j in range(5)] == [True] * 5, answer.text
                assert "Previous conversation" not in heard
            assert (await client.post("/api/chat", json=body | {"message": f"line {i}"})).status_code == 200
        await eventually(lambda: queued(urls) == [])
        await client.post("/api/chat", json=body | {"message": "recite"})
        heard = chunks_of_failure(urls)
        assert "user: line 12" in heard
        assert "Previous conversation" in heard, "the first lines are no longer in the window"
        assert "- User: line 0" in heard


def chunks_of_failure(urls) -> str:
    """What the model recited before it broke off."""
    [(text,)] = rows(
        urls, "select partial_text from chat.turns where state = 'failed' order by started_at desc limit 1"
    )
    return text


async def test_a_summary_is_asked_for_by_force_and_is_nobody_elses(database, urls, session_id):
    await talk(database, 2, session_id)
    assert not (await summarize_session(database, ADA, session_id)).is_updated, "four messages"
    await talk(database, 1, session_id)
    first = await summarize_session(database, ADA, session_id)
    assert (first.is_updated, first.summary.messages) == (True, 2)
    again = await summarize_session(database, ADA, session_id)
    assert (again.is_updated, again.summary) == (False, first.summary)
    await talk(database, 1, session_id)
    forced = await summarize_session(database, ADA, session_id, occasion=FORCED)
    assert (forced.is_updated, forced.summary.messages) == (True, 4)
    with pytest.raises(errors.SessionNotFound):
        await summarize_session(database, EVE, session_id, occasion=FORCED)


async def test_a_summary_of_what_was_replaced_or_summarised_meanwhile_is_not_stored(database, urls, session_id):
    await talk(database, 3, session_id)
    async with database.transaction(ADA) as connection:
        due = await read_if_due(connection, ADA.user_id, session_id)
    new = await due.compacted(None)
    assert (await summarize_session(database, ADA, session_id)).is_updated
    async with database.transaction(ADA) as connection:
        await sessions.hold_session(connection, ADA.user_id, session_id)
        assert await store_compacted(connection, ADA.user_id, new) is None, "another one was there first"
        question = await superseded.find_question(
            connection, ADA.user_id, session_id, name=str(new.message_ids[0]), has_answers=False
        )
        await superseded.supersede(connection, ADA.user_id, session_id, question, by=uuid.uuid4(), with_question=True)
        assert rows(urls, "select count(*) from chat.summaries") == [(1,)], "not yet committed"
        assert await store_compacted(connection, ADA.user_id, new) is None, "what it tells was replaced"


async def test_many_who_summarise_at_once_leave_one_summary_and_ask_once(database, urls, session_id):
    await talk(database, 5, session_id)
    model = writer("The user has questions.")
    asked = {"advisers": Advisers(always(model)), "occasion": FORCED}
    told = await asyncio.gather(*(summarize_session(database, ADA, session_id, **asked) for _ in range(6)))
    assert (sum(each.is_updated for each in told), model.calls) == (1, 1)
    assert rows(urls, "select messages from chat.summaries") == [(6,)]


async def test_a_summary_that_a_client_asks_for_is_charged_and_bounded_by_the_day(database, urls, session_id):
    await talk(database, 5, session_id)
    model = writer("The user has questions.")
    asked = {"advisers": Advisers(always(model), tokens_per_day=1), "occasion": FORCED}
    assert (await summarize_session(database, ADA, session_id, **asked)).summary.text == "The user has questions."
    await talk(database, 2, session_id)
    rest = await summarize_session(database, ADA, session_id, **asked)
    assert (rest.is_updated, rest.summary.model, model.calls) == (True, None, 1)
    [(charged,)] = rows(urls, "select revision_tokens from chat.usage_daily")
    assert charged > 0


async def test_a_summary_needs_no_model_that_is_not_set_up_here(database, session_id):
    async def missing(_: str, __: Task) -> NamedModel | None:
        raise errors.ModelNotConfigured("The model needs a key.")

    await talk(database, 3, session_id)
    done = await summarize_session(database, ADA, session_id, advisers=Advisers(missing))
    assert (done.is_updated, done.summary.model) == (True, None)


async def test_a_worker_puts_off_what_another_is_at(database, urls, session_id):
    """A turn, or a client who asked while none runs: two processes never summarise one session at once."""
    *_, last = await talk(database, 5, session_id)
    theirs, ours = writer("The other's. " * 10, delay_ms=100), writer("The worker's.")
    other = asyncio.create_task(
        summarize_session(database, ADA, session_id, advisers=Advisers(always(theirs)), occasion=FORCED)
    )
    await eventually(lambda: theirs.calls)
    await after(database, last, Reviser("off", Advisers(always(ours))))
    assert not other.done()
    assert (states(urls), ours.calls) == (["queued"] * 5, 0)
    assert rows(urls, LATER) == [(str(last),)]
    assert (await other).is_updated
    assert rows(
        urls, "select messages, summarising_until from chat.summaries join chat.sessions using (session_id)"
    ) == [(6, None)]
    await after(database, last, Reviser("off", Advisers(always(ours))))
    assert (states(urls), ours.calls) == (["done"] * 5, 0)


async def test_a_worker_takes_the_place_of_one_that_was_killed(database, urls, session_id):
    *_, last = await talk(database, 5, session_id)
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update chat.sessions set summarising_until = now() + interval '1 hour', is_summarised_by_job = true"
        )
    await after(database, last)
    assert (states(urls), rows(urls, "select messages from chat.summaries")) == (["done"] * 5, [(6,)])


async def test_only_another_job_takes_the_place_of_a_job(database, session_id):
    async with database.transaction(ADA) as connection:
        await sessions.insert_session(connection, ADA.user_id, session_id, "assistant")
        claims = [
            await summaries.claim(connection, ADA.user_id, session_id, lease_s=60, is_job=is_job)
            for is_job in (True, False, True)
        ]
    assert [claim.until is not None for claim in claims] == [True, False, True]


async def test_whoever_has_lost_his_claim_does_not_let_go_of_anothers(database, urls, session_id):
    await talk(database, 1, session_id)
    claims = []
    for _ in range(2):
        async with database.transaction(ADA) as connection:
            claims.append(await summaries.claim(connection, ADA.user_id, session_id, lease_s=60, is_job=True))
    for (claim, _), is_claimed in zip(claims, (True, False), strict=True):
        async with database.transaction(ADA) as connection:
            await summaries.release(connection, ADA.user_id, session_id, claim)
        assert rows(urls, CLAIMED) == [(is_claimed,)]


async def test_whoever_is_stopped_over_a_summary_is_in_nobodys_way(database, urls, session_id):
    *_, last = await talk(database, 5, session_id)
    slow = Advisers(always(model := writer("Never. " * 100, delay_ms=1_000)))
    for begun in (
        lambda: summarize_session(database, ADA, session_id, advisers=slow, occasion=FORCED),
        lambda: after(database, last, Reviser("off", slow)),
    ):
        model.calls = 0
        stopped = asyncio.create_task(begun())
        await eventually(lambda: model.calls)
        assert rows(urls, CLAIMED) == [(True,)]
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        assert rows(urls, CLAIMED) == [(False,)]
    assert states(urls) == ["queued"] * 5


async def test_who_died_over_a_summary_is_in_nobodys_way_for_long(database, urls, session_id, monkeypatch):
    await talk(database, 5, session_id)
    read, reads = summaries.read_after, []

    async def watched(*given, **how):
        reads.append(given)
        return await read(*given, **how)

    monkeypatch.setattr(summaries, "read_after", watched)
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.sessions set summarising_until = now() + interval '1 hour'")
    waiting = Occasion(is_forced=True, within_s=0.3, wait_s=0.3)
    assert not (await summarize_session(database, ADA, session_id, occasion=waiting)).is_updated
    assert reads == [], "whoever waits reads no messages meanwhile"
    with owner_connection(urls.owner) as connection:
        connection.execute("update chat.sessions set summarising_until = now() - interval '1 second'")
    assert (await summarize_session(database, ADA, session_id, occasion=waiting)).is_updated


async def test_a_summary_is_there_before_the_agent_has_read(database, urls, session_id):
    *_, last = await talk(database, 3, session_id)
    slow = scripted(reply="Nothing. " * 30, delay_ms=100)
    reading = asyncio.create_task(after(database, last, reviser(database, slow, mode="on_summary")))
    await eventually(lambda: slow.calls)
    assert rows(urls, "select messages from chat.summaries") == [(2,)]
    assert not reading.done()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


# The memory agent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "asked"), [("off", 0), ("every_turn", 3), ("on_summary", 1)])
async def test_how_often_the_model_is_asked(database, urls, session_id, mode, asked):
    model = scripted(FACT)
    for _ in range(3):
        [turn_id] = await talk(database, 1, session_id)
        await after(database, turn_id, reviser(database, model, mode=mode))
    assert model.calls == 2 * asked, "it calls a tool, and then says so"
    assert len(await texts(database)) == min(asked, 1)
    assert states(urls) == ["done"] * 3


async def test_on_summary_the_agent_reads_every_turn_since_it_last_did(database, session_id):
    model = scripted(("store_fact", {"content": "It was shown: {0}"}))
    for i in range(5):
        turn_id = await say(database, f"I have question number {i}.", session_id=session_id)
        await after(database, turn_id, reviser(database, model, mode="on_summary"))
    second, first = await texts(database)
    assert [f"question number {i}." in first for i in range(5)] == [True, True, True, False, False]
    assert [f"question number {i}." in second for i in range(5)] == [False, False, False, True, True]


async def test_turns_for_which_there_was_no_room_are_read_another_time(database, urls, session_id):
    model = scripted(("store_fact", {"content": "It was shown: {0}"}))
    for i in range(9):
        turn_id = await say(database, f"Number {i}." + " word" * 780, session_id=session_id)
    is_read = "select coalesce(revision ->> 'is_read', '') from chat.turns order by started_at"
    sources = []
    for _ in range(2):
        await after(database, turn_id, reviser(database, model))
        sources.append([each for (each,) in rows(urls, is_read)].count("true"))
        turn_id = await say(database, "Go on.", session_id=session_id)
    assert sources == [6, 10]


async def test_what_the_agent_keeps_says_where_it_is_from(database, urls, session_id):
    turn_id = await say(database, "My stamps are from Peru.", session_id=session_id)
    await after(database, turn_id, reviser(database, scripted(FACT)))
    [memory] = [each for each in await kept(database) if each.origin == "model"]
    [(question_id,)] = rows(urls, "select user_message_id from chat.turns")
    assert (memory.turn_id, memory.attempt, memory.trust) == (turn_id, 1, "assistant")
    assert memory.source_ids == (question_id,)
    [(actor,)] = rows(urls, f"select actor from chat.memory_changes where memory_id = '{memory.memory_id}'")
    assert actor == "model"


@pytest.mark.parametrize(
    ("tool", "trust"), [("retrieve_context", "untrusted"), ("manage_long_term_memory", "assistant")]
)
async def test_what_the_agent_keeps_of_a_turn_that_read_text_from_outside_is_not_trusted(
    database, session_id, tool, trust
):
    used = Message(role="tool", content="...", name=tool, tool_call_id="1")
    turn_id = await say(database, "My stamps are from Peru.", session_id=session_id, between=[used])
    await after(database, turn_id, reviser(database, scripted(FACT)))
    assert [each.trust for each in await kept(database) if each.origin == "model"] == [trust]


async def test_what_the_agent_keeps_is_from_the_messages_that_speak_of_it(database, urls, session_id):
    fact = "The user collects stamps from Peru."
    for text in ("My dentist is rude.", "My stamps are all from Peru.", "Is it late already?"):
        turn_id = await say(database, text, session_id=session_id)
    calls = (FACT, ("store_fact", {"content": "Zebras sleep upright."}))
    await after(database, turn_id, reviser(database, scripted(*calls)))
    dentist, stamps, late = (
        each for (each,) in rows(urls, "select user_message_id from chat.turns order by started_at")
    )
    found = {each.text: each.source_ids for each in await kept(database) if each.origin == "model"}
    assert found == {fact: (stamps,), "Zebras sleep upright.": (dentist, stamps, late)}


async def test_turns_that_wait_are_revised_in_one_go_by_the_last_ones_job(database, urls, session_id):
    model = scripted(FACT)
    first, second, last = await talk(database, 3, session_id)
    for turn_id in (first, second):
        await after(database, turn_id, reviser(database, model))
        assert model.calls == 0
    assert states(urls) == ["queued"] * 3
    await after(database, last, reviser(database, model))
    assert (states(urls), model.calls) == (["done"] * 3, 2)
    told = revision_events(urls)
    assert [each["turn_id"] for each in told] == [str(first), str(second), str(last)]
    assert {tuple(each["memory_tools_used"]) for each in told} == {("store_fact",)}


async def test_a_turn_that_left_it_to_the_next_is_not_lost_behind_all_that_came_after(database, urls, session_id):
    first, *_ = await talk(database, 2, session_id)
    await after(database, first)
    assert states(urls) == ["queued"] * 2
    *_, last = await talk(database, RECENT_MESSAGES // 2, session_id)
    await after(database, last)
    assert set(states(urls)) == {"done"}


async def test_with_many_turns_waiting_nobody_waits_for_another(database, urls, session_id):
    model = scripted(FACT)
    first, *_ = await talk(database, MAX_WAITING, session_id)
    await after(database, first, reviser(database, model))
    assert (set(states(urls)), model.calls) == ({"done"}, 2)


async def test_an_agent_that_fails_leaves_its_turns_to_be_revised_again(database, urls, session_id):
    [turn_id] = await talk(database, 1, session_id)
    failing = scripted(FACT, reply="broken off", fail_after_words=0)
    for _ in range(2):
        with pytest.raises(errors.RevisionFailed):
            await after(database, turn_id, reviser(database, failing))
        assert (states(urls), revision_events(urls)) == (["failed"], [])
    [(charged,)] = rows(urls, "select revision_tokens from chat.usage_daily")
    assert charged > 0, "its first steps were answered"
    await after(database, turn_id, reviser(database, scripted(FACT)))
    assert (states(urls), len(revision_events(urls))) == (["done"], 1)
    assert await texts(database) == ["The user collects stamps from Peru."], "though it was kept three times"


async def test_an_agent_that_fails_holds_up_no_summary_and_is_asked_again(database, urls, session_id):
    *_, last = await talk(database, 3, session_id)
    failing = scripted(reply="broken off", fail_after_words=0)
    with pytest.raises(errors.RevisionFailed):
        await after(database, last, reviser(database, failing, mode="on_summary"))
    assert rows(urls, "select messages from chat.summaries") == [(2,)]
    await after(database, last, reviser(database, scripted(FACT), mode="on_summary"))
    assert (states(urls), await texts(database)) == (["done"] * 3, ["The user collects stamps from Peru."])


@pytest.mark.parametrize("again", [0, 1], ids=["its own job", "the job of the next"])
async def test_what_was_noted_before_it_broke_off_is_noted_once_though_another_turn_followed(
    database, urls, session_id, again
):
    note = ("manage_long_term_memory", {"operation": "append", "content": "Stamps: Peru"})
    [first] = await talk(database, 1, session_id)
    with pytest.raises(errors.RevisionFailed):
        await after(database, first, reviser(database, scripted(note, reply="broken off", fail_after_words=0)))
    [second] = await talk(database, 1, session_id)
    await after(database, (first, second)[again], reviser(database, scripted(note)))
    assert states(urls) == ["done"] * 2
    assert rows(urls, "select notes from public.agent_long_term_memory") == [("Stamps: Peru",)]


async def test_a_tool_that_is_out_of_order_loses_no_memory(database, urls, session_id, monkeypatch):
    async def unavailable(*_, **__):
        raise errors.DatabaseUnavailable

    [turn_id] = await talk(database, 1, session_id)
    with monkeypatch.context() as outage, pytest.raises(errors.RevisionFailed):
        outage.setattr(tools, "keep", unavailable)
        await after(database, turn_id, reviser(database, scripted(FACT)))
    assert (states(urls), await texts(database)) == (["failed"], [])
    await after(database, turn_id, reviser(database, scripted(FACT)))
    assert (states(urls), await texts(database)) == (["done"], ["The user collects stamps from Peru."])


async def test_what_the_agent_took_is_charged_and_bounded_by_the_day(database, urls, session_id):
    [turn_id] = await talk(database, 1, session_id)
    await after(database, turn_id, reviser(database, scripted(FACT)))
    [(turns, tokens, of_revision, model)] = rows(
        urls, "select turns, input_tokens + output_tokens, revision_tokens, model from chat.usage_daily"
    )
    assert (turns, model) == (0, "script:x")
    assert tokens == of_revision > 0
    for limit in ({"tokens_per_day": tokens}, {"all_tokens_per_day": tokens}):
        bounded, before = scripted(FACT), metrics.revisions_without_model.labels("quota")._value.get()
        [turn_id] = await talk(database, 1, session_id)
        await after(database, turn_id, reviser(database, bounded, **limit))
        assert (bounded.calls, states(urls)[-1]) == (0, "done")
        assert metrics.revisions_without_model.labels("quota")._value.get() == before + 1
    more = scripted(FACT)
    [turn_id] = await talk(database, 1, session_id)
    await after(database, turn_id, reviser(database, more, tokens_per_day=tokens + 1))
    assert more.calls


async def test_who_was_anonymous_has_no_more_for_memories_than_for_everything(database, urls, session_id):
    async with database.transaction(ADA) as connection:
        await usage.add_usage(connection, ADA.user_id, agent_name="a", model="m", usage=Usage(10, 5))
    calls = []
    for _ in range(2):
        model = scripted(FACT)
        [turn_id] = await talk(database, 1, session_id)
        if calls:
            with owner_connection(urls.owner) as connection:
                known = '{"is_anonymous": true}'
                connection.execute("update chat.turns set revision = %s where turn_id = %s", [known, turn_id])
        await after(database, turn_id, reviser(database, model, anonymous_tokens_per_day=15))
        calls.append(model.calls)
    assert calls == [2, 0]


async def test_the_agent_is_not_shown_what_was_forgotten_recalled_or_brought_by_tools(database, urls, session_id):
    model = scripted(("store_fact", {"content": "It was shown: {0}"}))
    forgotten = await say(database, "My pin is four digits long.", session_id=session_id)
    recalled = await say(database, "What do I collect?", session_id=session_id, answer="You collect Peruvian stamps.")
    last = await say(database, "Shall I buy the blue one?", session_id=session_id, answer="Yes, do.")
    with owner_connection(urls.owner) as connection:
        connection.execute(
            "update chat.message_index set is_hidden = true where message_id = "
            "(select user_message_id from chat.turns where turn_id = %s)",
            [forgotten],
        )
        given = '{"items": [{"id": "x", "what": "memory"}]}'
        connection.execute("update chat.turns set recalled = %s where turn_id = %s", [given, recalled])
    await after(database, last, reviser(database, model))
    [shown] = [each.text for each in await kept(database) if each.origin == "model"]
    assert [word in shown for word in ("What do I collect?", "blue one", "Yes, do.")] == [True] * 3
    assert [word in shown for word in ("pin", "Peruvian")] == [False] * 2


async def test_a_model_that_is_not_set_up_here_leaves_it_to_the_rules(database, urls, session_id):
    async def missing(_: str, __: Task) -> NamedModel | None:
        raise errors.ModelNotConfigured("The model needs a key.")

    [turn_id] = await talk(database, 1, session_id)
    await after(database, turn_id, reviser(database, models=missing))
    assert states(urls) == ["done"]


@pytest.mark.parametrize("replays", [40, pytest.param(668, marks=[pytest.mark.long, pytest.mark.timeout(1_800)])])
async def test_the_same_junk_again_and_again_leaves_one_row(database, urls, session_id, replays):
    """A memory that was recalled, told back and kept again made 668 rows of one elsewhere."""
    junk = "User prefers Vim."
    model = scripted(("store_fact", {"content": junk}), ("store_episode", {"content": "user prefers vim"}))
    revises = reviser(database, model)
    for i in range(replays):
        turn_id = await say(database, f"Go on, number {i}.", session_id=session_id, answer=junk)
        await after(database, turn_id, revises)
    assert model.calls == 2 * replays
    assert rows(urls, "select text from chat.memories") == [(junk,)]
    assert set(states(urls)) == {"done"}


async def test_what_is_deleted_while_it_is_summarised_is_read_by_nobody(database, urls, session_id):
    *_, last = await talk(database, 3, session_id)
    slow, agent = writer("A summary. " * 5, delay_ms=200), scripted(reply="Nothing.")

    async def models(_: str, task: Task) -> NamedModel | None:
        return "script:x", slow if task == "summary" else agent

    revising = asyncio.create_task(after(database, last, reviser(database, models=models)))
    await eventually(lambda: slow.calls)
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.sessions")
        connection.execute("delete from public.chat_message_history")
    await revising
    assert (slow.calls, agent.calls) == (1, 0)
    assert rows(urls, "select 1 from chat.summaries") == []


async def test_deleted_while_the_agent_reads_nothing_comes_back(database, urls, session_id):
    reading, deleted = asyncio.Event(), asyncio.Event()

    async def models(_: str, task: Task) -> NamedModel | None:
        if task == "revise":
            reading.set()
            await deleted.wait()
            return "script:x", scripted(reply="Nothing.")
        return None

    [turn_id] = await talk(database, 1, session_id)
    work = asyncio.create_task(after(database, turn_id, reviser(database, models=models)))
    await reading.wait()
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.sessions")
        connection.execute("delete from chat.user_events")
        connection.execute("delete from public.chat_message_history")
    deleted.set()
    await work
    for table in ("chat.usage_daily", "chat.user_events", "chat.summaries", "chat.turns", "chat.memories"):
        assert rows(urls, f"select count(*) from {table}") == [(0,)], table


async def test_revising_at_once_and_again_tells_each_turn_once(database, urls, session_id):
    ids = await talk(database, 3, session_id)
    revises = reviser(database, scripted(FACT))
    await asyncio.gather(*(after(database, turn_id, revises) for turn_id in ids * 3))
    assert states(urls) == ["done"] * 3
    assert sorted(each["turn_id"] for each in revision_events(urls)) == sorted(map(str, ids))
    assert len(await texts(database)) == 1


# What clients hear ---------------------------------------------------------------------------------------


async def test_a_stream_says_that_memory_is_being_made_and_its_log_then_what_came_of_it(settings, as_ada, urls):
    async with talking(settings, as_ada, worker="inprocess") as client:
        body = {"message": "My name is Ada and I live in Porto.", "session_id": str(uuid.uuid4())}
        answer = await client.post("/api/chat", json=body, headers={"Accept": "text/event-stream"})
        *_, starting, last = chunks(answer.text)
        turn_id = last["messageMetadata"]["turn_id"]
        assert starting == {
            "type": "data-memory-revision",
            "id": turn_id,
            "data": {"status": "starting", "session_id": body["session_id"]},
        }
        assert last["type"] == "finish"
        await eventually(lambda: queued(urls) == [])
        done = {"status": "completed", "memory_updated": True, "memory_tools_used": []}
        resumed = await client.get(f"/api/chat/{body['session_id']}/stream", headers={"Last-Event-ID": f"{turn_id}:0"})
        *_, completed, ending = chunks(resumed.text)
        assert (completed["id"], completed["data"], ending["type"]) == (turn_id, done, "finish")
        assert resumed.text.endswith("data: [DONE]\n\n")
        [told] = revision_events(urls)
        assert {"what": "revision", "session_id": body["session_id"], "turn_id": turn_id} | done == told
        page = (await client.get(f"/api/sessions/{body['session_id']}/messages")).json()
        revision = page["messages"][-1]["metadata"]["memory_revision"]
        assert revision | done == revision
        assert len(revision["remembered"]["created"]) == 2
        with owner_connection(urls.owner) as connection:
            connection.execute("delete from chat.turn_events")
        key = {"Last-Event-ID": f"{turn_id}:0"}
        replayed = await client.get(f"/api/chat/{body['session_id']}/stream", headers=key)
        assert replayed.status_code in (200, 204)


async def test_without_memory_nothing_is_revised_and_nothing_said_of_it(settings, as_ada, urls):
    async with talking(settings, as_ada, worker="inprocess") as client:
        made = await client.post("/api/sessions", json={"memory": "off"})
        body = {"message": "I live in Porto.", "session_id": made.json()["session_id"]}
        answer = await client.post("/api/chat", json=body, headers={"Accept": "text/event-stream"})
        assert "memory-revision" not in answer.text
        await eventually(lambda: queued(urls) == [])
    assert (states(urls), revision_events(urls)) == (["none"], [])


async def test_a_turn_that_failed_is_not_revised(settings, as_ada, urls):
    async with talking(settings, as_ada, {"match": "boom", "reply": "x y", "fail_after_words": 1}) as client:
        assert (await client.post("/api/chat", json={"message": "boom"})).status_code == 502
    assert states(urls) == ["none"]


async def test_what_revision_took_counts_as_the_users_day(database):
    async with database.transaction(ADA) as connection:
        await usage.add_usage(connection, ADA.user_id, agent_name="a", model="m", usage=Usage(10, 5))
        await usage.add_revision(connection, ADA.user_id, agent_name="a", model="m", usage=Usage(3, 4))
        assert await usage.read_today(connection, ADA.user_id) == (22, 7)


def test_all_that_models_may_take_after_a_turn_fits_into_its_job():
    assert Pace().job_s > memory_agent.TIMEOUT_S + compact.TIMEOUT_S + title.MODEL_TIMEOUT_S


def test_by_default_the_model_looks_when_there_is_a_summary():
    settings = Settings(_env_file=None)
    assert (settings.revise_model, settings.limit_revision_tokens_per_day) == ("on_summary", 200_000)
