"""The limits of turns: in a minute, at once, and their tokens in a day. Counted in the transaction that begins a turn,
so that a refusal leaves nothing behind, whichever of the servers is asked. Other things are counted where they are
made: articles in knowledge/shelf.py."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID

from chatServer import errors, metrics
from chatServer.config import Settings
from chatServer.records import Principal
from chatServer.records.quick import quick
from chatServer.store import limits as store
from chatServer.store.limits import Spending
from chatServer.store.pipeline import Answer
from chatServer.store.pool import Connection
from chatServer.store.turns import LEASE_S

MINUTE = timedelta(seconds=60)
DAY = timedelta(days=1)
SOON_S = 1  # when one of the running turns ends is not known


@dataclass(frozen=True, slots=True)
class Quota:
    """The limits of one user; 0: none."""

    turns_per_minute: int = 0
    parallel_turns: int = 0
    tokens_per_day: int = 0


@dataclass(frozen=True, slots=True)
class Quotas:
    """Who may do what."""

    of_users: Quota = Quota()
    of_anonymous: Quota = Quota()

    @classmethod
    def of(cls, settings: Settings) -> "Quotas":
        """As configured; who is anonymous never has more than everybody else."""
        users = Quota(settings.limit_turns_per_minute, settings.limit_parallel_turns, settings.limit_tokens_per_day)
        anonymous = Quota(
            _smaller(settings.limit_anonymous_turns_per_minute, users.turns_per_minute),
            _smaller(settings.limit_anonymous_parallel_turns, users.parallel_turns),
            _smaller(settings.limit_anonymous_tokens_per_day, users.tokens_per_day),
        )
        return cls(users, anonymous)

    def quota_of(self, principal: Principal) -> Quota:
        return self.of_anonymous if principal.is_anonymous else self.of_users


@quick
class Allowance:
    """What is left of a user's limits, and in how many seconds all of it is back."""

    quota: Quota
    turns: int
    turns_reset_s: int
    tokens: int
    tokens_reset_s: int

    def headers(self) -> dict[str, str]:
        """By the names that clients of OpenAI's API know; only of limits that there are."""
        told: dict[str, int] = {}
        if limit := self.quota.turns_per_minute:
            told |= {"limit-requests": limit, "remaining-requests": self.turns, "reset-requests": self.turns_reset_s}
        if limit := self.quota.tokens_per_day:
            told |= {"limit-tokens": limit, "remaining-tokens": self.tokens, "reset-tokens": self.tokens_reset_s}
        return {f"x-ratelimit-{name}": str(value) for name, value in told.items()}


@quick
class Asked:
    """What was asked about a user's limits; the answers come with those to the questions that follow."""

    user_id: UUID
    quota: Quota
    turns_at: Answer[tuple[Any, ...]] = field(hash=False)
    spending: Answer[Spending] = field(hash=False)


async def ask(connection: Connection, principal: Principal, quota: Quota) -> Asked | None:
    """Let the user's row be held, and be counted what runs; nothing at all without a limit.

    Asked with what the prompt is made of, and judged when that is known: so limits cost no round trip.
    """
    if quota == Quota():
        return None
    turns_at = await store.hold_limits(connection, principal.user_id)
    return Asked(principal.user_id, quota, turns_at, await store.ask_spending(connection, principal.user_id))


