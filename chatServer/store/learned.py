"""What was learned from turns: chat.turns.revision keeps it, so that it happens once."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("learned.sql")


async def claim(connection: Connection, user_id: UUID, turn_id: UUID, message_ids: Collection[UUID]) -> bool:
    """Whether these messages of the turn are still to be learned from; nobody else will, if this is committed."""
    values = {"user_id": user_id, "turn_id": turn_id, "message_ids": list(message_ids)}
    return await (await connection.execute(SQL["claim_learning"], values)).fetchone() is not None


async def keep(connection: Connection, user_id: UUID, turn_id: UUID, learned: dict[str, Any]) -> None:
    values = {"user_id": user_id, "turn_id": turn_id, "learned": Jsonb({"remembered": learned})}
    await connection.execute(SQL["keep_learned"], values)


async def hold_turn(
    connection: Connection, user_id: UUID, turn_id: UUID, attempt: int | None, message_ids: Collection[UUID]
) -> bool:
    """Whether the turn and these messages are still there, and not forgotten; if so, the turn stays until the
    transaction ends."""
    values = {"user_id": user_id, "turn_id": turn_id, "attempt": attempt, "message_ids": list(message_ids)}
    return await (await connection.execute(SQL["hold_turn"], values)).fetchone() is not None
