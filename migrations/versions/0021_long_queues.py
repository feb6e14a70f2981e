"""A queue in which many wait is worked off, and looked at, as one in which few do."""

from migrations.plain_sql import run

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    run("0021_long_queues.sql")
