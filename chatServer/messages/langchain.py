"""Messages as LangChain's classes and back, exactly, in both directions.

What LangChain cannot carry travels in `additional_kwargs["chat"]`. What only LangChain models (reasoning
and other blocks, usage, artifacts) is kept, as it came, in `structured_data["langchain"]`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from chatServer.errors import MessageError
from chatServer.messages.blocks import join_blocks, split_blocks
from chatServer.messages.calls import ToolCallMsg, json_object, json_text
from chatServer.messages.message import Message, new_message_id
from chatServer.messages.text import LANGCHAIN, text_of, tool_result

CHAT = "chat"

LangChainMessage = BaseMessage  # its name in the rooms that do not import LangChain
ROLE_OF_TYPE = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}

_CLASSES: dict[str, type[BaseMessage]] = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
}
_ALL = ("content", "additional_kwargs", "response_metadata")
_LEFTOVER = {
    "user": _ALL,
    "assistant": (*_ALL, "usage_metadata", "invalid_tool_calls"),
    "system": _ALL,
    "tool": (*_ALL, "artifact"),
}


def to_langchain(message: Message) -> BaseMessage:
    """The LangChain message; reading it back gives an equal message, also through JSON."""
    try:
        base = _build(message, _kept(message))
    except (ValueError, TypeError, AttributeError, KeyError):  # structured_data is anybody's dict
        base = _build(message, {})
    if lost := _lost(message, _read(base)):
        base.additional_kwargs = {**base.additional_kwargs, CHAT: lost}
    return base


def from_langchain(base: BaseMessage) -> Message:
    """Our message; a missing id is minted."""
    if type(base) is AIMessage and type(base.content) is str and not (base.additional_kwargs or _has_calls(base)):
        return _plain_answer(base, base.content)
    message = _read(base)
    lost = base.additional_kwargs.get(CHAT)
    if not isinstance(lost, dict):
        return message
    carried = {f.name: lost[f.name] for f in fields(Message) if f.name in lost}
    if isinstance(carried.get("structured_data"), dict):
        carried["structured_data"] = {**(message.structured_data or {}), **carried["structured_data"]}
    return replace(message, **carried)


def _has_calls(base: AIMessage) -> bool:
    return bool(base.tool_calls or base.invalid_tool_calls)


def _plain_answer(base: AIMessage, text: str) -> Message:
    """What the longer way leads to for nothing but words, as most answers are: 1 us instead of 7 (2026-11-19)."""
    facts = {"response_metadata": base.response_metadata or None, "usage_metadata": base.usage_metadata}
    leftover = {name: value for name, value in facts.items() if value is not None}
    structured = {LANGCHAIN: leftover} if leftover else None
    return Message("assistant", text, base.id or new_message_id(), base.name, structured_data=structured)


def _build(message: Message, kept: dict[str, Any]) -> BaseMessage:
    values: dict[str, Any] = {
        "content": join_blocks(text_of(message), message.images or []),
        "id": message.message_id,
        "name": message.name,
        **kept,
    }
    if message.role == "assistant":
        values |= _build_calls(message, kept.get("invalid_tool_calls", []))
    if message.role == "tool":
        failed = (message.structured_data or {}).get("success") is False
        values |= {"tool_call_id": tool_result(message)[0] or "", "status": "error" if failed else "success"}
    return _CLASSES[message.role](**values)


def _build_calls(message: Message, kept_invalid: list[Any]) -> dict[str, Any]:
    """LangChain tells calls that can be run from those whose arguments are no JSON object."""
    known = {
        _call_key(call): raw
        for call, raw in zip(_read_invalid(message.message_id, kept_invalid), kept_invalid, strict=True)
    }
    valid: list[Any] = []
    invalid: list[Any] = []
    for call in message.tool_calls or []:
        if _call_key(call) in known:
            invalid.append(known[_call_key(call)])
        elif (args := json_object(call.arguments)) is not None:
            valid.append({"name": call.name, "args": args, "id": call.call_id})
        else:
            invalid.append({"name": call.name, "args": call.arguments, "id": call.call_id, "error": None})
    return {"tool_calls": valid, "invalid_tool_calls": invalid}


def _read(base: BaseMessage) -> Message:
    """What the LangChain message itself says, without what we let travel in it."""
    blocks = [base.content] if isinstance(base.content, str) else base.content
    text, images, _ = split_blocks(blocks, joint="")
    message_id = base.id or new_message_id()
    calls = _read_calls(message_id, base) if isinstance(base, AIMessage) else []
    leftover = _leftover(base, join_blocks(text, images))
    structured: dict[str, Any] = {LANGCHAIN: leftover} if leftover else {}
    if isinstance(base, ToolMessage) and base.status == "error":
        structured["success"] = False
    return Message(
        role=_role(base),
        content=None if text == "" and calls else text,
        message_id=message_id,
        name=base.name,
        tool_calls=calls,
        structured_data=structured or None,
        images=images,
        tool_call_id=(base.tool_call_id or None) if isinstance(base, ToolMessage) else None,
    )


def _read_calls(message_id: str, base: AIMessage) -> list[ToolCallMsg]:
    valid = [
        _call(call["id"], f"{message_id}:{number}", call["name"], json_text(call["args"]))
        for number, call in enumerate(base.tool_calls)
    ]
    return valid + _read_invalid(message_id, base.invalid_tool_calls)


def _read_invalid(message_id: str, calls: Sequence[Mapping[str, Any]]) -> list[ToolCallMsg]:
    """Any part of an invalid call may be missing; its id is then made from the message's, always the same."""
    return [
        _call(call["id"], f"{message_id}:invalid:{number}", call["name"] or "", call["args"] or "")
        for number, call in enumerate(calls)
    ]


