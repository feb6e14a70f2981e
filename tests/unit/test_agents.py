"""agents/*.yaml: loaded at once, or every problem of every file said at once."""

import re
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer

from chatServer import errors
from chatServer.agent.catalog import load_agents
from chatServer.config import ROOT
from chatServer.records import Limits

GOOD = "name: {name}\ndescription: d\nprompt: p\n"


def write(directory: Path, **files: str) -> Path:
    for name, text in files.items():
        (directory / f"{name}.yaml").write_text(text)
    return directory


def problems(directory: Path, default: str = "a") -> str:
    with pytest.raises(errors.StartupError) as caught:
        load_agents(directory, default)
    return str(caught.value)


def test_the_example_of_the_documentation_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHER_MCP_AUTH", "Bearer of.rain")
    example = (ROOT / "docs" / "agents.md").read_text().split("```yaml\n")[1].split("```")[0]
    agent = load_agents(write(tmp_path, support=example), "support").get("support")
    assert (agent.larger_model, agent.first_tool, agent.compact_pct) == ("openai:gpt-5", "retrieve_context", 85)


async def test_the_tool_of_the_documentation_is_the_one_that_its_agent_allows(tmp_path, monkeypatch):
    document = (ROOT / "docs" / "agents.md").read_text()
    asked: dict[str, Any] = {}
    monkeypatch.setattr(MCPServer, "run", lambda _, how, **where: asked.update(where, how=how))
    made: dict[str, Any] = {}
    exec(document.split("```python\n")[1].split("```")[0], made)  # the lines that a reader copies
    [line] = re.findall(r"`(mcp: \[.+\])`", document)
    agent = load_agents(write(tmp_path, a=f"{{name: a, description: b, prompt: c, {line}}}"), "a").get("a")
    assert agent.mcp[0].url == f"http://{asked['host']}:{asked['port']}/mcp"
    assert [tool.name for tool in await made["shop"].list_tools()] == list(agent.mcp[0].allow)


def test_the_agents_of_the_repo_load():
    catalog = load_agents(ROOT / "agents", "assistant")
    assert [agent.name for agent in catalog] == ["assistant", "coder"]
    assert catalog.get("assistant").window_messages == 20
    assert "{long_term_memory_notes}" in catalog.get("coder").prompt
    tools = ("manage_long_term_memory", "forget_memories", "retrieve_context")
    assert all(agent.tools == tools for agent in catalog)


def test_all_problems_of_all_files_are_reported_at_once(tmp_path):
    said = problems(
        write(
            tmp_path,
            a="name: other\ndescription: d\nprompt: p\n",
            b="name: b\nprompt: p\nwindow: {messages: 1}\nmodle: gpt\n",
            c="name: [\n",
            d="- just\n- a list\n",
            e="name: 'bad name!'\ndescription: d\nprompt: ''\nmemory: {scope: everyone}\ntools: notes\n",
        )
    )
    for part in (
        "a.yaml: its name is other",
        "b.yaml: description: Field required",
        "b.yaml: window.messages:",
        "b.yaml: modle: there is no such setting",
        "c.yaml: is not valid YAML",
        "d.yaml:",
        "e.yaml: name:",
        "e.yaml: prompt:",
        "e.yaml: memory.scope:",
        "e.yaml: tools:",
    ):
        assert part in said


def test_limits_window_and_middleware_are_read(tmp_path):
    said = GOOD.format(name="a") + (
        "limits: {steps: 3, tool_calls: 0, output_tokens: 100}\nmiddleware: [pii]\nwindow: {tokens: 8000}\n"
    )
    agent = load_agents(write(tmp_path, a=said), "a").get("a")
    assert agent.limits == Limits(steps=3, tool_calls=0, output_tokens=100)
    assert (agent.middleware, agent.window_tokens, agent.window_messages) == (("pii",), 8_000, 20)


def test_what_a_file_does_not_say_has_a_default(tmp_path):
    agent = load_agents(write(tmp_path, a=GOOD.format(name="a") + "limits: {steps: 3}\n"), "a").get("a")
    assert agent.limits == Limits(steps=3)
    assert (agent.middleware, agent.window_tokens) == ((), None)


def test_limits_and_middleware_that_make_no_sense_are_problems(tmp_path):
    said = problems(
        write(
            tmp_path,
            a=GOOD.format(name="a") + "limits: {steps: 0, tool_calls: -1, output_tokens: many, calls: 3}\n",
            b=GOOD.format(name="b") + "middleware: [pii, summary]\nwindow: {tokens: 10}\n",
            c=GOOD.format(name="c") + "middleware: [pii, pii]\n",
        )
    )
    for part in (
        "a.yaml: limits.steps:",
        "a.yaml: limits.tool_calls:",
        "a.yaml: limits.output_tokens:",
        "a.yaml: limits.calls: there is no such setting",
        "b.yaml: middleware.1: there is no middleware summary; known: pii",
        "b.yaml: window.tokens:",
        "c.yaml: middleware: each middleware can be named once",
    ):
        assert part in said


def test_a_name_may_stand_in_one_file_only(tmp_path):
    write(tmp_path, a=GOOD.format(name="a"))
    (tmp_path / "a.yml").write_text(GOOD.format(name="a"))
    assert "two files have this name" in problems(tmp_path)


def test_the_default_agent_has_to_exist(tmp_path):
    assert "DEFAULT_AGENT is a, but the agents are: b" in problems(write(tmp_path, b=GOOD.format(name="b")))


def test_an_empty_folder_is_a_problem(tmp_path):
    assert "no *.yaml file" in problems(tmp_path)


def test_yaml_cannot_run_code(tmp_path):
    trap = tmp_path / "trap"
    write(tmp_path, a=f"name: a\ndescription: !!python/object/apply:os.mkdir ['{trap}']\nprompt: p\n")
    assert "is not valid YAML" in problems(tmp_path)
    assert not trap.exists()


def test_an_unknown_agent_is_an_error_that_names_the_known_ones(tmp_path):
    catalog = load_agents(write(tmp_path, a=GOOD.format(name="a"), b=GOOD.format(name="b")), "a")
    with pytest.raises(errors.AgentNotFound, match="a, b"):
        catalog.get("c")


def test_an_unknown_tool_is_refused_with_the_known_ones(tmp_path):
    said = problems(write(tmp_path, a=GOOD.format(name="a") + "tools: [manage_long_term_memory, telepathy, rm]\n"))
    assert "a.yaml: tools: there is no telepathy; there are: forget_memories, manage_long_term_memory" in said
    assert "a.yaml: tools: there is no rm;" in said


def test_an_answer_can_have_to_begin_with_a_tool_of_the_agent(tmp_path):
    tools = "tools: [retrieve_context]\n"
    good = GOOD.format(name="a") + tools + "tool_choice: first:retrieve_context\n"
    assert load_agents(write(tmp_path, a=good), "a").get("a").first_tool == "retrieve_context"
    said = problems(
        write(
            tmp_path,
            a=GOOD.format(name="a") + tools + "tool_choice: first:manage_long_term_memory\n",
            b=GOOD.format(name="b") + tools + "tool_choice: retrieve_context\n",
            c=GOOD.format(name="c") + "tool_choice: first:retrieve_context\n",
        )
    )
    assert "a.yaml: tool_choice: manage_long_term_memory is not among the tools of this agent" in said
    assert "b.yaml: tool_choice:" in said
    assert "c.yaml: tool_choice: retrieve_context is not among" in said
