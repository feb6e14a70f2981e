"""A question as it is searched for: its words, and its vector if that can be had in time."""

import asyncio
import logging
from collections.abc import Mapping
from typing import NamedTuple

from chatServer import errors
from chatServer.memory.embed import Embedder
from chatServer.memory.ranking.postings import Floats
from chatServer.memory.ranking.question import Question, read_question
from chatServer.memory.recall.unpack import fitted

logger = logging.getLogger(__name__)


class Sought(NamedTuple):
    question: Question
    vec: Floats | None
    is_late: bool  # it has no vector, for that took too long


async def sought(text: str, speakers: Mapping[str, int], embedder: Embedder, within_s: float) -> Sought:
    """Without a vector where the embedder fails, or is late."""
    question = read_question(text, speakers)
    if embedder.size == 0:
        return Sought(question, None, is_late=False)
    try:
        async with asyncio.timeout(within_s):
            return Sought(question, fitted(await embedder.embed([question.plain]))[0], is_late=False)
    except TimeoutError:
        return Sought(question, None, is_late=True)
    except errors.EmbedderFailed as error:
        logger.warning("no vector for a question: %s", error)
        return Sought(question, None, is_late=True)
