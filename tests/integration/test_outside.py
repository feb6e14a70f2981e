"""Tools of MCP servers elsewhere: allowed by name, told with their schemas, untrusted, and never the end of a turn."""

import json
import time
from pathlib import Path

import httpx2
import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool

from chatServer.agent.answer import _described
from chatServer.agent.catalog import load_agents
from chatServer.agent.tools import Listed, outside
from chatServer.agent.tools.outside import Outside, outside_tools
from chatServer.agent.tools.outside_client import Bounded, TooMuch
from chatServer.errors import StartupError
from chatServer.records import Agent, OutsideServer
from tests.conftest import owner_connection
from tests.tools.outside_server import KEY, POISON, outside_server
from tests.tools.talking import talking

ALLOWED = ["forecast", "read_page", "slow", "broken", "endless"]
HEADERS = {"X-Key": "WEATHER_KEY"}
FORECAST = {"name": "weather_forecast", "args": {"city": "Oslo", "days": 3}}
NOTE = {"name": "manage_long_term_memory", "args": {"operation": "append", "content": "Mallory is a friend."}}


def rule(word: str, *calls: dict) -> dict:
    """Whoever says the word makes the model call these, one after the other, and say what the last one gave."""
    return {"match": f"^{word}", "steps": [*({"tool_calls": [call]} for call in calls), {"reply": "{results}"}]}


RULES = [
    rule("forecast", FORECAST),
    rule("read", {"name": "weather_read_page", "args": {}}, NOTE),
    *(rule(name, {"name": f"weather_{name}", "args": {}}) for name in ("slow", "broken", "endless", "forbidden")),
]


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("WEATHER_KEY", KEY)


def agents(settings, url: str, /, **more):
    """The settings with one agent that has a server elsewhere."""
    return settings.model_copy(update={"agents_dir": agent_in(settings.chat_data_dir / "agents", url, **more)})


def agent_in(folder: Path, url: str, /, **more) -> Path:
    folder.mkdir(exist_ok=True)
    server = {"name": "weather", "url": url, "allow": ALLOWED, "headers_env": HEADERS} | more
    agent = {"name": "assistant", "description": "x", "prompt": "x", "tools": [NOTE["name"]], "mcp": [server]}
    (folder / "assistant.yaml").write_text(json.dumps(agent))
    return folder


async def said(client, message: str) -> dict:
    answer = await client.post("/api/chat", json={"message": message})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_an_agent_uses_what_its_file_allows(settings, as_ada, urls):
    async with outside_server() as url, talking(agents(settings, url), as_ada, *RULES) as client:
        assert (await said(client, "forecast"))["response"] == "3 days of sun in Oslo"
        assert (await said(client, "broken"))["response"].endswith("there is no weather today")
        assert "There is no tool weather_forbidden" in (await said(client, "forbidden"))["response"]
        await said(client, "read a page")
    with owner_connection(urls.owner) as connection:
        noted = connection.execute("select untrusted_turn from chat.notes_versions where version = 1").fetchall()
        stored = connection.execute(
            "select message -> 'data' ->> 'content' from public.chat_message_history where message ->> 'type' = 'tool'"
        ).fetchall()
    assert noted == [(True,)]
    assert (POISON,) in stored


async def test_a_tool_that_takes_too_long_is_left(settings, as_ada):
    async with outside_server() as url, talking(agents(settings, url, timeout_s=0.5), as_ada, *RULES) as client:
        assert (await said(client, "slow"))["response"] == (
            "The server weather did not answer within 0.5 seconds. Answer without it."
        )


async def test_a_tool_that_says_too_much_is_not_heard_out(settings, as_ada):
    async with outside_server() as url, talking(agents(settings, url), as_ada, *RULES) as client:
        assert (await said(client, "endless"))["response"] == (
            "The server weather cannot be reached. Answer without it."
        )
        assert (await said(client, "forecast"))["response"] == "3 days of sun in Oslo"


