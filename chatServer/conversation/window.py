"""The short-term memory of a turn: the last k messages, whole exchanges only."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chatServer.memory.conversation import ConversationMemory
from chatServer.messages import LangChainMessage, Message, refuse_file_images, text_of, to_langchain, tool_result
from chatServer.store.history import ChatMessageHistory


def cut(messages: Sequence[Message]) -> list[Message]:
    """Begin at the first user message, and keep a tool call only together with its results."""
    start = next((i for i, message in enumerate(messages) if message.role == "user"), len(messages))
    return _paired(messages[start:])


def _paired(messages: Sequence[Message]) -> list[Message]:
    kept: list[Message] = []
    i = 0
    while i < len(messages):
        message = messages[i]
        i += 1
        results: list[Message] = []
        while i < len(messages) and messages[i].role == "tool":
            results.append(messages[i])
            i += 1
        kept += _exchange(message, results)
    return kept


def _exchange(message: Message, results: Sequence[Message]) -> list[Message]:
    """A message and the tool results behind it: calls without result and results without call are left out,
    because providers refuse a prompt that has either."""
    if message.role == "tool":
        return []
    by_call = {tool_result(result)[0]: result for result in results}
    calls = [call for call in message.tool_calls or [] if call.call_id in by_call]
    if len(calls) != len(message.tool_calls or []):
        message = replace(message, tool_calls=calls or None)
    answered = [by_call[call.call_id] for call in calls]
    says_something = bool(calls or text_of(message) or message.images or message.role != "assistant")
    return [message, *answered] if says_something else []


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
    ) -> None:
        self.k = k
        self.memory_key = memory_key
        self.input_key = input_key
        self.output_key = output_key
        self.return_messages = return_messages
        self.conversation = ConversationMemory(encode_image=refuse_file_images)

    @property
    def memory_variables(self) -> list[str]:
        return [self.memory_key]

    async def load(self, history: ChatMessageHistory) -> None:
        """Read the window of a session."""
        stored = await history.window(self.k)
        self.conversation = ConversationMemory(encode_image=refuse_file_images)
        self.conversation.load(cut([each.message for each in stored]))

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
        await history.append(self.conversation.new_messages())
        self.conversation.mark_stored()
