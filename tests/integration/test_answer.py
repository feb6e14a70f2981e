"""The agent's seam: one suite for the lean loop and for create_agent."""

import asyncio
import contextlib
import json
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from chatServer import errors
from chatServer.agent.script import ScriptedModel
from chatServer.agent.script_file import read_script
from chatServer.agent.tools import ToolResult, tokens_of
from chatServer.conversation.tokens import count_message, count_system, count_text
from chatServer.messages import Message, reasoning_of, text_of
from chatServer.records import Limits, Said, TurnEvent, Usage
from tests.tools.asking import DOUBLE, Asking, a_context, events, kinds, said, text, told, tool
from tests.tools.grammar import complaints
from tests.tools.spoken import SpokenModel, block, call, usage

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@pytest.fixture(params=["lean", "create_agent"])
def kind(request) -> str:
    return request.param


def scripted(tmp_path, **answer) -> ScriptedModel:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"default": answer}))
    return ScriptedModel(script=read_script(path))


def errors_of(heard) -> list[str]:
    """What the model was told, which has to be what the followers heard."""
    failed = [one for one in said(heard, "tool") if not one.structured_data["success"]]
    assert [one.text for one in events(heard, "tool-error")] == [text_of(one) for one in failed]
    assert all(one.structured_data["error"] for one in failed)
    return [text_of(one) for one in failed]


async def test_a_text_is_streamed_and_said_with_what_it_used(kind, tmp_path):
    asking = Asking(kind, scripted(tmp_path, reply="Hello there, Ada."))
    heard = await asking.hear()
    assert kinds(heard) == ["step-start", "text-start", "text-delta", "text-end", "said assistant", "step-finish"]
    assert len(events(heard, "text-delta")) > 1
    assert text(heard) == "Hello there, Ada."
    (message,) = said(heard, "assistant")
    assert text_of(message) == "Hello there, Ada."
    assert [one.usage for one in heard if isinstance(one, Said)] == [Usage(3, 3)]
    assert asking.models.output_tokens == [4_096]


async def test_usage_is_counted_when_the_provider_says_nothing(kind):
    thought = block(type="reasoning", reasoning="Hm, let me see.", index=0)
    rounds = [[call("double", '{"n": 21}', "c")], [thought, block(type="text", text="It is 42.", index=1)]]
    heard = await Asking(kind, SpokenModel(rounds=rounds)).hear("How much is it?")
    asked = count_system("Be brief.") + count_message(Message("user", "How much is it?")) + tokens_of((DOUBLE,))
    (called, answered), (result,) = said(heard, "assistant"), said(heard, "tool")
    first = Usage(asked, count_message(called))
    again = asked + first.output_tokens + count_message(result)
    second = Usage(again, count_message(answered) + count_text("Hm, let me see."))
    assert [one.usage for one in heard if isinstance(one, Said)] == [first, Usage(), second]
    assert min(first.output_tokens, second.output_tokens) > 4


async def test_what_a_provider_says_it_used_is_believed_step_by_step(kind):
    rounds = [[call("double", "{}", "c"), usage(70, 7)], ["Done.", usage(0, 0)]]
    heard = await Asking(kind, SpokenModel(rounds=rounds)).hear()
    assert [one.usage for one in heard if isinstance(one, Said)] == [Usage(70, 7), Usage(), Usage(0, 0)]


@pytest.mark.parametrize("nonsense", [(2**62, 2**62), (-50_000, 3), (3, 10**30)])
async def test_what_no_provider_can_have_used_is_not_believed(kind, nonsense):
    heard = await Asking(kind, SpokenModel(rounds=[["Done.", usage(*nonsense)]])).hear()
    [only] = [one.usage for one in heard if isinstance(one, Said)]
    assert 0 < only.input_tokens < 1_000
    assert 0 < only.output_tokens < 1_000


async def test_a_long_window_is_counted_beside_everybodys_work(kind):
    long = Message("user", "tea and rye bread " * 6_000)
    heard = await Asking(kind, SpokenModel(rounds=[["Hi."]])).hear(long)
    [only] = [one.usage for one in heard if isinstance(one, Said)]
    assert only.input_tokens == count_system("Be brief.") + count_message(long) + tokens_of((DOUBLE,))


