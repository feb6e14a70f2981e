"""What builtin answers to a prompt."""

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage

from chatServer.agent.builtin.apart import NOTES_TOOL
from chatServer.agent.builtin.responder import BuiltinModel
from chatServer.agent.prompts import NOTHING_YET
from chatServer.messages.fence import fence

TOOLS = [{"type": "function", "function": {"name": NOTES_TOOL}}]


def system(notes: str | None = None) -> SystemMessage:
    return SystemMessage("Be brief.\n" + (NOTHING_YET if notes is None else fence("notes", notes)))


async def answer(*messages, notes: str | None = None, tools=TOOLS, prompt: str | None = None) -> AIMessageChunk:
    given = [HumanMessage(message) if isinstance(message, str) else message for message in messages]
    first = SystemMessage(prompt) if prompt is not None else system(notes)
    chunks = [chunk async for chunk in BuiltinModel().bind_tools(tools).astream([first, *given])]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    return whole


async def call(*messages, **options) -> dict | None:
    said = await answer(*messages, **options)
    assert not (said.tool_calls and said.content)
    assert [found["name"] for found in said.tool_calls] in ([], [NOTES_TOOL])
    return said.tool_calls[0]["args"] if said.tool_calls else None


def after(question: str, arguments: dict, result: str, status: str = "success") -> list:
    called = AIMessage("", tool_calls=[{"name": NOTES_TOOL, "args": arguments, "id": "1"}])
    return [HumanMessage(question), called, ToolMessage(result, tool_call_id="1", status=status)]
