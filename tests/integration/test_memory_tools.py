"""The tools of memory in this process, for whoever works after a turn: the same tools, each done once."""

import subprocess
import sys
import uuid

import pytest

from chatServer import errors
from chatServer.agent.catalog import load_agents
from chatServer.agent.memory_tools import ToolBroken, ToolFailed
from chatServer.config import ROOT
from chatServer.memory import guard
from chatServer.protocols.mcp import tools_for
from chatServer.protocols.mcp.desk import Desk
from chatServer.records import Caller
from tests.conftest import ADA, EVE, owner_connection
from tests.tools.mcp_client import ALL
from tests.tools.remembering import kept, say, texts


@pytest.fixture
def desk(database) -> Desk:
    return Desk(database, load_agents(ROOT / "agents", "assistant"))


async def after(database, text: str, session_id: str, **options) -> Caller:
    turn_id = await say(database, text, session_id=session_id)
    return Caller(ADA, "assistant", "assistant", "model", turn_id, 1, **options)


async def test_they_are_listed_and_called_as_mcp_has_them(desk, database):
    session_id = str(uuid.uuid4())
    caller = await after(database, "My boat is called Argo.", session_id)
    async with tools_for(desk)(caller) as tools:
        listed = {tool.name: tool for tool in await tools.list_tools()}
        assert set(listed) == ALL
        assert listed["store_fact"].input_schema["properties"]["content"]
        done = await tools.call_tool("store_fact", {"content": "The boat is called Argo.", "session_id": session_id})
        assert (done["outcome"], done["kind"]) == ("created", "fact")
        for name, arguments in (
            ("store_fact", {}),
            ("drop_tables", {}),
            ("store_fact", {"content": "Eve likes boats a lot.", "user_id": str(EVE.user_id)}),
        ):
            with pytest.raises(ToolFailed):
                await tools.call_tool(name, arguments)
        with pytest.raises(ToolBroken, match="searched here"):
            await tools.call_tool("search_memories", {"query": "boats"})
    [found] = await kept(database)
    assert (found.origin, found.trust, found.turn_id, found.shelf) == (
        "model", "assistant", caller.turn_id, "assistant"
    )  # fmt: skip


async def test_a_job_that_runs_twice_has_done_everything_once(desk, database, urls):
    session_id = str(uuid.uuid4())
    caller = await after(database, "My boat is called Argo.", session_id)
    for _ in range(2):
        async with tools_for(desk)(caller) as tools:
            await tools.call_tool("store_fact", {"content": "The boat is called Argo.", "session_id": session_id})
            await tools.call_tool("manage_long_term_memory", {"operation": "append", "content": "Boat: Argo"})
    assert await texts(database) == ["The boat is called Argo."]
    with owner_connection(urls.owner) as connection:
        assert connection.execute("select notes from public.agent_long_term_memory").fetchall() == [("Boat: Argo",)]
        assert connection.execute("select count(*) from chat.memory_changes").fetchone() == (1,)


async def test_after_a_turn_that_is_gone_nothing_is_written(desk, database, urls):
    session_id = str(uuid.uuid4())
    caller = await after(database, "My boat is called Argo.", session_id)
    message = {"session_id": session_id, "role": "user", "content": "Argo!", "message_id": str(uuid.uuid4())}
    with owner_connection(urls.owner) as connection:
        connection.execute("delete from chat.sessions")
        connection.execute("delete from public.chat_message_history")
    async with tools_for(desk)(caller) as tools:
        assert (await tools.call_tool("store_session_message", message))["stored"] is False
        assert (await tools.call_tool("store_fact", {"content": "The boat is called Argo."}))["outcome"] == "refused"
        await tools.call_tool("manage_long_term_memory", {"operation": "append", "content": "Boat: Argo"})
        with pytest.raises(ToolFailed, match="no session"):
            await tools.call_tool("store_fact", {"content": "The boat is called Argo.", "session_id": session_id})
    with owner_connection(urls.owner) as connection:
        for table in ("public.chat_message_history", "chat.sessions", "chat.memories", "chat.notes_versions"):
            assert connection.execute(f"select count(*) from {table}").fetchone() == (0,), table


async def test_a_summary_is_asked_for_as_the_user_and_of_his_own_sessions(database, desk):
    session_id = str(uuid.uuid4())
    for number in range(6):
        caller = await after(database, f"My boat number {number} is called Argo.", session_id)
    async with tools_for(desk)(caller) as tools:
        done = await tools.call_tool("summarize_session", {"session_id": session_id.upper(), "user_id": None})
        assert (done["updated"], done["covers_messages"] > 0, "Argo" in done["summary"]) == (True, True, True)
        again = await tools.call_tool("summarize_session", {"session_id": session_id})
        assert again == {**done, "updated": False}
        with pytest.raises(ToolFailed):
            await tools.call_tool("summarize_session", {"session_id": str(uuid.uuid4())})
    async with tools_for(desk)(Caller(EVE)) as tools:
        with pytest.raises(ToolFailed):
            await tools.call_tool("summarize_session", {"session_id": session_id})


async def test_the_guard_stands_before_everything_that_is_stored(desk, monkeypatch):
    monkeypatch.setattr(guard, "_guard", lambda text: None if "hunter2" in text else text)
    async with tools_for(desk)(Caller(ADA)) as tools:
        assert (await tools.call_tool("store_fact", {"content": "The password is hunter2."}))["outcome"] == "refused"
        for name, arguments in (
            ("store_session_message", {"session_id": "s", "role": "user", "content": "it is hunter2"}),
            ("manage_long_term_memory", {"operation": "append", "content": "it is hunter2"}),
        ):
            with pytest.raises(ToolFailed, match="guard"):
                await tools.call_tool(name, arguments)


@pytest.mark.parametrize(
    ("error", "told"), [(errors.DatabaseUnavailable(), "does not answer right now"), (KeyError("x"), "bug of ours")]
)
async def test_what_is_wrong_with_the_server_is_no_refusal(desk, monkeypatch, error, told):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(type(desk.database), "transaction", broken)
    async with tools_for(desk)(Caller(ADA)) as tools:
        with pytest.raises(ToolBroken, match=told):
            await tools.call_tool("read_notes", {})


def test_the_package_is_not_imported_with_the_commands():
    code = "import sys, chatServer.cli; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0
