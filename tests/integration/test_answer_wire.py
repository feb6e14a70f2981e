"""The agent's seam over a real wire: LangChain's OpenAI package and a server of our own."""

import asyncio
import json
from time import monotonic

import pytest
from pydantic import BaseModel, SecretStr

from chatServer import errors
from chatServer.agent import model_errors
from chatServer.agent.answer import Answerer
from chatServer.agent.models import Models
from chatServer.agent.tools import Tool, ToolResult
from chatServer.config import Settings
from chatServer.messages import Message, Quoted, cut_short, reasoning_of
from chatServer.records import Agent, Limits, ModelInput, Said, Usage
from tests.tools.asking import a_context, events, text, told
from tests.tools.grammar import complaints


class City(BaseModel):
    city: str


class Zone(BaseModel):
    zone: str


async def weather(_, given):
    return ToolResult(f"Rain in {given.city}.")


async def time(_, given):
    return ToolResult(f"Noon, {given.zone}.")


pytestmark = pytest.mark.usefixtures("no_request_goes_elsewhere")
TOOLS = [Tool("weather", "The weather.", City, weather), Tool("time", "The time.", Zone, time)]


@pytest.fixture(params=["lean", "create_agent"])
def kind(request) -> str:
    return request.param


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch):
    monkeypatch.setattr(model_errors, "RETRY_AFTER_S", 0.01)


@pytest.fixture
async def answer(kind):
    opened = []

    def ask(base_url, mode, first_tool=None, **limits):
        settings = Settings(_env_file=None, model_base_url=base_url, model_api_key=SecretStr("key"))
        opened.append(models := Models(settings, {}))
        middleware = ("pii",) if kind == "create_agent" else ()
        agent = Agent("a", "d", "p", limits=Limits(**limits), first_tool=first_tool, middleware=middleware)
        asked = ModelInput(agent, f"openai:{mode}", "Be brief.", (Message("user", "Well?"),))
        return told(Answerer(models, model_timeout_s=20, tool_timeout_s=5), asked, TOOLS, a_context())

    yield ask
    for models in opened:
        await models.close()


async def test_a_text_with_its_usage_and_limit(provider, answer):
    heard = [one async for one in answer(provider.base_url, "says", output_tokens=77)]
    assert complaints(heard) == []
    assert text(heard) == "Hello, wire!"
    assert [one.usage for one in heard if isinstance(one, Said)] == [Usage(11, 7)]
    (request,) = provider.requests
    assert request.get("max_completion_tokens", request.get("max_tokens")) == 77
    described = {tool["function"]["name"]: tool["function"]["parameters"] for tool in request["tools"]}
    assert described["weather"]["required"] == ["city"]
    assert [one["role"] for one in request["messages"]] == ["system", "user"]


async def test_calls_that_come_in_fragments_are_run_and_sent_back(provider, answer):
    heard = []
    with pytest.raises(errors.ModelFailed, match="gave no answer"):  # this server asks for tools for ever
        async for one in answer(provider.base_url, "tools", steps=2):
            heard.append(one)
    assert complaints(heard) == []
    assert [one.value for one in events(heard, "tool-input")][:2] == [{"city": "Köln"}, {"zone": "CET"}]
    assert [one.value for one in events(heard, "tool-output")] == ["Rain in Köln.", "Noon, CET."]
    first, last = provider.requests
    assert "tools" in first
    assert "tools" not in last
    *_, called, rain, noon = last["messages"]
    assert [json.loads(one["function"]["arguments"]) for one in called["tool_calls"]] == [
        {"city": "Köln"},
        {"zone": "CET"},
    ]
    assert [(one["role"], one["tool_call_id"]) for one in (rain, noon)] == [("tool", "call_0"), ("tool", "call_1")]


