"""What you may do with all that is yours: take it along, bring it back, have it erased."""

import contextlib
import io
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, Literal, Self

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from chatServer.account import erase as erasing
from chatServer.account.bring_in import Brought, Room, bring_in
from chatServer.account.export import FORMAT, export
from chatServer.account.few import admitted
from chatServer.agent.embeddings import embedder_of
from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.event_stream import EventStream
from chatServer.api.problems import A_BODY, documented
from chatServer.api.sign_ins import delete_sign_in
from chatServer.api.state import State
from chatServer.records import Principal, Receipt

router = APIRouter(prefix="/api/account", tags=["account"], responses=documented(401, 403, 503))


class ReceiptAnswer(BaseModel):
    erased_at: datetime
    counts: dict[str, int] = Field(description="How many rows of each table there were; jobs: of the queue")

    @classmethod
    def of(cls, receipt: Receipt) -> Self:
        return cls.model_validate(receipt, from_attributes=True)


class ReceiptsAnswer(BaseModel):
    erasures: list[ReceiptAnswer]


class AccountAnswer(ReceiptAnswer):
    sign_in: Literal["deleted", "kept"]
    why: str | None = Field(description="Why the sign-in was kept")


class ImportAnswer(BaseModel):
    added: dict[str, int] = Field(description="Rows that were new, by section")
    kept: dict[str, int] = Field(description="Rows that you have already, or whose session you do not have")

    @classmethod
    def of(cls, brought: Brought) -> Self:
        return cls.model_validate(brought, from_attributes=True)


A_DOCUMENT: dict[str, Any] = {"application/json": {"schema": {"type": "object", "title": FORMAT}}}
HEADERS = {"content-type": "application/json", "content-disposition": 'attachment; filename="chat-export.json"'}


@router.get(
    "/export",
    response_class=Response,
    responses={200: {"content": A_DOCUMENT, "description": "All of it"}, **documented(429)},
)
async def export_data(state: CurrentState, user: CurrentUser) -> EventStream:
    """Everything that is yours, as one JSON document."""
    pieces = export(state.database, user)
    first = await anext(pieces)  # while an outage can still be told: a document that has begun can only break off
    return EventStream(_with(first, pieces), HEADERS, expires_at=None)


async def _with(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    yield first
    async with contextlib.aclosing(rest) as pieces:
        async for piece in pieces:
            yield piece


@router.post(
    "/import",
    responses=documented(409, 429, *A_BODY),
    openapi_extra={"requestBody": {"required": True, "content": A_DOCUMENT}},
)
async def import_data(request: Request, state: CurrentState, user: CurrentUser) -> ImportAnswer:
    """Bring back what an export holds. What you have already stays as it is; sent again, it goes on where it was."""
    body = await request.body()
    with admitted(user.user_id):
        try:
            brought = await bring_in(
                state.database,
                user,
                embedder_of(state.settings),
                lambda: io.TextIOWrapper(io.BytesIO(body), encoding="utf-8-sig"),
                room=Room(state.settings.limit_articles, state.settings.limit_chunks),
            )
        finally:  # some of it may have come
            state.recaller.registers.drop(user.user_id)
    return ImportAnswer.of(brought)


@router.delete("/data")
async def erase_data(state: CurrentState, user: CurrentUser) -> ReceiptAnswer:
    """Erase everything that is yours: your turns are stopped, then all of it goes at once. There is no way back."""
    return ReceiptAnswer.of(await _erased(state, user))


@router.get("/erasures")
async def erasures(state: CurrentState, user: CurrentUser) -> ReceiptsAnswer:
    """When you had everything erased: all that is kept of it."""
    found = await erasing.receipts(state.database, user)
    return ReceiptsAnswer(erasures=[ReceiptAnswer.of(each) for each in found])


@router.delete("")
async def delete_account(state: CurrentState, user: CurrentUser) -> AccountAnswer:
    """Erase everything that is yours, and then your sign-in, where this server may do that."""
    receipt = await _erased(state, user)
    why = await delete_sign_in(state.settings, state.http, user)
    kept = {"sign_in": "kept", "why": why} if why else {"sign_in": "deleted", "why": None}
    return AccountAnswer.model_validate({"erased_at": receipt.erased_at, "counts": receipt.counts, **kept})


async def _erased(state: State, user: Principal) -> Receipt:
    state.turns.stop_here(user.user_id)
    receipt = await erasing.erase(state.database, user)
    state.recaller.registers.drop(user.user_id)  # other processes notice with the next question
    state.tokens.forget(user.user_id)  # within a minute
    return receipt
