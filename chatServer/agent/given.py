"""What a model is given: the system prompt and the window, as LangChain's messages."""

from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

from chatServer.agent.run import Run, tool_name
from chatServer.agent.unchecked import ANSWER, QUESTION, SYSTEM, made_like
from chatServer.messages import Message, Quoted, ToolCallMsg, to_langchain
from chatServer.messages.blocks import names_an_address
from chatServer.messages.calls import json_object
from chatServer.messages.text import LANGCHAIN

Content: TypeAlias = str | list[str | dict[Any, Any]]
LEFT_OUT = {"type": "text", "text": "[A file that is not kept here was left out.]"}


class QuotedMessage(HumanMessage):
    """One for every provider: that the server put it there, `builtin` alone asks."""


QUOTED = QuotedMessage(content="")


def in_turns(messages: list[BaseMessage]) -> list[BaseMessage]:
    """What stands beside a question becomes part of it: the templates of many open models refuse two messages of a
    user in a row."""
    taken: list[BaseMessage] = []
    for message in messages:
        before = taken[-1] if taken else None
        if before is not None and before.type == message.type == "human" and before.name == message.name:
            taken[-1] = HumanMessage(_joined(before.content, message.content), id=message.id, name=message.name)
        else:
            taken.append(message)
    return taken


def _joined(first: Content, second: Content) -> Content:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_blocks(first), *_blocks(second)]


def _blocks(content: Content) -> list[str | dict[Any, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def system(run: Run) -> list[BaseMessage]:
    return [made_like(SYSTEM, content=run.asked.system)] if run.asked.system else []


def window(run: Run) -> list[BaseMessage]:
    return [for_model(message) for message in run.asked.messages]


def for_model(message: Message) -> BaseMessage:
    """A message without what only its way back needs: 4 us for plain words, of which to_langchain takes 43.

    No provider takes arguments that are no JSON object, nor a result whose call is missing: a call that was broken
    stays in its place, with no arguments. The result that follows says what was wrong.
    """
    content = message.content or ""
    facts = message.structured_data
    if type(content) is not str or message.images or message.agent_calls or (facts and _keeps_blocks(facts)):
        return _whole(to_langchain(message))
    message_id, name = message.message_id, message.name
    if message.role == "user":
        pattern = QUOTED if isinstance(message, Quoted) else QUESTION
        return made_like(pattern, content=content, id=message_id, name=name)
    if message.role == "assistant":
        calls = [_call(call) for call in message.tool_calls or ()]
        return made_like(ANSWER, content=content, id=message_id, name=name, tool_calls=calls)
    if message.role == "tool" and message.tool_call_id is not None:
        status = "error" if (message.structured_data or {}).get("success") is False else "success"
        return ToolMessage(content, id=message_id, name=name, tool_call_id=message.tool_call_id, status=status)
    return _whole(to_langchain(message))


def _keeps_blocks(facts: dict[str, Any]) -> bool:
    """Whether LangChain kept more of it than usage and other facts about the answer."""
    kept = facts.get(LANGCHAIN)
    return isinstance(kept, dict) and ("content" in kept or "additional_kwargs" in kept)


def _call(call: ToolCallMsg) -> ToolCall:
    return tool_call(name=tool_name(call.name), args=json_object(call.arguments) or {}, id=call.call_id)


def _whole(base: BaseMessage) -> BaseMessage:
    """Nor is a provider told where to fetch something: rows come from imports and other writers too."""
    if isinstance(base.content, list):
        by_anybody = not isinstance(base, AIMessage)
        kept = [LEFT_OUT if names_an_address(each, by_anybody=by_anybody) else each for each in base.content]
        base = base.model_copy(update={"content": kept})
    if not isinstance(base, AIMessage) or not base.invalid_tool_calls:
        return base
    broken = [tool_call(name=tool_name(call["name"]), args={}, id=call["id"]) for call in base.invalid_tool_calls]
    return base.model_copy(update={"tool_calls": [*base.tool_calls, *broken], "invalid_tool_calls": []})
