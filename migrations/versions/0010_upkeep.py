"""Whose memories were looked after, and when."""

from migrations.plain_sql import run

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    run("0010_upkeep.sql")
