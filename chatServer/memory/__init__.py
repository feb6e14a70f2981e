"""What is kept: notes, memories, and the memories of one process that others can import.

Which file for which question:
- what a turn leaves, and what a tool keeps: remember, facts
- whether it is known, what it replaces, whether it may be kept: shelve, alike, rules, guard
- what is found for a question, and what comes first of it: recall, ranking
- vectors: embed, reembed
- what a user does with memories: browse, edit, forget
- what goes by itself, and what deserves a look: retire, maintain, duplicates, audit
- who is connected with whom: graph, graph_names
- pages of notes: notes
- for others to import, without a database: conversation, kg, triples, manager
"""

from chatServer.memory.conversation import BaseMemory, ConversationMemory
from chatServer.memory.kg import KGMemory
from chatServer.memory.manager import MemoryManager

__all__ = ["BaseMemory", "ConversationMemory", "KGMemory", "MemoryManager"]
