"""What you may do with all that is yours."""

from datetime import datetime
from typing import Literal, Self

from fastapi import APIRouter
from pydantic import BaseModel, Field

from chatServer.account import erase as erasing
from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.problems import documented
from chatServer.api.sign_ins import delete_sign_in
from chatServer.api.state import State
from chatServer.records import Principal, Receipt

router = APIRouter(prefix="/api/account", tags=["account"], responses=documented(401, 503))


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
    state.recaller.shelves.drop(user.user_id)  # other processes notice with the next question
    return receipt
