"""A job is fetched along the index of priorities, however many wait."""

from migrations.plain_sql import run

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    run("0021_fetch_in_order.sql")
