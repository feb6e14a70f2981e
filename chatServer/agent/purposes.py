"""Which model works behind the scenes for an agent: its own, where it has one that can and tokens are left."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from langchain_core.language_models import BaseChatModel

from chatServer import errors, metrics
from chatServer.agent.catalog import Catalog
from chatServer.agent.models import Models
from chatServer.config import Settings
from chatServer.records import USUAL_COMPRESSION, Compression

OUTPUT_TOKENS = 1_500  # of one answer: a few calls of tools, or a summary
SUMMARY_SHARE = 4  # of the window, whatever the settings say

Task = Literal["revise", "summary"]
NamedModel = tuple[str, BaseChatModel]  # what it is called, for the bill, and what is asked
ModelsFor = Callable[[str, Task], Awaitable[NamedModel | None]]  # by the name of an agent; None: rules must do

logger = logging.getLogger(__name__)


Compressions = Callable[[str], Compression]  # by the name of an agent


async def no_models(_: str, __: Task) -> NamedModel | None:
    return None


def models_for(models: Models, agents: Catalog, default_model: str) -> ModelsFor:
    async def model_of(agent_name: str, task: Task) -> NamedModel | None:
        name = agents.get(agent_name).model or default_model
        model = await models.purpose(name, task, output_tokens=OUTPUT_TOKENS)
        return (name, model) if model else None

    return model_of


def compressions_for(settings: Settings, agents: Catalog, models: Models) -> Compressions:
    """How conversations are summarised: as the agent's file says, else as the settings do."""
    usual = Compression(
        threshold_pct=settings.memory_compression_threshold_pct,
        target_tokens=settings.memory_compression_target_tokens,
        deadline_s=settings.memory_compression_deadline_s,
    )

    def compression_of(agent_name: str) -> Compression:
        agent = agents.find(agent_name)
        if agent is None:
            return usual
        window_tokens = agent.window_tokens or models.context_tokens(agent.model or settings.model)
        return Compression(
            window_tokens=window_tokens,
            threshold_pct=agent.compact_pct or usual.threshold_pct,
            target_tokens=min(agent.summary_tokens or usual.target_tokens, window_tokens // SUMMARY_SHARE),
            deadline_s=usual.deadline_s,
            prompt=agent.summary_prompt,
        )

    return compression_of


def usual_compression(_: str) -> Compression:
    return USUAL_COMPRESSION


@dataclass(frozen=True, slots=True)
class Advisers:
    """Who is asked, within what a user may take of it in a day; by itself, nobody."""

    models: ModelsFor = no_models
    tokens_per_day: int = 0  # of one user, for memories and summaries; 0: no limit
    all_tokens_per_day: int = 0  # of one user, whatever for
    anonymous_tokens_per_day: int = 0  # of one who is anonymous, whatever for
    compression: Compressions = usual_compression

    async def model(
        self, agent_name: str, task: Task, spent: tuple[int, int], *, is_anonymous: bool = False
    ) -> NamedModel | None:
        """Nobody where there is no model for it, or none of the day's tokens are left; `spent`: of them in all, and
        behind the scenes."""
        try:
            model = await self.models(agent_name, task)
        except errors.ChatError as error:  # its key or its package is missing here: nobody waits for that
            logger.warning("no model for a revision: %s", error.code)
            metrics.revisions_without_model.labels(error.code).inc()
            return None
        if model and not self._may_ask(*spent, is_anonymous=is_anonymous):
            metrics.revisions_without_model.labels("quota").inc()
            return None
        return model

    def _may_ask(self, used: int, revision: int, *, is_anonymous: bool) -> bool:
        limits = [(self.tokens_per_day, revision), (self.all_tokens_per_day, used)]
        limits += [(self.anonymous_tokens_per_day, used)] if is_anonymous else []
        return not any(limit and taken >= limit for limit, taken in limits)


NO_ADVISERS = Advisers()
