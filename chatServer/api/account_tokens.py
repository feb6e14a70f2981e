"""The routes of personal tokens: made, listed and ended by their user. What such a token is: personal_tokens.py."""

from datetime import datetime, timedelta
from typing import Annotated, Self
from uuid import UUID

from fastapi import APIRouter, Response, status
from pydantic import AfterValidator, BaseModel, Field

from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.fields import Body
from chatServer.api.problems import A_BODY, documented
from chatServer.protocols.fields import Text, trimmed
from chatServer.records import Scope
from chatServer.store.personal_tokens import Token

router = APIRouter(prefix="/api/account/tokens", tags=["account"], responses=documented(401, 403, 503))

DEFAULT_DAYS = 90
MAX_DAYS = 366


class CreateTokenRequest(Body):
    name: Annotated[Text, Field(max_length=100), AfterValidator(trimmed)]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=2)]
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_DAYS)] = DEFAULT_DAYS


class TokenAnswer(BaseModel):
    id: UUID
    name: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = Field(description="To the hour")

    @classmethod
    def of(cls, known: Token, **more: str) -> Self:
        shown = ("name", "scopes", "created_at", "expires_at", "last_used_at")
        return cls.model_validate({"id": known.token_id, **{name: getattr(known, name) for name in shown}, **more})


class NewTokenAnswer(TokenAnswer):
    token: str = Field(description="Shown this once: we keep only a hash of it")


class TokensAnswer(BaseModel):
    tokens: list[TokenAnswer]


@router.post("", status_code=status.HTTP_201_CREATED, responses=documented(*A_BODY))
async def create(body: CreateTokenRequest, state: CurrentState, user: CurrentUser) -> NewTokenAnswer:
    """A token for a client that cannot sign in again."""
    lives = timedelta(days=body.expires_in_days)
    made, secret = await state.tokens.make(user, body.name, body.scopes, lives)
    return NewTokenAnswer.of(made, token=secret)


@router.get("")
async def find(state: CurrentState, user: CurrentUser) -> TokensAnswer:
    """Your tokens, the newest first, without their secrets."""
    return TokensAnswer(tokens=[TokenAnswer.of(each) for each in await state.tokens.list(user)])


@router.delete(
    "/{token_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    response_class=Response,
    responses=documented(404, 422),
)
async def delete(token_id: UUID, state: CurrentState, user: CurrentUser) -> None:
    """It is taken no longer: here at once, by other processes within a minute."""
    await state.tokens.delete(user, token_id)
