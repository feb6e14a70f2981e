"""`middleware: [pii]`: addresses and card numbers go neither to the model nor out of it.

LangChain's PIIMiddleware looks at the last question and at the tools' new results. What stood in the window before,
and what the model streams before any middleware sees it, is ours. The system prompt, notes included, stays as it is.
"""

import re
from typing import Any

from langchain.agents.middleware import PIIMiddleware
from langchain_core.messages import BaseMessage

KINDS = ("email", "credit_card")
LONGEST = 320  # characters of the longest address there may be

# After such a place no address or card number goes on: behind a character that neither has, or behind a space that
# follows no digit (a card number may have spaces between its digits).
_SAFE_CUT = re.compile(r"[^A-Za-z0-9._%+\-@|\s]|(?<!\d)\s")


def middleware() -> list[PIIMiddleware[Any, Any]]:
    return [
        PIIMiddleware(kind, strategy="redact", apply_to_input=True, apply_to_output=True, apply_to_tool_results=True)
        for kind in KINDS
    ]


_RULES = middleware()


def redact(text: str) -> str:
    """The text as PIIMiddleware would leave it."""
    for rule in _RULES:
        for match in reversed(rule.detector(text)):
            text = f"{text[: match['start']]}[REDACTED_{match['type'].upper()}]{text[match['end'] :]}"
    return text


def redact_all(value: Any) -> Any:
    """Every text in a content: a string, blocks, or a dict of either. Images are left alone."""
    if isinstance(value, str):
        return value if value.startswith("data:") else redact(value)
    if isinstance(value, list):
        return [redact_all(item) for item in value]
    if isinstance(value, dict):
        return {name: redact_all(item) for name, item in value.items()}
    return value


def redacted(message: BaseMessage) -> BaseMessage:
    """A message of the window, as the model may read it."""
    return message.model_copy(update={"content": redact_all(message.content)})


class StreamRedactor:
    """Holds back the end of a text for as long as it could be the beginning of an address or a card number."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        held = self._held + text
        cut = max((found.end() for found in _SAFE_CUT.finditer(held)), default=0)
        if len(held) - cut > LONGEST:
            cut = len(held) - LONGEST
        self._held = held[cut:]
        return redact(held[:cut])

    def rest(self) -> str:
        held, self._held = self._held, ""
        return redact(held)

    def whole(self, content: Any) -> Any:
        return redact_all(content)
