"""What your turns took, and what is left of today."""

from datetime import date, datetime
from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from chatServer.api.deps import CurrentState, CurrentUser
from chatServer.api.problems import documented
from chatServer.config import Settings
from chatServer.records import DayUsage
from chatServer.turn.limits import Quotas
from chatServer.turn.spent import Spent, read_spent

router = APIRouter(prefix="/api/usage", tags=["usage"], responses=documented(401, 403, 503))


class Counts(BaseModel):
    turns: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    revision_tokens: int = Field(description="Of them, for memories and summaries, behind the scenes")


class Row(Counts):
    day: date
    agent_name: str
    model: str


class LimitsAnswer(BaseModel):
    turns_per_minute: int | None
    parallel_turns: int | None
    tokens_per_day: int | None
    revision_tokens_per_day: int | None


class Today(BaseModel):
    used_tokens: int
    revision_tokens: int
    reserved_tokens: int = Field(description="What running turns may take at most")
    left_tokens: int | None
    running_turns: int
    resets_at: datetime


class UsageAnswer(BaseModel):
    since: date
    until: date | None = Field(description="As it was asked for; null: to today")
    totals: Counts
    rows: list[Row]
    limits: LimitsAnswer = Field(description="null: none")
    today: Today

    @classmethod
    def of(cls, spent: Spent, settings: Settings) -> Self:
        quota, spending = spent.quota, spent.spending
        return cls(
            since=spent.since,
            until=spent.until,
            totals=Counts(**_counts(spent.total)),
            rows=[
                Row(day=each.day, agent_name=each.agent_name, model=each.model, **_counts(each)) for each in spent.rows
            ],
            limits=LimitsAnswer(
                turns_per_minute=quota.turns_per_minute or None,
                parallel_turns=quota.parallel_turns or None,
                tokens_per_day=quota.tokens_per_day or None,
                revision_tokens_per_day=settings.limit_revision_tokens_per_day or None,
            ),
            today=Today(
                used_tokens=spending.used_tokens,
                revision_tokens=spent.revision_tokens,
                reserved_tokens=spending.reserved_tokens,
                left_tokens=spent.left_tokens,
                running_turns=spending.running,
                resets_at=spent.resets_at,
            ),
        )


@router.get("", responses=documented(422, 429))
async def usage(
    state: CurrentState,
    user: CurrentUser,
    since: Annotated[date | None, Query(description="A day in UTC; 30 days unless given, at most 366")] = None,
    until: Annotated[date | None, Query(description="The last day, in UTC; today unless given")] = None,
) -> UsageAnswer:
    """What your turns took by day, agent and model, your limits, and what is left of today."""
    quota = Quotas.of(state.settings).quota_of(user)
    return UsageAnswer.of(await read_spent(state.database, user, quota, since, until), state.settings)


def _counts(row: DayUsage) -> dict[str, int]:
    given, said = row.usage.input_tokens, row.usage.output_tokens
    counts = {"turns": row.turns, "input_tokens": given, "output_tokens": said, "total_tokens": given + said}
    return {**counts, "revision_tokens": row.revision_tokens}