async def test_what_a_server_packs_is_not_unpacked():
    async with outside_server() as url, httpx2.AsyncClient(transport=Bounded(), headers={"X-Key": KEY}) as http:
        with pytest.raises(TooMuch):
            await http.get(url.replace("/mcp", "/packed"))


@pytest.mark.parametrize("what", ["nobody", "a stranger", "no server of MCP"])
async def test_a_server_that_fails_makes_the_result_an_error_and_never_the_turn(settings, as_ada, monkeypatch, what):
    async with outside_server() as url:
        if what == "a stranger":
            monkeypatch.setenv("WEATHER_KEY", "wrong")
        wrong = {"nobody": "http://127.0.0.1:9/mcp", "no server of MCP": url.replace("/mcp", "/else")}
        async with talking(agents(settings, wrong.get(what, url)), as_ada, *RULES) as client:
            done = await said(client, "forecast")
    assert done["state"] == "done"
    assert done["response"] == "The server weather cannot be reached. Answer without it."


def tools_of(url: str, *names: str, **more):
    server = OutsideServer("weather", url, names, headers_env=tuple(HEADERS.items()), **more)
    return outside_tools(Agent("a", "a", "a", mcp=(server,)))


async def test_a_model_is_told_what_the_server_says_of_its_tools(monkeypatch):
    known = Outside()
    async with outside_server() as url:
        [tool] = await known.described(tools_of(url, "forecast"))
    told = convert_to_openai_tool(_described(tool))["function"]
    assert (told["name"], told["description"]) == ("weather_forecast", "What the weather will be in a city.")
    assert told["parameters"]["properties"]["city"]["type"] == "string"
    assert told["parameters"]["required"] == ["city"]
    [again] = await known.described(tools_of(url, "forecast"))  # it is gone, and what it said is kept
    assert again == tool
    now = time.monotonic()
    monkeypatch.setattr(outside.time, "monotonic", lambda: now + outside.KNOWN_S + 1)
    assert await known.described(tools_of(url, "forecast")) == [tool]


async def test_a_server_that_does_not_answer_is_left_alone_for_a_while(monkeypatch):
    asked = []

    class Client:
        @staticmethod
        async def list_tools(server):
            asked.append(server)
            raise ConnectionError

    async def client():
        return Client

    monkeypatch.setattr(outside, "_client", client)
    known, tools = Outside(), tools_of("http://127.0.0.1:9/mcp", "forecast")
    for _ in range(3):
        [tool] = await known.described(tools)
        assert convert_to_openai_tool(_described(tool))["function"]["name"] == "weather_forecast"
    assert len(asked) == 1


@pytest.mark.parametrize("schema", ['{"type": "array"}', '{"type": "object", "x": "' + "y" * 20_000 + '"}', "7"])
async def test_a_schema_that_is_none_is_not_told(monkeypatch, schema):
    bounded = outside._bounded(Listed("forecast", "x\x00" * 5_000, schema))
    assert bounded.schema == ""
    assert len(bounded.description) <= outside.MAX_DESCRIPTION


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"allow": []}, "mcp.0.allow"),
        ({"url": "ftp://127.0.0.1/mcp"}, "mcp.0.url"),
        ({"url": "file:///etc/passwd"}, "mcp.0.url"),
        ({"name": "A b"}, "mcp.0.name"),
        ({"name": "manage", "allow": ["long_term_memory"]}, "two tools would be called manage_long_term_memory"),
        ({"allow": ["a.b", "a_b"]}, "two tools would be called weather_a_b"),
        ({"allow": ["x" * 60]}, "more than 64 characters"),
        ({"headers_env": {"X-Key": "NOT_SET_ANYWHERE"}}, "NOT_SET_ANYWHERE"),
        ({"headers": {"X-Key": "secret"}}, "there is no such setting"),
        ({"timeout_s": 0}, "mcp.0.timeout_s"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_at_start(tmp_path, change, problem):
    folder = agent_in(tmp_path / "agents", "http://127.0.0.1:9/mcp", **change)
    with pytest.raises(StartupError, match=problem):
        load_agents(folder, "assistant")
