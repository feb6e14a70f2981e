"""Summaries of sessions, and usage by day."""

from migrations.plain_sql import run

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    run("0002_summaries_and_usage.sql")
