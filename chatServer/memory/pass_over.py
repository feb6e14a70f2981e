"""Single messages that recall is to show no longer; they stay in their sessions."""

from uuid import UUID, uuid5

from chatServer import errors
from chatServer.memory.forget import tell
from chatServer.records import Principal
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.pool import Database

OF_MESSAGES = UUID("5b0c6a0e-3f0b-4c53-9a57-0a5c1c6b7d52")  # what is done to a message has an id made of its id


async def pass_over(database: Database, principal: Principal, message_id: UUID) -> None:
    """Recall shows it no longer; a second time hides nothing more."""
    user_id, change_id = principal.user_id, uuid5(OF_MESSAGES, str(message_id))
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        hidden = await store.hide_messages(connection, user_id, [message_id], titles=False)
        if not hidden:
            raise errors.MessageNotFound
        if await changes.find_undoable(connection, user_id, change_id) is None:
            await changes.add_of_message(connection, user_id, change_id, message_id, "deleted", hidden=hidden)
            await tell(connection, user_id, changed=[])


async def show_again(database: Database, principal: Principal, message_id: UUID) -> None:
    """Take that back; what says something else that is forgotten stays hidden."""
    user_id, change_id = principal.user_id, uuid5(OF_MESSAGES, str(message_id))
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        undoable = await changes.find_undoable(connection, user_id, change_id)
        if undoable is None:
            raise errors.MessageNotFound
        await changes.mark_all_undone(connection, user_id, change_id)
        await changes.add_of_message(connection, user_id, change_id, message_id, "restored")
        await store.show_messages(connection, user_id, undoable.hidden)
        await tell(connection, user_id, changed=[])
