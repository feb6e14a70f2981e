"""What of a session a summary is to be made of, who is the one to make it, and how it is kept."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from chatServer import errors, metrics
from chatServer.agent.purposes import NamedModel
from chatServer.agent.summary.compact import TIMEOUT_S, Reason, compact, head_of, is_due, is_time
from chatServer.records import USUAL_COMPRESSION, Compression, Principal, StoredMessage, Summary
from chatServer.store import summaries, user_events
from chatServer.store.pool import Connection, Database
from chatServer.store.summaries import Extent

READ_MESSAGES = 1_000  # the newest, as many as a window can have; what nobody has summarised before those is left out
STORE_S = 15.0  # what reading before a model is asked, and storing after it, may take

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Compacted:
    """A summary that is not stored yet: what it goes on from, and what it is made of."""

    session_id: str
    known: Summary | None
    summary: Summary
    message_ids: tuple[UUID, ...] = field(repr=False)
    tokens_before: int
    reason: Reason
    claim: datetime | None  # until when nobody else makes one

    def told(self) -> dict[str, Any]:
        """As clients hear it: numbers, never a text."""
        before, after = self.tokens_before, self.summary.tokens
        tokens = {"tokens_before": before, "tokens_after": after, "tokens_saved": before - after}
        return {"reason": self.reason, **tokens, "messages": len(self.message_ids), "model": self.summary.model}


async def read_if_due(
    connection: Connection,
    user_id: UUID,
    session_id: str,
    *,
    is_forced: bool = False,
    how: Compression = USUAL_COMPRESSION,
    kept_from: int | None = None,
) -> "Unsummarised | None":
    """What a summary would be made of, if it is time for one; read here, made without a connection."""
    known = await summaries.read_summary(connection, user_id, session_id)
    after = await summaries.read_after(connection, user_id, session_id, known, limit=READ_MESSAGES)
    due = Unsummarised(session_id, known, after, how, kept_from)
    if not due.head:
        return None
    if is_forced:
        return due
    if is_due(known, len(after)):
        return replace(due, reason="five")
    return replace(due, reason="mark") if due.tokens > how.soft_mark_tokens else None


def may_be_due(extent: Extent, how: Compression) -> bool:
    """Whether `read_if_due` may find anything: what is counted is known without reading it."""
    tokens = extent.summary_tokens + extent.tokens
    return is_time(extent.summarised, extent.messages) or tokens > how.soft_mark_tokens


@dataclass(frozen=True, slots=True)
class Unsummarised:
    """What was said since the summary that is known."""

    session_id: str
    known: Summary | None
    messages: Sequence[StoredMessage] = field(repr=False)
    how: Compression
    kept_from: int | None
    reason: Reason = "asked"
    claim: datetime | None = None

    @property
    def head(self) -> Sequence[StoredMessage]:
        return head_of(self.messages, self.kept_from)

    @property
    def tokens(self) -> int:
        """Of all of it, and of the summary."""
        return _tokens(self.known, self.messages)

    async def compacted(self, model: NamedModel | None, *, within_s: float = TIMEOUT_S) -> Compacted:
        made = await compact(
            self.known, self.messages, model, how=self.how, within_s=within_s, kept_from=self.kept_from
        )
        assert made is not None  # nosec B101 # narrows a type
        ids = tuple(UUID(each.message.message_id) for each in self.head)
        before = _tokens(self.known, self.head)
        return Compacted(self.session_id, self.known, made, ids, before, self.reason, self.claim)


async def claimed(
    connection: Connection,
    user_id: UUID,
    due: Unsummarised,
    *,
    within_s: float = TIMEOUT_S,
    is_job: bool = False,
) -> Unsummarised | None:
    """The same for whoever is the one to make it; None while another is at it, in this process or elsewhere, or when
    one has just been: a model is paid once. Whoever dies over it is in nobody's way for long."""
    lease_s = within_s + STORE_S
    claim, known = await summaries.claim(connection, user_id, due.session_id, lease_s=lease_s, is_job=is_job)
    if claim is None:
        return None
    if (known and known.covers_to) != (due.known and due.known.covers_to):  # it was stored while this one was reading
        await summaries.release(connection, user_id, due.session_id, claim)
        return None
    return replace(due, claim=claim)


@contextlib.asynccontextmanager
async def letting_go(database: Database, principal: Principal, due: Unsummarised | None) -> AsyncIterator[None]:
    """Around what is done with a claim: whoever fails or is stopped over it keeps nobody else waiting."""
    is_done = False
    try:
        yield
        is_done = True  # its claim went with what was stored
    finally:
        if not is_done and due and due.claim:  # shielded: who is stopped may be told so twice
            await asyncio.shield(_let_go(database, principal, due.session_id, due.claim))


async def _let_go(database: Database, principal: Principal, session_id: str, claim: datetime) -> None:
    try:
        async with database.transaction(principal) as connection:
            await summaries.release(connection, principal.user_id, session_id, claim)
    except errors.ChatError as error:  # it ends by itself
        logger.warning("a claim could not be released: %s", error.code)


def _tokens(known: Summary | None, messages: Sequence[StoredMessage]) -> int:
    return (known.tokens if known else 0) + sum(each.tokens or 0 for each in messages)


async def store_compacted(
    connection: Connection, user_id: UUID, new: Compacted, *, turn_id: UUID | None = None
) -> Summary | None:
    """Keep it, and tell it, unless the conversation has changed under it; whoever waited for it may go on. The caller
    holds the session's row."""
    if new.claim:
        await summaries.release(connection, user_id, new.session_id, new.claim)
    kept = await summaries.write_summary(
        connection, user_id, new.session_id, new.summary, known=new.known, message_ids=new.message_ids
    )
    if kept is not None:
        metrics.compactions.labels(new.reason).inc()
        about = {"what": "compaction", "session_id": new.session_id, "turn_id": turn_id and str(turn_id)}
        await user_events.tell(connection, user_id, "memory", about | new.told())
    return kept
