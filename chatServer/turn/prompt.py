"""What a turn asks its model, and with which tools."""

from functools import cache

from chatServer.agent.models import Models
from chatServer.agent.prompts import system_prompt
from chatServer.agent.toolbox import TOOLS
from chatServer.agent.tools import Tool
from chatServer.conversation.assemble import Parts
from chatServer.conversation.tokens import count_tools
from chatServer.messages import Message
from chatServer.records import Agent, Session
from chatServer.store.context import Context


def tools_for(agent: Agent, session: Session) -> tuple[Tool, ...]:
    """What the agent may use; a session without memory has no notes."""
    known = [TOOLS[name] for name in agent.tools]
    return tuple(tool for tool in known if session.memory == "on" or not tool.is_memory)


def parts_of(
    agent: Agent, session: Session, context: Context, *, question: Message, tokens: int, model: str, models: Models
) -> Parts:
    """Everything but the window, which has to fit beside it."""
    return Parts(
        agent=agent,
        model=model,
        window_tokens=agent.window_tokens or models.context_tokens(model),
        system=system_prompt(agent, (context.notes or "") if session.memory == "on" else ""),
        tools_tokens=_tokens_of(tools_for(agent, session)),
        summary=context.summary,
        question_tokens=tokens,
        question=question,
    )


@cache
def _tokens_of(tools: tuple[Tool, ...]) -> int:
    return count_tools(
        {"name": tool.name, "description": tool.description, "parameters": tool.input.model_json_schema()}
        for tool in tools
    )
