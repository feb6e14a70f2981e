"""The job queue."""

from migrations.plain_sql import run

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    run("0003_jobs.sql")
