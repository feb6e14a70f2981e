"""What a tool answers is stored whole, and read by the model as far as it leaves room in the window."""

import json

import pytest

from chatServer.agent.counted import count_given
from chatServer.agent.tight import DID_NOT_FIT
from chatServer.agent.tools import ToolResult
from chatServer.conversation.assemble import Parts, assemble
from chatServer.conversation.budget import AROUND, cut_new_result, is_cut
from chatServer.conversation.tokens import count_message
from chatServer.messages import Message, text_of
from chatServer.records import Agent, Limits
from tests.tools.asking import Asking, events, said, text, tool
from tests.tools.spoken import SpokenModel, call

WINDOW_TOKENS = 8_000
PAGE = "- likes tea and rye bread\n" * 2_500  # 65 kB


def result(text: str, name: str = "read") -> Message:
    return Message("tool", text, name=name, tool_call_id="c")


@pytest.mark.parametrize("kind", ["lean", "create_agent"])
async def test_a_long_result_is_stored_whole_and_read_in_part(kind):
    async def read(*_):
        return ToolResult(PAGE)

    model = SpokenModel(rounds=[[call("read", "{}", "c")], ["Done."]])
    heard = await Asking(kind, model, window_tokens=WINDOW_TOKENS).hear(tools=[tool("read", read)])
    assert [one.value for one in events(heard, "tool-output")] == [PAGE]
    assert [text_of(message) for message in said(heard, "tool")] == [PAGE]
    given = model.asked[1][-1].content
    assert is_cut(given)
    assert PAGE.startswith(given.partition("\n[Cut here")[0])
    assert WINDOW_TOKENS // 5 < count_message(result(given)) <= WINDOW_TOKENS // 4


@pytest.mark.parametrize("kind", ["lean", "create_agent"])
async def test_what_fits_is_read_as_it_is(kind):
    async def read(*_):
        return ToolResult(PAGE)

    model = SpokenModel(rounds=[[call("read", "{}", "c")], ["Done."]])
    await Asking(kind, model).hear(tools=[tool("read", read)])
    assert model.asked[1][-1].content == PAGE


@pytest.mark.parametrize("kind", ["lean", "create_agent"])
@pytest.mark.parametrize(("words", "shown"), [(90, "20"), (2_000, DID_NOT_FIT)])
async def test_a_call_that_takes_all_the_room_is_the_last_and_the_turn_is_answered(kind, words, shown):
    model = SpokenModel(rounds=[[call("double", json.dumps({"n": 10, "why": "ha " * words}), "c")], ["Done."]])
    asking = Asking(kind, model, limits=Limits(output_tokens=100), window_tokens=300)
    heard = await asking.hear("ha " * 50)
    assert text(heard) == "Done."
    assert [one.value for one in events(heard, "metadata")] == [{"limit": "window"}]
    assert [each.content for each in model.asked[1] if each.type == "tool"] == [shown]
    assert sum(map(count_given, model.asked[1])) <= 200
    assert not model.tools[1], "no more of them can be called"


@pytest.mark.parametrize("letter", ["a", "я", "中", "🦊", "\U000e0041", "\u0e01"])
async def test_what_is_not_counted_could_not_have_been_too_long(letter):
    text = letter * ((WINDOW_TOKENS // 4 - AROUND) // 4)
    message = result(text, "🦊" * 16)
    assert await cut_new_result(message, WINDOW_TOKENS // 4) is message
    assert count_message(message) <= WINDOW_TOKENS // 4


def test_the_prompt_tells_how_much_its_model_can_take():
    agent, question = Agent("helper", "d", "p"), Message("user", "Well?")
    parts = Parts(agent, "any", WINDOW_TOKENS, "Be brief.", 0, None, 10, question)
    asked, _ = assemble(parts, [])
    assert asked.window_tokens == WINDOW_TOKENS
