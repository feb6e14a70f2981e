"""`middleware: [pii]`: addresses and card numbers go neither to the model nor out of it.

LangChain's PIIMiddleware looks at the last question and at the tools' new results. What stood in the window before,
and what the model streams before any middleware sees it, is ours. The system prompt, notes included, stays as it is.
"""

import re
from typing import Any

from langchain.agents.middleware import PIIMiddleware
from langchain_core.messages import AIMessage, BaseMessage

from chatServer.messages.calls import json_text

KINDS = ("email", "credit_card")
LONGEST = 320  # characters of the longest address there may be

# After such a place no address or card number goes on: behind a character that neither has, or behind a space that
# follows no digit (a card number may have spaces between its digits).
_SAFE_CUT = re.compile(r"[^A-Za-z\d._%+\-@|\s]|(?<!\d)\s")
_BETWEEN = re.compile(r"[\s-]")
# PIIMiddleware's own pattern: what it takes for the digits of one number, whether or not they add up to a card's.
_NUMBER = re.compile(r"\b\d{4}[\s-]?\d{4}[\s-]?\d{4}[\s-]?\d{4}\b")


def middleware() -> list[PIIMiddleware[Any, Any]]:
    return [
        PIIMiddleware(kind, strategy="redact", apply_to_input=True, apply_to_output=True, apply_to_tool_results=True)
        for kind in KINDS
    ]


_RULES = middleware()


def redact(text: str) -> str:
    """The text as PIIMiddleware would leave it."""
    for rule in _RULES:
        pieces, end = [], 0  # joined once: a long list of addresses is no text to be copied for each
        for match in rule.detector(text):
            pieces += [text[end : match["start"]], f"[REDACTED_{match['type'].upper()}]"]
            end = match["end"]
        text = "".join([*pieces, text[end:]])
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


def redact_arguments(value: Any) -> Any:
    """The same for the arguments of a call, in which a number may be a card's, and a name an address."""
    if isinstance(value, list):
        return [redact_arguments(item) for item in value]
    if isinstance(value, dict):
        return {redact(name): redact_arguments(item) for name, item in value.items()}
    if isinstance(value, str):
        return redact(value)
    digits = str(value)
    return value if redact(digits) == digits else redact(digits)


def redacted(message: BaseMessage) -> BaseMessage:
    """A message of the window, as the model may read it."""
    update: dict[str, Any] = {"content": redact_all(message.content)}
    if isinstance(message, AIMessage) and message.tool_calls:
        update["tool_calls"] = [{**call, "args": redact_arguments(call["args"])} for call in message.tool_calls]
    if message.additional_kwargs:
        update["additional_kwargs"] = redact_all(message.additional_kwargs)
    return message.model_copy(update=update)


class StreamRedactor:
    """Holds back the end of a text for as long as it could be the beginning of an address or a card number."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        held = self._held + text
        cut = max((found.end() for found in _SAFE_CUT.finditer(held)), default=0)
        if len(held) - cut > LONGEST:
            cut = _cut_anyway(held, cut)
        self._held = held[cut:]
        return redact(held[:cut])

    def rest(self) -> str:
        held, self._held = self._held, ""
        return redact(held)

    def whole(self, content: Any) -> Any:
        return redact_all(content)

    def arguments(self, text: str, args: dict[str, Any] | None) -> tuple[str, dict[str, Any] | None]:
        """As text and as values; a text that is no JSON object has no values."""
        if args is None:
            return redact(text), None
        clean = redact_arguments(args)
        return (text, args) if clean == args else (json_text(clean), clean)


def _cut_anyway(held: str, after: int) -> int:
    """A place in a long text that has no safe one: between two numbers, else anywhere but in what is redacted."""
    latest = len(held) - LONGEST
    spans = [found.span() for found in _NUMBER.finditer(held)]
    spans += [(found["start"], found["end"]) for rule in _RULES for found in rule.detector(held)]
    between = [found.end() for found in _BETWEEN.finditer(held, after, latest)]
    for cut in [*reversed(between), latest]:
        crossed = [span for span in spans if span[0] < cut < span[1]]
        if not crossed:
            return cut
    start, end = crossed[0]
    return start or end  # no address is as long as one that begins here