def _call(given_id: str | None, own_id: str, name: str, arguments: str) -> ToolCallMsg:
    call_id = own_id if given_id is None else given_id
    return ToolCallMsg(id=call_id, call_id=call_id, type="function", name=name, arguments=arguments)


def _call_key(call: ToolCallMsg) -> tuple[str, str, str]:
    return call.call_id, call.name, call.arguments


def _role(base: BaseMessage) -> str:
    role = (
        base.role if isinstance(base, ChatMessage) else ROLE_OF_TYPE.get(base.type.removesuffix("MessageChunk").lower())
    )
    if role not in _CLASSES:
        raise MessageError(f"A {type(base).__name__} has no place in a conversation.")
    return role


def _leftover(base: BaseMessage, content: object) -> dict[str, Any]:
    """What `_build` could not make again from a Message's own fields."""
    # OpenAI's raw tool_calls say again what the field says, and would outlive a call that is taken out.
    extra = {name: value for name, value in base.additional_kwargs.items() if name not in (CHAT, "tool_calls")}
    leftover: dict[str, Any] = {
        "content": base.content if base.content != content else None,
        "additional_kwargs": extra or None,
        "response_metadata": base.response_metadata or None,
    }
    if isinstance(base, AIMessage):
        invalid = base.invalid_tool_calls
        leftover["usage_metadata"] = base.usage_metadata
        leftover["invalid_tool_calls"] = invalid if any(map(_says_more_than_a_call, invalid)) else None
    elif isinstance(base, ToolMessage):
        leftover["artifact"] = base.artifact
    return {name: value for name, value in leftover.items() if value is not None}


def _says_more_than_a_call(invalid: Mapping[str, Any]) -> bool:
    is_whole = all(isinstance(invalid[part], str) for part in ("name", "args", "id"))
    return not is_whole or invalid.get("error") is not None or json_object(invalid["args"]) is not None


def _kept(message: Message) -> dict[str, Any]:
    """The leftover of an earlier reading, without blocks that no longer say what the message says."""
    leftover = (message.structured_data or {}).get(LANGCHAIN)
    if not isinstance(leftover, dict):
        return {}
    kept = {name: leftover[name] for name in _LEFTOVER[message.role] if name in leftover}
    if "content" in kept:
        blocks = _without_dropped_calls(kept.pop("content"), message)
        text, images, _ = split_blocks(blocks, joint="")
        if (text or "", images) == (text_of(message), message.images or []):
            kept["content"] = blocks
    return kept


def _without_dropped_calls(blocks: list[Any], message: Message) -> list[Any]:
    """Some providers repeat the calls as blocks, and refuse a prompt that has one without its result."""
    call_ids = {call.call_id for call in message.tool_calls or []}
    return [
        block
        for block in blocks
        if isinstance(block, str)
        or block.get("type") not in ("tool_use", "tool_call", "function_call")
        or (block.get("call_id") or block.get("id")) in call_ids
    ]


def _lost(message: Message, seen: Message) -> dict[str, Any]:
    """The fields that the LangChain message does not give back, as JSON values."""
    lost = {f.name: getattr(message, f.name) for f in fields(Message)}
    lost = {name: value for name, value in lost.items() if value != getattr(seen, name)}
    for name in ("tool_calls", "agent_calls"):
        if lost.get(name):
            lost[name] = [dict(vars(call)) for call in lost[name]]
    if structured := lost.get("structured_data"):
        again = (seen.structured_data or {}).get(LANGCHAIN)
        is_given_back = again is not None and structured.get(LANGCHAIN) == again
        lost["structured_data"] = {k: v for k, v in structured.items() if not (is_given_back and k == LANGCHAIN)}
    return lost
