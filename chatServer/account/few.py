"""Few imports at a time, in threads of their own: a long document keeps nobody's question waiting."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar
from uuid import UUID

from chatServer import errors

MOST = 2  # in this process
SOON_S = 10  # a short one is done by then

Result = TypeVar("Result")

_threads = ThreadPoolExecutor(MOST, thread_name_prefix="import")
_users: set[UUID] = set()


@contextmanager
def admitted(user_id: UUID) -> Iterator[None]:
    """One import of a user's, RateLimited for the next; raises Overloaded when others leave no room for it."""
    if user_id in _users:
        told = "An import of yours is not done yet. Send this one when it is."
        raise errors.RateLimited(told, limit="parallel_imports", retry_after_s=SOON_S)
    if len(_users) >= MOST:
        raise errors.Overloaded("Others are importing just now. Send it again in a minute.")
    _users.add(user_id)
    try:
        yield
    finally:
        _users.discard(user_id)


async def apart(work: Callable[..., Result], *given: object) -> Result:
    """Beside the threads that embed and answer. Whoever was cut off may still be at work here: the next one waits."""
    return await asyncio.get_running_loop().run_in_executor(_threads, work, *given)
