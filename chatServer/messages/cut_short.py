"""Whether an answer ended before all of it was said, by what its provider told at its end and its message keeps."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from chatServer.messages.message import Message
from chatServer.messages.text import LANGCHAIN

CutShort: TypeAlias = Literal["length", "content_filter", "unknown"]

KEY = "cut_short"  # of an answer's metadata
_SAID_AS = ("finish_reason", "stop_reason", "done_reason")  # OpenAI, Google and Mistral; Anthropic; Ollama
_MEANING: dict[str, CutShort] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
}


def told(messages: Sequence[Message]) -> dict[str, Any]:
    """The part of an answer's metadata that says so, if it was cut short."""
    reason = _reason_in(messages[-1]) if messages else None
    return {KEY: reason} if reason else {}


def why_cut(response: Mapping[str, Any]) -> CutShort | None:
    """By what LangChain calls `response_metadata`. Who speaks OpenAI's protocol says why he ended: who did not, was cut
    off by whatever stands between, which closed the connection as if all were well."""
    details = response.get("incomplete_details")  # of OpenAI's responses
    said = [response.get(name) for name in _SAID_AS]
    said.append(details.get("reason") if isinstance(details, dict) else None)
    known = [_once(each.lower()) for each in said if isinstance(each, str) and each]
    if not known and response.get("model_provider") == "openai" and "status" not in response:
        return "unknown"
    return next((_MEANING[each] for each in known if each in _MEANING), None)


def _once(said: str) -> str:
    """LangChain adds up what a provider says in two chunks."""
    half = said[: len(said) // 2]
    return half if half + half == said else said


def _reason_in(message: Message) -> CutShort | None:
    if message.role != "assistant":
        return None
    kept = (message.structured_data or {}).get(LANGCHAIN)
    response = kept.get("response_metadata") if isinstance(kept, dict) else None
    return why_cut(response) if isinstance(response, dict) else None
