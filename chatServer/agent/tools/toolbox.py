"""The tools that an agent's file can name."""

from chatServer.agent.tools.forget_memories import forget_memories
from chatServer.agent.tools.manage_long_term_memory import manage_long_term_memory
from chatServer.agent.tools.retrieve_context import retrieve_context
from chatServer.agent.tools.tool import Tool

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (manage_long_term_memory, forget_memories, retrieve_context)}
