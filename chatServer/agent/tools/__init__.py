"""Tools of agents: what one is, those that we have, each in a file of its name, and those of servers elsewhere.

Which file for which question:
- what a tool is, and which an agent's file can name: tool, toolbox
- ours: manage_long_term_memory, forget_memories, retrieve_context
- those of outside MCP servers: outside, outside_client, outside_file
"""

from chatServer.agent.tools.tool import Listed, Tool, ToolContext, ToolResult, parameters_of, tokens_of

__all__ = ["Listed", "Tool", "ToolContext", "ToolResult", "parameters_of", "tokens_of"]
