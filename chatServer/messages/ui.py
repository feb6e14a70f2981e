"""Messages as the AI SDK's UIMessages (ai 6): what useChat sends and what it draws."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NotRequired, TypedDict

from chatServer.errors import MessageError
from chatServer.messages.calls import ToolCallMsg, json_object
from chatServer.messages.clean import clean_json, clean_text
from chatServer.messages.deeds import parts_of
from chatServer.messages.images import parse_data_uri
from chatServer.messages.message import Message, new_message_id
from chatServer.messages.sources import sources_in
from chatServer.messages.text import one_line, reasoning_of, text_of, tool_result

FILENAMES = "filenames"  # the key of structured_data: what the pictures were called, "" where that is not known
MAX_FILENAME = 200  # characters


class UIMessage(TypedDict):
    id: str
    role: str
    parts: list[dict[str, Any]]
    metadata: NotRequired[dict[str, Any]]


def from_ui_message(ui: Mapping[str, Any]) -> Message:
    """The user's message, under the id that the client gave it."""
    if not isinstance(ui, Mapping) or ui.get("role") != "user":
        raise MessageError("The message to send has to be one of role user.")
    parts = ui.get("parts")
    if not isinstance(parts, list):
        raise MessageError("A message needs a list of parts.")
    texts = [_text(part) for part in parts if _type(part) == "text"]
    images = [_image(part) for part in parts if _type(part) == "file"]
    if len(texts) + len(images) < len(parts):
        raise MessageError("A user's message consists of text and file parts only.")
    text = "\n".join(texts)
    if not text.strip() and not images:
        raise MessageError("The message is empty.")
    names = [_filename(part) for part in parts if _type(part) == "file"]
    return Message(
        role="user",
        content=text or None,
        message_id=ui.get("id") or new_message_id(),
        images=images,
        structured_data={FILENAMES: names} if any(names) else None,
    )


AS_SAID = frozenset({"step-start", "text"})  # arguments and results were texts until now, and may hold anything


def to_ui_parts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The parts of one UIMessage: a user's message, or all that the assistant and its tools did in a turn."""
    parts: list[dict[str, Any]] = []
    waiting: dict[str, dict[str, Any]] = {}  # some models use an id again in the next step: the latest counts
    sources: dict[str, dict[str, Any]] = {}
    for message in messages:
        if message.role == "tool":
            _add_result(parts, waiting, message)
            parts += parts_of(message)
            new = {each.article_id: each.part() for each in sources_in(message) if each.article_id not in sources}
            parts += new.values()
            sources |= new
        else:  # a system's message, too: the model reads what a program put there, so whoever looks sees it
            parts += _said(message)
            for call in message.tool_calls or []:
                waiting[call.call_id] = _tool_part(call)
                parts.append(waiting[call.call_id])
    return [part if part["type"] in AS_SAID else clean_json(part) for part in parts]


def _said(message: Message) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "step-start"}] if message.role == "assistant" else []
    if reasoning := reasoning_of(message):
        parts.append({"type": "reasoning", "text": reasoning, "state": "done"})
    if text := clean_text(text_of(message)):
        part = {"type": "text", "text": text}
        parts.append({**part, "state": "done"} if message.role == "assistant" else part)
    kept = (message.structured_data or {}).get(FILENAMES)
    names = kept if isinstance(kept, list) else []
    return parts + [_file_part(*each) for each in zip_longest(message.images or [], names[: len(message.images or [])])]


def _tool_part(call: ToolCallMsg) -> dict[str, Any]:
    arguments = json_object(call.arguments)
    return {
        "type": "dynamic-tool",
        "toolName": call.name,
        "toolCallId": call.call_id,
        "state": "input-available",
        "input": call.arguments if arguments is None else arguments,
    }


def _add_result(parts: list[dict[str, Any]], waiting: dict[str, dict[str, Any]], message: Message) -> None:
    call_id, output = tool_result(message)
    part = waiting.pop(call_id or "", None)
    if part is None:  # the call fell out of the window, or was never stored: show what there is
        call_id = call_id or message.message_id
        part = _tool_part(ToolCallMsg(call_id, call_id, "function", message.name or "tool", "{}"))
        parts.append(part)
    outcome = message.structured_data or {}
    if outcome.get("success") is False:
        error = outcome.get("error") or text_of(message) or "The tool failed."
        part |= {"state": "output-error", "errorText": str(error)}
    else:
        part |= {"state": "output-available", "output": "" if output is None else output}


def _file_part(image: str, name: object) -> dict[str, Any]:
    head, _, _ = image.partition(";")
    media_type = head.removeprefix("data:") if head.startswith("data:image/") else "image/*"
    named = {"filename": name} if isinstance(name, str) and name else {}
    return {"type": "file", "mediaType": media_type, "url": image, **named}


def _type(part: object) -> object:
    return part.get("type") if isinstance(part, Mapping) else None


def _filename(part: Mapping[str, Any]) -> str:
    name = part.get("filename")
    return one_line(clean_text(name))[:MAX_FILENAME] if isinstance(name, str) else ""


def _text(part: Mapping[str, Any]) -> str:
    text = part.get("text")
    if not isinstance(text, str):
        raise MessageError("A text part needs a text.")
    return clean_text(text)


def _image(part: Mapping[str, Any]) -> str:
    url = part.get("url")
    if not isinstance(url, str):
        raise MessageError("A file part needs a url.")
    media_type, data = parse_data_uri(url)
    if not media_type.startswith("image/") or not data:
        raise MessageError("Only pictures can be sent with a message. Documents are uploaded: POST /api/knowledge.")
    return url