async def reserve(connection: Connection, asked: Asked | None, turn_id: UUID, tokens: int) -> Allowance | None:
    """Take what a turn needs, or refuse it."""
    if asked is None:
        return None
    row, spending = await asked.turns_at.fetchone(), await asked.spending.fetchone()
    assert row is not None  # nosec B101 # narrows a type
    assert spending is not None  # nosec B101 # narrows a type
    if 0 < asked.quota.tokens_per_day < tokens:  # no day would be long enough
        raise errors.ContextTooLarge(
            f"This message may take {tokens:,} tokens, and you have {asked.quota.tokens_per_day:,} for a whole day."
        )
    turns_at, now = row[0], spending.asked_at
    recent = in_the_last_minute(turns_at, now)
    if refusals := list(refusals_of(asked.quota, recent, spending, tokens)):
        refusal = max(refusals, key=lambda each: each.retry_after_s or 0)  # what holds after the longest wait
        refusal.headers = allowance_of(asked.quota, recent, spending).headers()
        metrics.turns_refused.labels(refusal.limit).inc()
        raise refusal
    if asked.quota.turns_per_minute:
        forgotten = turns_at.index(recent[0]) if recent else len(turns_at)
        await store.add_turn_time(connection, asked.user_id, now, forgotten=forgotten)
    if asked.quota.tokens_per_day:
        await store.reserve_tokens(connection, asked.user_id, turn_id, tokens)
    spending = spending._replace(reserved_tokens=spending.reserved_tokens + tokens)
    return allowance_of(asked.quota, [*recent, now], spending)


def in_the_last_minute(turns_at: Sequence[datetime], now: datetime) -> list[datetime]:
    """When those turns began, oldest first. One that is still to come was written before the clock was set back, or by
    the clock of the server that this one stands in for: it does not count, lest the user wait for that time."""
    return [at for at in turns_at if now - MINUTE < at <= now]


def refusals_of(
    quota: Quota, recent: Sequence[datetime], spending: Spending, tokens: int
) -> Iterator[errors.LimitReached]:
    """Every reason against one more turn that needs so many tokens, with the time after which it no longer holds."""
    now = spending.asked_at
    if 0 < quota.turns_per_minute <= len(recent):
        wait_s = _seconds(recent[-quota.turns_per_minute] + MINUTE - now)
        detail = f"You may send {quota.turns_per_minute:,} messages a minute. Wait {wait_s} s."
        yield errors.RateLimited(detail, limit="turns_per_minute", retry_after_s=wait_s)
    if 0 < quota.parallel_turns <= spending.running:
        detail = f"{spending.running:,} of your messages are being answered already. Wait for an answer, or stop one."
        detail += f" An answer that broke off because its server died counts for {LEASE_S} seconds at most."
        yield errors.RateLimited(detail, limit="parallel_turns", retry_after_s=SOON_S)
    if quota.tokens_per_day and spending.used_tokens + spending.reserved_tokens + tokens > quota.tokens_per_day:
        is_used_up = spending.used_tokens + tokens > quota.tokens_per_day  # else what runs may leave enough
        wait_s = _seconds(midnight_after(now) - now) if is_used_up else SOON_S
        left = allowance_of(quota, recent, spending).tokens
        detail = f"This message may take {tokens:,} tokens; of your {quota.tokens_per_day:,} a day {left:,} are left."
        detail += " There are new ones at midnight UTC." if is_used_up else " Wait until a running answer is there."
        yield errors.QuotaExhausted(detail, limit="tokens_per_day", retry_after_s=wait_s)


def allowance_of(quota: Quota, recent: Sequence[datetime], spending: Spending) -> Allowance:
    now = spending.asked_at
    left = quota.tokens_per_day - spending.used_tokens - spending.reserved_tokens
    return Allowance(
        quota,
        turns=max(quota.turns_per_minute - len(recent), 0),
        turns_reset_s=_seconds(recent[-1] + MINUTE - now) if recent else 0,
        tokens=max(left, 0),
        tokens_reset_s=_seconds(midnight_after(now) - now),
    )


def midnight_after(now: datetime) -> datetime:
    return datetime.combine(now.astimezone(UTC).date() + DAY, time.min, UTC)


def _seconds(wait: timedelta) -> int:
    """Whole ones, rounded up: whoever waits for so long does not come too early."""
    return max(math.ceil(wait / timedelta(seconds=1)), 1)


def _smaller(one: int, other: int) -> int:
    """Of two limits, of which 0 is none."""
    return min(one, other) if one and other else one or other