async def test_reasoning_comes_in_parts_of_its_own_and_is_kept(kind, tmp_path):
    heard = await Asking(kind, scripted(tmp_path, reasoning="Let me think.", reply="Four.")).hear()
    parts = ["reasoning-start", "reasoning-delta", "reasoning-end", "text-start", "text-delta", "text-end"]
    assert kinds(heard)[1:-2] == parts
    (message,) = said(heard, "assistant")
    assert (reasoning_of(message), text_of(message)) == ("Let me think.", "Four.")


@pytest.mark.parametrize(
    "thoughts",
    [
        [block(type="thinking", thinking="Hm, ", index=0), block(type="thinking", thinking="so.", index=0)],
        [block(type="reasoning", summary=[{"type": "summary_text", "text": "Hm, so.", "index": 0}], index=0)],
    ],
    ids=["anthropic", "openai"],
)
async def test_reasoning_is_understood_in_the_spellings_of_providers(kind, thoughts):
    spoken = [*thoughts, block(type="text", text="Yes", index=1), block(type="text", text="!", index=1)]
    heard = await Asking(kind, SpokenModel(rounds=[[*spoken, block(type="other", index=2)]])).hear()
    assert "".join(one.text for one in events(heard, "reasoning-delta")) == "Hm, so."
    assert text(heard) == "Yes!"
    (message,) = said(heard, "assistant")
    assert (reasoning_of(message), text_of(message)) == ("Hm, so.", "Yes!")


async def test_tools_that_are_called_together_run_together_and_answer_in_order(kind):
    barrier = asyncio.Barrier(2)
    second_is_done = asyncio.Event()

    async def meet(_, given):
        async with asyncio.timeout(10):
            await barrier.wait()  # nobody passes alone
            if given.n == 1:
                await second_is_done.wait()
        second_is_done.set()
        return ToolResult(f"met {given.n}", events=(TurnEvent("data", name="meeting", value=given.n),))

    rounds = [[call("meet", '{"n": 1}', "a", 0), call("meet", '{"n": 2}', "b", 1)], ["Both ", "met."]]
    asking = Asking(kind, model := SpokenModel(rounds=rounds))
    heard = await asking.hear(tools=[tool("meet", meet)])
    assert [(one.id, one.value) for one in events(heard, "tool-input")] == [("a", {"n": 1}), ("b", {"n": 2})]
    assert [(one.id, one.value) for one in events(heard, "tool-output")] == [("a", "met 1"), ("b", "met 2")]
    assert [one.value for one in events(heard, "data")] == [1, 2]
    assert [(one.tool_call_id, one.name) for one in said(heard, "tool")] == [("a", "meet"), ("b", "meet")]
    assert [one.content for one in model.asked[1][-2:]] == ["met 1", "met 2"]
    assert text(heard) == "Both met."


async def test_several_rounds_add_up(kind, tmp_path):
    steps = [{"tool_calls": [{"name": "double", "args": {"n": n}}]} for n in (1, 2, 3)]
    heard = await Asking(kind, scripted(tmp_path, steps=[*steps, {"reply": "Six: {results}"}])).hear()
    assert [one.value for one in events(heard, "tool-output")] == ["2", "4", "6"]
    assert len(events(heard, "step-start")) == 4
    assert text(heard) == "Six: 2\n4\n6"
    assert sum((one.usage for one in heard if isinstance(one, Said)), Usage()).output_tokens > 6


