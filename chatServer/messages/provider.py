"""Messages as OpenAI-style chat dicts: what models take and what memories return."""

from collections.abc import Callable, Mapping
from typing import Any

from chatServer.errors import MessageError
from chatServer.messages.blocks import join_blocks
from chatServer.messages.message import Message
from chatServer.messages.text import text_of, tool_result


def to_provider_dict(message: Message, encode_image: Callable[[str], str]) -> dict[str, Any]:
    """The dict for a model; `Message(**d)` reads it back under a new id."""
    plain: dict[str, Any] = {"role": message.role, "content": _content(message, encode_image)}
    if message.name is not None:
        plain["name"] = message.name
    if message.tool_calls:
        plain["tool_calls"] = [_call(call.to_dict()) for call in message.tool_calls]
    if message.agent_calls:
        plain["agent_calls"] = [call.to_dict() for call in message.agent_calls]
    if message.role == "tool" and (call_id := tool_result(message)[0]) is not None:
        plain["tool_call_id"] = call_id
    return plain


def from_provider_dict(plain: Mapping[str, Any]) -> Message:
    """Read a chat dict; `developer` is the newer name of `system`."""
    if not isinstance(plain, Mapping) or "role" not in plain:
        raise MessageError("A chat message has to be a dict with a role.")
    role = "system" if plain["role"] == "developer" else plain["role"]
    return Message.from_response_dict({**plain, "role": role})


def _content(message: Message, encode_image: Callable[[str], str]) -> Any:
    if message.images:
        return join_blocks(text_of(message), [encode_image(image) for image in message.images])
    return None if message.content is None else text_of(message)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """Chat dicts have one id per call: the one that the result answers to."""
    return {"id": call.get("call_id", call["id"]), "type": call["type"], "function": call["function"]}
