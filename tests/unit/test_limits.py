"""Limits without a database: who is refused, for how long, and what is left."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatServer import errors
from chatServer.config import Settings, load_settings
from chatServer.records import Principal, new_id
from chatServer.store.limits import Spending
from chatServer.turn.limits import MINUTE, Quota, Quotas, allowance_of, in_the_last_minute, midnight_after, refusals_of

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def ago(*seconds: float, now: datetime = NOON) -> list[datetime]:
    return [now - timedelta(seconds=each) for each in seconds]


def spending(*, now: datetime = NOON, running: int = 0, reserved: int = 0, used: int = 0) -> Spending:
    return Spending(now, running, reserved, used)


def refused(quota: Quota, recent: list[datetime], spent: Spending, tokens: int = 100) -> dict[str, int | None]:
    return {each.limit: each.retry_after_s for each in refusals_of(quota, recent, spent, tokens)}


def test_without_limits_nothing_is_refused():
    assert refused(Quota(), ago(*range(50)), spending(running=99, reserved=10**9, used=10**9)) == {}


def test_a_minute_is_any_sixty_seconds_and_the_wait_ends_when_one_falls_out_of_it():
    quota = Quota(turns_per_minute=2)
    assert refused(quota, ago(59.5), spending()) == {}
    assert refused(quota, ago(59.5, 1), spending()) == {"turns_per_minute": 1}
    assert refused(quota, ago(30.2, 1), spending()) == {"turns_per_minute": 30}
    assert refused(quota, ago(50, 30, 1), spending()) == {"turns_per_minute": 30}, "the limit was lowered meanwhile"


@given(
    st.integers(1, 6),
    st.lists(st.floats(0, 40), min_size=1, max_size=60),
)
def test_no_sixty_seconds_see_more_turns_than_allowed_and_every_wait_is_enough(limit, pauses):
    """As a server does it, with a client that comes whenever it likes, and once more when it was told to."""
    quota, now, kept, begun = Quota(turns_per_minute=limit), NOON, [], []
    for pause in pauses:
        now += timedelta(seconds=pause)
        recent = in_the_last_minute(kept, now)
        if waits := list(refused(quota, recent, spending(now=now)).values()):
            now += timedelta(seconds=waits[0])
            recent = in_the_last_minute(kept, now)
            assert refused(quota, recent, spending(now=now)) == {}
        kept = [*recent, now]
        begun.append(now)
    for at in begun:
        assert len([each for each in begun if at - MINUTE < each <= at]) <= limit


def test_times_that_are_still_to_come_do_not_count():
    """The database's clock was set back by an hour, or its standby's differs."""
    assert in_the_last_minute([NOON + timedelta(hours=1), *ago(1)], NOON) == ago(1)


def test_turns_at_once():
    quota = Quota(parallel_turns=2)
    assert refused(quota, [], spending(running=1)) == {}
    assert refused(quota, [], spending(running=2)) == {"parallel_turns": 1}


def test_tokens_of_a_day_count_what_is_used_and_what_is_reserved():
    quota = Quota(tokens_per_day=1_000)
    assert refused(quota, [], spending(used=500, reserved=400), tokens=100) == {}
    assert refused(quota, [], spending(used=500, reserved=400), tokens=101) == {"tokens_per_day": 1}, "soon, perhaps"
    assert refused(quota, [], spending(used=900, reserved=1), tokens=100) == {"tokens_per_day": 1}, "enough, then"
    assert refused(quota, [], spending(used=900), tokens=101) == {"tokens_per_day": 12 * 3600}


def test_a_day_ends_at_midnight_utc_wherever_the_database_is():
    half_past_midnight = datetime(2026, 11, 16, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    assert midnight_after(half_past_midnight) == datetime(2026, 11, 16, tzinfo=UTC)


def test_every_reason_is_found():
    spent = spending(running=5, used=99)
    assert refused(Quota(1, 1, 100), ago(20), spent, tokens=2) == {
        "turns_per_minute": 40,
        "parallel_turns": 1,
        "tokens_per_day": 12 * 3600,
    }


def test_what_is_left_is_told_of_the_limits_that_there_are():
    spent = spending(used=300, reserved=200)
    assert allowance_of(Quota(), [], spent).headers() == {}
    assert allowance_of(Quota(turns_per_minute=5), ago(50, 10), spent).headers() == {
        "x-ratelimit-limit-requests": "5",
        "x-ratelimit-remaining-requests": "3",
        "x-ratelimit-reset-requests": "50",
    }
    assert allowance_of(Quota(tokens_per_day=1_000), [], spent).headers() == {
        "x-ratelimit-limit-tokens": "1000",
        "x-ratelimit-remaining-tokens": "500",
        "x-ratelimit-reset-tokens": "43200",
    }
    over = allowance_of(Quota(1, 1, 100), ago(3, 2), spent)
    assert (over.turns, over.tokens) == (0, 0)


@pytest.mark.parametrize(
    ("of_users", "of_anonymous", "theirs"), [(60, 10, 10), (5, 10, 5), (0, 10, 10), (60, 0, 60), (0, 0, 0)]
)
def test_anonymous_users_never_have_more_than_others(of_users, of_anonymous, theirs):
    values = {f"limit_{name}": of_users for name in ("turns_per_minute", "parallel_turns", "tokens_per_day")}
    values |= {name.replace("limit_", "limit_anonymous_"): of_anonymous for name in values}
    quotas = Quotas.of(Settings(_env_file=None, **values))
    assert quotas.quota_of(Principal(new_id())) == Quota(of_users, of_users, of_users)
    assert quotas.quota_of(Principal(new_id(), is_anonymous=True)) == Quota(theirs, theirs, theirs)


def test_there_are_limits_by_default_and_lower_ones_for_who_is_anonymous():
    quotas = Quotas.of(Settings(_env_file=None))
    assert quotas.of_users == Quota(60, 8, 2_000_000)
    assert quotas.of_anonymous == Quota(10, 2, 100_000)


def test_limits_below_zero_are_refused_with_all_other_problems(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = [name.upper() for name in Settings.model_fields if name.startswith("limit_")]
    for name in names:
        monkeypatch.setenv(name, "-1")
    monkeypatch.setenv("PORT", "-1")
    with pytest.raises(errors.StartupError) as caught:
        load_settings()
    assert len(names) == 9
    assert all(f"  {name}: " in str(caught.value) for name in [*names, "PORT"])
