"""Optional spans of OpenTelemetry: which step, for which turn, how long and how much; never a word of anybody's.

Without a provider in the process (docs/operations.md says how to get one) a span does nothing, in 2 us (2026-11-18).
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Literal
from uuid import UUID

from opentelemetry import trace

Step = Literal["turn", "recall", "compact", "revise"]
Value = str | int | float | bool | UUID

# Ids, names, counts and times. What somebody said, searched for or is called has no name here.
ATTRIBUTES = frozenset({
    "turn_id", "session_id", "agent", "model", "state", "attempt", "messages", "memories", "is_late",
})  # fmt: skip
_NAME = re.compile(r"^[\w.:/@+-]{1,128}\Z", re.ASCII)  # ids and names have no spaces; what people say does

_tracer = trace.get_tracer("chatServer")


def span(step: Step, **attributes: Value) -> contextlib.AbstractContextManager[Callable[..., None]]:
    """Time one step: `with span("turn", turn_id=turn_id) as note: ...; note(state="done")`.

    It hangs on the current task, so no async generator may yield inside it. Of an exception only the kind is kept:
    its words may be a user's.
    """
    if trace._TRACER_PROVIDER is not None:  # `get_tracer_provider()` reads the environment each time, which _tracer has
        return _span(step, _kept(attributes))
    _unheard(**attributes)
    return contextlib.nullcontext(_unheard)


def _unheard(**more: Value) -> None:
    """What may not be said is refused, whoever listens."""
    if not more.keys() <= ATTRIBUTES:
        unknown = ", ".join(sorted(more.keys() - ATTRIBUTES))
        raise TypeError(f"a span says nothing about {unknown}: see spans.ATTRIBUTES")


@contextlib.contextmanager
def _span(step: Step, kept: dict[str, str | int | float | bool]) -> Iterator[Callable[..., None]]:
    with _tracer.start_as_current_span(
        step, attributes=kept, record_exception=False, set_status_on_exception=False
    ) as current:

        def note(**more: Value) -> None:
            current.set_attributes(_kept(more))

        try:
            yield note
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(trace.StatusCode.ERROR)
            raise


def _kept(attributes: dict[str, Value]) -> dict[str, str | int | float | bool]:
    _unheard(**attributes)
    plain = {name: str(value) if isinstance(value, UUID) else value for name, value in attributes.items()}
    return {name: value for name, value in plain.items() if not isinstance(value, str) or _NAME.match(value)}
