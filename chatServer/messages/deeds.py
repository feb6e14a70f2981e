"""What a tool has done beside what it answered, as its message keeps it and clients are told of it."""

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias
from uuid import UUID

from chatServer.messages.message import Message

DEEDS = "deeds"  # the key of structured_data
FORGOTTEN = "forgotten"
MOST_NAMED = 50  # memories, and messages: more than any tool of ours forgets at once; rows may be another writer's
Deeds: TypeAlias = Mapping[str, dict[str, Any]]  # what was done, by the name of the data part that tells it


def deeds_in(message: Message) -> Deeds:
    """What one tool message says; what is something else is left out, since rows may be another writer's."""
    kept = (message.structured_data or {}).get(DEEDS) if message.role == "tool" else None
    found = {name: _read(name, value) for name, value in kept.items()} if isinstance(kept, dict) else {}
    return {name: value for name, value in found.items() if value}


def parts_of(message: Message) -> list[dict[str, Any]]:
    """As the AI SDK draws them, under the message's own id: of two under one the second takes the first one's place."""
    deeds, own_id = deeds_in(message), message.message_id
    return [{"type": f"data-{name}", "id": own_id, "data": deed} for name, deed in deeds.items()]


def forgotten_in(message: Message) -> list[UUID]:
    """The memories that it says were forgotten."""
    return _ids(message, "memory_ids")


def passed_over_in(message: Message) -> list[UUID]:
    """The messages of which it says that recall passes over them."""
    return _ids(message, "message_ids")


def naming(message: Message, forgotten: Collection[UUID], passed_over: Collection[UUID]) -> Message:
    """The same message, which of all that was forgotten names only these memories and messages."""
    memories = [str(each) for each in forgotten_in(message) if each in forgotten]
    messages = [str(each) for each in passed_over_in(message) if each in passed_over]
    deeds = {**deeds_in(message), FORGOTTEN: {"memory_ids": memories, "message_ids": messages}}
    return replace(message, structured_data={**(message.structured_data or {}), DEEDS: deeds})


def _ids(message: Message, name: str) -> list[UUID]:
    return [UUID(each) for each in deeds_in(message).get(FORGOTTEN, {}).get(name, ())]


def _read(name: str, value: object) -> dict[str, Any] | None:
    match name, value:
        case "notes", {
            "agent_name": str(agent_name),
            "operation": str(operation),
            "version": int(version),
            "previous_version": int(previous_version),
            "untrusted": bool(untrusted),
        }:
            return {
                "agent_name": agent_name,
                "operation": operation,
                "version": version,
                "previous_version": previous_version,
                "untrusted": untrusted,
            }
        case "forgotten", {"memory_ids": [*memories], "message_ids": [*messages]} if messages:
            with contextlib.suppress(ValueError):
                return {"memory_ids": _uuids(memories), "message_ids": _uuids(messages)}
        case "forgotten", {"memory_ids": [*memories]} if memories:
            with contextlib.suppress(ValueError):
                return {"memory_ids": _uuids(memories)}
    return None


def _uuids(values: list[object]) -> list[str]:
    return [str(UUID(str(each))) for each in values[:MOST_NAMED]]
