"""What tools have done, as far as it can still be taken back."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chatServer.messages.deeds import forgotten_in, naming, passed_over_in
from chatServer.records import StoredMessage
from chatServer.store import memory_changes
from chatServer.store.pool import Connection


async def without_taken_back(
    connection: Connection, user_id: UUID, stored: Sequence[StoredMessage]
) -> list[StoredMessage]:
    """The same rows, which of what was forgotten name only what can be had back: the undo of what was had back would
    take away something else."""
    memories = {each for row in stored for each in forgotten_in(row.message)}
    messages = {memory_changes.id_of_message(each): each for row in stored for each in passed_over_in(row.message)}
    if not memories and not messages:
        return list(stored)
    left = await memory_changes.find_forgotten(connection, user_id, {*memories, *messages})
    passed_over = {messages[each] for each in left if each in messages}
    return [
        replace(row, message=naming(row.message, left, passed_over))
        if forgotten_in(row.message) or passed_over_in(row.message)
        else row
        for row in stored
    ]
