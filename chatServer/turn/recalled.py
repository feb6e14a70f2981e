"""What a turn recalls: found after it has begun and before the model is asked, by a verb that keeps to its own
deadline; and how clients are told of it (`recalled_json`)."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Protocol, overload
from uuid import UUID

from chatServer.agent.wishes import tells_nothing
from chatServer.messages import text_of
from chatServer.records import Agent, Budget, ModelInput, Principal, Recalled, RecallResult, told_missing
from chatServer.records.moments import utc_iso
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.recall import Glance
from chatServer.turn.begun import Begun
from chatServer.turn.prompt import recall_tokens


class Recaller(Protocol):
    """The verb, bound to where it looks."""

    async def recall(
        self,
        principal: Principal,
        agent: Agent,
        session_id: str,
        question: str,
        *,
        excluded: Collection[UUID],
        budget_tokens: int,
        tools: Collection[str],
        glance: Glance | None = None,
    ) -> RecallResult:
        """The lines that bear on a question, best first, then how these tools went; never an error, and never late."""

    async def ask_glance(self, connection: Connection, principal: Principal, *, most: int) -> Answer[Glance] | None:
        """Whether anything came since, asked with whatever is asked next; None: more is known than so many messages."""

    def has_nothing_beside(self, principal: Principal, prompt: frozenset[str], glance: Glance) -> bool:
        """Whether nothing can be found beside these messages."""


async def find(recaller: Recaller, begun: Begun, asked: ModelInput, budget: Budget) -> RecallResult | None:
    """What bears on the question and is not in the prompt anyway; None where there is no memory, or no room."""
    budget_tokens = recall_tokens(begun.agent, begun.session, budget)
    question = asked.messages[-1]
    if not budget_tokens:
        return None
    found = await recaller.recall(
        begun.principal,
        begun.agent,
        begun.session.session_id,
        text_of(question),
        excluded=[UUID(message.message_id) for message in asked.messages],
        budget_tokens=budget_tokens,
        tools=[tool.name for tool in begun.tools],
        glance=begun.glance,
    )
    return told_apart(found)


def told_apart(found: RecallResult) -> RecallResult:
    """With a mark at what the user once asked or wished. Once for a turn, which tells its lines three times: to look
    each time was 1,700 tries of a pattern (2026-11-16)."""
    return replace(found, items=tuple(replace(item, asks=True) if _asks(item) else item for item in found.items))


def is_all(found: RecallResult) -> bool:
    """Else the prompt says so, lest the model say that it knows nothing."""
    return told_missing(found.degraded) is None


@overload
def recalled_json(found: RecallResult, *, with_text: bool = True) -> dict[str, Any]: ...
@overload
def recalled_json(found: RecallResult | None, *, with_text: bool = True) -> dict[str, Any] | None: ...
def recalled_json(found: RecallResult | None, *, with_text: bool = True) -> dict[str, Any] | None:
    """As clients read it, and as rows keep it: those without any text, so that what is forgotten is forgotten, nor what
    the scores are made of, which was 0.4 of the 1.1 kB that nine lines take there (2026-11-16)."""
    if found is None:
        return None
    items = [_item_json(item, with_text=with_text) for item in found.items]
    told: dict[str, Any] = {"items": items, "total_found": found.total_found}
    return {**told, "degraded": found.degraded} if found.degraded else told


def _item_json(item: Recalled, *, with_text: bool) -> dict[str, Any]:
    source = {"session_id": item.source.session_id, "message_id": item.source.message_id}
    if with_text:
        source |= {"title": item.source.title or None}
    told = {
        "id": str(item.item_id),
        "what": item.what,
        "text": item.text if with_text else None,
        "role": item.role,
        "asks": item.asks or None,  # told also where the text is not
        "speaker": item.speaker if with_text else None,
        "kind": item.kind,
        "category": item.category,
        "score": round(item.score, 3),
        "parts": item.parts if with_text else None,
        "said_at": utc_iso(item.said_at),
        "valid_to": item.valid_to and utc_iso(item.valid_to),
        "corrected_at": item.corrected_at and utc_iso(item.corrected_at),
        "trust": item.trust,
        "source": {name: str(value) for name, value in source.items() if value is not None},
    }
    return {name: value for name, value in told.items() if value is not None}


def _asks(item: Recalled) -> bool:
    """What the user once asked, or wished to be forgotten: it answers nothing by itself."""
    is_his = item.what == "message" and item.role == "user"
    return is_his and (item.text.rstrip().endswith(("?", "？")) or tells_nothing(item.text))
