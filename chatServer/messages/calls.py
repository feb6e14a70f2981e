"""What an assistant asks for: tool calls, agent calls, and the older content form that names an action."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chatServer.errors import MessageError
from chatServer.messages.clean import clean_json

ACTIONS = ("call_tool", "invoke_agent", "final_response")


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


# json.dumps and json.loads would make a coder anew at each call with options.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str)
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def json_text(value: object) -> str:
    """The one spelling of JSON inside messages; NaN, which some models write, becomes null."""
    try:
        return _ENCODER.encode(value)
    except (ValueError, TypeError, RecursionError):
        return _ENCODER.encode(clean_json(value))


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text spells, or None. NaN is no JSON, and too deep is no object of use."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _first(*values: Any) -> Any:
    """The first value that is not None: an empty text is a value."""
    return next(value for value in values if value is not None)


@dataclass
class ToolCallMsg:
    """A request to run a tool. `call_id` is what the result answers to; most providers make it equal `id`."""

    id: str
    call_id: str
    type: str
    name: str
    arguments: str  # JSON, as the model spelled it: it may be broken

    def __post_init__(self) -> None:
        wrong = [field for field, value in vars(self).items() if not isinstance(value, str)]
        if wrong:
            raise MessageError(f"A tool call needs a text as its {', '.join(wrong)}.")

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "ToolCallMsg":
        """Read the provider's form, LangChain's form or our own."""
        function = raw.get("function")
        named = function if isinstance(function, Mapping) else raw
        arguments = raw["args"] if "args" in raw else named.get("arguments")
        call_id = _first(raw.get("call_id"), raw.get("id"), f"call_{uuid.uuid4().hex}")
        return cls(
            id=_first(raw.get("id"), call_id),
            call_id=call_id,
            type="function" if "args" in raw else _first(raw.get("type"), "function"),
            name=named.get("name", None),
            arguments=arguments if isinstance(arguments, str) else json_text(_first(arguments, {})),
        )

    def to_dict(self) -> dict[str, Any]:
        """The provider's form; `call_id` only where it says something new."""
        function = {"name": self.name, "arguments": self.arguments}
        call = {"id": self.id, "type": self.type, "function": function}
        return call if self.call_id == self.id else {**call, "call_id": self.call_id}


@dataclass
class AgentCallMsg:
    """A request to another agent."""

    agent_name: str
    request: Any

    def __post_init__(self) -> None:
        if not isinstance(self.agent_name, str) or not self.agent_name:
            raise MessageError("An agent call needs the name of the agent.")

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "AgentCallMsg":
        return cls(agent_name=raw.get("agent_name", ""), request=raw.get("request"))

    def to_dict(self) -> dict[str, Any]:
        return {"agent_name": self.agent_name, "request": self.request}


@dataclass
class MessageContent:
    """Content that names an action; a plain dict does the same."""

    thought: str | None = None
    next_action: str | None = None
    action_input: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.next_action is not None and self.next_action not in ACTIONS:
            raise MessageError(f"The next action has to be one of {', '.join(ACTIONS)}.")
        if self.action_input is not None and not isinstance(self.action_input, dict):
            raise MessageError("The input of an action has to be a dict.")

    def to_dict(self) -> dict[str, Any]:
        return {field: value for field, value in vars(self).items() if value is not None}
