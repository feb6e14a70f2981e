"""Expired events can be found, by whose and how old they are."""

from migrations.plain_sql import run

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    run("0004_sweeps.sql")
