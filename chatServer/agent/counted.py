"""What a step of the model took, where its provider does not say."""

import asyncio
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, SystemMessage

from chatServer.agent.speech import said_in
from chatServer.conversation.tokens import count_message, count_system, count_text
from chatServer.messages import Message, from_langchain, reasoning_of
from chatServer.records import Usage
from chatServer.records.budget import LONG_CHARS


async def count_prompt(given: Sequence[BaseMessage]) -> int:
    """What a prompt takes, without its tools."""
    if sum(len(said_in(message)) for message in given) < LONG_CHARS:
        return sum(map(count_given, given))
    return await asyncio.to_thread(lambda: sum(map(count_given, given)))


async def count_usage(given: Sequence[BaseMessage], said: Message) -> Usage:
    """1.1 ms for a window of 20 messages of 200 characters (2026-11-15); long ones do not hold up the loop."""
    return Usage(await count_prompt(given), count_message(said) + count_text(reasoning_of(said)))


def count_given(message: BaseMessage) -> int:
    """What a message takes in a prompt."""
    if isinstance(message, SystemMessage):
        return count_system(said_in(message))
    return count_message(from_langchain(message))
