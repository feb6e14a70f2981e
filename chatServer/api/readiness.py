"""Whether this server can do its work right now: a few short looks, each bounded and never two at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Self

from chatServer import errors

LOOK_S = 1.0


class Check(NamedTuple):
    """What one look found; the detail is for a person and holds no secret."""

    ok: bool
    detail: str
    works_in_part: bool = False  # not ok, and yet requests are better sent here than nowhere


Look = Callable[[], Awaitable[Check]]


class Readiness:
    """Runs the looks. One that takes too long is reported and left to end by itself: cancelling a statement waits
    for the very database that does not answer. Meanwhile nobody starts a second one."""

    def __init__(self, looks: Mapping[str, Look], *, look_s: float = LOOK_S) -> None:
        self._looks = looks
        self._look_s = look_s
        self._running: dict[str, asyncio.Task[Check]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def checks(self) -> dict[str, Check]:
        """Every look by its name."""
        for name, look in self._looks.items():
            if name not in self._running or self._running[name].done():  # what ended unseen may be long ago
                self._running[name] = asyncio.ensure_future(_safely(look))
        tasks = dict(self._running)
        if tasks:
            await asyncio.wait(tasks.values(), timeout=self._look_s)
        return {name: self._result(name, task) for name, task in tasks.items()}

    def _result(self, name: str, task: asyncio.Task[Check]) -> Check:
        if not task.done():
            return Check(ok=False, detail=f"no answer within {self._look_s:g} s")
        if self._running.get(name) is task:
            del self._running[name]
        return task.result()


async def _safely(look: Look) -> Check:
    try:
        return await look()
    except errors.ChatError as error:
        return Check(ok=False, detail=error.detail)
    except Exception as error:  # noqa: BLE001  a look that fails is a finding, not a failure of /readyz
        return Check(ok=False, detail=type(error).__name__)
