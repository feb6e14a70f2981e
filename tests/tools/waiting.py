"""For what another process or thread does in its own time."""

import time
from collections.abc import Callable

from tests.conftest import Urls, rows

WITHIN_S = 40


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def waiting_for_locks(urls: Urls) -> int:
    """How many in this database wait for a lock that others hold."""
    query = "select count(*) from pg_stat_activity where datname = %s and wait_event_type = 'Lock'"
    return rows(urls, query, urls.name)[0][0]
