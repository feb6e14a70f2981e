"""What of an answer is stored: what the deployment's guard lets pass. It comes after the words were streamed; whoever
must not even hear them has an agent with middleware."""

from collections.abc import Sequence
from dataclasses import replace

from chatServer.memory.guard import guard
from chatServer.messages import Message, text_of
from chatServer.messages.text import LANGCHAIN

WITHHELD = "[This answer was withheld.]"


async def guarded(messages: Sequence[Message]) -> list[Message]:
    return [await _guarded(message) if message.role == "assistant" else message for message in messages]


async def guarded_text(text: str | None) -> str | None:
    return await guard(text) if text else text


async def _guarded(message: Message) -> Message:
    said = text_of(message)
    passed = await guard(said) if said else said
    if passed == said:
        return message
    # LangChain's own form of it would bring the text back.
    rest = {name: value for name, value in (message.structured_data or {}).items() if name != LANGCHAIN}
    return replace(message, content=WITHHELD if passed is None else passed, structured_data=rest or None)
