"""Which model works behind the scenes for an agent: its own, where it has one that can."""

from collections.abc import Awaitable, Callable
from typing import Literal

from langchain_core.language_models import BaseChatModel

from chatServer.agent.catalog import Catalog
from chatServer.agent.models import Models

OUTPUT_TOKENS = 1_500  # of one answer: a few calls of tools, or a summary

Task = Literal["revise", "summary"]
NamedModel = tuple[str, BaseChatModel]  # what it is called, for the bill, and what is asked
ModelsFor = Callable[[str, Task], Awaitable[NamedModel | None]]  # by the name of an agent; None: rules must do


async def no_models(_: str, __: Task) -> NamedModel | None:
    return None


def models_for(models: Models, agents: Catalog, default_model: str) -> ModelsFor:
    async def model_of(agent_name: str, task: Task) -> NamedModel | None:
        name = agents.get(agent_name).model or default_model
        model = await models.purpose(name, task, output_tokens=OUTPUT_TOKENS)
        return (name, model) if model else None

    return model_of
