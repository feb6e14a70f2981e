"""What tools have done, as far as it can still be taken back."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chatServer.messages.deeds import forgotten_in, naming
from chatServer.records import StoredMessage
from chatServer.store import memory_changes
from chatServer.store.pool import Connection


async def without_taken_back(
    connection: Connection, user_id: UUID, stored: Sequence[StoredMessage]
) -> list[StoredMessage]:
    """The same rows, which of what was forgotten name only what can be had back: the undo of what was had back would
    take away something else."""
    named = {memory_id for each in stored for memory_id in forgotten_in(each.message)}
    if not named:
        return list(stored)
    left = await memory_changes.find_forgotten(connection, user_id, named)
    return [
        replace(each, message=naming(each.message, left)) if forgotten_in(each.message) else each for each in stored
    ]
