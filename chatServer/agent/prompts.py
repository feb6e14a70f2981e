"""The system prompt of an agent, with the user's notes in it."""

from chatServer.messages.fence import fence
from chatServer.records import Agent

PLACEHOLDER = "{long_term_memory_notes}"
NOTHING_YET = "(nothing yet)"


def system_prompt(agent: Agent, notes: str) -> str:
    """The agent's prompt with the notes where it wants them; a prompt without the placeholder gets none."""
    return agent.prompt.replace(PLACEHOLDER, noted(notes))


def noted(notes: str) -> str:
    """What stands in the placeholder's place."""
    return fence("notes", notes) if notes.strip() else NOTHING_YET
