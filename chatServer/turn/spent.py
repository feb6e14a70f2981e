"""What a user's turns took, day by day, and what is left of today."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from chatServer import errors
from chatServer.records import DayUsage, Principal, Usage
from chatServer.store import limits as store
from chatServer.store import usage
from chatServer.store.limits import Spending
from chatServer.store.pool import Database
from chatServer.turn.limits import Quota, allowance_of, midnight_after

DAYS = 30
MOST_DAYS = 366


@dataclass(frozen=True, slots=True)
class Spent:
    """The rows since a day, to another if there is one, and how today stands."""

    since: date
    until: date | None
    rows: Sequence[DayUsage] = field(hash=False)
    spending: Spending
    revision_tokens: int  # of today's, behind the scenes
    quota: Quota

    @property
    def total(self) -> DayUsage:
        """All rows as one, of no agent and model in particular."""
        usage = sum((each.usage for each in self.rows), start=Usage())
        turns, revision = (sum(getattr(each, name) for each in self.rows) for name in ("turns", "revision_tokens"))
        return DayUsage(self.since, "", "", turns, usage, revision)

    @property
    def left_tokens(self) -> int | None:
        """Neither taken nor reserved; None: as many as he likes."""
        return allowance_of(self.quota, (), self.spending).tokens if self.quota.tokens_per_day else None

    @property
    def resets_at(self) -> datetime:
        return midnight_after(self.spending.asked_at)


async def read_spent(
    database: Database, principal: Principal, quota: Quota, since: date | None, until: date | None
) -> Spent:
    """From a day on, to another or to today, of which a year is the most; nothing is held or counted by asking."""
    last = (until or datetime.now(UTC).date()).toordinal()
    since = since or date.fromordinal(max(last - DAYS + 1, 1))
    if last - since.toordinal() >= MOST_DAYS:
        earliest = date.fromordinal(last - MOST_DAYS)
        raise errors.InvalidRequest(f"since: at most {MOST_DAYS} days at a time, so a day after {earliest}.")
    if until is not None and until < since:
        raise errors.InvalidRequest("until: a day that is not before since.")
    async with database.transaction(principal) as connection:
        asked = await store.ask_spending(connection, principal.user_id)
        rows = await usage.read_usage(connection, principal.user_id, since, until)
        _, revision_tokens = await usage.read_today(connection, principal.user_id)
        spending = await asked.fetchone()
    assert spending is not None  # nosec B101 # narrows a type
    return Spent(since, until, rows, spending, revision_tokens, quota)
