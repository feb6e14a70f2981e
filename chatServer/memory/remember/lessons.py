"""What a turn's tools teach: which ones worked together, and which ones failed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from chatServer.memory.rules import TOOL_FAILURE_IMPORTANCE, TOOL_SUCCESS_IMPORTANCE
from chatServer.messages import Message
from chatServer.records import Category

MAX_NAMES = 16  # a model can invent any number of tools


@dataclass(frozen=True, slots=True)
class Lesson:
    text: str
    category: Category
    importance: float
    tags: tuple[str, ...]


def lessons_of(messages: Iterable[Message], keepers: Collection[str] = ()) -> list[Lesson]:
    """At most two memories of a turn's tool messages; those without a record of how they went teach nothing, nor does
    that a tool worked which only keeps memory itself, or looks something up."""
    results = [(message.name or "", message.structured_data or {}) for message in messages if message.role == "tool"]
    good = [(name, data) for name, data in results if name not in keepers and data.get("success") is True]
    worked, failed = _names(good), _names((name, data) for name, data in results if data.get("success") is False)
    lessons = []
    if worked:
        total_ms = sum(_milliseconds(data.get("duration_ms")) for _, data in good)
        text = f"Successfully used tools: {', '.join(worked)} (total time: {total_ms}ms)"
        lessons.append(Lesson(text, "task_history", TOOL_SUCCESS_IMPORTANCE, ("tool_usage", "success", *worked)))
    if failed:
        text = f"Failed tools: {', '.join(failed)}"
        lessons.append(Lesson(text, "error_pattern", TOOL_FAILURE_IMPORTANCE, ("tool_failure", "error", *failed)))
    return lessons


def _names(results: Iterable[tuple[str, object]]) -> list[str]:
    """In the order of their first call, once each."""
    return list(dict.fromkeys(name for name, _ in results if name))[:MAX_NAMES]


def _milliseconds(value: object) -> int:
    return round(value) if isinstance(value, int | float) else 0
