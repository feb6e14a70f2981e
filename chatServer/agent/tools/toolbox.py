"""The tools that an agent's file can name."""

from chatServer.agent.tools.forget_memories import forget_memories
from chatServer.agent.tools.manage_long_term_memory import manage_long_term_memory
from chatServer.agent.tools.retrieve_context import retrieve_context
from chatServer.agent.tools.tool import Tool
from chatServer.memory.remember.drafts import KnownTools

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (manage_long_term_memory, forget_memories, retrieve_context)}


def known_tools() -> KnownTools:
    """What of them memory has to know."""
    return KnownTools(
        trusted=frozenset(name for name, tool in TOOLS.items() if not tool.is_untrusted),
        keepers=frozenset(name for name, tool in TOOLS.items() if tool.is_memory),
        lookups=frozenset(name for name, tool in TOOLS.items() if tool.fills_room),
    )
