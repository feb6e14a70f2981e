"""Facts that a model reads, behind the interface of the rules: for what is told in other languages and other words."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chatServer.memory.alike import are_alike
from chatServer.memory.facts.facts import RuleExtractor
from chatServer.memory.facts.meanings import Fact
from chatServer.memory.rules import MAX_FACTS_PER_MESSAGE
from chatServer.memory.triples import ask, extraction_messages, triples_in
from chatServer.records import Triple

TIMEOUT_S = 30

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """What the rules find, which is sure and has keys, and beside it what the model does; a model that fails costs
    nothing but its own facts."""

    model: Any  # anything with `run(messages)`, or a LangChain chat model
    rules: RuleExtractor = field(default_factory=RuleExtractor)

    async def facts(self, text: str, said_at: datetime) -> list[Fact]:
        found = await self.rules.facts(text, said_at)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await ask(self.model, extraction_messages(text))
        except Exception as error:  # noqa: BLE001  whatever a provider raises, the rules have read the text
            logger.warning("no facts from the model: %s", type(error).__name__)
            return found
        for fact in map(_told, triples_in(answer)):
            if not any(are_alike(fact.text, known.text) for known in found):
                found.append(fact)
        return found[:MAX_FACTS_PER_MESSAGE]


def _told(triple: Triple) -> Fact:
    """Without a key: the model does not know which facts replace each other."""
    text = f"{triple.subject} {triple.predicate} {triple.object}."
    parts = (triple.subject, triple.predicate, triple.object)
    return Fact(text, *parts, key=None, is_negation=False, valid_from=None, valid_to=None, sentence=text)