@pytest.mark.parametrize(
    ("called", "problem"),
    [
        (("boom", "{}"), "The tool boom failed. Answer without it."),
        (("slow", "{}"), "The tool slow took longer than 0.05 seconds and was stopped."),
        (("refuses", "{}"), "Not like that."),
        (("unheard_of", "{}"), "There is no tool unheard_of. The tools are: double, boom, slow, refuses."),
        (("double", '{"n": "many"}'), "The arguments of double do not fit. n: Input should be a valid integer"),
        (("double", '{"n": 1'), "The arguments of double are no valid JSON object."),
        (("double", "[1]"), "The arguments of double are no valid JSON object."),
        ((None, "{}"), "There is no tool unknown."),
    ],
)
async def test_whatever_is_wrong_with_a_call_is_told_to_the_model(kind, called, problem, caplog):
    async def boom(*_):
        raise RuntimeError("a secret of ours")

    async def slow(*_):
        await asyncio.Event().wait()

    async def refuses(*_):
        return ToolResult("Not like that.", is_error=True)

    tools = [DOUBLE, tool("boom", boom), tool("slow", slow), tool("refuses", refuses)]
    rounds = [[call(*called, "bad", 0), call("double", '{"n": 4}', "good", 1)], ["Never mind."]]
    asking = Asking(kind, model := SpokenModel(rounds=rounds), tool_timeout_s=0.05)
    heard = await asking.hear(tools=tools)
    (told,) = errors_of(heard)
    assert told.startswith(problem)
    assert [one.value for one in events(heard, "tool-output")] == ["8"]
    *_, request, first, second = model.asked[1]
    assert [one["id"] for one in request.tool_calls] == ["bad", "good"]  # every result has its call
    assert (first.content, first.tool_call_id, first.status) == (told, "bad", "error")
    assert (second.content, second.status) == ("8", "success")
    (message, _) = said(heard, "assistant")
    assert message.tool_calls[0].arguments == called[1]
    assert text(heard) == "Never mind."
    assert "a secret of ours" not in caplog.text


async def test_a_broken_call_of_an_earlier_turn_can_be_sent_again(kind):
    rounds = [[call("double", '{"n": 1', "bad")], ["Oh."]]
    heard = await Asking(kind, SpokenModel(rounds=rounds)).hear("One?")
    before = [Message("user", "One?"), *(one.message for one in heard if isinstance(one, Said))]
    await (again := Asking(kind, SpokenModel(rounds=[["Yes."]]))).hear([*before, Message("user", "And now?")])
    (request,) = [one for one in again.models.model.asked[0] if getattr(one, "tool_calls", None)]
    assert [(one["id"], one["args"]) for one in request.tool_calls] == [("bad", {})]


@pytest.mark.parametrize("given", ["same", "", None])
async def test_the_ids_of_calls_are_unique_within_a_turn(kind, given):
    twice = [call("double", '{"n": 1}', given, 0), call("double", '{"n": 2}', given, 1)]
    heard = await Asking(kind, SpokenModel(rounds=[twice, twice, ["Done."]])).hear()
    ids = [one.id for one in events(heard, "tool-input")]
    assert len(set(ids)) == 4
    assert [one.id for one in events(heard, "tool-output")] == ids
    assert [one.tool_call_id for one in said(heard, "tool")] == ids
    assert [one.value for one in events(heard, "tool-output")] == ["2", "4", "2", "4"]


async def test_text_from_outside_marks_the_turn(kind):
    async def fetch(*_):
        return ToolResult("from outside")

    rounds = [[call("fetch", "{}", "a")], ["Read."]]
    asking = Asking(kind, SpokenModel(rounds=rounds))
    await asking.hear(tools=[tool("fetch", fetch)])
    assert not asking.context.has_read_untrusted
    asking = Asking(kind, SpokenModel(rounds=rounds))
    await asking.hear(tools=[tool("fetch", fetch, is_untrusted=True)])
    assert asking.context.has_read_untrusted


async def test_the_last_step_has_no_tools_so_the_model_answers(kind):
    rounds = [[call("double", '{"n": 1}')], [call("double", '{"n": 2}')], ["That is all."]]
    asking = Asking(kind, model := SpokenModel(rounds=rounds), limits=Limits(steps=3))
    heard = await asking.hear()
    assert model.tools == [["double"], ["double"], []]
    assert [one.value for one in events(heard, "metadata")] == [{"limit": "steps"}]
    assert text(heard) == "That is all."


async def test_calls_in_the_last_step_are_refused_and_the_turn_ends(kind):
    rounds = [["Once more: ", call("double", '{"n": 1}'), call("double", '{"n": 1}', None, 1)]]
    asking = Asking(kind, model := SpokenModel(rounds=rounds), limits=Limits(steps=2))
    heard = [one async for one in asking.events()]
    assert complaints(heard) == []
    assert len(model.asked) == 2
    assert len(errors_of(heard)) == 2
    asking = Asking(kind, SpokenModel(rounds=[rounds[0][1:]]), limits=Limits(steps=2))
    with pytest.raises(errors.ModelFailed, match="gave no answer"):
        await asking.hear()
    assert complaints(asking.heard) == []


