"""Vectors of messages take a quarter of the room."""

from migrations.plain_sql import run

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    run("0020_small_vectors.sql")
