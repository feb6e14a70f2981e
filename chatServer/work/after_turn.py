"""What happens after a turn, in this order. A job may be broken off anywhere and run again: every verb must then find
its work done, or do it once."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from chatServer import errors
from chatServer.agent.title import TitleModels, give_title
from chatServer.agent.tools.toolbox import known_tools
from chatServer.conversation.tokens import count_text
from chatServer.knowledge.ingest import Library, give_up
from chatServer.knowledge.ingest import ingest as read_article
from chatServer.memory.embed import Embedder, NoEmbedder
from chatServer.memory.maintain import FOR_EVER, Retention, maintain
from chatServer.memory.reembed import embed_newest
from chatServer.memory.remember.remember import remember as learn
from chatServer.records import Principal, Scopes
from chatServer.store import erasure, events, jobs, memories, personal_tokens, user_events
from chatServer.store.pool import Database
from chatServer.store.queue import Task
from chatServer.work.revision import Reviser

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Workshop:
    """What the verbs work with."""

    database: Database
    title_models: TitleModels
    scopes: Scopes = lambda _: "agent"  # what an agent remembers, by its name
    embedder: Embedder = field(default_factory=NoEmbedder)
    retention: Retention = FOR_EVER
    reviser: Reviser = field(default_factory=Reviser)
    library: Library | None = None  # None: one without limits

    def tasks(self) -> Mapping[str, Task]:
        """Every kind of job by its name."""
        return {
            "after_turn": self.after_turn,
            "forget_events": self.forget_events,
            "maintain_memories": self.maintain_memories,
            "ingest": self.ingest,
            "give_up_article": self.give_up_article,
        }

    async def after_turn(self, user_id: str, turn_id: str) -> None:
        """Everything that one finished turn leaves to be done, or an erasure; the ids are those that its user left in
        the queue."""
        principal = Principal(UUID(user_id))
        if UUID(turn_id) == jobs.NO_TURN:
            async with self.database.transaction(principal) as connection:
                await erasure.forget_rest(connection, principal.user_id)
            return
        for verb in AFTER_TURN:
            await verb(self, principal, UUID(turn_id))

    async def forget_events(self, user_id: str) -> None:
        """What has expired of a user's; the sweep finds who has any events that have."""
        principal = Principal(UUID(user_id))
        async with self.database.transaction(principal) as connection:
            await events.delete_old_events(connection, principal.user_id)
            await user_events.delete_old_user_events(connection, principal.user_id)
            await personal_tokens.delete_expired_tokens(connection, principal.user_id)

    async def ingest(self, user_id: str, article_id: str) -> None:
        """What a user has uploaded; he left the job with it."""
        library = self.library or Library(self.database, count_text, self.embedder)
        await read_article(library, Principal(UUID(user_id)), UUID(article_id))

    async def give_up_article(self, user_id: str, article_id: str, failed_at: str) -> None:
        """What could not be read in all its runs; the sweep finds which."""
        await give_up(self.database, Principal(UUID(user_id)), UUID(article_id), datetime.fromisoformat(failed_at))

    async def maintain_memories(self, user_id: str) -> None:
        """What is due of a user's; the sweep finds who has any."""
        await maintain(self.database, Principal(UUID(user_id)), retention=self.retention)


async def title(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    await give_title(workshop.database, principal, turn_id, workshop.title_models)


async def remember(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    await learn(workshop.database, principal, turn_id, scopes=workshop.scopes, tools=known_tools())


async def count_recalls(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    """What the turn was given of what is remembered has been of use once more."""
    async with workshop.database.transaction(principal) as connection:
        await memories.bump_recalls(connection, principal.user_id, turn_id)


async def index_turn(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    """Vectors for what the turn said and left to be remembered. Recall finds it by its words meanwhile, so an embedder
    that fails is not waited for: the next turn tries again."""
    try:
        await embed_newest(workshop.database, workshop.embedder, principal)
    except errors.EmbedderFailed as error:
        logger.warning("no vectors for a turn: %s", error)


async def revise(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    """The last: what it waits for, if a model is asked, holds up nothing else of the turn."""
    await workshop.reviser.revise(workshop.database, principal, turn_id)


Verb = Callable[[Workshop, Principal, UUID], Awaitable[None]]

AFTER_TURN: tuple[Verb, ...] = (title, count_recalls, remember, index_turn, revise)
