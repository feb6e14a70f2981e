"""What happens after a turn, in this order. A job may be broken off anywhere and run again: every verb must then find
its work done, or do it once."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from chatServer.memory.reembed import Newest, ask_newest, embed_newest, made_newest, reembed_user
from chatServer.memory.remember.remember import Material, ask_material, gather, sheet_of
from chatServer.memory.remember.remember import remember as learn
from chatServer.records import Principal, Scopes
from chatServer.store import erasure, events, jobs, memories, personal_tokens, user_events
from chatServer.store.left import ask_left
from chatServer.store.pool import Database
from chatServer.store.queue import Task
from chatServer.work.found import Seen
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
        if UUID(turn_id) == jobs.EVERY_TURN:
            await reembed_user(self.database, self.embedder, principal)
            return
        left = await look(self, principal, UUID(turn_id))
        if left.is_untitled:
            await title(self, principal, left.turn_id)
            left = await look(self, principal, left.turn_id, is_named=True)
        for verb in AFTER_TURN:
            await verb(self, principal, left)

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


@dataclass(slots=True)
class Left:
    """What a turn leaves to be done."""

    turn_id: UUID
    is_untitled: bool = False
    has_used: bool = False  # what is remembered
    material: Material | None = None  # to learn from
    newest: Newest | None = None  # that may lack vectors; None: to be looked for
    unembedded: Sequence[int] = ()  # the places of its answer and its question, where they have no vector
    seen: Seen | None = None  # to be revised


async def look(workshop: Workshop, principal: Principal, turn_id: UUID, *, is_named: bool = False) -> Left:
    """Read what the verbs begin with in one transaction of two exchanges, where each of them had one of its own, also
    where there was nothing to do. A session that has no title yet gets it first, which may take a while."""
    user_id = principal.user_id
    async with workshop.database.transaction(principal) as connection:
        asked = await ask_left(connection, user_id, turn_id)
        asked_newest = await ask_newest(connection, workshop.embedder, user_id)
        turn, newest = await asked.fetchone(), await asked_newest.found()
        if turn is None or (turn.is_untitled and not is_named):
            return Left(turn_id, is_untitled=turn is not None, newest=newest)
        sheet = sheet_of(turn, turn_id, scopes=workshop.scopes)
        history = await ask_material(connection, user_id, sheet) if sheet else None
        glance = await workshop.reviser.glance(connection, user_id, turn_id, turn) if turn.is_unrevised else None
    # The answers came with that to COMMIT.
    left = Left(turn_id, has_used=turn.has_used, newest=newest, unembedded=turn.unembedded)
    left.seen = await glance.seen() if glance else None
    left.material = await gather(workshop.database, principal, sheet, history) if sheet and history else None
    return left


async def title(workshop: Workshop, principal: Principal, turn_id: UUID) -> None:
    await give_title(workshop.database, principal, turn_id, workshop.title_models)


async def count_recalls(workshop: Workshop, principal: Principal, left: Left) -> None:
    """What the turn was given of what is remembered has been of use once more."""
    if left.has_used:
        async with workshop.database.transaction(principal) as connection:
            await memories.bump_recalls(connection, principal.user_id, left.turn_id)


async def remember(workshop: Workshop, principal: Principal, left: Left) -> None:
    if left.material:
        learned = await learn(workshop.database, principal, left.material, tools=known_tools())
        if learned.outcomes:
            left.newest = None  # it has brought memories
            if left.seen:
                left.seen.found = None  # and its revision tells of them


async def index_turn(workshop: Workshop, principal: Principal, left: Left) -> None:
    """Vectors for what the turn said and left to be remembered. Recall finds it by its words meanwhile, so an embedder
    that fails is not waited for: the next turn tries again."""
    seen, newest, late = left.seen, left.newest, left.unembedded
    try:
        if seen and seen.found and newest and (made := await made_newest(workshop.embedder, newest, late)):
            seen.also = made.write  # in the transaction that ends the revision, which nothing holds up
        else:
            await embed_newest(workshop.database, workshop.embedder, principal, newest, late)
    except errors.EmbedderFailed as error:
        logger.warning("no vectors for a turn: %s", error)


async def revise(workshop: Workshop, principal: Principal, left: Left) -> None:
    """The last: what it waits for, if a model is asked, holds up nothing else of the turn."""
    if left.seen:
        await workshop.reviser.revise(workshop.database, principal, left.seen)


Verb = Callable[[Workshop, Principal, Left], Awaitable[None]]

AFTER_TURN: tuple[Verb, ...] = (count_recalls, remember, index_turn, revise)
