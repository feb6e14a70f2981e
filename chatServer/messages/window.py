"""A window is whole exchanges: it begins with the user, and keeps a tool call only together with its result."""

from collections.abc import Sequence
from dataclasses import replace

from chatServer.messages.message import Message
from chatServer.messages.text import tool_result


def cut(messages: Sequence[Message]) -> list[Message]:
    """Begin at the first user message, and keep a tool call only together with its results."""
    start = next((i for i, message in enumerate(messages) if message.role == "user"), len(messages))
    return paired(messages[start:])


def paired(messages: Sequence[Message]) -> list[Message]:
    """Every message, but for tool calls without result and results without call."""
    exchanges: list[tuple[Message, list[Message]]] = []
    for message in messages:
        if message.role != "tool":
            exchanges.append((message, []))
        elif exchanges:
            exchanges[-1][1].append(message)
    kept: list[Message] = []
    for message, results in exchanges:
        if results or message.tool_calls:
            kept += _exchange(message, results)
        elif message.role == "user" or _says_something(message):  # as most
            kept.append(message)
    return kept


def _exchange(message: Message, results: Sequence[Message]) -> list[Message]:
    """A message and the tool results behind it: calls without result and results without call are left out,
    because providers refuse a prompt that has either."""
    by_call = {tool_result(result)[0]: result for result in results}
    calls = [call for call in message.tool_calls or [] if call.call_id in by_call]
    if len(calls) != len(message.tool_calls or []):
        message = replace(message, tool_calls=calls or None)
    answered = [by_call[call.call_id] for call in calls]
    return [message, *answered] if calls or _says_something(message) else []


def _says_something(message: Message) -> bool:
    return message.role != "assistant" or message.content not in (None, "") or bool(message.images)
