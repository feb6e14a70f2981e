"""One face for every kind of memory."""

from typing import Any, Literal, Unpack

from chatServer.memory.conversation import BaseMemory, ConversationMemory, MessageFields
from chatServer.memory.kg import FactFields, KGMemory
from chatServer.messages import Message

MemoryType = Literal["conversation_history", "kg"]


class MemoryManager(BaseMemory):
    """Makes the memory that is asked for and hands everything to it; `memory` is that memory itself."""

    def __init__(
        self,
        memory_type: MemoryType = "conversation_history",
        *,
        description: str | None = None,
        model: Any = None,
    ) -> None:
        if memory_type not in ("conversation_history", "kg"):
            raise ValueError('The type of a memory is "conversation_history" or "kg".')
        self.memory_type = memory_type
        self.memory: ConversationMemory | KGMemory = (
            KGMemory(model, description) if memory_type == "kg" else ConversationMemory(description)
        )

    def add(self, message: Message | None = None, **kwargs: Unpack[MessageFields]) -> str:
        return self.memory.add(message, **kwargs)

    def update(self, message_id: str, **kwargs: Unpack[FactFields]) -> None:
        self.memory.update(message_id, **kwargs)  # type: ignore[misc]  # each memory refuses what it has not

    def retrieve_all(self) -> list[dict[str, Any]]:
        return self.memory.retrieve_all()

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        return self.memory.retrieve_recent(n)

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        return self.memory.retrieve_by_role(role, n)

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        return self.memory.retrieve_by_id(message_id)

    def remove_by_id(self, message_id: str) -> bool:
        return self.memory.remove_by_id(message_id)

    def reset_memory(self) -> None:
        self.memory.reset_memory()
