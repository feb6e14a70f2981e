"""Single messages that recall is to show no longer; they stay in their sessions."""

from collections.abc import Collection
from uuid import UUID

from chatServer import errors
from chatServer.memory.forget.forget import UNDO, tell
from chatServer.records import Principal, Reason, Undoable
from chatServer.store import memories as store
from chatServer.store import memory_changes as changes
from chatServer.store.pool import Connection, Database

BY_USER = Reason("user")


async def pass_over(database: Database, principal: Principal, message_id: UUID) -> None:
    """Recall shows it no longer; a second time hides nothing more."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        if await hide(connection, user_id, message_id, BY_USER):
            await tell(connection, user_id, changed=[])


async def show_again(database: Database, principal: Principal, message_id: UUID) -> None:
    """Take that back; what says something else that is forgotten stays hidden."""
    user_id = principal.user_id
    async with database.transaction(principal) as connection:
        await store.advance_head(connection, user_id)
        undoable = await changes.find_undoable(connection, user_id, changes.id_of_message(message_id))
        if undoable is None:
            raise errors.MessageNotFound
        await show(connection, user_id, message_id, undoable)
        await tell(connection, user_id, changed=[])


async def hide(
    connection: Connection, user_id: UUID, message_id: UUID, reason: Reason, *, quoting: Collection[UUID] = ()
) -> bool:
    """The same under a head that is held, with what has quoted the message, titles too; False: it was done before."""
    if not await store.hide_messages(connection, user_id, [message_id], titles=False):
        raise errors.MessageNotFound
    if await changes.find_undoable(connection, user_id, changes.id_of_message(message_id)):
        return False
    also = await store.hide_messages(connection, user_id, quoting, titles=True) if quoting else []
    hidden = [message_id, *(each for each in also if each != message_id)]
    await changes.add_of_message(connection, user_id, message_id, "deleted", reason, hidden=hidden)
    return True


async def show(connection: Connection, user_id: UUID, message_id: UUID, undoable: Undoable) -> None:
    """Take back that a message was hidden, under a head that is held."""
    await changes.mark_all_undone(connection, user_id, changes.id_of_message(message_id))
    await changes.add_of_message(connection, user_id, message_id, "restored", UNDO)
    await store.show_messages(connection, user_id, undoable.hidden)
