"""What is kept: notes, memories, and the memories of one process that others can import."""

from chatServer.memory.conversation import BaseMemory, ConversationMemory
from chatServer.memory.kg import KGMemory
from chatServer.memory.manager import MemoryManager

__all__ = ["BaseMemory", "ConversationMemory", "KGMemory", "MemoryManager"]
