"""What stands before replies and memories are stored: a deployment may put a function of its own here, that rewrites a
text or refuses it. `GUARD=module:function`; without one every text passes as it is."""

import asyncio
import importlib
import inspect
import logging
from collections.abc import Callable

from chatServer.errors import StartupError
from chatServer.messages import clean_text

Guard = Callable[[str], str | None]  # the text, another one in its place, or None: it shall not be stored

logger = logging.getLogger(__name__)


def _passes(text: str) -> str | None:
    return text


_guard: Guard = _passes  # one for the process, chosen when it starts


async def guard(text: str) -> str | None:
    """What of a text may be stored. A guard that fails lets nothing pass; one that takes its time holds up nobody."""
    return text if _guard is _passes else await asyncio.to_thread(_asked, text)


def _asked(text: str) -> str | None:
    try:
        passed = _guard(text)
        if not isinstance(passed, str | None):
            raise TypeError
        return None if passed is None else clean_text(passed)  # as every text that comes in: no NUL, no half character
    except Exception as error:  # noqa: BLE001  it is not ours, and what it should have looked at may not slip through
        logger.error("the guard failed, and a text was refused: %s", type(error).__name__)
        return None


def install(path: str | None) -> None:
    """Put the function at `module:function` in its place, for as long as the process lives."""
    global _guard  # noqa: PLW0603  a seam of the whole process, as logging is
    _guard = _found(path) if path else _passes


def _found(path: str) -> Guard:
    module, _, name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever a module does when it is imported
        raise StartupError(f"GUARD={path} cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise StartupError(f"GUARD={path} is no function.")
    if any(map(inspect.iscoroutinefunction, (found, type(found).__call__))):
        raise StartupError(f"GUARD={path} is async. It is called in a thread: write it with a plain def.")
    guarding: Guard = found
    return guarding
