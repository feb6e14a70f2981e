"""Messages of LangChain's that are made without its checks, from what was checked before or is plain text anyway."""

from typing import Any, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage

Made = TypeVar("Made", bound=BaseMessage)

WORD = AIMessageChunk(content="")
QUESTION = HumanMessage("")
ANSWER = AIMessage("")


def made_like(pattern: Made, **said: Any) -> Made:
    """A message like the pattern but for some fields, in 2 us instead of the 3.5 of `model_copy` and the 5 to 7 of its
    class: a turn makes one of each message of its window, and our own models one of each word (2026-11-18)."""
    kind = type(pattern)
    made = kind.__new__(kind)
    made.__dict__.update({**pattern.__dict__, "additional_kwargs": {}, "response_metadata": {}, **said})
    object.__setattr__(made, "__pydantic_fields_set__", {*pattern.__pydantic_fields_set__, *said})
    object.__setattr__(made, "__pydantic_extra__", {})
    object.__setattr__(made, "__pydantic_private__", None)
    return made
