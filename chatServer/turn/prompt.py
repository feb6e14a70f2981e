"""What a turn asks its model, and with which tools."""

from functools import cache

from chatServer.agent.models import Models
from chatServer.agent.prompts import system_prompt
from chatServer.agent.tools import Tool, tokens_of
from chatServer.agent.tools.outside import outside_tools
from chatServer.agent.tools.toolbox import TOOLS
from chatServer.conversation.assemble import Parts
from chatServer.conversation.tokens import count_system
from chatServer.messages import Message
from chatServer.records import Agent, Budget, Compression, Principal, Session
from chatServer.store.context import Context, ask_context
from chatServer.store.history import ChatMessageHistory
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection

RECALL_TOKENS = 1_500  # more of it helps less than it distracts
LEAST_RECALL_TOKENS = 100  # in less room not one line would fit with what is written around it


async def ask_for(
    connection: Connection, principal: Principal, session: Session, agent: Agent, history: ChatMessageHistory
) -> Answer[Context]:
    """Ask for what the prompt is made of: notes and summary, and the window, which the history keeps until somebody
    loads it. Both travel with whatever is asked next."""
    asking = await ask_context(connection, principal.user_id, agent.name, session.session_id)
    await history.ask_ahead(limit=agent.window_messages)
    return asking


def tools_for(agent: Agent, session: Session, *, has_articles: bool) -> tuple[Tool, ...]:
    """What the agent may use for this user."""
    known = [*(TOOLS[name] for name in agent.tools), *outside_tools(agent)]
    with_memory = has_memory(agent, session)
    return tuple(
        [tool for tool in known if (with_memory or not tool.is_memory) and (has_articles or not tool.needs_articles)]
    )


def has_memory(agent: Agent, session: Session) -> bool:
    """Without memory there are no notes in the prompt, and no tool to write any."""
    return session.memory == "on" and agent.memory_scope != "off"


def recall_tokens(agent: Agent, session: Session, budget: Budget) -> int:
    """What may be spent on what is recalled, beside everything that is in the prompt already."""
    room = min(budget.room_tokens, RECALL_TOKENS)
    return room if has_memory(agent, session) and room >= LEAST_RECALL_TOKENS else 0


def notes_for(agent: Agent, session: Session, context: Context) -> str:
    """The page that the system prompt quotes; nothing where there is no memory."""
    return (context.notes or "") if has_memory(agent, session) else ""


def parts_of(
    agent: Agent,
    session: Session,
    context: Context,
    *,
    question: Message,
    tokens: int,
    model: str,
    models: Models,
    compression: Compression,
) -> Parts:
    """Everything but the window, which has to fit beside it."""
    notes = notes_for(agent, session, context)
    return Parts(
        agent=agent,
        model=model,
        window_tokens=agent.window_tokens or models.context_tokens(model),
        system=system_prompt(agent, notes),
        tools_tokens=tokens_of(tools_for(agent, session, has_articles=context.has_articles)),
        summary=context.summary,
        question_tokens=tokens,
        question=question,
        covers_to=context.covers_to or 0,
        bare_tokens=_bare_tokens(agent) if notes.strip() else None,
        compression=compression,
    )


@cache
def _bare_tokens(agent: Agent) -> int:
    return count_system(system_prompt(agent, ""))
