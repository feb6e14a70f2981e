"""What a person can read in a message: its text and its reasoning, never its images."""

from typing import Any

from chatServer.messages.calls import json_object, json_text
from chatServer.messages.message import Message

LANGCHAIN = "langchain"  # the key of structured_data that keeps what only LangChain's message classes model


def text_of(message: Message) -> str:
    """The plain text of a message; of a tool message, the output of the tool."""
    if message.role == "tool":
        return _as_text(tool_result(message)[1])
    return _as_text(message.content)


def one_line(text: str) -> str:
    """Its words with one blank between them: what anybody may choose to call something cannot look like two lines."""
    return " ".join(text.split())


def tool_result(message: Message) -> tuple[str | None, Any]:
    """The call that a tool message answers, and the output.

    Some tools answer with the JSON {"tool_call_id": ..., "output": ...} instead of setting the field.
    """
    if message.tool_call_id is not None:
        return message.tool_call_id, message.content
    content = message.content
    wrapped = json_object(content) if isinstance(content, str) else content
    if not wrapped or not isinstance(wrapped.get("tool_call_id"), str):
        return None, content
    return wrapped["tool_call_id"], wrapped.get("output", content)


def reasoning_of(message: Message) -> str:
    """What the model thought aloud, in any of the providers' spellings."""
    kept = (message.structured_data or {}).get(LANGCHAIN)
    if not isinstance(kept, dict):
        return ""
    content, extra = kept.get("content"), kept.get("additional_kwargs")
    thoughts = [thought_in(block) for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if not any(thoughts) and isinstance(extra, dict):
        thoughts = [extra.get("reasoning_content")]
    return "\n".join(thought for thought in thoughts if isinstance(thought, str) and thought)


def thought_in(block: dict[str, Any]) -> Any:
    """What a block of reasoning says; None for every other block."""
    match block:
        case {"type": "reasoning", "reasoning": thought} | {"type": "thinking", "thinking": thought}:
            return thought
        case {"type": "reasoning", "summary": [*summaries]}:
            return "\n".join(str(s["text"]) for s in summaries if isinstance(s, dict) and s.get("text"))
        case {"type": "reasoning_content", "reasoning_content": {"text": thought}}:
            return thought
    return None


def _as_text(content: Any) -> str:
    if content is None:
        return ""
    return content if isinstance(content, str) else json_text(content)
