"""Memories as rows: made, written and read past the verbs."""

from datetime import UTC, datetime

from chatServer.records import Memory, Reason, new_id
from chatServer.store import memories as store
from tests.conftest import ADA

RULES = Reason("rules")
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def memory(text: str = "Lives in Berlin.", **values) -> Memory:
    given = {
        "memory_id": new_id(),
        "text": text,
        "kind": "fact",
        "category": "knowledge",
        "importance": 0.5,
        "tags": ("home",),
        "tier": "short",
        "shelf": "assistant",
        "agent_name": "assistant",
        "session_id": "s",
        "origin": "rules",
        "trust": "user",
        "valid_from": NOW,
        "valid_to": None,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Memory(**given | values)


async def write(database, *written: Memory, user=ADA, operation="created", before=None) -> None:
    async with database.transaction(user) as connection:
        await store.advance_head(connection, user.user_id)
        for each in written:
            await store.write(connection, user.user_id, each, operation, RULES, before=before)


async def read(database, memory_id, user=ADA) -> Memory | None:
    async with database.transaction(user) as connection:
        return await store.find_memory(connection, user.user_id, memory_id)
