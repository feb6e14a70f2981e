"""So many at once, each user for himself, and nothing is kept of who has left."""

import pytest

from chatServer import errors
from chatServer.api.at_once import at_once
from tests.conftest import ADA, EVE


async def test_one_more_of_the_same_user_is_told_to_come_back():
    door = at_once(2, limit="doors", detail="Two are open.")
    async with door.one_of(ADA.user_id), door.one_of(ADA.user_id):
        with pytest.raises(errors.RateLimited) as refused:
            async with door.one_of(ADA.user_id):
                raise AssertionError
        assert (refused.value.limit, refused.value.detail) == ("doors", "Two are open.")
        async with door.one_of(EVE.user_id):
            pass
    with pytest.raises(ZeroDivisionError):
        async with door.one_of(ADA.user_id):
            raise ZeroDivisionError
    assert not door._rows