async def test_a_tool_that_has_to_be_called_first_is_asked_for_in_the_first_request_only(provider, answer):
    with pytest.raises(errors.ModelFailed, match="gave no answer"):
        _ = [one async for one in answer(provider.base_url, "tools", first_tool="weather", steps=3)]
    first, second, last = provider.requests
    assert first["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    assert "tool_choice" not in second
    assert "tool_choice" not in last


@pytest.mark.parametrize("mode", ["breaks", "500", "garbage"])
async def test_what_the_provider_does_wrong_is_an_error_of_ours(provider, answer, mode):
    with pytest.raises(errors.ModelFailed):
        _ = [one async for one in answer(provider.base_url, mode)]


@pytest.mark.parametrize("mode", ["reasoning_content", "reasoning"])
async def test_thoughts_are_heard_however_a_server_sends_them(provider, answer, mode):
    heard = [one async for one in answer(provider.base_url, mode)]
    assert complaints(heard) == []
    assert [one.text for one in events(heard, "reasoning-delta")] == ["Let me ", "think."]
    assert text(heard) == "Hello, wire!"
    assert [reasoning_of(one.message) for one in heard if isinstance(one, Said)] == ["Let me think."]


async def test_nobody_is_sent_two_messages_of_a_user_in_a_row(provider):
    asked = ModelInput(
        Agent("a", "d", "p"),
        "openai:says",
        "Be brief.",
        (Quoted("user", "<memories>…</memories>"), Message("user", "Well?")),
    )
    models = Models(Settings(_env_file=None, model_base_url=provider.base_url), {})
    answering = told(Answerer(models, model_timeout_s=20, tool_timeout_s=5), asked, (), a_context())
    assert text([one async for one in answering]) == "Hello, wire!"
    await models.close()
    [request] = provider.requests
    assert [(each["role"], each["content"]) for each in request["messages"]] == [
        ("system", "Be brief."),
        ("user", "<memories>…</memories>\n\nWell?"),
    ]


@pytest.mark.parametrize(("mode", "reason"), [("says", None), ("cut", "length"), ("hangs-up", "unknown")])
async def test_an_answer_keeps_what_the_provider_said_of_its_end(provider, answer, mode, reason):
    (said,) = [one async for one in answer(provider.base_url, mode) if isinstance(one, Said)]
    assert cut_short.told([said.message]) == ({"cut_short": reason} if reason else {})


async def test_a_model_that_spent_all_on_its_thoughts_names_the_remedy(provider, answer):
    with pytest.raises(errors.ModelFailed, match=r"limits\.output_tokens"):
        _ = [one async for one in answer(provider.base_url, "spent")]


@pytest.mark.parametrize("mode", ["429-once", "500-once", "503-once"])
async def test_a_provider_that_refuses_for_now_is_asked_once_more(provider, answer, mode):
    assert text([one async for one in answer(provider.base_url, mode)]) == "Hello, wire!"
    assert len(provider.requests) == 2


@pytest.mark.parametrize(
    ("mode", "asked"),
    [("429", 2), ("500", 2), ("503", 2), ("400", 1), ("401", 1), ("403", 1), ("404", 1), ("breaks", 1), ("garbage", 1)],
)
async def test_nobody_is_asked_a_third_time_nor_again_what_was_refused_for_good(provider, answer, mode, asked):
    with pytest.raises(errors.ModelFailed):
        _ = [one async for one in answer(provider.base_url, mode)]
    assert len(provider.requests) == asked


@pytest.mark.parametrize(("wish", "asked"), [("0", 2), ("1", 2), ("3600", 1), ("soon", 2)])
async def test_the_provider_says_when_to_come_back(provider, answer, wish, asked):
    provider.retry_after = wish
    began_at = monotonic()
    with pytest.raises(errors.ModelFailed, match="takes no more requests"):
        _ = [one async for one in answer(provider.base_url, "429")]
    assert len(provider.requests) == asked
    assert monotonic() - began_at >= (wish == "1")


async def test_a_provider_that_is_down_is_said_to_be(answer):
    with pytest.raises(errors.ModelFailed, match="cannot be reached"):
        _ = [one async for one in answer("http://127.0.0.1:9/v1", "says")]


async def test_a_stop_ends_the_connection_to_the_provider(answer):
    has_hung_up = asyncio.Event()

    async def talk(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        delta = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        delta["choices"] = [{"index": 0, "delta": {"role": "assistant", "content": "Well, "}, "finish_reason": None}]
        writer.write(f"data: {json.dumps(delta)}\n\n".encode())
        while await reader.read(65_536):
            pass  # the rest of the question; then nothing, until the other side hangs up
        has_hung_up.set()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    has_heard = asyncio.Event()

    async def follow():
        async for one in answer(f"http://127.0.0.1:{port}/v1", "m"):
            if text([one]):
                has_heard.set()

    task = asyncio.create_task(follow())
    await asyncio.wait_for(has_heard.wait(), 20)
    assert not has_hung_up.is_set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(has_hung_up.wait(), 5)
    server.close()
    await server.wait_closed()
