"""So many at once, each user for himself, and nothing is kept of who has left."""

import pytest

from chatServer import errors
from chatServer.api.at_once import AtOnce
from tests.conftest import ADA, EVE


def test_one_more_of_the_same_user_is_told_to_come_back():
    door = AtOnce(2, limit="doors", detail="Two are open.")
    with door.entered(ADA.user_id), door.entered(ADA.user_id):
        with pytest.raises(errors.RateLimited) as refused, door.entered(ADA.user_id):
            raise AssertionError
        assert (refused.value.limit, refused.value.detail) == ("doors", "Two are open.")
        with door.entered(EVE.user_id):
            pass
    with pytest.raises(ZeroDivisionError), door.entered(ADA.user_id):
        raise ZeroDivisionError
    assert list(door._inside) == []
