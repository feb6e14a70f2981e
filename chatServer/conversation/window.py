"""The short-term memory of a turn: the last k messages, whole exchanges only."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chatServer.conversation.tokens import count_apart, count_message
from chatServer.memory.conversation import ConversationMemory
from chatServer.messages import LangChainMessage, refuse_file_images, text_of, to_langchain
from chatServer.records import StoredMessage
from chatServer.records.budget import LONG_CHARS
from chatServer.store.history import ChatMessageHistory


class WindowMemory:
    """A windowed memory around a history, with the interface that LangChain's executors know.

    It reads the database once, in `load`, answers from memory, and writes once, in `flush`: so no connection
    is needed while a model runs.
    """

    def __init__(
        self,
        *,
        k: int = 20,
        memory_key: str = "chat_history",
        input_key: str = "input",
        output_key: str = "output",
        return_messages: bool = True,
        most_tokens: int = 2_000_000,
    ) -> None:
        self.k = k
        self.memory_key = memory_key
        self.input_key = input_key
        self.output_key = output_key
        self.return_messages = return_messages
        self.most_tokens = most_tokens  # no prompt has more
        self._counts: dict[str, int] = {}
        self.stored: list[StoredMessage] = []  # the window as it was read, with what is known of each message
        self.is_whole = True  # all that was said is in it
        self.conversation = ConversationMemory(encode_image=refuse_file_images)

    @property
    def memory_variables(self) -> list[str]:
        return [self.memory_key]

    async def load(self, history: ChatMessageHistory) -> None:
        """Read the window of a session."""
        self.stored = await _counted(await history.window(self.k), self.most_tokens)
        self.is_whole = not history.has_more
        self.conversation = ConversationMemory(encode_image=refuse_file_images)
        self.conversation.load([each.message for each in self.stored])

    def load_memory_variables(self, inputs: Mapping[str, Any]) -> dict[str, list[LangChainMessage] | str]:
        """The conversation, under the name that the prompt has for it."""
        messages = self.conversation.messages
        if self.return_messages:
            return {self.memory_key: [to_langchain(message) for message in messages]}
        names = {"user": "Human", "assistant": "AI", "tool": "Tool", "system": "System"}
        return {self.memory_key: "\n".join(f"{names[m.role]}: {text_of(m)}" for m in messages)}

    def save_context(self, inputs: Mapping[str, Any], outputs: Mapping[str, str]) -> None:
        """Add one exchange; it is stored by `flush`."""
        self.conversation.add(role="user", content=str(inputs[self.input_key]))
        self.conversation.add(role="assistant", content=outputs[self.output_key])

    async def flush(self, history: ChatMessageHistory) -> None:
        """Store what was added since it was loaded, in the transaction of this history."""
        new = self.conversation.new_messages()
        await history.append(new, tokens=[self._counts.get(message.message_id) for message in new])

    async def count_new(self) -> None:
        """Before the transaction: a long answer takes a while to count."""
        for message in self.conversation.new_messages():
            self._counts[message.message_id] = await count_apart(message)


async def _counted(window: list[StoredMessage], most_tokens: int) -> list[StoredMessage]:
    """Another writer's messages and those of an import have no count. Where they are long, they get one here, once and
    beside everybody else's work: else each look at what fits counts them anew, 0.6 s for two of a million characters
    (2026-11-17)."""
    if sum(len(text_of(each.message)) for each in window if each.tokens is None) < LONG_CHARS:
        return window
    return await asyncio.to_thread(_with_counts, window, most_tokens)


def _with_counts(window: list[StoredMessage], most_tokens: int) -> list[StoredMessage]:
    """What lies behind more than the model takes is not shown to it: its count only has to be large."""
    counted: list[StoredMessage] = []
    total = 0
    for stored in reversed(window):
        tokens = stored.tokens
        if tokens is None:
            is_behind = total > most_tokens
            tokens = len(text_of(stored.message)) // 4 if is_behind else count_message(stored.message)
        counted.append(replace(stored, tokens=tokens))
        total += tokens
    return counted[::-1]
