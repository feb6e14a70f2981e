"""Messages of LangChain's that are made without its checks, from what was checked before or is plain text anyway."""

from typing import Any, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

Made = TypeVar("Made", bound=BaseMessage)

WORD = AIMessageChunk(content="")
QUESTION = HumanMessage("")
ANSWER = AIMessage("")
SYSTEM = SystemMessage("")
_LISTS: dict[type[BaseMessage], tuple[str, ...]] = {
    AIMessage: ("tool_calls", "invalid_tool_calls"),
    AIMessageChunk: ("tool_calls", "invalid_tool_calls", "tool_call_chunks"),
}
_new = object.__new__
_set_fields = BaseModel.__dict__["__pydantic_fields_set__"].__set__  # which a lookup by name takes twice as long for
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_fields_of = BaseModel.__dict__["__pydantic_fields_set__"].__get__


def made_like(pattern: Made, **said: Any) -> Made:
    """A message like the pattern but for some fields, in 1.4 us instead of the 3.5 of `model_copy` and the 5 to 7 of
    its class: a turn makes one of each message of its window, and our own models one of each word (2026-11-19)."""
    kind = type(pattern)
    made = _new(kind)
    held = made.__dict__
    held.update(pattern.__dict__)
    held["additional_kwargs"], held["response_metadata"] = {}, {}  # what can be changed in place is its own
    for name in _LISTS.get(kind, ()):
        held[name] = []
    held.update(said)
    _set_fields(made, {*_fields_of(pattern), *said})
    _set_extra(made, {})
    _set_private(made, None)
    return made
