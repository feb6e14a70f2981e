"""The agents that can be talked to."""

from fastapi import APIRouter

from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.problems import documented
from chatServer.api.schemas import AgentAnswer, AgentsAnswer

router = APIRouter(prefix="/api/agents", tags=["agents"], responses=documented(401, 403, 503))


@router.get("", responses=documented(429))
async def agents(state: CurrentState, user: CurrentUser) -> AgentsAnswer:
    """All agents; `default` marks the one that is meant when none is named."""
    return AgentsAnswer(agents=[AgentAnswer.of(agent, state.agents.default) for agent in state.agents])
