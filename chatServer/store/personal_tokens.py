"""Rows of chat.personal_tokens. A secret is never among them, only its hash."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from psycopg.rows import class_row

from chatServer.store import queries
from chatServer.store.pool import Connection

SQL = queries.load("personal_tokens.sql")
EXPIRED_KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token."""

    token_id: UUID
    name: str
    digest: bytes = field(repr=False)
    scopes: list[str]
    is_anonymous: bool
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


async def find_token(connection: Connection, user_id: UUID, token_id: UUID) -> Token | None:
    """One that is still taken."""
    async with connection.cursor(row_factory=class_row(Token)) as cursor:
        await cursor.execute(SQL["find_token"], {"user_id": user_id, "token_id": token_id})
        return await cursor.fetchone()


async def list_tokens(connection: Connection, user_id: UUID) -> list[Token]:
    async with connection.cursor(row_factory=class_row(Token)) as cursor:
        await cursor.execute(SQL["list_tokens"], {"user_id": user_id})
        return await cursor.fetchall()


async def insert_token(
    connection: Connection,
    user_id: UUID,
    token_id: UUID,
    *,
    name: str,
    digest: bytes,
    scopes: list[str],
    is_anonymous: bool,
    lives: timedelta,
) -> Token:
    values = {"token_id": token_id, "name": name, "digest": digest, "scopes": scopes, "lives": lives}
    async with connection.cursor(row_factory=class_row(Token)) as cursor:
        await cursor.execute(SQL["insert_token"], {"user_id": user_id, "is_anonymous": is_anonymous, **values})
        made = await cursor.fetchone()
    assert made is not None  # nosec B101 # narrows a type
    return made


async def count_tokens(connection: Connection, user_id: UUID) -> int:
    row = await (await connection.execute(SQL["count_tokens"], {"user_id": user_id})).fetchone()
    return int(row[0]) if row else 0


async def mark_used(connection: Connection, user_id: UUID, token_id: UUID) -> None:
    """Once an hour at most: a token that is used a thousand times is not a thousand writes."""
    await connection.execute(SQL["mark_used"], {"user_id": user_id, "token_id": token_id})


async def delete_token(connection: Connection, user_id: UUID, token_id: UUID) -> bool:
    """Whether there was one."""
    values = {"user_id": user_id, "token_id": token_id}
    return await (await connection.execute(SQL["delete_token"], values)).fetchone() is not None


async def delete_expired_tokens(connection: Connection, user_id: UUID) -> None:
    """Those that ended so long ago that nobody asks any more why they are refused."""
    await connection.execute(SQL["delete_expired_tokens"], {"user_id": user_id, "kept_for": EXPIRED_KEPT_FOR})