async def test_no_more_tools_run_than_the_limit_allows(kind):
    runs = []

    async def count(_, given):
        runs.append(given.n)
        return ToolResult("counted")

    three = [call("count", f'{{"n": {n}}}', f"c{n}", n) for n in range(3)]
    rounds = [three, [call("count", "{}", "late")], ["Enough."]]
    asking = Asking(kind, SpokenModel(rounds=rounds), limits=Limits(tool_calls=2))
    heard = await asking.hear(tools=[tool("count", count)])
    assert runs == [0, 1]
    assert [one.id for one in events(heard, "tool-error")] == ["c2", "late"]
    assert all(one.startswith("All 2 calls of tools") for one in errors_of(heard))
    assert [one.value for one in events(heard, "metadata")] == [{"limit": "tool_calls"}]
    assert text(heard) == "Enough."


async def test_stopping_in_mid_stream_hangs_up_the_model(kind):
    never = asyncio.Event()
    asking = Asking(kind, model := SpokenModel(rounds=[["One. ", "Two. ", never.wait]]))
    heard_two = asyncio.Event()

    async def follow():
        async for one in asking.events():
            if isinstance(one, TurnEvent) and one.text == "Two. ":
                heard_two.set()

    task = asyncio.create_task(follow())
    await asyncio.wait_for(heard_two.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.closed == [False]
    assert complaints(asking.heard, is_whole=False) == []


async def test_whoever_stops_listening_hangs_up_the_model(kind):
    asking = Asking(kind, model := SpokenModel(rounds=[["One. ", "Two. ", "Three. ", asyncio.Event().wait]]))
    async with contextlib.aclosing(asking.events()) as stream:
        async for one in stream:
            if isinstance(one, TurnEvent) and one.text:
                break
    async with asyncio.timeout(10):
        while not model.closed:
            await asyncio.sleep(0)
    assert model.closed == [False]


async def test_stopping_while_tools_run_stops_them(kind):
    ended, both_run = [], asyncio.Barrier(3)

    async def hang(_, given):
        try:
            await both_run.wait()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append(given.n)
            raise

    rounds = [[call("hang", '{"n": 1}', "a", 0), call("hang", '{"n": 2}', "b", 1)], ["Never."]]
    asking = Asking(kind, model := SpokenModel(rounds=rounds))

    async def follow():
        async for _ in asking.events(tools=[tool("hang", hang)]):
            pass

    task = asyncio.create_task(follow())
    await asyncio.wait_for(both_run.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [1, 2]
    assert len(model.asked) == 1
    assert said(asking.heard, "tool") == []


async def test_a_model_that_breaks_off_is_an_error_and_what_was_said_stays(kind, tmp_path):
    steps = [{"tool_calls": [{"name": "double", "args": {"n": 1}}]}, {"reply": "a b c d", "fail_after_words": 2}]
    asking = Asking(kind, scripted(tmp_path, steps=steps))
    with pytest.raises(errors.ModelFailed, match="did not finish"):
        await asking.hear()
    assert complaints(asking.heard, is_whole=False) == []
    assert text(asking.heard) == "a b "
    assert [one.role for one in [*said(asking.heard, "assistant"), *said(asking.heard, "tool")]] == [
        "assistant",
        "tool",
    ]


async def test_a_model_that_fails_at_once_is_an_error(kind):
    asking = Asking(kind, SpokenModel(rounds=[[ConnectionError("10.0.0.7 says: your question was ...")]]))
    with pytest.raises(errors.ModelFailed) as caught:
        await asking.hear()
    assert "10.0.0.7" not in caught.value.detail


@pytest.mark.parametrize("words", [[], ["Well, "]], ids=["before the first word", "after it"])
async def test_a_model_that_hangs_is_a_timeout(kind, words):
    model = SpokenModel(rounds=[[*words, asyncio.Event().wait]])
    asking = Asking(kind, model, model_timeout_s=0.1)
    with pytest.raises(errors.ModelTimeout):
        await asking.hear()
    assert model.closed == [False]
    assert text(asking.heard) == "".join(words)


async def test_the_whole_call_has_to_end_in_time_however_many_words_come(kind, tmp_path):
    asking = Asking(kind, scripted(tmp_path, reply="word " * 200, delay_ms=10), model_timeout_s=0.2)
    with pytest.raises(errors.ModelTimeout):
        await asking.hear()
    assert text(asking.heard).startswith("word ")


@pytest.mark.parametrize("spoken", [[""], [" \n"], [usage(3, 0)], [block(type="thinking", thinking="Hm.")]])
async def test_an_answer_of_nothing_is_an_error(kind, spoken):
    with pytest.raises(errors.ModelFailed, match="answered with nothing"):
        await Asking(kind, SpokenModel(rounds=[spoken])).hear()


async def test_images_reach_the_model(kind):
    asking = Asking(kind, model := SpokenModel(rounds=[["A pixel."]]))
    await asking.hear(Message("user", "What is this?", images=[PIXEL]))
    assert model.asked[0][-1].content == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": PIXEL}},
    ]


async def test_the_model_gets_the_system_prompt_first_and_the_window_in_order(kind):
    asking = Asking(kind, model := SpokenModel(rounds=[["Yes."]]))
    await asking.hear([Message("user", "a"), Message("assistant", "b"), Message("user", "c")])
    given = [(one.type, one.content) for one in model.asked[0]]
    assert given == [("system", "Be brief."), ("human", "a"), ("ai", "b"), ("human", "c")]


async def test_a_long_answer_arrives_whole(kind, tmp_path):
    words = " ".join(f"word{n}" for n in range(5_000))
    heard = await Asking(kind, scripted(tmp_path, reply=words)).hear()
    assert text(heard) == words
    assert text_of(said(heard, "assistant")[0]) == words


async def test_text_that_postgres_refuses_is_cleaned(kind):
    async def odd(*_):
        return ToolResult("a\0b")

    rounds = [[call("odd", '{"n": 1, "x": "\\u0000\\ud800"}', "a")], ["c\0", "d\ud800."]]
    heard = await Asking(kind, SpokenModel(rounds=rounds)).hear(tools=[tool("odd", odd)])
    assert [one.value for one in events(heard, "tool-input")] == [{"n": 1, "x": "\ufffd\ufffd"}]
    assert text_of(said(heard, "tool")[0]) == "a\ufffdb"
    assert text(heard) == text_of(said(heard, "assistant")[1]) == "c\ufffdd\ufffd."


async def test_two_users_of_one_compiled_agent_never_meet(kind):
    gate = asyncio.Barrier(2)

    async def whose(context, _):
        async with asyncio.timeout(10):
            await gate.wait()  # both turns are inside the same tool now
        return ToolResult(str(context.principal.user_id))

    class Repeats(SpokenModel):
        """Says what the tool told it; nothing else tells the turns apart."""

        async def _astream(self, messages, *_, **__):
            last = messages[-1]
            spoken = AIMessageChunk(last.content) if last.type == "tool" else call("whose", "{}", "same")
            yield ChatGenerationChunk(message=spoken)

    asking = Asking(kind, Repeats(rounds=[]))
    tools = [tool("whose", whose)]
    users = [uuid4(), uuid4()]

    async def ask(user_id):
        stream = told(asking.answerer, asking.asked("Who am I?"), tools, a_context(user_id))
        return [one async for one in stream]

    for _ in range(5):
        for user_id, heard in zip(users, await asyncio.gather(*map(ask, users)), strict=True):
            assert complaints(heard) == []
            assert [one.value for one in events(heard, "tool-output")] == [str(user_id)]
            assert text(heard) == str(user_id)
    assert len(asking.models.output_tokens) <= 2  # compiled once, or by both at the same time


@pytest.mark.parametrize(
    "rounds",
    [
        [["Just ", "words."]],
        [[block(type="thinking", thinking="Hm."), block(type="text", text="So.")]],
        [["Wait. ", call("double", '{"n": 1}', "a"), call("nope", "{}", "b", 1)], [call("double", "{", "c")], ["Ok."]],
        [["Again. ", call("double", "{}")]],
    ],
)
async def test_both_kinds_tell_the_same(rounds):
    heard = [
        await Asking(kind, SpokenModel(rounds=rounds), limits=Limits(steps=4, tool_calls=2)).hear()
        for kind in ("lean", "create_agent")
    ]
    assert kinds(heard[0]) == kinds(heard[1])
    assert text(heard[0]) == text(heard[1])
    told = [[text_of(message) for message in said(one, "tool")] for one in heard]
    assert told[0] == told[1]
