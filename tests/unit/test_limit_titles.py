"""Who is refused for having too much is told of what."""

import re
from pathlib import Path

import pytest

from chatServer import errors

DOCS = Path("docs/api.md").read_text()
LIMITS = re.findall(r"`(\w+)`", re.search(r"with `limit` \((.+?)\)", DOCS)[1])
OF_MESSAGES = {"turns_per_minute", "messages_per_minute", "parallel_turns", "tokens_per_day"}


@pytest.mark.parametrize("limit", LIMITS)
def test_the_title_names_what_there_is_too_much_of(limit):
    title = errors.RateLimited("Later.", limit=limit, retry_after_s=1).title
    assert (title == "Too many messages") == (limit in OF_MESSAGES)
    assert limit in OF_MESSAGES or title.endswith(" at once")
