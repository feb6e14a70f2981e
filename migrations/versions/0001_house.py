"""Roles, sessions, messages, turns and events, notes."""

from migrations.plain_sql import run

revision = "0001"
down_revision = None


def upgrade() -> None:
    run("0001_house.sql")
