"""A message of a conversation, valid from the moment it exists."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeVar

from uuid_utils import uuid4

from chatServer.errors import MessageError
from chatServer.messages.blocks import split_blocks
from chatServer.messages.calls import AgentCallMsg, MessageContent, ToolCallMsg
from chatServer.messages.images import encode_image_file

__all__ = ["ROLES", "AgentCallMsg", "Message", "MessageContent", "Quoted", "ToolCallMsg", "new_message_id"]

ROLES = ("user", "assistant", "system", "tool")


Call = TypeVar("Call", ToolCallMsg, AgentCallMsg)


def new_message_id() -> str:
    return str(uuid4())  # 0.3 us, of which the one of Python's own takes 3 (2026-11-19)


@dataclass
class Message:
    """A single message with a unique id."""

    role: str
    content: str | dict[str, Any] | None = None
    message_id: str = field(default_factory=new_message_id)
    name: str | None = None  # of the tool, the assistant or the agent
    tool_calls: list[ToolCallMsg] | None = None
    agent_calls: list[AgentCallMsg] | None = None
    structured_data: dict[str, Any] | None = None
    images: list[str] | None = None  # paths, data: URIs or image:<id>
    tool_call_id: str | None = None  # of a tool message: the call that it answers

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise MessageError(f"The role of a message is one of {', '.join(ROLES)}.")
        if not isinstance(self.message_id, str) or not self.message_id:
            raise MessageError("The id of a message has to be a text.")
        if type(self.content) is not str:  # as most are
            self._read_content()
        if self.name is not None and not isinstance(self.name, str):
            raise MessageError("The name of a message has to be a text.")
        if self.tool_call_id is not None and not isinstance(self.tool_call_id, str):
            raise MessageError("The tool_call_id of a message has to be a text.")
        if self.structured_data is not None and not isinstance(self.structured_data, dict):
            raise MessageError("The structured_data of a message has to be a dict.")
        # Most messages have none of these, and a turn makes twenty.
        if self.images is not None:
            self.images = _checked_images(self.images)
        if self.tool_calls is not None:
            self.tool_calls = _checked_calls(self.tool_calls, ToolCallMsg)
        if self.agent_calls is not None:
            self.agent_calls = _checked_calls(self.agent_calls, AgentCallMsg)

    def under(self, message_id: str) -> Self:
        """The same under another id."""
        return type(self)(**{**vars(self), "message_id": message_id})

    def _read_content(self) -> None:
        content: object = self.content
        if content is None or isinstance(content, str | dict):
            return
        if isinstance(content, MessageContent):
            self.content = content.to_dict()
        elif isinstance(content, list | tuple):
            self.content, images, others = split_blocks(content, joint="\n")
            if others:
                raise MessageError("A content block has to be of type text or image_url.")
            self.images = [*(self.images or []), *images]
        else:
            raise MessageError("The content of a message has to be a text, a dict or a list of content blocks.")

    @staticmethod
    def _encode_image_to_base64(image_path: str) -> str:
        return encode_image_file(image_path)

    @classmethod
    def from_response_dict(cls, response: Mapping[str, Any], *, name: str | None = None) -> "Message":
        """Read a model's response; fields that are not a message's are left out."""
        if not isinstance(response, Mapping):
            raise MessageError("A model's response has to be a dict.")
        known = {f.name: response[f.name] for f in fields(cls) if response.get(f.name) is not None}
        return cls(**{"role": "assistant", "name": name, **known})

    def to_dict(self) -> dict[str, Any]:
        """Everything that is set; `Message(**d)` makes an equal message of it."""
        plain: dict[str, Any] = {"role": self.role, "content": self.content, "message_id": self.message_id}
        if self.tool_calls:
            plain["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.agent_calls:
            plain["agent_calls"] = [call.to_dict() for call in self.agent_calls]
        rest = {name: getattr(self, name) for name in ("name", "structured_data", "images", "tool_call_id")}
        return plain | {name: value for name, value in rest.items() if value is not None}


class Quoted(Message):
    """What the server itself puts into a prompt beside what was said. Nothing that is read becomes one: who pastes the
    same words has only said them."""


def _checked_images(images: object) -> list[str] | None:
    if not isinstance(images, list | tuple) or not all(isinstance(image, str) and image for image in images):
        raise MessageError("The images of a message have to be a list of texts.")
    return list(images) or None


def _checked_calls(calls: object, kind: type[Call]) -> list[Call] | None:
    if not isinstance(calls, list | tuple):
        raise MessageError("The calls of a message have to be a list.")
    return [_checked_call(call, kind) for call in calls] or None


def _checked_call(call: object, kind: type[Call]) -> Call:
    if isinstance(call, kind):
        return call
    if isinstance(call, Mapping):
        return kind.from_dict(call)
    raise MessageError("Each call of a message has to be a dict.")
