"""Memories with their changes, and what recall finds messages by."""

from migrations.plain_sql import run

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    run("0009_memories.sql")
